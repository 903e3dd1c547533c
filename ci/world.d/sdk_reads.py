"""Prints what the Python agent SDK reads from logs, as NDJSON.

    PYTHONPATH=FOLDER python3 sdk_reads.py FILE...

For each file: one object for each line that the message parser knows, then
one with the uuids of the messages of the session reader, in order.
"""

import json
import sys

from claude_agent_sdk import types
from claude_agent_sdk._errors import MessageParseError
from claude_agent_sdk._internal import message_parser, sessions

COUNTS = ["input_tokens", "output_tokens", "cache_creation_input_tokens",
          "cache_read_input_tokens"]


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            content = file.read()
        # Not `splitlines`: strings may contain other line separators.
        for number, line in enumerate(content.split("\n"), 1):
            if not line.strip():
                continue
            reading = read(line)
            if reading:
                put({"file": path, "line": number} | reading)
        entries = sessions._parse_transcript_entries(content)
        messages = sessions._entries_to_session_messages(entries, None, 0)
        put({"file": path, "branch": [m.uuid for m in messages]})


def put(value):
    print(json.dumps(value))


def read(line):
    try:
        record = json.loads(line)
    except ValueError:
        return {"error": "not JSON"}
    try:
        message = message_parser.parse_message(record)
    except (MessageParseError, TypeError, AttributeError) as error:
        # It expects more fields and other types than some logs have.
        return {"error": repr(error)}
    if message is None:
        return None
    content = getattr(message, "content", None)
    if isinstance(content, str):
        content = [types.TextBlock(text=content)]
    found = {"texts": [], "thinking": [], "calls": [], "results": []}
    for block in content or []:
        add(found, block)
    usage = getattr(message, "usage", None)
    # The usage of a task is of another shape: tokens in total, and tools.
    if not isinstance(message, (types.AssistantMessage, types.ResultMessage)):
        usage = None
    return found | {
        "is": type(message).__name__,
        "subtype": getattr(message, "subtype", None),
        "model": getattr(message, "model", None),
        "message_id": getattr(message, "message_id", None),
        "uuid": getattr(message, "uuid", None),
        "usage": usage and {name: usage.get(name) or 0 for name in COUNTS},
    }


def add(found, block):
    match block:
        case types.TextBlock():
            found["texts"].append(block.text)
        case types.ThinkingBlock():
            found["thinking"].append(block.thinking)
        case types.ToolUseBlock() | types.ServerToolUseBlock():
            found["calls"].append(
                {"id": block.id, "name": block.name, "input": block.input})
        case types.ToolResultBlock():
            found["results"].append({
                "tool_use_id": block.tool_use_id,
                "is_error": block.is_error is True,
                "content": block.content,
            })
        case types.ServerToolResultBlock():
            found["results"].append({
                "tool_use_id": block.tool_use_id,
                "is_error": False,
                "content": block.content,
            })


main()
