-- Tokens by model. A message is on several lines: its last one counts. The
-- messages of sub-agents are nested in progress lines.
WITH lines AS (
  SELECT *, row_number() OVER () AS line
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
    )',
    data: 'STRUCT(
      message STRUCT(
        type VARCHAR,
        requestId VARCHAR,
        message STRUCT(
          id VARCHAR,
          model VARCHAR,
          usage STRUCT(
            input_tokens BIGINT,
            output_tokens BIGINT,
            cache_creation_input_tokens BIGINT,
            cache_read_input_tokens BIGINT
          )
        )
      )
    )'
  })
),
said AS (
  SELECT requestId, message, line FROM lines WHERE type = 'assistant'
  UNION ALL
  SELECT data.message.requestId, data.message.message, line
  FROM lines
  WHERE type = 'progress' AND data.message.type = 'assistant'
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
GROUP BY message.model
