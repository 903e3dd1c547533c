"""Whether all texts of a log are in its page, and none twice."""

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


def records(log):
    """Yields the messages of a log, each once."""
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
            record = nested(record) or record
            if record.get("type") in ("user", "assistant"):
                yield record


def blocks(record):
    """Returns the content blocks of a message."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content or []


def texts(log):
    """Yields the texts, thoughts, calls and results of a log."""
    for record in records(log):
        for block in blocks(record):
            yield from map(shown, texts_of_block(block))


def nested(record):
    """Returns the message of a sub-agent in a `progress` line."""
    data = record.get("data")
    inner = data.get("message") if isinstance(data, dict) else None
    is_nested = record.get("type") == "progress" and isinstance(inner, dict)
    return inner if is_nested else None


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


def repeated(log, transcript):
    """Returns the long texts of a log that its page has more often than the
    log: in texts of their own, or as parts of others."""
    transcript = bare(transcript)
    all_texts = [text for text in texts(log) if len(text) <= 200_000]
    everything = "|".join(map(bare, all_texts))
    again = []
    for text in set(all_texts):
        words = bare(text)
        if len(words) < 100 or not all(map(is_plain, text.splitlines())):
            continue
        if transcript.count(words) > everything.count(words):
            again.append(text[:200])
    return again
