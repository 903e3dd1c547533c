//! The views over the tables, as SQL.

/// Returns the views, in the order in which they can be created: a name and a query.
pub(crate) fn views() -> [(&'static str, String); 3] {
    [
        ("usage", usage()),
        ("tool_calls", TOOL_CALLS.to_string()),
        ("sessions", SESSIONS.to_string()),
    ]
}

/// The columns of a message that are no counts, in the order of the view.
const FACTS: [&str; 12] = [
    "key",
    "session_id",
    "message_id",
    "request_id",
    "model",
    "\"timestamp\"",
    "day",
    "cwd",
    "file",
    "is_sidechain",
    "is_advice",
    "lines",
];

/// The counts of a message.
const COUNTS: [&str; 8] = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "ephemeral_5m_input_tokens",
    "ephemeral_1h_input_tokens",
    "web_search_requests",
    "web_fetch_requests",
];

/// Returns the query of `usage`, with the columns that its steps hand on.
fn usage() -> String {
    // A template with `{}` for the column.
    let each = |columns: &[&str], template: &str| {
        let columns = columns.iter().map(|c| template.replace("{}", c));
        columns.collect::<Vec<_>>().join(",\n        ")
    };
    let handed_on =
        [FACTS.as_slice(), &COUNTS, &["has_tokens", "level"]].concat();
    let order = "file_number, \"offset\", part";
    let ranked = format!(
        "count_by_rank({{}}, rank, has_tokens, time, {order}) AS {{}}"
    );
    USAGE
        .replace("{counts by rank}", &each(&COUNTS, &ranked))
        .replace(
            "{lists}",
            &each(&handed_on, &format!("list_by({{}}, {order}) AS {{}}")),
        )
        .replace("{items}", &each(&handed_on, "unnest({}) AS {}"))
        .replace("{counts}", &each(&COUNTS, "max({}) AS {}"))
}

/// One row for each message of the model.
///
/// The rule is that of `UsageTotals` in linetape-session, and the keys are its
/// `MessageKeys`. Of a message, the lines of the highest rank that have a field
/// count: each count is from the last line that has it, and the session is that of
/// the first line. The last line is the one with the latest time. A line whose counts
/// are all 0 does not replace one with tokens, whatever its rank: see `count_by_rank`.
/// A line without usage, which has no rank, only counts as the first line of a message.
/// Of a sub-agent's message (a rank below 4), the largest counts of all lines are used.
///
/// Messages that share a `copy_key` have the same message id in one session. The
/// first one in the order of `is_copy` counts, and others of the same level, unless
/// they are sub-agents' (level 0). If it has a lower level than one without tokens, it
/// has the session, request id, model and time of that one. A message in several
/// sessions has several copy keys: of those that name it, the one with the highest
/// level counts, and then the first.
///
/// Copies are found by a grouping as well, whose rows are lists: a window function
/// takes microseconds for each `copy_key`, or keeps all of its rows in memory and
/// does not count them.
const USAGE: &str = r#"
WITH told AS (
    SELECT
        *,
        -- The highest rank first, and a line without usage last.
        coalesce(7 - rank, 8) AS below,
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
), messages AS (
    SELECT
        key,
        first_by(session_id, below, file_number, "offset", part) IGNORE NULLS AS session_id,
        first_by(message_id, below, file_number, "offset", part) IGNORE NULLS AS message_id,
        first_by(request_id, below, file_number, "offset", part) IGNORE NULLS AS request_id,
        last_by(model, rank, time, file_number, "offset", part) IGNORE NULLS AS model,
        last_by("timestamp", rank, time, file_number, "offset", part) IGNORE NULLS AS "timestamp",
        last_by(day, rank, time, file_number, "offset", part) IGNORE NULLS AS day,
        first_by(cwd, below, file_number, "offset", part) IGNORE NULLS AS cwd,
        first_by(file, below, file_number, "offset", part) AS file,
        max(rank) < 4 AS is_sidechain,
        last_by(is_advice, rank) AS is_advice,
        CASE max(rank)
            WHEN 7 THEN count(*) FILTER (WHERE rank = 7)
            WHEN 6 THEN count(*) FILTER (WHERE rank = 6)
            WHEN 5 THEN count(*) FILTER (WHERE rank = 5)
            WHEN 4 THEN count(*) FILTER (WHERE rank = 4)
            WHEN 3 THEN count(*) FILTER (WHERE rank = 3)
            WHEN 2 THEN count(*) FILTER (WHERE rank = 2)
            WHEN 1 THEN count(*) FILTER (WHERE rank = 1)
            WHEN 0 THEN count(*) FILTER (WHERE rank = 0)
        END AS lines,
        {counts by rank},
        bool_or(has_tokens) AS has_tokens,
        max(level) AS level,
        -- Its first line.
        min(file_number) AS file_number,
        first_by("offset", file_number, "offset", part) AS "offset",
        first_by(part, file_number, "offset", part) AS part,
        key_set(copy_key, other_copy_key) AS copy_keys
    FROM told
    GROUP BY key
), by_copy_key AS (
    SELECT
        *,
        unnest(copy_keys) AS copy_key,
        CASE level WHEN 0 THEN
            coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
                + coalesce(cache_creation_input_tokens, 0) + coalesce(cache_read_input_tokens, 0)
        ELSE 0 END AS tokens
    FROM messages
    -- None of the lines of other messages reports usage.
    WHERE level IS NOT NULL
), shared AS (
    SELECT
        max(level) AS highest,
        {lists},
        are_copies(level, has_tokens, tokens, file_number, "offset", part) AS is_copy,
        names_by(session_id, level, has_tokens, file_number, "offset", part) AS other_session_id,
        names_by(request_id, level, has_tokens, file_number, "offset", part) AS other_request_id,
        names_by(model, level, has_tokens, file_number, "offset", part) AS other_model,
        names_by("timestamp", level, has_tokens, file_number, "offset", part) AS other_timestamp,
        names_by(day, level, has_tokens, file_number, "offset", part) AS other_day
    FROM by_copy_key
    -- A message without an id has no copy key, and is alone.
    GROUP BY copy_key, CASE WHEN copy_key IS NULL THEN key END
), judged AS (
    SELECT
        highest,
        {items},
        unnest(is_copy) AS is_copy,
        unnest(other_session_id) AS other_session_id,
        unnest(other_request_id) AS other_request_id,
        unnest(other_model) AS other_model,
        unnest(other_timestamp) AS other_timestamp,
        unnest(other_day) AS other_day
    FROM shared
)
SELECT
    coalesce(first_name(other_session_id), max(session_id)) AS session_id,
    max(message_id) AS message_id,
    coalesce(first_name(other_request_id), max(request_id)) AS request_id,
    coalesce(first_name(other_model), max(model)) AS model,
    coalesce(first_name(other_timestamp), max("timestamp")) AS "timestamp",
    coalesce(first_name(other_day), max(day)) AS day,
    max(cwd) AS cwd,
    max(file) AS file,
    -- It has the names of a message of a higher level.
    bool_and(is_sidechain AND NOT (has_tokens AND highest > level)) AS is_sidechain,
    bool_or(is_advice) AS is_advice,
    max(lines) AS lines,
    {counts}
FROM judged
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
        first_by(tool_use_id, file_number, "offset", nested, block) FILTER (WHERE is_call) AS tool_use_id,
        first_by(tool_name, file_number, "offset", nested, block) FILTER (WHERE is_call) AS tool_name,
        first_by(block_type, file_number, "offset", nested, block) FILTER (WHERE is_call) AS block_type,
        first_by(session_id, file_number, "offset", nested, block) FILTER (WHERE is_call) AS session_id,
        first_by(message_id, file_number, "offset", nested, block) FILTER (WHERE is_call) AS message_id,
        first_by(model, file_number, "offset", nested, block) FILTER (WHERE is_call) AS model,
        bool_and(is_sidechain) FILTER (WHERE is_call) AS is_sidechain,
        first_by("timestamp", file_number, "offset", nested, block) FILTER (WHERE is_call) AS started,
        first_by(input, file_number, "offset", nested, block) FILTER (WHERE is_call) AS input,
        first_by(file, file_number, "offset", nested, block) FILTER (WHERE is_call) AS file,
        first_by("offset", file_number, "offset", nested, block) FILTER (WHERE is_call) AS "offset",
        first_by("timestamp", file_number, "offset", nested, block) FILTER (WHERE is_result) AS ended,
        coalesce(bool_or(is_result), false) AS has_result,
        coalesce(bool_or(is_error) FILTER (WHERE is_result), false) AS is_error,
        last_by(text, file_number, "offset", nested, block) FILTER (WHERE is_result) AS result
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
        first_by(cwd, file_number, "offset", nested) IGNORE NULLS AS cwd,
        last_by(version, file_number, "offset", nested) IGNORE NULLS AS version
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
