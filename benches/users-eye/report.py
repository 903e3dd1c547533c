"""Tables, for a terminal and in Markdown."""

import os
import platform

FIGURES = ["seconds", "MB/s", "CPU s", "peak MB", "time", "CPU", "memory"]
HEAD = ["tool", *FIGURES, "answer"]


def head(report):
    """Describes the machine and the tools."""
    versions = ", ".join(f"{k} {v}" for k, v in report["versions"].items())
    absent = ", ".join(report["absent"]) or "none"
    return (
        f"{report['machine']}; {versions}; absent: {absent}; best of"
        f" {report['rounds']} rounds; load of the machine before:"
        f" {report['load']:.1f}"
    )


def rows(measured):
    """The cells of a table, the fastest tool first. `time`, `CPU` and `memory`
    are multiples of those of linetape's first command."""
    tools = measured["tools"]
    ours = [tool for tool in tools if tool["name"].startswith("linetape")]
    mb = measured["bytes"] / 1e6
    cells = []
    for tool in sorted(tools, key=lambda tool: tool["seconds"]):
        ratios = ["-"] * 3
        if ours:
            names = ["seconds", "cpu", "memory"]
            ratios = [f"{tool[n] / ours[0][n]:.2f}x" for n in names]
        cells.append([
            tool["name"],
            f"{tool['seconds']:.3f}",
            f"{mb / tool['seconds']:.0f}",
            f"{tool['cpu']:.3f}",
            f"{tool['memory'] / 1e6:.1f}",
            *ratios,
            tool["answer"],
        ])
    for name, why in measured["failed"].items():
        cells.append([name, *["-"] * len(FIGURES), f"failed: {why}"])
    return cells


def title(measured):
    logs, size = measured["logs"], measured["bytes"] / 1e6
    files, lines = measured["files"], measured["lines"]
    return (
        f"{measured['question']}, {logs}"
        f" ({size:.0f} MB, {files} files, {lines} lines)"
    )


def text(measured):
    table = [HEAD, *rows(measured)]
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = [title(measured)]
    for row in table:
        cells = [cell.rjust(width) for cell, width in zip(row, widths)]
        cells[0], cells[-1] = row[0].ljust(widths[0]), row[-1]
        lines.append("  ".join(cells))
    return "\n".join(lines + _notes(measured)) + "\n"


def markdown(report):
    parts = [
        "# Results",
        f"The output of `{report['command']}`."
        " [README.md](README.md) says what is compared, and how.",
        f"{head(report)}. MB are millions of bytes. \"time\", \"CPU\" and"
        " \"memory\" are multiples of those of `linetape usage`, and of"
        " `linetape select`: above 1x, linetape is ahead.",
    ]
    for measured in report["tables"]:
        rule = ["---"] + ["---:"] * len(FIGURES) + ["---"]
        table = [HEAD, rule, *rows(measured)]
        lines = ["| " + " | ".join(row) + " |" for row in table]
        parts += [f"## {title(measured)}", "\n".join(lines)]
        parts += _notes(measured)
    return "\n\n".join(parts) + "\n"


def _notes(measured):
    notes = []
    if naive := measured.get("naive"):
        notes.append(
            "Adding up lines, and not messages, would give"
            f" {naive['output_tokens']:.2f} times the output tokens and"
            f" {naive['cache_read_input_tokens']:.2f} times those read from"
            " the cache."
        )
    if j1 := measured.get("j1"):
        notes.append(
            f"The library counts the lines by type, in memory, at"
            f" {j1['mb_per_s']:.0f} MB/s (J1 of benches/peers, `route`)."
            f" `stats --peek` reaches {j1['ratio']:.0%} of that, and"
            f" {j1['cpu_ratio']:.0%} if only its CPU time counts."
        )
    return notes


def machine():
    """The number of cores and the name of the CPU."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    name = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    return f"{os.cpu_count()} cores, {name}"
