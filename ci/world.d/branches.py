"""Small transcripts whose tree is not a line. The Python SDK does not know the
messages that a compaction preserves, so only the TypeScript SDK reads those of
PRESERVED."""

from logs import said


def user(uuid, parent, content, **fields):
    return {"type": "user", "uuid": uuid, "parentUuid": parent,
            "sessionId": "s1", "timestamp": "2026-10-01T10:00:00Z",
            "message": {"role": "user", "content": content}, **fields}


def model(uuid, parent, id, block, **fields):
    return said(id, (1, 1, 0, 0), uuid=uuid, parentUuid=parent,
                content=[block], **fields)


def text(words):
    return {"type": "text", "text": words}


def call(id):
    return {"type": "tool_use", "id": id, "name": "Read", "input": {}}


def result(uuid, parent, id, **fields):
    block = {"type": "tool_result", "tool_use_id": id, "content": "Done."}
    return user(uuid, parent, [block], **fields)


BRANCHES = {
    "an edited prompt": [
        user("a", None, "One."),
        model("b", "a", "m1", text("Yes.")),
        user("c", "b", "Two."),
        model("d", "c", "m2", text("Yes.")),
        user("c2", "b", "Three."),
        model("d2", "c2", "m3", text("No.")),
    ],
    "two calls at once, and the results in order": [
        user("a", None, "Read both."),
        model("b1", "a", "m1", call("t1")),
        model("b2", "b1", "m1", call("t2")),
        result("c1", "b1", "t1"),
        result("c2", "b2", "t2"),
        model("d", "c2", "m2", text("Read.")),
    ],
    "two calls at once, and the first one ends last": [
        user("a", None, "Read both."),
        model("b1", "a", "m1", call("t1")),
        model("b2", "b1", "m1", call("t2")),
        result("c2", "b2", "t2"),
        result("c1", "b1", "t1"),
        model("d", "c1", "m2", text("Read.")),
    ],
    "three calls at once, and what their results name": [
        user("a", None, "Read all."),
        model("b1", "a", "m1", call("t1")),
        model("b2", "b1", "m1", call("t2")),
        model("b3", "b2", "m1", call("t3")),
        result("c3", "b3", "t3", sourceToolAssistantUUID="b3"),
        result("c1", "c3", "t1", sourceToolAssistantUUID="b1"),
        result("c2", "b2", "t2", sourceToolAssistantUUID="b2"),
        model("d", "c1", "m2", text("Read.")),
    ],
    "a compaction": [
        user("a", None, "One."),
        model("b", "a", "m1", text("Yes.")),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c",
         "parentUuid": None, "logicalParentUuid": "b", "sessionId": "s1"},
        user("d", "c", "So far: yes.", isCompactSummary=True),
        model("e", "d", "m2", text("On.")),
    ],
    "a sub-agent, and a line that the user did not write": [
        user("a", None, "Ask."),
        model("b", "a", "m1", call("t1")),
        user("s", None, "Look.", isSidechain=True, agentId="a1"),
        model("r", "s", "m2", text("Seen."), isSidechain=True, agentId="a1"),
        result("c", "b", "t1"),
        user("x", "c", "A reminder.", isMeta=True),
        model("d", "x", "m3", text("Seen.")),
    ],
}


def compacted(anchor, *lines, **kept):
    """Four messages, a compaction and its summary, and what follows."""
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "k",
                "parentUuid": None, "logicalParentUuid": "d",
                "sessionId": "s1", "compactMetadata": {
                    name: {"anchorUuid": anchor, **members}
                    for name, members in kept.items()}}
    return [
        user("a", None, "One."),
        model("b", "a", "m1", text("Yes.")),
        user("c", "b", "Two."),
        model("d", "c", "m2", text("No.")),
        boundary,
        user("s", "k", "So far: yes and no.", isCompactSummary=True),
        *lines,
    ]


BOTH = {"uuids": ["c", "d"]}
PRESERVED = {
    "nothing after the summary": compacted("s", preservedMessages=BOTH),
    "a prompt after the summary": compacted(
        "s", user("e", "s", "Three."), model("f", "e", "m3", text("Yes.")),
        preservedMessages=BOTH),
    "a prompt after the preserved messages": compacted(
        "s", user("e", "d", "Three."), preservedMessages=BOTH),
    "the last message only": compacted(
        "s", user("e", "s", "Three."), preservedMessages={"uuids": ["d"]}),
    "a preserved message that is missing": compacted(
        "s", user("e", "s", "Three."), preservedMessages={
            "uuids": ["c", "lost"]}),
    "no preserved messages": compacted(
        "s", user("e", "s", "Three."), preservedMessages={"uuids": []}),
    "a segment": compacted(
        "s", user("e", "s", "Three."), preservedSegment={
            "headUuid": "c", "tailUuid": "d"}),
    "a list and a segment": compacted(
        "s", user("e", "s", "Three."), preservedMessages={"uuids": ["d"]},
        preservedSegment={"headUuid": "c", "tailUuid": "d"}),
    "the boundary as the anchor": compacted(
        "k", user("e", "k", "Three."), preservedMessages=BOTH),
}
