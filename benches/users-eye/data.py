"""The logs that are read: real ones, tiled, and generated ones.

They lie as ccusage wants them: FOLDER/projects/PROJECT/SESSION.jsonl.
"""

import glob
import os
import re
import subprocess
from typing import NamedTuple

# A log consists of many files, and some tools read several at once.
FILE_SIZE = 16_000_000

# The ids of messages, requests and tool calls, and all UUIDs. The
# pattern finds two characters of each, which differ in every copy.
IDS = re.compile(
    rb"(?<=msg_)01|(?<=req_)01|(?<=toolu_)01|(?<![0-9a-f])[0-9a-f]{2}"
    rb"(?=[0-9a-f]{6}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
)


class Logs(NamedTuple):
    name: str
    folder: str
    files: list
    size: int


def _logs(name, folder, project):
    # The benches of the library expect real logs here.
    os.symlink(project, os.path.join(folder, "transcripts"))
    files = sorted(glob.glob(os.path.join(glob.escape(project), "*.jsonl")))
    return Logs(name, folder, files, sum(map(os.path.getsize, files)))


def _project(folder):
    project = os.path.join(folder, "projects", "logs")
    os.makedirs(project)
    return project


def real(corpus, folder, size):
    """Writes real transcripts repeatedly, with different ids, up to about `size`
    bytes. Returns None if there are no real ones."""
    transcripts = os.path.join(glob.escape(corpus), "transcripts", "*.jsonl")
    sources = []
    for path in sorted(glob.glob(transcripts)):
        with open(path, "rb") as file:
            text = file.read()
        if text and not text.endswith(b"\n"):
            text += b"\n"
        sources.append((os.path.basename(path).removesuffix(".jsonl"), text))
    if not any(text for _, text in sources):
        return None
    project = _project(folder)
    written = copy = 0
    while written < size:
        # Copies 0 to 255 are all different.
        mark = b"%02x" % (copy % 256)
        for name, text in sources:
            if written >= size:
                break
            path = os.path.join(project, f"{name}-{copy:03}.jsonl")
            with open(path, "wb") as file:
                written += file.write(IDS.sub(mark, text))
        copy += 1
    return _logs("real transcripts, tiled", folder, project)


def generated(command, folder):
    """Writes a generated log, split into files between lines."""
    project = _project(folder)
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    number = 0
    with process.stdout as lines:
        while text := lines.read(FILE_SIZE):
            text += lines.readline()
            path = os.path.join(project, f"generated-{number:03}.jsonl")
            with open(path, "wb") as file:
                file.write(text)
            number += 1
    if process.wait() != 0:
        raise OSError(f"the generator failed: {command}")
    return _logs("generated transcripts", folder, project)
