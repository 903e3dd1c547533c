"""The tools that are compared: their commands, their paths, and their
installation."""

import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import Callable, NamedTuple

from answers import of_ccstats, of_ccusage, of_stats, of_usage
from checkout import HERE

TOKENS, KEEP = "tokens per model", "keep the assistant lines"
CCUSAGE = "20"
# Programs that cargo installs.
CRATES = {"ccstats": "^0.11", "jaq": "^3"}


class Tool(NamedTuple):
    name: str
    question: str
    command: list
    # Reads the tokens by model from the output of the tool.
    read: Callable = dict


class Found:
    """Returns the installed tools, and the names of the missing ones."""

    def __init__(self):
        self.tools, self.versions, self.absent = [], {}, []


def default_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "linetape-users-eye")


def _here(*parts):
    return os.path.join(HERE, *parts)


def _ask(*command):
    """Returns the output of a command, or None if it cannot be run."""
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=120
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None


def find(linetape, folder, jq):
    """Returns the installed tools. FILE... is appended to each command."""
    found = Found()
    _find_linetape(found, linetape)
    _find_jq(found, jq)
    _find_jaq(found, folder)
    _find_ccusage(found, folder)
    _find_ccstats(found, folder)
    _find_python(found, folder)
    return found


def _find_linetape(found, linetape):
    version = _ask(linetape, "--version")
    if version is None:
        sys.exit(f"{linetape} does not run")
    found.versions["linetape"] = version.split()[-1]
    found.tools += [
        Tool(
            "linetape usage",
            TOKENS,
            [linetape, "usage", "--by", "model", "--json"],
            of_usage,
        ),
        Tool(
            "linetape usage --peek",
            TOKENS,
            [linetape, "usage", "--peek", "--by", "model", "--json"],
            of_usage,
        ),
        Tool(
            "linetape stats --peek",
            TOKENS,
            [linetape, "stats", "--peek", "--json"],
            of_stats,
        ),
        Tool(
            "linetape select",
            KEEP,
            [linetape, "select", "--type", "assistant"],
        ),
    ]


def _find_jq(found, jq):
    # grep alone keeps too many lines: `"type":"assistant"` may be in a nested
    # object. As a filter before jq, it is a common way to speed jq up. It
    # needs logs without spaces.
    grep = ["grep", "-ahF", '"type":"assistant"']
    has_grep = _ask("grep", "--version") is not None
    if has_grep:
        found.tools.append(Tool("grep", KEEP, grep))
    version = _ask(jq, "--version")
    if version is None:
        found.absent.append("jq")
        return
    found.versions["jq"] = version.removeprefix("jq-")
    for question, way, query in [
        (TOKENS, "-nc", _here("jq", "tokens.jq")),
        (KEEP, "-c", _here("jq", "keep.jq")),
    ]:
        command = [jq, way, "-f", query]
        found.tools.append(Tool("jq", question, command))
        if has_grep:
            pipe = f'{shlex.join(grep)} "$@" | {shlex.join(command)}'
            command = ["/bin/sh", "-c", pipe, "sh"]
            found.tools.append(Tool("grep, then jq", question, command))


def _find_jaq(found, folder):
    jaq = _crate(folder, "jaq")
    version = _ask(jaq, "--version")
    if version is None:
        found.absent.append("jaq")
        return
    found.versions["jaq"] = version.split()[-1]
    # With -n, jaq runs the query for each file, so it gets one stream.
    query = [jaq, "-nc", "-f", _here("jq", "tokens.jq")]
    pipe = ["/bin/sh", "-c", f'cat "$@" | {shlex.join(query)}', "sh"]
    found.tools += [
        Tool("jaq", TOKENS, pipe),
        Tool("jaq", KEEP, [jaq, "-c", "-f", _here("jq", "keep.jq")]),
    ]


def _find_ccstats(found, folder):
    ccstats = _crate(folder, "ccstats")
    version = _ask(ccstats, "--version")
    if version is None:
        found.absent.append("ccstats")
        return
    found.versions["ccstats"] = version.split()[-1]
    # Without prices, and without the cache that it keeps between runs.
    report = ["monthly", "--source", "claude", "--breakdown", "--json",
              "--no-cost", "--offline", "--no-cache", "--timezone", "UTC"]
    found.tools.append(Tool("ccstats", TOKENS, [ccstats, *report], of_ccstats))


def _crate(folder, name):
    return os.path.join(folder, "cargo", "bin", name)


def _find_ccusage(found, folder):
    modules = os.path.join(folder, "npm", "node_modules")
    launcher = os.path.join(modules, ".bin", "ccusage")
    version = _ask(launcher, "--version")
    if version is None:
        found.absent.append("ccusage")
        return
    found.versions["ccusage"] = version.split()[-1]
    # Of its reports, only this one counts the messages of sub-agents in
    # progress lines. It is faster without prices.
    report = ["claude", "daily", "--offline", "--json", "--mode", "display"]
    programs = {"ccusage": launcher}
    native = os.path.join(modules, "@ccusage", "ccusage-*", "bin", "ccusage")
    for program in glob.glob(native)[:1]:
        programs["ccusage, without its launcher"] = program
    for name, program in programs.items():
        tool = Tool(name, TOKENS, [program, *report], of_ccusage)
        found.tools.append(tool)


def _find_python(found, folder):
    python = os.path.join(folder, "venv", "bin", "python")
    duckdb, polars = _here("duckdb"), _here("polars")
    query = os.path.join(duckdb, "query.py")
    for name, tokens, keep in [
        ("DuckDB", [query, duckdb + "/tokens.sql"],
         [query, duckdb + "/keep.sql"]),
        ("Polars", [polars + "/tokens.py"], [polars + "/keep.py"]),
    ]:
        module = name.lower()
        say = f"import {module}; print({module}.__version__)"
        version = _ask(python, "-c", say)
        if version is None:
            found.absent.append(name)
            continue
        found.versions[name] = version
        for question, arguments in [(TOKENS, tokens), (KEEP, keep)]:
            found.tools.append(Tool(name, question, [python, *arguments]))


def environment(work, logs):
    """Returns an environment in which ccusage and ccstats find only these
    logs."""
    nobody = os.path.join(work, "home")
    os.makedirs(nobody, exist_ok=True)
    return os.environ | {
        "HOME": nobody,
        "XDG_CONFIG_HOME": nobody,
        "CLAUDE_CONFIG_DIR": logs.folder,
        "TZ": "UTC",
    }


def command(tool, logs):
    """ccusage and ccstats find their files themselves."""
    if tool.read in (of_ccusage, of_ccstats):
        return tool.command
    return tool.command + logs.files


def set_up(folder):
    """Installs missing tools. A tool that cannot be installed is absent later."""
    os.makedirs(folder, exist_ok=True)
    python = os.path.join(folder, "venv", "bin", "python")
    if _ask(python, "-c", "import duckdb, polars") is None:
        _do(sys.executable, "-m", "venv", os.path.join(folder, "venv"))
        for module in ["duckdb", "polars"]:
            _do(python, "-m", "pip", "install", "--quiet", module)
    launcher = os.path.join(folder, "npm", "node_modules", ".bin", "ccusage")
    if _ask(launcher, "--version") is None:
        _install_ccusage(os.path.join(folder, "npm"), launcher)
    for name, version in CRATES.items():
        if _ask(_crate(folder, name), "--version") is None:
            install = ["cargo", "install", "--quiet", "--root",
                       os.path.join(folder, "cargo"), f"{name}@{version}"]
            # A mirror of the registry may lack a version that is locked.
            _do(*install, "--locked") or _do(*install)


def _do(*command):
    print("+", " ".join(os.path.basename(part) for part in command))
    try:
        return subprocess.run(command).returncode == 0
    except OSError as error:
        print(error)
        return False


def _install_ccusage(folder, launcher):
    """The program is in a separate package for each system, which may be missing
    for the newest version: then the version before it is installed."""
    versions = _ask("npm", "view", "ccusage", "versions", "--json")
    known = json.loads(versions or "[]")
    wanted = [v for v in known if re.fullmatch(CCUSAGE + r"\.\d+\.\d+", v)]
    wanted.sort(key=lambda v: [int(part) for part in v.split(".")])
    for version in [*wanted[:-6:-1], "latest"]:
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        package = f"ccusage@{version}"
        options = ["--no-audit", "--no-fund", "--loglevel=error"]
        _do("npm", "install", *options, "--prefix", folder, package)
        if _ask(launcher, "--version") is not None:
            return
        print(f"{package} does not run")
