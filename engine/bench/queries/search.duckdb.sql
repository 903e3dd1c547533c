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
  SELECT message.content AS content FROM lines
  WHERE type IN ('assistant', 'user')
  UNION ALL
  SELECT data.message.message.content FROM lines
  WHERE type = 'progress' AND data.message.type IN ('assistant', 'user')
),
texts AS (
  SELECT content ->> '$' AS text FROM said
  WHERE json_type(content) = 'VARCHAR'
  UNION ALL
  SELECT block.text AS text FROM (
    SELECT unnest(from_json(
      content, '[{"type": "VARCHAR", "text": "VARCHAR"}]'
    )) AS block
    FROM said
    WHERE json_type(content) = 'ARRAY'
  )
  WHERE block.type = 'text'
)
SELECT count(*) AS n FROM texts WHERE text LIKE '%the test%'
