"""Runs a query with DuckDB: duck.py QUERY.sql FILE...

Prints the rows, and the seconds without those of starting Python."""

import json
import sys
import time

import duckdb

_, query, *files = sys.argv
with open(query) as text:
    sql = text.read()
start = time.perf_counter()
rows = duckdb.connect().execute(sql, {"files": files}).fetchall()
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "rows": rows}, default=int))
