SELECT
  model,
  sum(input_tokens) AS input,
  sum(output_tokens) AS output,
  sum(cache_creation_input_tokens) AS created,
  sum(cache_read_input_tokens) AS read
FROM usage
GROUP BY model
