//! The views over the tables, as SQL.

use crate::usage;

/// Returns the views, in the order in which they can be created: a name and a query.
pub(crate) fn views() -> [(&'static str, String); 3] {
    [
        ("usage", usage::query()),
        ("tool_calls", tool_calls()),
        ("sessions", SESSIONS.replace("{place}", PLACE)),
    ]
}

/// Where a line is, as a text of 36 characters: its file, offset and number among
/// the nested messages. The least text is the first line, so that the first value
/// of a group is `substr(min(place || value), 37)`. `first_value(... ORDER BY ...)`
/// keeps a vector of four values for each group, and takes several times the memory.
///
/// `CAST(... AS VARCHAR)` would have another type in a cluster than in one process.
const PLACE: &str = r#"arrow_cast(1000000000 + file_number, 'Utf8')
            || arrow_cast(1000000000000000 + "offset", 'Utf8')
            || arrow_cast(1000000000 + coalesce(nested + 1, 0), 'Utf8')"#;

/// The columns of a tool call that are those of its first line.
const CALLED: [&str; 7] = [
    "tool_name",
    "block_type",
    "session_id",
    "message_id",
    "model",
    "input",
    "file",
];

/// Returns the query of `tool_calls`.
fn tool_calls() -> String {
    let first = |column: &&str| {
        format!(
            "substr(min(place || {column}) FILTER (WHERE is_call), 47) AS \
             {column}"
        )
    };
    let first: Vec<String> = CALLED.iter().map(first).collect();
    TOOL_CALLS
        .replace("{place}", PLACE)
        .replace("{first}", &first.join(",\n        "))
}

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
        {place} || arrow_cast(1000000000 + block, 'Utf8') AS place,
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
        max(tool_use_id) AS tool_use_id,
        {first},
        bool_and(is_sidechain) FILTER (WHERE is_call) AS is_sidechain,
        min("timestamp") FILTER (WHERE is_call) AS started,
        CAST(substr(min(place) FILTER (WHERE is_call), 11, 16) AS BIGINT) - 1000000000000000 AS "offset",
        min("timestamp") FILTER (WHERE is_result) AS ended,
        coalesce(bool_or(is_result), false) AS has_result,
        coalesce(bool_or(is_error) FILTER (WHERE is_result), false) AS is_error,
        substr(max(place || text) FILTER (WHERE is_result), 47) AS result
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
        substr(min(place || cwd), 37) AS cwd,
        substr(max(place || version), 37) AS version
    FROM (
        SELECT *, {place} AS place
        FROM lines
        WHERE session_id IS NOT NULL
    )
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
