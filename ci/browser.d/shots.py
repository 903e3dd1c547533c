"""The pictures of the documentation."""

import os
import subprocess

import devtools


def take(program, linetape, folder, to):
    """Writes pictures of the index and of a session to a folder."""
    logs = os.path.join(folder, "logs")
    os.makedirs(logs)
    for seed, shape in [(1, "transcript"), (2, "transcript"),
                        (3, "tool-heavy"), (4, "transcript")]:
        subprocess.run([linetape, "generate", "--shape", shape, "--seed",
                        str(seed), "--bytes", "200K", "-o",
                        os.path.join(logs, f"{seed}.jsonl")], check=True)
    site = os.path.join(folder, "site")
    subprocess.run([linetape, "report", logs, "-o", site], check=True,
                   stderr=subprocess.DEVNULL)
    page = os.path.join(folder, "session.html")
    subprocess.run([linetape, "report", "-o", page], check=True)
    index = os.path.join(site, "index.html")
    pictures = [("report-index", index, 1000, 900, False),
                ("report-session", page, 1000, 1100, False),
                ("report-session-dark", page, 1000, 1100, True),
                ("report-phone", page, 390, 800, False)]
    with devtools.Browser(program) as browser:
        for name, path, width, height, dark in pictures:
            browser.screen(width, height, dark)
            browser.open(path)
            browser.settle()
            picture = os.path.join(to, name + ".png")
            browser.picture(picture)
            print(f"{picture}: {os.path.getsize(picture) // 1000} KB")
    return 0
