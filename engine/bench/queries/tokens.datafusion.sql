-- The messages of sub-agents, which are nested in progress lines, are left out.
CREATE EXTERNAL TABLE t (
  type VARCHAR,
  "requestId" VARCHAR,
  timestamp VARCHAR,
  message STRUCT<
    id VARCHAR,
    model VARCHAR,
    usage STRUCT<
      input_tokens BIGINT,
      output_tokens BIGINT,
      cache_creation_input_tokens BIGINT,
      cache_read_input_tokens BIGINT
    >
  >
) STORED AS JSON LOCATION '$files';
WITH messages AS (
  SELECT last_value(message ORDER BY timestamp) AS message
  FROM t
  WHERE type = 'assistant'
  GROUP BY message['id'], "requestId"
)
SELECT
  message['model'] AS model,
  sum(message['usage']['input_tokens']) AS input,
  sum(message['usage']['output_tokens']) AS output,
  sum(message['usage']['cache_creation_input_tokens']) AS created,
  sum(message['usage']['cache_read_input_tokens']) AS read
FROM messages
GROUP BY message['model']
