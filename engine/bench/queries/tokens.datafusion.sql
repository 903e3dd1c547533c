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
WITH said AS (
  SELECT
    message['id'] AS id,
    "requestId" AS request,
    timestamp,
    message['model'] AS model,
    message['usage']['input_tokens'] AS input,
    message['usage']['output_tokens'] AS output,
    message['usage']['cache_creation_input_tokens'] AS created,
    message['usage']['cache_read_input_tokens'] AS read
  FROM t
  WHERE type = 'assistant'
),
-- The last value of a whole struct takes minutes.
messages AS (
  SELECT
    last_value(model ORDER BY timestamp) AS model,
    last_value(input ORDER BY timestamp) AS input,
    last_value(output ORDER BY timestamp) AS output,
    last_value(created ORDER BY timestamp) AS created,
    last_value(read ORDER BY timestamp) AS read
  FROM said
  GROUP BY id, request
)
SELECT
  model,
  sum(input) AS input,
  sum(output) AS output,
  sum(created) AS created,
  sum(read) AS read
FROM messages
GROUP BY model
