-- Tokens by model. A message is on several lines: its last one counts.
WITH said AS (
  SELECT requestId, message, row_number() OVER () AS line
  FROM read_ndjson($files, columns = {
    type: 'VARCHAR',
    requestId: 'VARCHAR',
    message: 'STRUCT(
      id VARCHAR,
      model VARCHAR,
      usage STRUCT(
        input_tokens BIGINT,
        output_tokens BIGINT,
        cache_creation_input_tokens BIGINT,
        cache_read_input_tokens BIGINT
      )
    )'
  })
  WHERE type = 'assistant'
),
messages AS (
  SELECT arg_max(message, line) AS message
  FROM said
  GROUP BY message.id, requestId
)
SELECT
  message.model,
  sum(message.usage.input_tokens)::BIGINT,
  sum(message.usage.output_tokens)::BIGINT,
  sum(message.usage.cache_creation_input_tokens)::BIGINT,
  sum(message.usage.cache_read_input_tokens)::BIGINT
FROM messages
GROUP BY message.model;
