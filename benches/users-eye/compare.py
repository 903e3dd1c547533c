"""Runs the tools alternately on all questions."""

import os
import sys

import answers
import checkout
import measure
import tools

MB = 1_000_000
# A tool that takes this many seconds runs at most twice.
SLOW = 15
# The library is measured on logs in memory, up to this size.
LARGEST_IN_MEMORY = 500 * MB


def compare(found, logs, work, rounds, target):
    """Measures all tools on some logs: a table for each question."""
    right = answers.right(logs.files)
    for question in [tools.TOKENS, tools.KEEP]:
        table = {
            "question": question,
            "logs": logs.name,
            "bytes": logs.size,
            "files": len(logs.files),
            "lines": right.lines,
        }
        peers = None
        if question == tools.TOKENS:
            table["naive"] = _naive(right)
            if logs.size <= LARGEST_IN_MEMORY:
                peers = checkout.peers(target)
        asked = [t for t in found.tools if t.question == question]
        table |= _take_turns(asked, logs, right, work, rounds, peers)
        yield table


def _take_turns(asked, logs, right, work, rounds, peers):
    """Runs every tool once in every round, and the library if `peers` is given.
    Keeps the best run of each."""
    env = tools.environment(work, logs)
    out = os.path.join(work, "out")
    best, failed, rates = {}, {}, []
    for number in range(rounds):
        for tool in asked:
            known = best.get(tool.name)
            slow = known and known["seconds"] > SLOW and number > 1
            if slow or tool.name in failed:
                continue
            _tell(f"round {number + 1}: {tool.name}")
            try:
                ran = measure.run(tools.command(tool, logs), out, work, env)
            except measure.Failed as failure:
                failed[tool.name] = str(failure)
                best.pop(tool.name, None)
                continue
            figures = ran._asdict()
            if known is None:
                answer = _judge(tool, logs, right, out)
                best[tool.name] = {"name": tool.name, **figures,
                                   "rounds": 1, "answer": answer}
                continue
            known["rounds"] += 1
            for name, figure in figures.items():
                known[name] = min(known[name], figure)
        if peers:
            _tell(f"round {number + 1}: the library")
            rates.append(checkout.rate(peers, logs, work) or 0)
    _tell("")
    table = {"tools": list(best.values()), "failed": failed}
    peek = best.get("linetape stats --peek")
    if any(rates) and peek:
        rate = max(rates)
        least = logs.size / MB / rate
        table["j1"] = {
            "mb_per_s": rate,
            "ratio": least / peek["seconds"],
            "cpu_ratio": least / peek["cpu"],
        }
    return table


def _tell(what):
    """Prints the progress."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


def _judge(tool, logs, right, out):
    if tool.question == tools.TOKENS:
        return answers.compare_tokens(right, out, tool.read)
    return answers.compare_lines(right, logs.files, out)


def _naive(right):
    """Returns the factor by which a sum over lines is too high."""
    def total(sums, place):
        return sum(model[place] for model in sums.values())

    return {
        name: total(right.naive, place) / (total(right.tokens, place) or 1)
        for place, name in enumerate(answers.TOKENS)
    }


def linetape_is_right(table):
    ours = [t for t in table["tools"] if t["name"].startswith("linetape")]
    failed = any(name.startswith("linetape") for name in table["failed"])
    return not failed and all(tool["answer"] == "right" for tool in ours)
