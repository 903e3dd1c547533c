-- `content` is a text or a list, so it is read as JSON first. The messages of
-- sub-agents are nested in progress lines.
WITH lines AS (
  SELECT *
  FROM read_ndjson($files, columns = {
    type: 'VARCHAR',
    message: 'STRUCT(content JSON)',
    data: 'STRUCT(message STRUCT(type VARCHAR, message STRUCT(content JSON)))'
  })
),
said AS (
  SELECT type, message.content AS content FROM lines
  WHERE type IN ('assistant', 'user')
  UNION ALL
  SELECT data.message.type, data.message.message.content FROM lines
  WHERE type = 'progress'
),
blocks AS (
  SELECT type, unnest(from_json(content, '[{
    "type": "VARCHAR", "id": "VARCHAR", "name": "VARCHAR",
    "tool_use_id": "VARCHAR", "is_error": "BOOLEAN"
  }]')) AS block
  FROM said
  WHERE json_type(content) = 'ARRAY'
),
calls AS (
  SELECT block.id AS id, any_value(block.name) AS tool_name
  FROM blocks
  WHERE type = 'assistant' AND block.type = 'tool_use'
  GROUP BY id
),
failed AS (
  SELECT DISTINCT block.tool_use_id AS id
  FROM blocks
  WHERE block.type = 'tool_result' AND block.is_error
)
SELECT tool_name, count(*) AS n
FROM calls JOIN failed USING (id)
GROUP BY tool_name
