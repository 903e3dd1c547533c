# Tokens by model. A message is on several lines: its last one counts. The
# messages of sub-agents are nested in progress lines.
# Run with -n, so that lines are read one by one.
reduce (inputs
  | if .type == "progress" then .data.message // {} else . end
  | select(.type == "assistant")) as $line ({};
  .[$line.message.id + " " + $line.requestId] = $line.message)
| reduce .[] as {$model, $usage} ({};
  .[$model] |= [
    .[0] + $usage.input_tokens,
    .[1] + $usage.output_tokens,
    .[2] + $usage.cache_creation_input_tokens,
    .[3] + $usage.cache_read_input_tokens
  ])
