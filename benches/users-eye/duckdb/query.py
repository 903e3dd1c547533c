"""Runs a query on files: query.py QUERY.sql FILE..."""

import json
import os
import sys

import duckdb

_, query, *files = sys.argv
with open(query) as text:
    found = duckdb.connect().execute(text.read(), {"files": files})
# The other query writes its answer itself.
if os.path.basename(query) == "tokens.sql":
    print(json.dumps({model: sums for model, *sums in found.fetchall()}))
