"""The result of a check."""


class Report:
    def __init__(self):
        # What was compared, for a person.
        self.lines = []
        # The same in detail, for --verbose.
        self.notes = []
        # What differs without an explanation.
        self.differences = []

    def say(self, line):
        self.lines.append(line)

    def note(self, line):
        self.notes.append(line)

    def differ(self, what):
        self.differences.append(what)
