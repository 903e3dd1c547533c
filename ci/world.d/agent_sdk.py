"""What the agent SDKs and linetape read from the same lines."""

import glob
import json
import os
import sys
import tempfile

import branches
import logs
import tools
from report import Report

# The class of the SDK for each type. The others are system messages.
TYPES = {
    "AssistantMessage": "assistant",
    "ConversationResetMessage": "conversation_reset",
    "RateLimitEvent": "rate_limit_event",
    "ResultMessage": "result",
    "StreamEvent": "stream_event",
    "UserMessage": "user",
}
LISTS = ["texts", "thinking", "calls", "results"]
VALUES = ["subtype", "model", "message_id", "uuid", "usage"]
# Whether the branch of linetape has all results of parallel tool calls.
HAS_PARALLEL_CALLS = True


def check(folder):
    report = Report()
    readings = tools.build("readings")
    with tempfile.TemporaryDirectory() as work:
        logs.write(work, {f"{name}.jsonl": lines
                          for name, lines in branches.BRANCHES.items()})
        _check(report, readings, folder, os.path.join(work, "projects", "p"))
    try:
        _check_typescript(report, readings, folder)
    except tools.Absent as reason:
        report.say(f"TypeScript SDK: skipped: {reason}")
    return report


def _check_typescript(report, readings, folder):
    """Compares the branches of sessions with those of the TypeScript SDK."""
    modules, version = tools.typescript_sdk(folder)
    with tempfile.TemporaryDirectory() as work:
        made = list((branches.BRANCHES | branches.PRESERVED).items())
        # It finds a session by its id, which is a uuid.
        ids = [f"00000000-0000-4000-8000-{at:012}" for at in range(len(made))]
        logs.write(work, {f"{id}.jsonl": lines
                          for id, (_, lines) in zip(ids, made)})
        script = os.path.join(tools.HERE, "sdk_branch.mjs")
        out = tools.run(["node", script, modules, *ids],
                        env=os.environ | {"CLAUDE_CONFIG_DIR": work})
        theirs = [json.loads(line) for line in out.splitlines()]
        if not all(theirs):
            raise tools.Broken("the TypeScript SDK found no messages")
        for id, (name, _), branch in zip(ids, made, theirs, strict=True):
            path = os.path.join(work, "projects", "p", f"{id}.jsonl")
            ours = Ours(readings, path)
            _compare_branch(report, {"file": name, "branch": branch}, ours)
    report.say(f"TypeScript SDK, version {version}: {len(made)} sessions "
               "compared")


def _check(report, readings, folder, made):
    packages, version = tools.python_sdk(folder)
    files = glob.glob(os.path.join(tools.ROOT, "tests", "data", "*.jsonl"))
    try:
        corpus = glob.escape(tools.corpus())
        files += glob.glob(f"{corpus}/transcripts/*.jsonl")
        files += glob.glob(f"{corpus}/stream-json/*.ndjson")
    except tools.Absent as reason:
        report.say(f"real logs: skipped: {reason}")
    files = sorted(files + glob.glob(os.path.join(made, "*.jsonl")))
    script = os.path.join(tools.HERE, "sdk_reads.py")
    theirs = tools.run([sys.executable, "-B", script, *files],
                       env=os.environ | {"PYTHONPATH": packages}).splitlines()
    ours = {path: Ours(readings, path) for path in files}
    lines, sessions, apart = 0, 0, 0
    for reading in map(json.loads, theirs):
        path = reading["file"]
        if "branch" not in reading:
            lines += _compare_line(report, reading, ours[path])
        elif ours[path].is_transcript:
            sessions += 1
            apart += _compare_branch(report, reading, ours[path])
    report.say(f"version {version}: {lines} lines and {sessions} sessions of "
               f"{len(files)} files compared")
    if apart:
        report.say(f"linetape is wrong: {apart} parallel tool calls and "
                   "results are beside the branch")


class Ours:
    """What linetape reads from a file."""

    def __init__(self, readings, path):
        out = tools.own([readings, path]).splitlines()
        *lines, last = map(json.loads, out)
        self.lines = {line["line"]: line for line in lines}
        self.branch = last["branch"]
        # The records by uuid. A later one replaces an earlier one.
        self.records = {}
        with open(path, encoding="utf-8") as file:
            for line in file.read().split("\n"):
                try:
                    record = json.loads(line)
                except ValueError:
                    continue
                if isinstance(record, dict) and record.get("uuid"):
                    self.records[record["uuid"]] = record
        # A stream has no links between messages.
        self.is_transcript = any("parentUuid" in record
                                 for record in self.records.values())


def _compare_line(report, theirs, ours):
    """Returns the number of compared lines. The SDK refuses a message without
    a field that it requires."""
    number = theirs["line"]
    where = f"{os.path.basename(theirs['file'])}:{number}"
    if "error" in theirs:
        return 0
    line = ours.lines.get(number)
    if line is None:
        report.differ(f"{where}: linetape reads nothing, the SDK "
                      f"{theirs['is']}")
        return 1
    wanted = {"type": TYPES.get(theirs["is"], "system"), "known": True}
    if theirs["is"] in ("AssistantMessage", "UserMessage"):
        wanted |= {name: theirs[name] for name in LISTS}
    wanted |= {name: theirs[name] for name in VALUES
               if theirs[name] is not None}
    for name, value in wanted.items():
        if line[name] != value:
            report.differ(f"{where}: {name}: the SDK reads {value!r:.200}, "
                          f"linetape {line[name]!r:.200}")
    return 1


def _compare_branch(report, theirs, ours):
    """Compares the messages of a session, in order. Returns how many
    parallel calls and results linetape has beside its branch."""
    where = os.path.basename(theirs["file"])
    branch = ours.branch
    # The SDK does not cross a compaction; linetape does, along
    # logicalParentUuid.
    starts = [at for at, uuid in enumerate(branch)
              if not ours.records[uuid].get("parentUuid")]
    branch = branch[max(starts, default=0):]
    branch = [uuid for uuid in branch if _is_visible(ours.records[uuid])]
    messages, apart = theirs["branch"], 0
    if not HAS_PARALLEL_CALLS:
        beside = _beside(ours.records, branch)
        kept = [uuid for uuid in messages if uuid not in beside]
        apart = len(messages) - len(kept)
        messages = kept
    if branch != messages:
        at = next((at for at, pair in enumerate(zip(branch, messages))
                   if pair[0] != pair[1]), min(len(branch), len(messages)))
        report.differ(f"{where}: the branches differ from message {at} on: "
                      f"the SDK {messages[at:at + 3]}, linetape "
                      f"{branch[at:at + 3]}")
    return apart


def _is_visible(record):
    """As the SDK decides it."""
    return record.get("type") in ("user", "assistant") and not any(
        record.get(flag) for flag in ["isMeta", "isSidechain", "teamName"])


def _beside(records, branch):
    """Returns the calls that belong to a message of the branch and are not on
    it themselves, and the results of all calls of these messages."""
    ids = {_message(records[uuid]).get("id") for uuid in branch} - {None}
    members = {uuid for uuid, record in records.items()
               if _message(record).get("id") in ids}
    calls = {id for uuid in members
             for id in _blocks(records[uuid], "tool_use", "id")}
    results = {uuid for uuid, record in records.items()
               if calls.intersection(
                   _blocks(record, "tool_result", "tool_use_id"))}
    return (members | results).difference(branch)


def _message(record):
    message = record.get("message")
    return message if isinstance(message, dict) else {}


def _blocks(record, kind, key):
    content = _message(record).get("content")
    blocks = content if isinstance(content, list) else []
    return [block.get(key) for block in blocks
            if isinstance(block, dict) and block.get("type") == kind]
