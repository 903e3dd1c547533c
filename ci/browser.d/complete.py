"""Whether all texts of a log are in its page."""

import json
import re


def texts_of_dom(node, into):
    """Appends the texts of a node, as the DevTools protocol returns it."""
    if node.get("nodeName") in ("SCRIPT", "STYLE"):
        return
    if node.get("nodeType") == 3:
        into.append(node["nodeValue"])
    for child in node.get("children", []):
        texts_of_dom(child, into)


def bare(text):
    """Returns letters and digits alone: Markdown is other characters."""
    return re.sub(r"[\W_]+", "", text)


def is_plain(line):
    """Returns whether Markdown keeps the letters and digits of a line: those
    of links, entities, escapes and numbers of lists are elsewhere. Those of
    the definition of a link are shown."""
    return not re.search(
        r"\]\(|\]\[|&\w*;|&#|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c"
        r"\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\\]|^\s*\d+[.)]\s"
        r"|<\S+[:@]\S+>", line)


# What a page shows of the texts that the agent program writes with tags: the
# name and arguments of a command, its output, and the summary of a
# notification.
SHOWN = re.compile(
    r"<(command-name|command-args|bash-input|summary"
    r"|(?:local-command|bash)-std(?:out|err))>(.*?)</\1>", re.S)


def shown(text):
    """Returns what a page shows of a text."""
    is_tagged = re.match(
        r"\s*<(command-|bash-|local-command-std|task-notification)", text)
    if not is_tagged:
        return text
    return "\n".join(content for _, content in SHOWN.findall(text))


def texts(log):
    """Returns the texts, thoughts, calls and results of a log."""
    seen = set()
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if not isinstance(record, dict) or record.get("uuid") in seen:
                continue
            if record.get("uuid"):
                seen.add(record["uuid"])
            if record.get("type") not in ("user", "assistant"):
                continue
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) \
                else None
            blocks = [{"type": "text", "text": content}] \
                if isinstance(content, str) else content or []
            for block in blocks:
                yield from map(shown, texts_of_block(block))


def texts_of_block(block):
    kind = block.get("type")
    if kind in ("text", "thinking"):
        yield block.get(kind) or ""
    elif kind == "tool_use" and isinstance(block.get("input"), dict):
        for value in block["input"].values():
            if isinstance(value, str):
                yield value
    elif kind == "tool_result":
        content = block.get("content")
        if isinstance(content, str):
            yield content
        for part in content if isinstance(content, list) else []:
            if isinstance(part, dict) and part.get("type") == "text":
                yield part.get("text") or ""


def missing(log, page):
    """Returns the lines of a log's texts that are not in its page."""
    page = bare(page)
    lost = []
    for text in texts(log):
        if len(text) > 200_000:
            continue
        for line in text.splitlines():
            words = bare(line)
            if len(words) > 3 and is_plain(line) and words not in page:
                lost.append(line[:200])
    return lost
