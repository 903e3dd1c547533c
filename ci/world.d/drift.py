"""The names in the types of the agent SDK, and those that linetape knows."""

import glob
import json
import os
import re
import tempfile

import tools
from report import Report

EXCEPTIONS = os.path.join(tools.HERE, "exceptions.tsv")
# The types have more names than this. If fewer are found, they were not read.
ENOUGH = 1100


def check(folder):
    report = Report()
    modules, version = tools.typescript_sdk(folder)
    linetape = tools.build("linetape")
    known = tools.own([linetape, "schema", "--known", "--json"])
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "known.json")
        with open(path, "w") as file:
            file.write(known)
        script = os.path.join(tools.HERE, "drift.js")
        out = tools.run(["node", script, modules, path])
    found = json.loads(out)
    if found["names"] < ENOUGH:
        raise tools.Broken(f"only {found['names']} names in the types")
    report.say(f"version {version}: {found['names']} names compared, "
               f"{len(found['json'])} fields are any JSON in linetape")
    for reason in found["skipped"]:
        report.say(f"skipped: {reason}")
    differences = [
        (f"{name['at']} {name['key']}",
         f"{_table(name['at'])}: {name['at']}: add the line\n"
         f"    {name['line']}")
        for name in found["missing"]
    ] + [
        (f"json {name}",
         f"{name} is any JSON in linetape: give it a type, or list "
         f"'json {name}' in {EXCEPTIONS} with a reason")
        for name in found["json"]
    ]
    exceptions = _exceptions()
    for key, difference in differences:
        reason = exceptions.pop(key, None)
        if reason:
            report.note(f"exception: {key}: {reason}")
        else:
            report.differ(difference)
    for key in exceptions:
        report.differ(f"{EXCEPTIONS} lists {key!r}, which is not missing")
    return report


def _exceptions():
    with open(EXCEPTIONS) as file:
        lines = (line.rstrip("\n") for line in file)
        pairs = (line.split("\t") for line in lines
                 if line and not line.startswith("#"))
        return {key: reason for key, reason in pairs}


def _table(item):
    """Returns the file that has the item, such as `struct Init`."""
    pattern = re.compile(re.escape(item) + r"\b")
    if item == "union Message":
        return "src/message/mod.rs"
    files = glob.glob(os.path.join(tools.ROOT, "src", "message", "*.rs"))
    files += glob.glob(os.path.join(tools.ROOT, "crates", "*", "src", "*.rs"))
    for path in sorted(files):
        with open(path) as file:
            if pattern.search(file.read()):
                return os.path.relpath(path, tools.ROOT)
    return "a table"
