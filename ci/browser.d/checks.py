"""The checks of pages in a browser."""

import glob
import json
import os
import re
import subprocess
import traceback

import complete
import devtools
import hostile

OPEN_ALL = "document.querySelectorAll('details').forEach(d => d.open = true)"


class Failed(Exception):
    pass


def expect(is_true, what):
    if not is_true:
        raise Failed(what)


class Checks:
    def __init__(self, browser, linetape, folder, options):
        self.browser, self.linetape = browser, linetape
        self.folder, self.options = folder, options

    def report(self, *arguments, codes=(0,)):
        done = subprocess.run([self.linetape, "report", *arguments],
                              capture_output=True, check=False)
        expect(done.returncode in codes, done.stderr.decode())

    def path(self, name):
        return os.path.join(self.folder, name)

    def sample(self):
        page = self.path("sample.html")
        if not os.path.exists(page):
            self.report("-o", page)
        return page

    def hostile_page(self):
        page = self.path("hostile.html")
        if not os.path.exists(page):
            known = subprocess.run(
                [self.linetape, "schema", "--known", "--json"],
                capture_output=True, check=True).stdout
            log = self.path("hostile.jsonl")
            with open(log, "w", encoding="utf-8") as file:
                file.write("\n".join(hostile.lines(json.loads(known))))
                file.write("\n")
            self.report(log, "-o", page)
        return page

    def quiet(self, page, title=None):
        """Opens a page, opens all of it, and expects that nothing happens."""
        browser = self.browser
        browser.open(page)
        before = browser.run("document.title")
        browser.run(OPEN_ALL)
        browser.run("scrollTo(0, document.body.scrollHeight)")
        browser.settle()
        after = browser.run("document.title")
        expect(after == before, f"the title became {after!r}")
        expect(browser.run("typeof window.__p") == "undefined",
               "a script of the log ran: " + str(browser.run("window.__p")))
        expect(browser.entries == [], f"console: {browser.entries[:3]}")
        expect(browser.dialogs == [], f"dialogs: {browser.dialogs}")
        address = "file://" + os.path.abspath(page)
        others = [url for url in browser.requests if url != address]
        expect(others == [], f"fetched: {others[:3]}")
        if title is not None:
            expect(before == title, f"the title is {before!r}")

    # The checks: each method whose name begins with `check_`.

    def check_sample_is_quiet(self):
        self.quiet(self.sample(),
                   "The apple counter is off by one. Find out why, and mend "
                   "it.")

    def check_nothing_of_a_hostile_log_runs(self):
        page = self.hostile_page()
        self.quiet(page)
        browser = self.browser
        for bad in ["iframe", "img", "base", "object", "embed", "form",
                    "link", "[style]", "[onclick]", "[onload]", "[onerror]",
                    "[ontoggle]", "[srcdoc]", "main [http-equiv]",
                    "main style", "main script"]:
            count = browser.run(f"document.querySelectorAll('{bad}').length")
            expect(count == 0, f"{count} x {bad}")
        links = browser.run("[...document.links].map(a => a.href)")
        bad = [to for to in links if not re.match(r"(https?|mailto|file):", to)]
        expect(bad == [], f"links: {bad[:3]}")
        # Otherwise there was nothing to attack with.
        text = browser.run("document.body.textContent")
        for attack in ["script", "img", "svg", "toggle", "link", "out"]:
            count = text.count(f"window.__p='{attack}'")
            expect(count > 30, f"only {count} attacks of {attack}")
        expect("\u202e" not in text and "\\u{202e}" in text, "bidi")

    def check_the_policy_stops_a_script_put_in_on_purpose(self):
        with open(self.sample(), encoding="utf-8") as file:
            page = file.read()
        attacks = ("<script>window.__p = 1</script>"
                   "<img src=x onerror='window.__p = 2'>"
                   "<img src='https://attack.example/a.png'>"
                   "<p id=styled style='color: rgb(1, 2, 3)'>x</p>")
        path = self.path("broken.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.replace("</main>", attacks + "</main>"))
        browser = self.browser
        browser.open(path)
        browser.settle(1)
        expect(browser.run("typeof window.__p") == "undefined", "it ran")
        colour = browser.run(
            "getComputedStyle(document.getElementById('styled')).color")
        expect(colour != "rgb(1, 2, 3)", "a style was used")
        refused = [text for text in browser.entries
                   if "Content Security Policy" in text]
        expect(len(refused) >= 4, f"refused: {browser.entries}")

    def check_links_lead_somewhere(self):
        for page in [self.sample(), self.hostile_page()]:
            self.browser.open(page)
            lost = self.browser.run(
                "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => "
                "a.getAttribute('href').slice(1)).filter(id => "
                "!document.getElementById(id))")
            expect(lost == [], f"no such ids: {lost[:5]}")
            twice = self.browser.run(
                "(() => { const seen = new Set(); return [...document"
                ".querySelectorAll('[id]')].map(e => e.id).filter(id => "
                "seen.has(id) || !seen.add(id)); })()")
            expect(twice == [], f"ids twice: {twice[:5]}")

    def check_index_leads_to_pages(self):
        site = self.path("site")
        self.report("-o", site)
        index = os.path.join(site, "index.html")
        self.quiet(index, "Sessions")
        pages = self.browser.run(
            "[...document.querySelectorAll('#sessions a')].map(a => "
            "a.getAttribute('href'))")
        expect(len(pages) == 1, f"pages: {pages}")
        for page in pages:
            expect(re.fullmatch(r"session-[0-9a-f]{16}\.html", page), page)
            self.quiet(os.path.join(site, page))

    def check_complete_without_scripts(self):
        browser = self.browser
        browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            browser.open(self.sample())
            root = browser.call("DOM.getDocument", depth=-1)["root"]
            text = []
            complete.texts_of_dom(root, text)
            text = " ".join(text)
            for words in ["The apple counter is off by one.", "cargo test",
                          "no test target named"]:
                expect(words in text, f"missing: {words}")
            shown = browser.call("DOM.querySelector", nodeId=root["nodeId"],
                                 selector="#tools[hidden]")
            expect(shown["nodeId"], "there are controls without a script")
        finally:
            browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def check_script_searches_sorts_and_expands(self):
        browser = self.browser
        browser.open(self.sample())
        expect(not browser.run("document.getElementById('tools').hidden"),
               "no controls")
        browser.run("document.getElementById('expand').click()")
        folded = browser.run(
            "document.querySelectorAll('#transcript details:not([open])')"
            ".length")
        expect(folded == 0, f"{folded} are still folded")
        browser.run("(() => { const box = document.getElementById('search');"
                    "box.value = 'no such words';"
                    "box.dispatchEvent(new Event('input')); })()")
        browser.settle(0.5)
        left = browser.run(
            "document.querySelectorAll('.turn:not([hidden])').length")
        expect(left == 0, f"{left} turns have words that are nowhere")
        browser.run("document.getElementById('expand').click()")
        self.search_marks_and_leads(browser)
        browser.run("document.querySelectorAll('table.sort th button')[1]"
                    ".click()")
        order = browser.run(
            "[...document.querySelectorAll('table.sort')[0].tBodies[0].rows]"
            ".map(row => Number(row.cells[1].textContent))")
        expect(order == sorted(order, reverse=True) and order, str(order))
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', "
                    "{key: 'j', bubbles: true}))")
        expect(browser.entries == [], f"console: {browser.entries[:3]}")

    def search_marks_and_leads(self, browser):
        """Searches for words in a fold, and goes to the last place."""
        def search(words):
            browser.run("(() => { const box = document.getElementById('search'"
                        f"); box.value = '{words}';"
                        "box.dispatchEvent(new Event('input')); })()")
            browser.settle(0.5)

        def opened():
            return browser.run("document.querySelectorAll('#transcript "
                               "details[open]').length")

        search("")
        before = opened()
        search("NO TEST target")
        places = browser.run("CSS.highlights.get('found').size")
        expect(places > 0 and opened() > before, f"{places} places")
        said = browser.run("document.getElementById('count').textContent")
        expect(said.startswith(f"{places} in "), said)
        browser.run("document.getElementById('search').dispatchEvent("
                    "new KeyboardEvent('keydown', {key: 'Enter', shiftKey: "
                    "true, bubbles: true}))")
        browser.settle(0.5)
        place = browser.run(
            "(() => { const [range] = CSS.highlights.get('current'); const "
            "box = range.getBoundingClientRect(); return [range.toString()"
            ".toLowerCase(), box.top, innerHeight - box.bottom]; })()")
        expect(place[0] == "no test target" and min(place[1:]) >= 0,
               f"not in sight: {place}")
        search("")
        expect(opened() == before, "folds stay open")
        expect(browser.run("CSS.highlights.get('found').size") == 0, "marks")

    def check_dark_and_light(self):
        browser, colours = self.browser, []
        for dark in [False, True]:
            browser.screen(1000, 800, dark)
            browser.open(self.sample())
            colours.append(browser.run(
                "getComputedStyle(document.body).backgroundColor"))
        light, dark = [sum(map(int, re.findall(r"\d+", one)[:3]))
                       for one in colours]
        expect(light > 600 and dark < 150, str(colours))

    def check_phone_without_sideways_scrolling(self):
        browser = self.browser
        for page in [self.sample(), self.hostile_page(),
                     self.path("site/index.html")]:
            browser.screen(400, 800)
            browser.open(page)
            browser.run(OPEN_ALL)
            width = browser.run("document.documentElement.scrollWidth")
            browser.call("Emulation.clearDeviceMetricsOverride")
            expect(width <= 400, f"{page} is {width} wide")

    def check_prints(self):
        self.browser.open(self.sample())
        pdf = self.browser.call("Page.printToPDF")["data"]
        expect(pdf.startswith("JVBERi0") and len(pdf) > 10_000, pdf[:20])

    def check_contrast_and_labels(self):
        if not self.options.axe:
            return "skipped: no axe.min.js (--axe)"
        with open(self.options.axe, encoding="utf-8") as file:
            axe = file.read()
        browser = self.browser
        for dark in [False, True]:
            for page in [self.sample(), self.path("site/index.html")]:
                browser.screen(1000, 800, dark)
                browser.open(page)
                browser.run(OPEN_ALL)
                browser.run(axe)
                found = browser.run(
                    "axe.run().then(r => r.violations.map(v => v.id + ': ' + "
                    "v.nodes.map(n => n.html.slice(0, 200)).slice(0, 2)"
                    ".join(' ')))")
                expect(found == [], f"dark={dark} {page}: {found}")
        return None

    def check_each_text_of_a_log_is_in_its_page_once(self):
        if not self.options.corpus:
            return "skipped: no logs (--corpus)"
        logs = glob.glob(os.path.join(self.options.corpus, "transcripts",
                                      "**", "*.jsonl"), recursive=True)
        count, bad = 0, []
        for log in sorted(logs):
            if os.path.basename(log).startswith("agent-"):
                continue
            page = self.path("page.html")
            done = subprocess.run([self.linetape, "report", log, "-o", page],
                                  capture_output=True, check=False)
            if done.returncode == 2:
                continue
            self.quiet(page)
            text = self.browser.run("document.body.textContent")
            lost = complete.missing(log, text)
            bad += [f"{log}: lost {lost[:3]}"] if lost else []
            # A summary is the short form of what is below it, and a diff has
            # lines around what was changed.
            self.browser.run("document.querySelectorAll('#transcript summary, "
                             "#transcript .diff').forEach(e => e.remove())")
            transcript = self.browser.run(
                "document.getElementById('transcript').textContent")
            again = complete.repeated(log, transcript)
            bad += [f"{log}: twice {again[:3]}"] if again else []
            count += 1
        expect(bad == [], "\n".join(bad))
        expect(count > 0, "no logs")
        return f"{count} logs"


def run(program, linetape, folder, options):
    """Runs all checks. Returns the exit code."""
    failures = 0
    with devtools.Browser(program) as browser:
        checks = Checks(browser, linetape, folder, options)
        names = [name for name in vars(Checks) if name.startswith("check_")]
        for name in names:
            shown = name.removeprefix("check_").replace("_", " ")
            try:
                note = getattr(checks, name)()
                print(f"browser: {shown}: {note or 'ok'}", flush=True)
            except (Failed, RuntimeError) as error:
                failures += 1
                print(f"browser: {shown}: FAILED: {error}", flush=True)
            except Exception:
                failures += 1
                traceback.print_exc()
    return 1 if failures else 0


def measure(program, pages):
    """Prints how long pages take to open, and how large they are."""
    for page in pages:
        with devtools.Browser(program) as browser:
            seconds = browser.open(page)
            browser.settle(1)
            count = browser.run("document.querySelectorAll('*').length")
            print(f"{page}: {seconds:.2f} s, {count} elements, "
                  f"{renderer_memory(browser) / 1000:.0f} MB")
    return 0


def renderer_memory(browser):
    """Returns the memory of the largest renderer in KB (PSS)."""
    largest = 0
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                line = file.read()
            mine = browser.folder.encode() in line
            if b"--type=renderer" not in line or not mine:
                continue
            with open(path.replace("cmdline", "smaps_rollup"),
                      encoding="ascii") as file:
                sizes = re.findall(r"(?m)^Pss: +(\d+)", file.read())
            largest = max(largest, *map(int, sizes))
        except (OSError, ValueError):
            continue
    return largest
