"""Installs the programs of the world, once, into a folder of the cache."""

import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# An installation that takes longer is given up: the registry is not reachable.
SECONDS = 150


class Absent(Exception):
    """Something is missing, so that a check cannot be run. The text says
    what."""


class Broken(Exception):
    """A program of this checkout failed."""


def versions():
    """Returns the versions of each package, the preferred one first."""
    with open(os.path.join(HERE, "versions")) as file:
        lines = (line.split() for line in file if not line.startswith("#"))
        return {name: wanted for name, *wanted in filter(None, lines)}


def default_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(cache, "linetape-world")


def own(command, **options):
    """Returns the output of a program of this checkout."""
    try:
        return run(command, **options)
    except Absent as reason:
        raise Broken(str(reason)) from None


def run(command, **options):
    """Returns the output of a command. Raises Absent if it fails."""
    name = os.path.basename(command[0])
    options = {"capture_output": True, "text": True, "timeout": SECONDS,
               **options}
    try:
        ran = subprocess.run(command, **options)
    except OSError as error:
        raise Absent(f"{name} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Absent(f"{name} did not end in {options['timeout']} s") from None
    if ran.returncode != 0:
        said = (ran.stderr or "").strip().splitlines()
        # npm names the fault first, and a log of its own last.
        said = [line for line in said if "error code" in line] or said
        raise Absent(f"{name} failed: {said[-1] if said else ran.returncode}")
    return ran.stdout


def _installed(folder, package, install):
    """Returns the folder of the first version that is installed or can be, in
    the order of preference. Says so if it is not the first one. A version is
    put into its place when it is complete."""
    reasons = []
    for version in versions()[package]:
        name = package.replace("@", "").replace("/", "-") + "-" + version
        place = os.path.join(folder, name)
        if not os.path.isdir(place):
            try:
                _install(place, version, install)
            except (Absent, OSError) as error:
                reasons.append((version, error))
                continue
        for other, error in reasons:
            print(f"world: {package} {other} cannot be installed, {version} "
                  f"used: {error}")
        return place, version
    raise Absent("; ".join(f"{package} {version}: {error}"
                           for version, error in reasons))


def _install(place, version, install):
    part = f"{place}.part-{os.getpid()}"
    os.makedirs(os.path.dirname(place), exist_ok=True)
    try:
        install(part, version)
        os.rename(part, place)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _npm(folder, *packages):
    os.makedirs(folder)
    run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error",
         "--ignore-scripts", "--legacy-peer-deps", "--fetch-retries=0",
         "--fetch-timeout=20000", "--prefix", folder, *packages])


def ccusage(folder):
    """Returns the program itself, without its launcher, and its version."""
    def install(part, version):
        _npm(part, f"ccusage@{version}")
        run([_native(part), "--version"])

    place, version = _installed(folder, "ccusage", install)
    return _native(place), version


def _native(folder):
    pattern = os.path.join(glob.escape(folder), "node_modules", "@ccusage",
                           "ccusage-*", "bin", "ccusage*")
    for program in glob.glob(pattern):
        os.chmod(program, 0o755)
        return program
    raise Absent("it has no program for this system")


def typescript_sdk(folder):
    """Returns the folder of the modules, and the version of the SDK."""
    others = [f"{name}@{versions()[name][0]}"
              for name in ["@anthropic-ai/sdk", "typescript"]]
    name = "@anthropic-ai/claude-agent-sdk"

    def install(part, version):
        # Without the agent itself, which is an optional dependency.
        _npm(part, "--omit=optional", f"{name}@{version}", *others)

    place, version = _installed(folder, name, install)
    return os.path.join(place, "node_modules"), version


def python_sdk(folder):
    """Returns the folder of the SDK and of what it needs, and its version."""
    name = "claude-agent-sdk"

    def install(part, version):
        # From the source, which does not have the agent itself in it.
        run([sys.executable, "-m", "pip", "install", "--quiet", "--target",
             part, "--disable-pip-version-check", "--retries", "1",
             "--timeout", "20", "--no-binary", name, f"{name}=={version}"])

    return _installed(folder, name, install)


def build(name):
    """Returns the path of a program of this checkout. Builds all programs, as
    the tests do: then nothing is compiled again with other features."""
    command = ["cargo", "build", "--quiet", "--profile", "test",
               "--workspace", "--bins", "--examples",
               "--message-format", "json"]
    out = own(command, cwd=ROOT, timeout=1800)
    for line in out.splitlines():
        made = json.loads(line)
        if made.get("executable") and made["target"]["name"] == name:
            return made["executable"]
    raise Broken(f"cargo built no {name}")


def corpus():
    """Returns the folder of real logs."""
    named = os.environ.get("LINETAPE_CORPUS")
    folder = named or os.path.join(ROOT, "..", "shared", "corpus")
    if not os.path.isdir(os.path.join(folder, "transcripts")):
        raise Absent("no real logs: LINETAPE_CORPUS names none")
    return folder
