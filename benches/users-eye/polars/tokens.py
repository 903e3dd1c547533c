"""Tokens by model. A message is on several lines: its last one counts. The
messages of sub-agents are nested in progress lines."""

import json
import sys

import polars as pl

TOKENS = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
]
USAGE = pl.Struct(dict.fromkeys(TOKENS, pl.Int64))
MESSAGE = pl.Struct({"id": pl.String, "model": pl.String, "usage": USAGE})
SAID = {"type": pl.String, "requestId": pl.String, "message": MESSAGE}
SCHEMA = SAID | {"data": pl.Struct({"message": pl.Struct(SAID)})}

nested = pl.col("data").struct.field("message").struct
is_nested = pl.col("type") == "progress"
message = pl.col("message").struct
found = (
    pl.scan_ndjson(sys.argv[1:], schema=SCHEMA)
    .filter(pl.col("type").is_in(["assistant", "progress"]))
    .select(
        pl.when(is_nested).then(nested.field(name)).otherwise(pl.col(name))
        .alias(name)
        for name in SAID
    )
    .filter(pl.col("type") == "assistant")
    .select(
        "requestId",
        message.field("id", "model"),
        message.field("usage").struct.field(*TOKENS),
    )
    .unique(["id", "requestId"], keep="last")
    .group_by("model")
    .agg(pl.col(TOKENS).sum())
    .collect(engine="streaming")
)
print(json.dumps({model: sums for model, *sums in found.rows()}))
