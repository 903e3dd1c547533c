"""Logs at random, as several sessions leave them: sub-agents in files of their
own, nested in progress lines, or both; forks that copy lines; resumed sessions;
the same message in two files."""

import random

from logs import HAIKU, OPUS, SONNET, progress, said

# How a session's sub-agents are recorded.
OWN_FILE, NESTED, BOTH = "own file", "nested", "both"


def files(seed):
    """Returns the lines of each file. The same seed makes the same log."""
    made = Log(random.Random(seed))
    for number in range(made.random.randint(1, 3)):
        made.session(f"session-{number}")
    for name in list(made.files):
        if "/" not in name and made.random.random() < 0.6:
            made.copy(name, made.random.choice(["fork", "resume", "twin"]))
    return made.files


class Log:
    def __init__(self, chance):
        self.random, self.files, self.count = chance, {}, 0

    def session(self, name):
        day = self.random.randint(1, 28)
        lines = self.files.setdefault(f"{name}.jsonl", [])
        for _ in range(self.random.randint(1, 8)):
            day = min(28, day + self.random.randint(0, 1))
            lines += self.message(name, day, self.random.choice([OPUS, SONNET]))
            if self.random.random() < 0.4:
                self.agent(name, day, lines)

    def message(self, session, day, model, **fields):
        """The lines of a message: one for each block. The count of output
        tokens grows, and all are written within a minute."""
        self.count += 1
        chance, output = self.random, 0
        others = [chance.randint(0, 9), chance.randint(0, 9999),
                  chance.randint(0, 99999)]
        lines, hour = [], chance.randint(0, 23)
        for second in range(chance.randint(1, 4)):
            output += chance.choice([0, 1, chance.randint(1, 900)])
            at = f"2026-10-{day:02}T{hour:02}:00:{second:02}Z"
            lines.append(said(
                f"msg_{self.count:04}", [others[0], output, *others[1:]],
                session=session, model=model, at=at, request=f"req_{self.count}",
                uuid=f"uuid-{self.count}-{second}", **fields))
        return lines

    def agent(self, session, day, lines):
        """A sub-agent: its messages are recorded in one way, or in both."""
        self.count += 1
        agent, way = f"a{self.count}", self.random.choice(
            [OWN_FILE, NESTED, BOTH])
        side = {"isSidechain": True, "agentId": agent}
        for _ in range(self.random.randint(1, 4)):
            model = self.random.choice([HAIKU, OPUS])
            said_lines = self.message(session, day, model, **side)
            if way != NESTED:
                name = f"{session}/subagents/agent-{agent}.jsonl"
                self.files.setdefault(name, []).extend(said_lines)
            if way != OWN_FILE:
                lines += [progress(line, session=session, agent=agent)
                          for line in said_lines]

    def copy(self, name, way):
        """A session that begins with the lines of another one."""
        session = name.removesuffix(".jsonl")
        other = session if way == "twin" else f"{session}-{way}"
        lines = [line | {"sessionId": other} for line in self.files[name]]
        if way == "fork":
            # A fork begins at the end of a message.
            keys = [_message(line) for line in lines]
            ends = [at + 1 for at, key in enumerate(keys)
                    if keys[at + 1:at + 2] != [key]]
            lines = lines[:self.random.choice(ends)]
        self.files[f"{session}-{way}.jsonl"] = lines
        if way != "twin":
            lines += self.message(other, 28, OPUS)


def _message(line):
    record = line["data"]["message"] if line["type"] == "progress" else line
    return record["message"]["id"]
