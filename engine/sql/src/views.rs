//! The views over the tables, as SQL.

/// The views, in the order in which they can be created: a name and a query.
pub(crate) const VIEWS: [(&str, &str); 3] =
    [("usage", USAGE), ("tool_calls", TOOL_CALLS), ("sessions", SESSIONS)];

/// One row for each message of the model.
///
/// The rule is that of `UsageTotals` in linetape-session, and the keys are its
/// `MessageKeys`. Of a message, the lines of the highest rank that have a field
/// count: each count is from the last line that has it, and the session is that of
/// the first line. The last line is the one with the latest time. A line whose counts
/// are all 0 does not replace one with tokens, whatever its rank (`age`, `worth`).
/// Of a sub-agent's message (a rank below 4), the largest counts of all lines are used.
///
/// Messages that share a `copy_key` have the same message id in one session. The
/// first one in the order of `is_copy` counts, and others of the same level, unless
/// they are sub-agents' (level 0). If it has a lower level than one without tokens, it
/// has the session, request id, model and time of that one.
///
/// The order is one number, because `first_value` and `last_value` keep the
/// values of all columns in ORDER BY for each message.
///
/// Two groupings rather than a window function over the ranks: a window keeps
/// all of its rows in memory, and does not count them. Those of `is_copy` need
/// only rows before the current one, so no more are kept.
const USAGE: &str = r#"
WITH placed AS (
    SELECT
        *,
        -- The order of the logs: file, offset and part, of which the last two
        -- have 16 and 10 digits.
        CAST(file_number AS DECIMAL(10, 0)) * CAST('100000000000000000000000000' AS DECIMAL(27, 0))
            + CAST("offset" AS DECIMAL(16, 0)) * CAST('10000000000' AS DECIMAL(11, 0))
            + CAST(part AS DECIMAL(10, 0)) AS place,
        -- The time in milliseconds; a line without one comes after the others.
        coalesce(CAST("timestamp" AS BIGINT), 1000000000000000000) AS time,
        coalesce(input_tokens > 0, false) OR coalesce(output_tokens > 0, false)
            OR coalesce(cache_creation_input_tokens > 0, false)
            OR coalesce(cache_read_input_tokens > 0, false)
            OR coalesce(ephemeral_5m_input_tokens > 0, false)
            OR coalesce(ephemeral_1h_input_tokens > 0, false)
            OR coalesce(web_search_requests > 0, false)
            OR coalesce(web_fetch_requests > 0, false) AS has_tokens
    FROM usage_lines
), aged AS (
    SELECT
        *,
        -- All lines without tokens come before those with some.
        time + CASE WHEN has_tokens THEN 2000000000000000000 ELSE 0 END AS age
    FROM placed
), copies AS (
    SELECT
        key,
        rank,
        first_value(session_id ORDER BY place) IGNORE NULLS AS session_id,
        first_value(message_id ORDER BY place) IGNORE NULLS AS message_id,
        first_value(request_id ORDER BY place) IGNORE NULLS AS request_id,
        last_value(model ORDER BY "timestamp" ASC NULLS LAST, place) IGNORE NULLS AS model,
        last_value("timestamp" ORDER BY "timestamp" ASC NULLS LAST, place) IGNORE NULLS AS "timestamp",
        last_value(day ORDER BY "timestamp" ASC NULLS LAST, place) IGNORE NULLS AS day,
        first_value(cwd ORDER BY place) IGNORE NULLS AS cwd,
        first_value(file ORDER BY place) AS file,
        min(place) AS place,
        max(level) AS level,
        key_set(copy_key, other_copy_key) AS copy_keys,
        bool_or(is_advice) AS is_advice,
        count(*) AS lines,
        bool_or(has_tokens) AS has_tokens,
        -- Any tokens count before none, and then those of the highest rank.
        max(rank + CASE WHEN has_tokens THEN 8 ELSE 0 END) AS worth,
        CASE WHEN rank < 4 THEN max(input_tokens)
            ELSE last_value(input_tokens ORDER BY age, place) IGNORE NULLS END AS input_tokens,
        CASE WHEN rank < 4 THEN max(output_tokens)
            ELSE last_value(output_tokens ORDER BY age, place) IGNORE NULLS END AS output_tokens,
        CASE WHEN rank < 4 THEN max(cache_creation_input_tokens)
            ELSE last_value(cache_creation_input_tokens ORDER BY age, place) IGNORE NULLS END AS cache_creation_input_tokens,
        CASE WHEN rank < 4 THEN max(cache_read_input_tokens)
            ELSE last_value(cache_read_input_tokens ORDER BY age, place) IGNORE NULLS END AS cache_read_input_tokens,
        CASE WHEN rank < 4 THEN max(ephemeral_5m_input_tokens)
            ELSE last_value(ephemeral_5m_input_tokens ORDER BY age, place) IGNORE NULLS END AS ephemeral_5m_input_tokens,
        CASE WHEN rank < 4 THEN max(ephemeral_1h_input_tokens)
            ELSE last_value(ephemeral_1h_input_tokens ORDER BY age, place) IGNORE NULLS END AS ephemeral_1h_input_tokens,
        CASE WHEN rank < 4 THEN max(web_search_requests)
            ELSE last_value(web_search_requests ORDER BY age, place) IGNORE NULLS END AS web_search_requests,
        CASE WHEN rank < 4 THEN max(web_fetch_requests)
            ELSE last_value(web_fetch_requests ORDER BY age, place) IGNORE NULLS END AS web_fetch_requests
    FROM aged
    GROUP BY key, rank
), messages AS (
    SELECT
        key,
        last_value(session_id ORDER BY rank) IGNORE NULLS AS session_id,
        last_value(message_id ORDER BY rank) IGNORE NULLS AS message_id,
        last_value(request_id ORDER BY rank) IGNORE NULLS AS request_id,
        last_value(model ORDER BY rank) IGNORE NULLS AS model,
        last_value("timestamp" ORDER BY rank) IGNORE NULLS AS "timestamp",
        last_value(day ORDER BY rank) IGNORE NULLS AS day,
        last_value(cwd ORDER BY rank) IGNORE NULLS AS cwd,
        last_value(file ORDER BY rank) IGNORE NULLS AS file,
        max(rank) < 4 AS is_sidechain,
        last_value(is_advice ORDER BY rank) AS is_advice,
        last_value(lines ORDER BY rank) AS lines,
        CASE WHEN max(worth) % 8 < 4 THEN max(input_tokens) ELSE last_value(input_tokens ORDER BY worth) END AS input_tokens,
        CASE WHEN max(worth) % 8 < 4 THEN max(output_tokens) ELSE last_value(output_tokens ORDER BY worth) END AS output_tokens,
        CASE WHEN max(worth) % 8 < 4 THEN max(cache_creation_input_tokens) ELSE last_value(cache_creation_input_tokens ORDER BY worth) END AS cache_creation_input_tokens,
        CASE WHEN max(worth) % 8 < 4 THEN max(cache_read_input_tokens) ELSE last_value(cache_read_input_tokens ORDER BY worth) END AS cache_read_input_tokens,
        CASE WHEN max(worth) % 8 < 4 THEN max(ephemeral_5m_input_tokens) ELSE last_value(ephemeral_5m_input_tokens ORDER BY worth) END AS ephemeral_5m_input_tokens,
        CASE WHEN max(worth) % 8 < 4 THEN max(ephemeral_1h_input_tokens) ELSE last_value(ephemeral_1h_input_tokens ORDER BY worth) END AS ephemeral_1h_input_tokens,
        CASE WHEN max(worth) % 8 < 4 THEN max(web_search_requests) ELSE last_value(web_search_requests ORDER BY worth) END AS web_search_requests,
        CASE WHEN max(worth) % 8 < 4 THEN max(web_fetch_requests) ELSE last_value(web_fetch_requests ORDER BY worth) END AS web_fetch_requests,
        bool_or(has_tokens) AS has_tokens,
        max(level) AS level,
        min(place) AS place,
        key_set(copy_keys) AS copy_keys
    FROM copies
    GROUP BY key
), by_copy_key AS (
    SELECT
        *,
        unnest(copy_keys) AS copy_key,
        CASE level WHEN 0 THEN
            coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
                + coalesce(cache_creation_input_tokens, 0) + coalesce(cache_read_input_tokens, 0)
        END AS tokens
    FROM messages
), judged AS (
    SELECT
        *,
        copy_key IS NOT NULL AND (
            level <> first_value(level) OVER same
            OR level = 0 AND row_number() OVER same > 1
        ) AS is_copy
    FROM by_copy_key
    WINDOW same AS (
        -- A message without an id has no copy key, and is alone.
        PARTITION BY copy_key, CASE WHEN copy_key IS NULL THEN key END
        ORDER BY has_tokens DESC, level DESC, tokens DESC, place
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
), named AS (
    SELECT
        *,
        has_tokens AND first_value(level) OVER higher > level AS is_named,
        first_value(CASE WHEN NOT has_tokens THEN session_id END) IGNORE NULLS OVER higher AS other_session_id,
        first_value(CASE WHEN NOT has_tokens THEN request_id END) IGNORE NULLS OVER higher AS other_request_id,
        first_value(CASE WHEN NOT has_tokens THEN model END) IGNORE NULLS OVER higher AS other_model,
        first_value(CASE WHEN NOT has_tokens THEN "timestamp" END) IGNORE NULLS OVER higher AS other_timestamp,
        first_value(CASE WHEN NOT has_tokens THEN day END) IGNORE NULLS OVER higher AS other_day
    FROM judged
    WINDOW higher AS (
        PARTITION BY copy_key, CASE WHEN copy_key IS NULL THEN key END
        ORDER BY level DESC, has_tokens DESC, place
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
)
SELECT
    coalesce(max(other_session_id) FILTER (WHERE is_named), max(session_id)) AS session_id,
    max(message_id) AS message_id,
    coalesce(max(other_request_id) FILTER (WHERE is_named), max(request_id)) AS request_id,
    coalesce(max(other_model) FILTER (WHERE is_named), max(model)) AS model,
    coalesce(max(other_timestamp) FILTER (WHERE is_named), max("timestamp")) AS "timestamp",
    coalesce(max(other_day) FILTER (WHERE is_named), max(day)) AS day,
    max(cwd) AS cwd,
    max(file) AS file,
    bool_and(is_sidechain AND NOT is_named) AS is_sidechain,
    bool_or(is_advice) AS is_advice,
    max(lines) AS lines,
    max(input_tokens) AS input_tokens,
    max(output_tokens) AS output_tokens,
    max(cache_creation_input_tokens) AS cache_creation_input_tokens,
    max(cache_read_input_tokens) AS cache_read_input_tokens,
    max(ephemeral_5m_input_tokens) AS ephemeral_5m_input_tokens,
    max(ephemeral_1h_input_tokens) AS ephemeral_1h_input_tokens,
    max(web_search_requests) AS web_search_requests,
    max(web_fetch_requests) AS web_fetch_requests
FROM named
GROUP BY key
HAVING NOT bool_or(is_copy)
"#;

/// One row for each tool call in a content block, with its result.
///
/// As in linetape-session, a call is identified by its id alone, and has failed
/// if any of its results says so. A call without an id is a row of its own.
///
/// Calls and results are grouped together: a join would read the logs twice, and
/// fail if it needs more memory than there is.
const TOOL_CALLS: &str = r#"
WITH parts AS (
    SELECT
        *,
        coalesce('i' || tool_use_id, 'l' || file_number || ':' || "offset" || ':' || coalesce(nested, -1) || ':' || block) AS key,
        block_type IN ('tool_use', 'server_tool_use', 'mcp_tool_use') AND role = 'assistant' AS is_call,
        is_error IS NOT NULL AND tool_use_id IS NOT NULL AS is_result
    FROM blocks
    WHERE block_type IN (
        'tool_use', 'server_tool_use', 'mcp_tool_use', 'tool_result',
        'web_search_tool_result', 'web_fetch_tool_result',
        'code_execution_tool_result', 'bash_code_execution_tool_result',
        'text_editor_code_execution_tool_result', 'mcp_tool_result',
        'tool_search_tool_result', 'advisor_tool_result'
    )
), calls AS (
    SELECT
        first_value(tool_use_id ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS tool_use_id,
        first_value(tool_name ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS tool_name,
        first_value(block_type ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS block_type,
        first_value(session_id ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS session_id,
        first_value(message_id ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS message_id,
        first_value(model ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS model,
        bool_and(is_sidechain) FILTER (WHERE is_call) AS is_sidechain,
        first_value("timestamp" ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS started,
        first_value(input ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS input,
        first_value(file ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS file,
        first_value("offset" ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_call) AS "offset",
        first_value("timestamp" ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_result) AS ended,
        coalesce(bool_or(is_result), false) AS has_result,
        coalesce(bool_or(is_error) FILTER (WHERE is_result), false) AS is_error,
        last_value(text ORDER BY file_number, "offset", nested NULLS FIRST, block) FILTER (WHERE is_result) AS result
    FROM parts
    GROUP BY key
    HAVING bool_or(is_call)
)
SELECT
    tool_use_id, tool_name, block_type, session_id, message_id, model,
    is_sidechain, started, ended,
    CAST(ended AS BIGINT) - CAST(started AS BIGINT) AS duration_ms,
    has_result, is_error, input, result, file, "offset"
FROM calls
"#;

/// One row for each session.
///
/// The cost is that of `Cost` in linetape-session: the cost of a result includes
/// those of the results before it, unless it is lower: then the count has
/// restarted. A copy of a result has the same session and uuid, and does not
/// count. The last `cost-state`, which is the one with the longest duration, is
/// the cost of the whole session, and the larger of both is used.
///
/// Unlike there, the costs of messages (`costUSD`) are not added up, and what a
/// fork has counted before is not taken off: the sessions that have one count are
/// those that are connected by messages, which needs a recursive query.
const SESSIONS: &str = r#"
WITH of_lines AS (
    SELECT
        session_id,
        min("timestamp") AS started,
        max("timestamp") AS ended,
        count(*) FILTER (WHERE nested IS NULL) AS lines,
        count(*) FILTER (WHERE is_error) AS errors,
        first_value(cwd ORDER BY file_number, "offset", nested NULLS FIRST) IGNORE NULLS AS cwd,
        last_value(version ORDER BY file_number, "offset", nested NULLS FIRST) IGNORE NULLS AS version
    FROM lines
    WHERE session_id IS NOT NULL
    GROUP BY session_id
), reports AS (
    SELECT
        session_id,
        file_number,
        "offset",
        nested,
        type = 'cost-state' AS is_state,
        total_cost_usd AS cost,
        duration_ms,
        uuid IS NOT NULL AND row_number() OVER (
            PARTITION BY session_id, type, uuid
            ORDER BY file_number, "offset", nested NULLS FIRST
        ) > 1 AS is_copy
    FROM lines
    WHERE type IN ('result', 'cost-state')
      AND session_id IS NOT NULL
), costs AS (
    SELECT
        *,
        lag(cost) OVER (
            PARTITION BY session_id, is_state
            ORDER BY file_number, "offset", nested NULLS FIRST
        ) AS previous
    FROM reports
    WHERE is_state OR cost >= 0 AND NOT is_copy
), of_costs AS (
    SELECT
        session_id,
        coalesce(sum(previous) FILTER (WHERE NOT is_state AND cost < previous), 0)
            + last_value(cost ORDER BY file_number, "offset", nested NULLS FIRST) FILTER (WHERE NOT is_state) AS of_results,
        last_value(cost ORDER BY
            duration_ms NULLS FIRST,
            CASE WHEN duration_ms IS NOT NULL THEN cost END NULLS FIRST,
            file_number, "offset", nested NULLS FIRST
        ) FILTER (WHERE is_state) AS of_state
    FROM costs
    GROUP BY session_id
), of_usage AS (
    SELECT
        session_id,
        count(*) AS messages,
        sum(input_tokens) AS input_tokens,
        sum(output_tokens) AS output_tokens,
        sum(cache_creation_input_tokens) AS cache_creation_input_tokens,
        sum(cache_read_input_tokens) AS cache_read_input_tokens
    FROM usage
    WHERE session_id IS NOT NULL
    GROUP BY session_id
)
SELECT
    of_lines.session_id, of_lines.started, of_lines.ended,
    CAST(of_lines.ended AS BIGINT) - CAST(of_lines.started AS BIGINT) AS duration_ms,
    of_lines.lines, of_lines.errors, of_lines.cwd, of_lines.version,
    greatest(of_costs.of_results, CASE WHEN of_costs.of_state >= 0 THEN of_costs.of_state END) AS total_cost_usd,
    coalesce(of_usage.messages, 0) AS messages,
    of_usage.input_tokens, of_usage.output_tokens,
    of_usage.cache_creation_input_tokens, of_usage.cache_read_input_tokens
FROM of_lines
LEFT JOIN of_costs ON of_lines.session_id = of_costs.session_id
LEFT JOIN of_usage ON of_lines.session_id = of_usage.session_id
"#;
