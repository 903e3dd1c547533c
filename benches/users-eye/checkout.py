"""The programs of this checkout, which cargo builds."""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def corpus():
    """Returns the folder of real logs, if there is one."""
    named = os.environ.get("LINETAPE_CORPUS")
    return named or os.path.join(ROOT, "..", "shared", "corpus")


def _build(target, program, arguments, folder=ROOT):
    """Returns None if it cannot be built."""
    manifest = os.path.join(folder, "Cargo.toml")
    command = ["cargo", "build", "--release", "--quiet"]
    command += ["--target-dir", target, "--manifest-path", manifest]
    try:
        built = subprocess.run([*command, *arguments]).returncode == 0
    except OSError:
        return None
    return os.path.join(target, "release", program) if built else None


def linetape(target):
    return _build(target, "linetape", ["--package", "linetape-cli"])


def peers(target):
    """The benches of the library, without the crates that are compared."""
    folder = os.path.join(ROOT, "benches", "peers")
    return _build(target, "linetape-peers", ["--no-default-features"], folder)


def generator(target, size):
    """Returns the command that generates logs, or None if it is missing."""
    name = "linetape-generate"
    program = _build(target, name, ["--package", name])
    options = ["--shape", "transcript", "--seed", "1", "--bytes", str(size)]
    return program and [program, *options]


def rate(peers, logs, work):
    """Returns the MB/s at which the library counts lines by type (J1), or None
    if that is unknown."""
    rows = os.path.join(work, "rows.json")
    command = [peers, "--quick", "--job", "J1", "--data", "transcripts"]
    ran = subprocess.run(
        [*command, "--json", rows],
        env=os.environ | {"LINETAPE_CORPUS": logs.folder},
        stdout=subprocess.DEVNULL,
    )
    if ran.returncode != 0:
        return None
    with open(rows) as file:
        for row in json.load(file)["rows"]:
            if row["engine"] == "linetape route":
                return row["mb_per_s"]
    return None
