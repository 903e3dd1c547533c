SELECT tool_name, count(*) AS n FROM tool_calls WHERE is_error GROUP BY tool_name
