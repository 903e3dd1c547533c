"""A log that attacks every field of every message type.

It is made from the schema that `linetape schema --known` prints, so that a new
field is attacked without a change here.
"""

import json

# Each would run, restyle the page or fetch something if it were not escaped.
ATTACKS = [
    "<script>window.__p='script';document.title='p'</script>",
    "<img src=x onerror=\"window.__p='img'\">",
    "\"><svg onload=\"window.__p='svg'\">",
    "'><details open ontoggle=\"window.__p='toggle'\">",
    "[a](javascript:window.__p='link') <javascript:window.__p='auto'>",
    "![a](https://attack.example/a.png) <base href=https://attack.example>",
    "</title></style></script><script>window.__p='out'</script>",
    "<iframe srcdoc=\"<script>parent.__p='frame'</script>\"></iframe>",
    "<style>*{display:none}</style><link rel=stylesheet href=//a.example>",
    "<meta http-equiv=refresh content='0;url=https://attack.example'>",
    "\x1b]0;title\x07\u202eright to left\u202c\x00",
    "</pre></div></main>--><h1 id=main>x</h1>",
    "| <b onclick=alert(1)> |\n|---|\n```</code>\n<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;b onload=alert(1)&#62;",
]

# A message nests others at most so deep.
DEPTH = 7


class Maker:
    def __init__(self, known):
        self.known = known
        self.count = 0

    def attack(self):
        self.count += 1
        return ATTACKS[self.count % len(ATTACKS)]

    def lookup(self, name):
        for part in self.known.values():
            for table in ["structs", "unions", "enums"]:
                if name in part[table]:
                    return table, part[table][name]
        return None, None

    def fields(self, struct):
        """Returns the fields of a struct and of its parent."""
        fields = list(struct.get("fields", []))
        if struct.get("parent"):
            table, above = self.lookup(struct["parent"])
            if table == "structs":
                fields += self.fields(above)
        return fields

    def value(self, kind, depth):
        if kind.startswith("["):
            return [self.value(kind[1:-1], depth)]
        if kind.startswith("{"):
            return {self.attack(): self.value(kind[1:-1], depth)}
        if kind in ("bool",):
            return True
        if kind in ("u64", "i64", "f64", "u32", "i32"):
            return 7
        table, shape = self.lookup(kind)
        if table is None or table == "enums" or depth > DEPTH:
            return self.attack()
        if table == "unions":
            return self.variant(shape, depth)[0]
        return self.struct(shape, depth)

    def struct(self, shape, depth):
        made = {}
        for field in self.fields(shape):
            made[field["key"]] = self.value(field["type"], depth + 1)
        return made

    def variant(self, union, depth):
        """Returns an object for each variant of a union."""
        made = []
        for tag, name in union["variants"].items():
            table, shape = self.lookup(name)
            objects = [{}]
            if table == "unions":
                objects = self.variant(shape, depth)
            elif table == "structs":
                objects = [self.struct(shape, depth)]
            for one in objects:
                made.append({**one, union["by"]: tag})
        return made


ATTACHMENTS = ["hook_success", "hook_additional_context",
               "hook_system_message", "hook_stopped_continuation",
               "hook_cancelled", "hook_blocking_error",
               "hook_non_blocking_error", "hook_error_during_execution",
               "async_hook_response", "file", "edited_text_file"]


def lines(known):
    """Returns the lines of the log, of one session."""
    maker = Maker(known)
    messages = known["messages"]["unions"]["Message"]
    union = known["messages"]["unions"]["Block"]
    made = []
    for message in maker.variant(messages, 0):
        made.append(message)
    # Each block in a message of the user and of the model.
    for role in ["user", "assistant"]:
        for block in maker.variant(union, 2):
            for text in ATTACKS:
                one = {**block}
                for key in ["text", "thinking", "name", "content"]:
                    if key in one or key == "text":
                        one[key] = text
                if "tool_use" in one["type"]:
                    one["id"] = f"t{len(made)}{text}"
                    one["input"] = {"file_path": text, "command": text,
                                    text: [text]}
                    one["name"] = ["Edit", "Bash", "Task", text][len(made) % 4]
                made.append({"type": role, "message": {
                    "id": f"m{len(made)}{text}", "role": role, "model": text,
                    "content": [one], "usage": {"input_tokens": 3}}})
                if "tool_use" in one["type"]:
                    made.append({"type": "user", "message": {"content": [{
                        "type": "tool_result", "tool_use_id": one["id"],
                        "is_error": True, "content": text}]},
                        "toolUseResult": {"filePath": text, "agentId": text,
                                          "structuredPatch": [{
                                              "oldStart": 1, "newStart": 1,
                                              "lines": ["-" + text,
                                                        "+" + text, text]}]}})
    # Attachments differ by a name that is no part of the schema.
    for kind in ATTACHMENTS:
        for text in ATTACKS:
            made.append({"type": "attachment", "attachment": {
                "type": kind, "hookEvent": "SessionStart", "hookName": text,
                "content": [text], "message": text, "stderr": text,
                "blockingError": {"blockingError": text},
                "response": {"systemMessage": text}, "filename": text,
                "snippet": text}})
    for nth, message in enumerate(made):
        for key in ["sessionId", "session_id"]:
            message[key] = "hostile"
        message["uuid"] = f"u{nth}"
        message["parentUuid"] = None
        message["isSidechain"] = False
        message["parent_tool_use_id"] = None
        message["timestamp"] = "2026-03-02T%02d:%02d:00Z" % (
            nth // 60 % 24, nth % 60)
    # A title is the first thing that is escaped.
    title = {"type": "custom-title", "sessionId": "hostile",
             "customTitle": ATTACKS[6]}
    return [json.dumps(one) for one in [title] + made]
