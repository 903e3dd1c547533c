"""Tokens by day and by model: `linetape usage` and ccusage."""

import glob
import json
import os
import shutil
import subprocess
import tempfile

import cases
import logs
import made
import tools
from report import Report

OURS = ["input_tokens", "output_tokens", "cache_creation_input_tokens",
        "cache_read_input_tokens"]
THEIRS = ["inputTokens", "outputTokens", "cacheCreationTokens",
          "cacheReadTokens"]
SEEDS = range(1, 25)
GENERATED = 2_000_000


def check(folder):
    report = Report()
    program, version = tools.ccusage(folder)
    linetape = tools.build("linetape")
    report.say(f"version {version}")
    with tempfile.TemporaryDirectory() as work:
        both = Both(program, linetape, work)
        for case in cases.CASES:
            _check_case(report, both, case)
        report.say(f"{len(cases.SAME)} small logs with the same tokens, "
                   f"{len(cases.EXPLAINED)} with an explained difference, "
                   f"{len(cases.GAPS)} on which linetape is wrong")
        seeds = [_check_made(report, both, seed) for seed in SEEDS]
        report.say(f"{len(seeds)} made logs, {sum(seeds)} files, compared")
        _check_generated(report, both)
        try:
            _check_corpus(report, both)
        except tools.Absent as reason:
            report.say(f"real logs: skipped: {reason}")
    return report


class Both:
    """The two programs, on logs in a folder of their own."""

    def __init__(self, ccusage, linetape, work):
        self.ccusage, self.linetape, self.work = ccusage, linetape, work

    def folder(self):
        """Returns an empty folder, which looks like the agent's own."""
        folder = os.path.join(self.work, "logs")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "projects", "p"))
        return folder

    def theirs(self, folder):
        """Tokens by day, and by model, as ccusage counts them."""
        env = os.environ | {
            "HOME": self.work,
            "XDG_CONFIG_HOME": self.work,
            "CLAUDE_CONFIG_DIR": folder,
            "TZ": "UTC",
        }
        # Of its reports, only this one reads nested messages.
        command = [self.ccusage, "claude", "daily", "--offline", "--json",
                   "--mode", "display"]
        days, models = {}, {}
        for day in json.loads(tools.run(command, env=env))["daily"]:
            add(days, day["date"], [day[name] for name in THEIRS])
            for model in day["modelBreakdowns"]:
                counts = [model[name] for name in THEIRS]
                add(models, model["modelName"], counts)
        return spent(days), spent(models)

    def ours(self, folder):
        """Tokens by day, and by model, as linetape counts them."""
        return tuple(self._usage(folder, by) for by in ["day", "model"])

    def _usage(self, folder, by):
        command = [self.linetape, "usage", "--by", by, "--json",
                   "--timezone", "UTC", os.path.join(folder, "projects")]
        # The exit code is 1 if a line is bad, and the logs have some.
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode not in (0, 1):
            raise tools.Broken(f"linetape usage failed: {ran.stderr}")
        rows = json.loads(ran.stdout)[by + "s"]
        return spent({row["name"]: [row[name] for name in OURS]
                      for row in rows})


def add(totals, name, counts):
    old = totals.get(name, [0] * len(counts))
    totals[name] = [a + b for a, b in zip(old, counts)]


def spent(totals):
    """Leaves out days and models without tokens, as some reports do."""
    return {name: counts for name, counts in totals.items() if any(counts)}


def _check_case(report, both, case):
    folder = both.folder()
    logs.write(folder, case.files)
    theirs, ours = both.theirs(folder), both.ours(folder)
    # What linetape would have to say to agree, by day and by model.
    days, models = dict(ours[0]), dict(ours[1])
    for message in case.messages:
        for day, model, *counts in message.linetape:
            add(days, day, [-count for count in counts])
            add(models, model, [-count for count in counts])
        for day, model, *counts in message.ccusage:
            add(days, day, counts)
            # ccusage has no row for a model without a name.
            if model:
                add(models, model, counts)
    if theirs != (spent(days), spent(models)):
        report.differ(f"{case.name}: ccusage {theirs}, linetape {ours}, "
                      f"explained {len(case.messages)} messages")
        return
    if not case.messages:
        report.note(f"same: {case.name}")
    for message in case.messages:
        line = f"{case.name}: {message.id}: {message.why}"
        if case.is_gap:
            report.say(f"linetape is wrong: {line}")
        else:
            report.note(f"explained: {line}")


def _check_equal(report, both, folder, name):
    theirs, ours = both.theirs(folder), both.ours(folder)
    for by, a, b in zip(["day", "model"], theirs, ours):
        for group in sorted(a.keys() | b.keys(), key=str):
            if a.get(group) != b.get(group):
                report.differ(f"{name}: by {by}, {group}: ccusage "
                              f"{a.get(group)}, linetape {b.get(group)}")
    return ours


def _check_made(report, both, seed):
    """Returns the number of files."""
    folder = both.folder()
    files = made.files(seed)
    logs.write(folder, files)
    _check_equal(report, both, folder, f"made log {seed}")
    return len(files)


def _check_generated(report, both):
    folder = both.folder()
    out = os.path.join(folder, "projects", "p", "generated.jsonl")
    log = tools.own([tools.build("linetape-generate"), "--shape", "transcript",
                     "--seed", "1", "--bytes", str(GENERATED)])
    with open(out, "w", encoding="utf-8") as file:
        file.write(log)
    days, models = _check_equal(report, both, folder, "generated log")
    report.say(f"generated log: {len(days)} days, {len(models)} models")


def _check_corpus(report, both):
    pattern = os.path.join(glob.escape(tools.corpus()), "transcripts",
                           "*.jsonl")
    folder = both.folder()
    # ccusage does not follow links.
    for path in sorted(glob.glob(pattern)):
        shutil.copy(path, os.path.join(folder, "projects", "p"))
    days, models = _check_equal(report, both, folder, "real logs")
    total = [sum(counts) for counts in zip(*days.values())]
    report.say(f"real logs: {len(days)} days, {len(models)} models, tokens "
               f"{total}")
