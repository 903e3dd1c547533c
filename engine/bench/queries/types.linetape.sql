SELECT type, count(*) AS n FROM lines WHERE nested IS NULL GROUP BY type
