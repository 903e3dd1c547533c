"""Runs a command, and measures its time and memory."""

import ctypes
import os
import subprocess
import sys
import time
from typing import NamedTuple

# Linux includes the memory of a process before `exec`. So a child of Python
# would appear to need at least as much memory as Python. A shell needs little:
# it starts the command and exits, and the command, which has waited for that,
# becomes a child of this process.
SCRIPT = 'exec 3<&0; { read go <&3; exec "$@" 3<&- >"$0"; } & echo $!'
PR_SET_CHILD_SUBREAPER = 36


class Run(NamedTuple):
    seconds: float
    cpu: float
    memory: int


class Failed(Exception):
    """The command failed. The reason is the end of its output."""


def adopt():
    """Makes this process the parent of orphaned processes."""
    if sys.platform != "linux":
        sys.exit("memory is measured in a way that only Linux has")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(command, out, folder, env):
    """Runs a command to its end, with its output in the file `out`."""
    if os.path.exists(out):
        os.remove(out)
    errors = os.path.join(folder, "errors")
    with open(errors, "wb") as stderr:
        shell = subprocess.Popen(
            ["/bin/sh", "-c", SCRIPT, out, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=folder,
            env=env,
        )
    with shell.stdin as go, shell.stdout as said:
        pid = int(said.readline())
        shell.wait()
        start = time.perf_counter()
        go.write(b"\n")
        go.flush()
        _, status, used = os.wait4(pid, 0)
        seconds = time.perf_counter() - start
    if status != 0:
        with open(errors, errors="replace") as stderr:
            last = stderr.read().strip().splitlines()[-1:]
        code = os.waitstatus_to_exitcode(status)
        raise Failed(f"exit code {code}: {''.join(last)[:200]}")
    cpu = used.ru_utime + used.ru_stime
    return Run(seconds, cpu, used.ru_maxrss << 10)
