#!/usr/bin/env python3
"""Reads the Parquet files of linetape-sql with DuckDB and Polars, and compares
their sums with those of linetape-sql itself.

    ci/engine-parquet.py PROGRAM PATH...

A package that is not installed is reported as skipped; if LINETAPE_ALL_PACKAGES is
set, that is a failure. The exit code is 1 if an answer differs.
"""

import json
import os
import subprocess
import sys
import tempfile

# For each table: sums, as SQL that all of them understand.
SUMS = {
    "lines": [
        "count(*)", "count(error)", "count(type)", "count(timestamp)",
        'sum("offset")', "sum(length)", "sum(output_tokens)",
        "sum(cache_read_input_tokens)", "sum(length(raw))",
        "sum(length(text))", "sum(total_cost_usd)",
    ],
    "blocks": [
        "count(*)", "count(tool_use_id)", "sum(bytes)", "sum(length(text))",
    ],
    "usage": [
        "count(*)", "count(model)", "sum(input_tokens)",
        "sum(output_tokens)", "sum(cache_creation_input_tokens)",
    ],
    "tool_calls": ["count(*)", "count(ended)", "sum(duration_ms)"],
    "sessions": [
        "count(*)", "sum(lines)", "sum(messages)", "sum(output_tokens)",
        "sum(total_cost_usd)",
    ],
}


def query(table, source):
    sums = (f"{sum} AS s{at}" for at, sum in enumerate(SUMS[table]))
    return f"SELECT {', '.join(sums)} FROM {source}"


def by_duckdb(table, path):
    import duckdb
    sql = query(table, f"'{path}'")
    return list(duckdb.connect().execute(sql).fetchone())


def by_polars(table, path):
    import polars
    rows = polars.read_parquet(path)
    # Polars counts the bytes of a text if it is told so.
    sql = query(table, "rows").replace("length(raw)", "char_length(raw)")
    sql = sql.replace("length(text)", "char_length(text)")
    context = polars.SQLContext(rows=rows)
    return list(context.execute(sql, eager=True).row(0))


def is_same(ours, theirs):
    if isinstance(ours, float):
        return abs(ours - float(theirs or 0)) < 1e-9
    # An empty sum is NULL in SQL, and 0 in Polars.
    return (ours or 0) == int(theirs or 0)


def main():
    program, *paths = sys.argv[1:]
    readers = {}
    for name, read in (("duckdb", by_duckdb), ("polars", by_polars)):
        try:
            __import__(name)
            readers[name] = read
        except ImportError:
            print(f"engine-parquet: {name} is not installed: skipped")
    is_complete = len(readers) == 2 or "LINETAPE_ALL_PACKAGES" not in os.environ
    failures = 0 if is_complete else 1
    with tempfile.TemporaryDirectory() as folder:
        for table in SUMS if readers else ():
            path = os.path.join(folder, f"{table}.parquet")
            subprocess.run(
                [program, "--parquet", path, f"SELECT * FROM {table}", *paths],
                check=True)
            printed = subprocess.run(
                [program, "--json", query(table, table), *paths],
                check=True, stdout=subprocess.PIPE).stdout
            ours = list(json.loads(printed)[0].values())
            for name, read in readers.items():
                theirs = read(table, path)
                same = all(map(is_same, ours, theirs))
                print(f"engine-parquet: {table} by {name}: "
                      f"{'equal' if same else f'{theirs}, not {ours}'}")
                failures += not same
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
