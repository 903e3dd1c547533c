"""Small logs, each for one rule, and why linetape and ccusage differ on some.

A case without messages must give the same tokens by day and by model. In the
others, each message that the two count differently is named, with what each
counts for it and why. A case with `is_gap` is a fault of linetape.

The rules of ccusage 20.0.24 (daily; found by running it):

1. A line counts if it has message.usage and a valid timestamp, whatever its type;
   input and output tokens are required. A nested message (data.message of any
   progress line) counts in daily only, on the day of its own timestamp.
2. Lines with the same message id and request id are one message, in any session.
   Without a request id, session and timestamp must be the same too. Without a message
   id, each line counts.
3. Of the lines of a message, the one with the most tokens counts, or the first of
   equal ones; linetape takes the last one with any tokens, by the time of the lines.
4. A line of the main conversation counts before one of a sidechain (isSidechain).
   Within a session, a sidechain's line with the same message id and another request
   id is a copy, and so is a line of the main conversation after a sidechain's. In the
   main conversation, a message with and one without a request id are two.
5. Tokens of advisor_message iterations are added, for the model of the advisor.
   Other iterations are not.
6. The parts of cache_creation, if present, count instead of their sum.
7. <synthetic> and absent models have no row; fast mode appends -fast to the name.
8. Days are in the time zone of TZ or --timezone.
9. A line is left out if its text has :null after a key such as id, model or
   requestId at any depth, if it lacks the text "usage":{ (a space is enough), or
   if its version does not begin with three numbers.
10. Symbolic links are not followed.

linetape applies rule 4 to all messages of a log at once, so that the order of the
lines does not matter. Where an id may not be unique (it does not begin with msg_) and
a request id is missing, the counts of the input must be the same as well. Where it is
unique, a message without a request id is a copy of one with it.
"""

from typing import NamedTuple

from logs import HAIKU, OPUS, SONNET, compact, progress, said

DAY = "2026-10-01"
# Input, output, cache write and cache read.
USED, MORE = (5, 1, 7, 9), (5, 3, 7, 9)
SIDE = {"isSidechain": True, "agentId": "a1"}


class Message(NamedTuple):
    """A message that is counted differently. What is counted for it is a list
    of (day, model, input, output, cache write, cache read)."""

    id: str
    why: str
    ccusage: list
    linetape: list


class Case(NamedTuple):
    name: str
    files: dict
    messages: list = []
    is_gap: bool = False


def one(*lines):
    return {"s1.jsonl": list(lines)}


def streamed(id, counts, uuid):
    """A line of the output of `claude -p --output-format stream-json`."""
    return {"type": "assistant", "session_id": "s1", "uuid": uuid,
            "parent_tool_use_id": None,
            "message": said(id, counts)["message"]}


def row(counts=USED, day=DAY, model=OPUS):
    return (day, model, *counts)


def twice(counts=USED, model=OPUS):
    return row([2 * count for count in counts], model=model)


def iteration(kind, tokens, **fields):
    counts = zip(["input_tokens", "output_tokens"], tokens)
    return {"type": kind, **fields, **dict(counts)}


SAME = [
    Case("a message on three lines counts once",
         one(said("m1", USED), said("m1", MORE), said("m1", (5, 427, 7, 9)))),
    Case("another request id is another message",
         one(said("m1", USED), said("m1", USED, request="req_2"))),
    Case("another message id is another message",
         one(said("m1", USED, request="r"), said("m2", USED, request="r"))),
    Case("the same message in two files",
         {"s1.jsonl": [said("m1", USED)],
          "s2.jsonl": [said("m1", USED, at="2026-10-01T11:00:00Z")]}),
    Case("a resumed session repeats a message with a new session id",
         {"s1.jsonl": [said("m1", USED)],
          "s2.jsonl": [said("m1", USED, session="s2"),
                       said("m2", MORE, session="s2")]}),
    Case("a fork repeats lines with their uuids and a new session id",
         {"s1.jsonl": [said("m1", USED, uuid="u1")],
          "s2.jsonl": [said("m1", USED, uuid="u1", session="s2"),
                       said("m2", MORE, uuid="u2", session="s2")]}),
    Case("a message without a request id, on lines of one second",
         one(said("m1", USED, request=None), said("m1", MORE, request=None))),
    Case("a message with and without a request id is two messages",
         one(said("m1", USED), said("m1", USED, request=None))),
    Case("a copy that ends within a message",
         {"s1.jsonl": [said("m1", USED, uuid="u1"),
                       said("m1", MORE, at="2026-10-01T10:00:01Z")],
          "s2.jsonl": [said("m1", USED, uuid="u1", session="s2")]}),
    Case("a copy that ends within a message, and comes first",
         {"s1.jsonl": [said("m1", USED, uuid="u1")],
          "s2.jsonl": [said("m1", USED, uuid="u1", session="s2"),
                       said("m1", MORE, session="s2",
                            at="2026-10-01T10:00:01Z")]}),
    Case("lines without any id are messages",
         one(said(None, USED, request="r"), said(None, USED, request="r"))),
    Case("a sub-agent in a file of its own",
         {"s1.jsonl": [said("m1", USED)],
          "s1/subagents/agent-a1.jsonl": [
              said("m2", USED, model=HAIKU, **SIDE)]}),
    Case("a sub-agent in a file of its own and in progress lines",
         {"s1.jsonl": [said("m1", USED),
                       progress(said("m2", USED, model=HAIKU, **SIDE))],
          "s1/subagents/agent-a1.jsonl": [
              said("m2", USED, model=HAIKU, **SIDE)]}),
    Case("a nested message that is later and larger than the sub-agent's line",
         {"s1.jsonl": [progress(said("m2", (5, 400, 7, 9), model=HAIKU,
                                     at="2026-10-01T10:00:05Z", **SIDE))],
          "s1/subagents/agent-a1.jsonl": [
              said("m2", USED, model=HAIKU, **SIDE)]}),
    Case("a nested message that is later and smaller than the sub-agent's line",
         {"s1.jsonl": [progress(said("m2", USED, model=HAIKU,
                                     at="2026-10-01T10:00:05Z", **SIDE))],
          "s1/subagents/agent-a1.jsonl": [
              said("m2", (5, 400, 7, 9), model=HAIKU, **SIDE)]}),
    Case("a sub-agent in progress lines only",
         one(said("m1", USED), progress(said("m2", USED, model=HAIKU)),
             progress(said("m2", MORE, model=HAIKU)))),
    Case("a nested message of a skill",
         one(progress(said("m1", USED), kind="skill_progress"))),
    Case("only the parts of a cache write",
         one(said("m1", (5, 1), usage={"cache_creation": {
             "ephemeral_5m_input_tokens": 70,
             "ephemeral_1h_input_tokens": 7}}))),
    Case("the parts of a cache write, and a sum of 0",
         one(said("m1", (5, 1, 0, 9), usage={"cache_creation": {
             "ephemeral_5m_input_tokens": 70,
             "ephemeral_1h_input_tokens": 7}}))),
    Case("the last line has no tokens",
         one(said("m1", (5, 400, 7, 9)), said("m1", (0, 0, 0, 0)))),
    Case("a saved stream, which has no request ids and no times, and the "
         "transcript of its session",
         {"s1.jsonl": [said("msg_1", MORE, uuid="u1")],
          "stream.jsonl": [streamed("msg_1", USED, uuid="u1")]}),
    Case("a nested message has a day of its own",
         one(progress(said("m2", USED), at="2026-10-02T00:00:00Z"))),
    Case("the same nested message in two sessions",
         {"s1.jsonl": [progress(said("m2", USED))],
          "s2.jsonl": [progress(said("m2", USED), session="s2")]}),
    Case("a line of the main conversation counts before a sub-agent's",
         one(said("m1", USED), said("m1", (50, 1, 7, 9), **SIDE),
             said("m2", (50, 1, 7, 9), **SIDE), said("m2", USED),
             said("m3", USED), progress(said("m3", (50, 1, 7, 9), **SIDE)))),
    Case("the answer of a tool states tokens that are counted elsewhere",
         one({"type": "user", "sessionId": "s1", "timestamp": f"{DAY}T10:00Z",
              "message": {"role": "user", "content": []},
              "toolUseResult": {"usage": {"input_tokens": 5,
                                          "output_tokens": 6}}})),
    Case("a message of the agent program itself uses no tokens",
         one(said("m1", (0, 0, 0, 0), model="<synthetic>", request=None))),
    Case("an answer of an advisor",
         one(said("m1", USED, usage={"iterations": [
             iteration("message", (5, 1)),
             iteration("advisor_message", (100, 10), model=SONNET)]}))),
    Case("an error of the API", one(said("m1", USED, isApiErrorMessage=True))),
    Case("a message that ends after midnight belongs to the later day",
         one(said("m1", USED, at="2026-10-01T23:59:59Z"),
             said("m1", MORE, at="2026-10-02T00:00:01Z"))),
    Case("a time with an offset is converted to UTC",
         one(said("m1", USED, at="2026-10-01T23:30:00-05:00"))),
    Case("a nested message of a workflow",
         one(progress(said("m1", USED), kind="workflow_progress"))),
] + [Case(f"{name}, {id}", files) for id in ["m1", "msg_1"] for name, files in [
    # A question beside the task (/btw) replays the parent's messages.
    ("a sub-agent repeats a message with a new request id",
     one(said(id, USED), said(id, USED, request="req_2", **SIDE))),
    ("a sub-agent repeats a message with a new request id, in its file",
     {"s1.jsonl": [said(id, USED)],
      "s1/subagents/agent-a1.jsonl": [
          said(id, USED, request="req_2", **SIDE)]}),
    ("a sub-agent repeats a message with more tokens",
     one(said(id, USED), said(id, (50, 10, 70, 90), request="req_2", **SIDE))),
    ("a sub-agent's copy comes first",
     one(said(id, (50, 10, 70, 90), request="req_2", **SIDE), said(id, USED))),
    ("two lines of sub-agents with two request ids",
     one(said("m0", USED), said(id, USED, **SIDE),
         said(id, MORE, request="req_2", **SIDE))),
    ("two lines of sub-agents with two request ids, the larger one first",
     one(said("m0", USED), said(id, MORE, **SIDE),
         said(id, USED, request="req_2", **SIDE))),
    ("a sub-agent's line without a request id beside the main conversation",
     one(said(id, USED), said(id, USED, request=None, **SIDE))),
    ("a nested message with a flag and a new request id",
     one(said(id, USED), progress(said(id, USED, request="req_2", **SIDE)))),
    ("a nested message without a request id, and the sub-agent's file with it",
     {"s1.jsonl": [progress(said(id, USED, request=None, **SIDE))],
      "s1/subagents/agent-a1.jsonl": [said(id, USED, **SIDE)]}),
    ("two messages of the main conversation, and a sub-agent's copy",
     one(said(id, USED), said(id, MORE, request="req_2"),
         said(id, MORE, request="req_3", **SIDE))),
    ("a sub-agent's copy, and then two messages of the main conversation",
     one(said(id, MORE, request="req_3", **SIDE), said(id, USED),
         said(id, MORE, request="req_2"))),
    ("a resumed session repeats a message, and its sub-agent once more",
     {"s1.jsonl": [said(id, USED)],
      "s2.jsonl": [said(id, USED, session="s2")],
      "s2/subagents/agent-a1.jsonl": [
          said(id, USED, request="req_2", session="s2", **SIDE)]}),
]] + [
    Case("a gateway's id without a request id, in two sessions",
         {"s1.jsonl": [said("ocgo", USED, request=None)],
          "s2.jsonl": [said("ocgo", USED, request=None, session="s2")]}),
    Case("a gateway's id on all messages, without request ids",
         {"s1.jsonl": [said("ocgo", (100 + n, 1, 0, n), request=None,
                            at=f"2026-10-01T10:00:0{n}Z") for n in range(9)],
          "s2.jsonl": [said("ocgo", (7, 1, 0, 0), request=None,
                            session="s2")]}),
]

EXPLAINED = [
    Case("the last line states less", one(said("m1", MORE), said("m1", USED)), [
        Message("m1", "the API states usage so far, so the last line is the "
                "final count; ccusage takes the largest",
                [row(MORE)], [row(USED)])]),
    Case("a copy that ends within a message, whose lines have one time",
         {"s1.jsonl": [said("m1", MORE, uuid="u2")],
          "s2.jsonl": [said("m1", USED, uuid="u1", session="s2")]}, [
        Message("m1", "the agent writes the time of each line, in "
                "milliseconds; of lines with the same time the last one "
                "counts, and ccusage takes the largest",
                [row(MORE)], [row(USED)])]),
    Case("no request id, in two sessions",
         {"s1.jsonl": [said("msg_1", USED, request=None)],
          "s2.jsonl": [said("msg_1", USED, request=None, session="s2")]}, [
        Message("msg_1", "an id that begins with msg_ is the API's own, and "
                "unique, so this is a copy", [twice()], [row()])]),
    Case("no request id, at two times",
         one(said("msg_1", USED, request=None),
             said("msg_1", USED, request=None, at="2026-10-01T10:00:01Z")), [
        Message("msg_1", "the API's own id is unique, and the lines of one "
                "message are not written at the same time; ccusage counts it "
                "once in its other reports", [twice()], [row()])]),
    Case("a gateway's id without a request id, at two times",
         one(said("chatcmpl-1", USED, request=None),
             said("chatcmpl-1", MORE, request=None,
                  at="2026-10-01T10:00:01Z")), [
        Message("chatcmpl-1", "the id may not be unique, but all lines of a "
                "message repeat the counts of its input, and other messages "
                "have other counts", [row((10, 4, 14, 18))], [row(MORE)])]),
    Case("no request id, nested, at two times",
         one(progress(said("msg_1", USED, request=None)),
             progress(said("msg_1", USED, request=None,
                           at="2026-10-01T10:00:01Z"))), [
        Message("msg_1", "as on lines of their own", [twice()], [row()])]),
    Case("a gateway's id, a sub-agent's line with other counts",
         one(said("ocgo", USED), said("ocgo", (50, 1, 7, 9), request=None,
                                      **SIDE)), [
        Message("ocgo", "the id may not be unique, and a copy would have the "
                "same counts", [row()], [row((55, 2, 14, 18))])]),
    Case("with and without a request id",
         one(said("msg_1", MORE), said("msg_1", USED, request=None)), [
        Message("msg_1", "the API's own id is unique, so this is a copy; the "
                "line with a request id is the transcript's",
                [row((10, 4, 14, 18))], [row(MORE)])]),
    Case("counts that are floating-point numbers",
         one(said("m1", (5.0, 1.0, 7.0, 9.0))), [
        Message("m1", "they are whole, and were paid for; ccusage leaves out "
                "the line", [], [row()])]),
    Case("a stream without request ids, and a mirror of its transcript",
         one(streamed("msg_1", USED, uuid="u1"),
             {"type": "transcript_mirror", "filePath": "/p/s1.jsonl",
              "entries": [said("msg_1", MORE, uuid="u1"),
                          said("msg_2", USED, uuid="u2", **SIDE)]}), [
        Message("msg_1", "it was paid for once; the line of the transcript is "
                "complete, and has a time", [], [row(MORE)]),
        Message("msg_2", "ccusage reads no mirrored lines", [], [row()])]),
    Case("no message id, the same uuid",
         one(said(None, USED, request="r", uuid="u1"),
             said(None, USED, request="r", uuid="u1")), [
        Message("u1", "the uuid of a line is unique, so this is a copy",
                [twice()], [row()])]),
    Case("a nested message without a flag, and the main conversation",
         one(said("m1", USED), progress(said("m1", (50, 1, 7, 9)))), [
        Message("m1", "a nested message is a sub-agent's, whatever flag it "
                "lacks, so the main conversation counts; ccusage takes the "
                "larger one", [row((50, 1, 7, 9))], [row()])]),
    Case("a nested message without a flag, with a new request id",
         one(said("msg_1", USED),
             progress(said("msg_1", USED, request="req_2"))), [
        Message("msg_1", "a nested message is a sub-agent's, whatever flag it "
                "lacks, so this is a copy", [twice()], [row()])]),
    Case("a nested message without a time",
         one(progress(said("m1", USED, at=None))), [
        Message("m1", "it was paid for, and the line around it has a time",
                [], [row()])]),
    Case("the agent program itself, with tokens",
         one(said("m1", USED, model="<synthetic>")), [
        Message("m1", "both count it; ccusage hides the model",
                [row(model=None)], [row(model="<synthetic>")])]),
    Case("no model", one(said("m1", USED, model=None)), [
        Message("m1", "both count it; ccusage hides the row",
                [row(model=None)], [row(model=None)])]),
    Case("fast mode", one(said("m1", USED, usage={"speed": "fast"})), [
        Message("m1", "ccusage appends -fast to the name, which is not in the "
                "log", [row(model=OPUS + "-fast")], [row()])]),
    Case("an argument of a tool is null",
         one(said("m1", USED, content=[
             {"type": "tool_use", "id": "t1", "name": "Find",
              "input": {"model": None}}])), [
        Message("m1", "ccusage leaves out lines that have \"model\":null or "
                "the like anywhere; the message was paid for",
                [], [row()])]),
    Case("the request id is null",
         one(compact(said("m1", USED)).replace('"req_m1"', "null")), [
        Message("m1", "null is the same as absent", [], [row()])]),
    Case("a version that is not a number", one(said("m1", USED, version="x")), [
        Message("m1", "the version of the program does not matter",
                [], [row()])]),
    Case("no time", one(said("m1", USED, at=None)), [
        Message("m1", "it was paid for; linetape lists it under no day",
                [], [row(day=None)])]),
    Case("a space after a key",
         one(compact(said("m1", USED)).replace('"usage":{', '"usage": {')), [
        Message("m1", "the same JSON; ccusage searches for the text "
                "\"usage\":{", [], [row()])]),
    Case("no output tokens", one(said("m1", (5,))), [
        Message("m1", "a count that is absent is 0",
                [], [row((5, 0, 0, 0))])]),
    Case("a line of the user that states usage",
         one(said("m1", USED, type="user")), [
        Message("m1", "only the model uses tokens", [row()], [])]),
    Case("the parts of a cache write are not its sum",
         one(said("m1", USED, usage={"cache_creation": {
             "ephemeral_5m_input_tokens": 70,
             "ephemeral_1h_input_tokens": 7}})), [
        Message("m1", "the sum is stated, and no real log contradicts it",
                [row((5, 1, 77, 9))], [row()])]),
    Case("a message that ends after midnight, with the same usage",
         one(said("m1", USED, at="2026-10-01T23:59:59Z"),
             said("m1", USED, at="2026-10-02T00:00:01Z")), [
        Message("m1", "the last line counts, as for other messages; ccusage "
                "takes the first of equal ones",
                [row()], [row(day="2026-10-02")])]),
]

# Faults of linetape.
GAPS = []

CASES = SAME + EXPLAINED + GAPS
