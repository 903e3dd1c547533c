SELECT count(*) AS n FROM blocks
WHERE block_type = 'text' AND role IS NOT NULL AND text LIKE '%the test%'
