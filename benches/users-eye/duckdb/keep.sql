-- The lines of the assistant, as they stand: a CSV of one column, without
-- quotes, and with a delimiter that is in no JSON.
COPY (
  SELECT json
  FROM read_ndjson_objects($files)
  WHERE json ->> '$.type' = 'assistant'
) TO '/dev/stdout' (
  FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\x01'
);
