"""The expected results, and the comparison with those of a tool."""

import hashlib
import itertools
import json
import re
from typing import NamedTuple

TOKENS = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
]
CCUSAGE = [
    "inputTokens",
    "outputTokens",
    "cacheCreationTokens",
    "cacheReadTokens",
]
CCSTATS = [
    "input_tokens",
    "output_tokens",
    "cache_creation_tokens",
    "cache_read_tokens",
]


class Right(NamedTuple):
    """The expected results, computed with Python's json module."""

    lines: int
    # Tokens by model, summed over messages, and summed over lines.
    tokens: dict
    naive: dict
    # The lines of the assistant.
    kept: int
    digest: str


def right(files):
    lines = kept = 0
    digest = hashlib.sha256()
    naive, messages = {}, {}
    for line in _lines(files):
        lines += 1
        record = json.loads(line)
        if record.get("type") == "assistant":
            kept += 1
            digest.update(line)
        elif record.get("type") == "progress":
            # The message of a sub-agent, if it has one.
            record = (record.get("data") or {}).get("message") or {}
        if record.get("type") != "assistant":
            continue
        message = record.get("message", {})
        usage = message.get("usage")
        if usage is None:
            continue
        model = message.get("model")
        sums = [usage.get(name) or 0 for name in TOKENS]
        _add(naive, model, sums)
        key = (message.get("id") or lines, record.get("requestId"))
        messages[key] = (model, sums)
    tokens = {}
    for model, sums in messages.values():
        _add(tokens, model, sums)
    return Right(lines, tokens, naive, kept, digest.hexdigest())


def _lines(files):
    for path in files:
        with open(path, "rb") as file:
            yield from file


def _add(totals, model, sums):
    old = totals.get(model, [0] * len(TOKENS))
    totals[model] = [a + b for a, b in zip(old, sums)]


def of_usage(document):
    """Returns the tokens by model in the output of `linetape usage`."""
    return {m["name"]: [m[t] for t in TOKENS] for m in document["models"]}


def of_stats(document):
    """Returns the tokens by model in the output of `linetape stats`."""
    return {m["model"]: [m[t] for t in TOKENS] for m in document["models"]}


def of_ccusage(document):
    """Tokens by model in a report of ccusage, which has them by day."""
    totals = {}
    for day in document["daily"]:
        for model in day["modelBreakdowns"]:
            _add(totals, model["modelName"], [model[t] for t in CCUSAGE])
    return totals


def of_ccstats(document):
    """Tokens by model in a report of ccstats, which has them by month."""
    totals = {}
    for month in document:
        for model in month["breakdown"]:
            _add(totals, model["model"], [model[t] for t in CCSTATS])
    return totals


def short(model):
    """Returns the name that ccstats has for a model."""
    return re.sub(r"^claude-|-[0-9]{8}$", "", model or "")


def compare_tokens(right, path, read):
    """Describes how the tokens in a tool's output differ."""
    wanted = {}
    for model, sums in right.tokens.items():
        _add(wanted, short(model) if read is of_ccstats else model, sums)
    try:
        with open(path) as file:
            found = read(json.load(file))
    except (ValueError, KeyError, TypeError) as error:
        return f"cannot be read: {error!r}"[:200]
    # Some tools omit models without tokens.
    found = {model: sums for model, sums in found.items() if any(sums)}
    differences = []
    for model in sorted(wanted | found, key=str):
        expected = wanted.get(model, [0] * len(TOKENS))
        got = found.get(model, [0] * len(TOKENS))
        for name, a, b in zip(TOKENS, expected, got):
            if a != b:
                differences.append(f"{model} {name} {b - a:+}")
    return "; ".join(differences) or "right"


def compare_lines(right, files, path):
    """Describes how the lines that a tool kept differ."""
    count, digest = 0, hashlib.sha256()
    for line in _lines([path]):
        count += 1
        digest.update(line)
    if digest.hexdigest() == right.digest:
        return "right"
    if count != right.kept:
        return f"{count - right.kept:+} lines"
    records = map(json.loads, _lines(files))
    wanted = (r for r in records if r.get("type") == "assistant")
    pairs = itertools.zip_longest(wanted, map(json.loads, _lines([path])))
    changed = sum(a != b for a, b in pairs)
    if changed:
        return f"{changed} lines changed"
    return "right, but written anew"
