"""A headless Chromium, driven over the pipe of its DevTools protocol."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--disable-default-apps --hide-scrollbars --remote-debugging-pipe""".split()


def find():
    """Returns the path of a browser, or None."""
    given = os.environ.get("LINETAPE_BROWSER")
    names = ["chromium", "chromium-browser", "google-chrome", "chrome"]
    found = (shutil.which(name) for name in ([given] if given else names))
    return next((path for path in found if path), None)


class Browser:
    """One browser with one tab, and what happened in it."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="linetape-browser-")
        to_child, self.out = os.pipe()
        self.inp, from_child = os.pipe()

        def connect():
            os.dup2(to_child, 1003), os.dup2(from_child, 1004)
            os.dup2(1003, 3), os.dup2(1004, 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self.folder}"],
            close_fds=False, preexec_fn=connect,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child), os.close(from_child)
        self.pending, self.count, self.session = b"", 0, None
        self.reset()
        target = self.call("Target.createTarget", url="about:blank")
        attached = self.call("Target.attachToTarget", flatten=True,
                             targetId=target["targetId"])
        self.session = attached["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def reset(self):
        """Forgets what happened."""
        self.requests, self.entries, self.dialogs = [], [], []
        self.is_loaded = False

    def call(self, method, **parameters):
        """Calls a method, and returns its result."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        wanted = self.count
        while True:
            answer = self.next_message(60)
            if answer is None:
                raise RuntimeError(f"{method}: no answer")
            if answer.get("id") == wanted:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def next_message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.pending:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                return None
            more = os.read(self.inp, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.pending += more
        message, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(message)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, event, what):
        if event == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif event == "Log.entryAdded":
            self.entries.append(what["entry"]["text"])
        elif event == "Runtime.exceptionThrown":
            self.entries.append(str(what["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled":
            self.entries.append(str(what["args"]))
        elif event == "Page.loadEventFired":
            self.is_loaded = True
        elif event == "Page.javascriptDialogOpening":
            self.dialogs.append(what["message"])
            # It would block every later call.
            self.count += 1
            os.write(self.out, json.dumps({
                "id": self.count, "method": "Page.handleJavaScriptDialog",
                "params": {"accept": False}, "sessionId": self.session,
            }).encode() + b"\0")

    def open(self, path):
        """Opens a file, and waits until it is loaded. Returns the seconds."""
        self.reset()
        start = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while not self.is_loaded:
            if self.next_message(60) is None:
                raise RuntimeError(f"{path} does not load")
        return time.monotonic() - start

    def settle(self, seconds=0.3):
        """Reads what happens within some time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.next_message(end - time.monotonic())

    def run(self, script):
        """Returns the value of an expression, also of a promise."""
        result = self.call("Runtime.evaluate", expression=script,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def screen(self, width, height, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=scale,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{
            "name": "prefers-color-scheme",
            "value": "dark" if dark else "light"}])

    def picture(self, path):
        shot = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
