"""The pictures of the documentation. Those in `docs` are reduced to 64 colours
(pngquant does that), which makes them a third as large."""

import os
import subprocess

import demo
import devtools


def take(program, linetape, folder, to):
    """Writes pictures of the index and of a session to a folder."""
    logs = os.path.join(folder, "logs")
    os.makedirs(logs)
    longest = demo.write(logs)
    site = os.path.join(folder, "site")
    page = os.path.join(folder, "session.html")
    for log, out in [(logs, site), (longest, page)]:
        subprocess.run([linetape, "report", log, "-o", out], check=True,
                       stderr=subprocess.DEVNULL)
    index = os.path.join(site, "index.html")
    transcript = ("(() => { const calls = document.querySelectorAll('.c');"
                  "calls[2].open = true;"
                  "document.getElementById('t1').scrollIntoView(); })()")
    pictures = [("report-index", index, 1100, 1000, ""),
                ("report-session", page, 1000, 1150, ""),
                ("report-transcript", page, 1000, 1000, transcript)]
    with devtools.Browser(program) as browser:
        for name, path, width, height, script in pictures:
            browser.screen(width, height)
            browser.open(path)
            browser.run(script)
            browser.settle()
            picture = os.path.join(to, name + ".png")
            browser.picture(picture)
            print(f"{picture}: {os.path.getsize(picture) // 1000} KB")
    return 0
