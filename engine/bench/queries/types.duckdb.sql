SELECT type, count(*) AS n
FROM read_ndjson($files, columns = {type: 'VARCHAR'})
GROUP BY type
