# The lines of the assistant. jq writes them anew.
select(.type == "assistant")
