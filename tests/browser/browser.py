"""Pages in Chromium, driven by selenium as a person would (Debian: python3-selenium, chromium-driver).

    browser = Browser()                                    browser.driver is selenium's
    browser.open("page.html", size=(1280, 720), theme="dark", fragment="#step=3")
    browser.click("#theme")                                a selector of CSS, or of XPath if it begins with //
    browser.keys("t", "Enter", "ArrowLeft")                characters, and keys by the names that JavaScript has for them
    browser.hover("svg", x=0.5, y=0.2, click=True)         shares of its width and height; move(x, y, click) is of the window
    browser.choose("#layer", 1); browser.slide("#step", 3) an option of a list, by number; a slider
    browser.give("#pick-files", "a.json", "b.json")        files, as in the browser's dialogue
    browser.script("return Frame.theme"); browser.wait("State.step === 2")         JavaScript
    browser.text("#facts"); browser.box("#facts"); browser.accessible("#layer")    the name for a screen reader, and the role
    browser.frame("iframe"); browser.frame()               what follows happens in the frame; in the page
    browser.resize(500, 700); browser.media("dark", kind="print", motion="no-preference")
    browser.downloaded("attention.svg")                    the bytes of a file that the page has saved
    browser.check_quiet()                                  no message on the console, no request but the file's own: called for each page

A test file ends with main(globals(), make): make(folder, *arguments of the command line) writes pages, and each function test_... gets
a browser, the folder and what make returns. screenshot.py takes pictures; npy.py reads arrays."""
import contextlib
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.keys import Keys
except ImportError:  # Debian's package belongs to the system's Python, and another may be the first on PATH
    webdriver, system = None, "/usr/bin/python3"
    if sys.prefix == sys.base_prefix and sys.executable != system and os.access(system, os.X_OK) and \
            subprocess.run([system, "-c", "import selenium"], stderr=subprocess.DEVNULL).returncode == 0:
        os.execv(system, [system, *sys.argv])

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import tap  # noqa: E402

PATIENCE = 120  # seconds to wait for what must come: a loaded machine must not fail a test
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = None if webdriver and CHROMIUM and shutil.which("chromedriver") else \
    "needs the packages chromium, chromium-driver and python3-selenium; ./gradus test --browser installs them"
ARGUMENTS = ["--headless=new", "--no-first-run", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
             "--disable-dev-shm-usage", "--disable-background-networking"]


class Browser:
    """One window of a headless Chromium with a home of its own, so that nothing is left in the user's."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="gradus-browser-", ignore_cleanup_errors=True)
        self.downloads, self.page, self.site = pathlib.Path(self.home.name, "downloads"), None, ""
        self.downloads.mkdir()
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        for argument in ARGUMENTS + ["--no-sandbox"] * (os.geteuid() == 0):  # Chromium refuses its sandbox to root
            options.add_argument(argument)
        home = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), self.home.name)
        service = webdriver.chrome.service.Service(shutil.which("chromedriver"), env={**os.environ, **home})
        self.driver = webdriver.Chrome(service=service, options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.script, self.devtools = self.driver.execute_script, self.driver.execute_cdp_cmd
        self.devtools("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(self.downloads)})

    def close(self):
        self.driver.quit()
        self.home.cleanup()

    def open(self, path, size=(1280, 720), theme="light", fragment=""):
        """Loads a file in a window of this size, until it is drawn; the pointer is in the corner. The page before must have been quiet."""
        self.check_quiet()
        self.driver.get("about:blank")
        self.resize(*size)
        self.move(0, 0)  # a pointer that rests where the last test left it hovers over the new page, at some time
        self.media(theme)
        self.console(), self.requests()
        self.page = pathlib.Path(path).resolve().as_uri()
        self.driver.get(self.page + fragment)
        self.drawn()

    def drawn(self):
        """Waits for what a page does after its script and before it is seen: resize events, observers, frames."""
        self.script("const after = (n, done) => requestAnimationFrame(() => n ? after(n - 1, done) : done());"
                    "return new Promise(done => after(3, done))")

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, theme="light", kind="", motion="reduce"):
        """The system's theme, "print" for paper, and whether things may move: what moves is no target for a click."""
        self.devtools("Emulation.setEmulatedMedia", {"media": kind, "features": [
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": motion}]})

    def wait(self, condition):
        self.wait_for(lambda: self.script(f"return Boolean({condition})"), condition)

    def wait_for(self, is_there, what):
        end = time.monotonic() + PATIENCE
        while not is_there():
            assert time.monotonic() < end, f"after {PATIENCE} s not there: {what}"
            time.sleep(0.02)

    def console(self):
        """Messages of the console since the last call: errors, and what the content security policy refused."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses that the page has asked for since the last call; data: and blob: are inside it."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        found = [event["params"].get("request", event["params"])["url"] for event in events
                 if event["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated")]
        return [address for address in found if not address.startswith(("data:", "blob:", "about:"))]

    def check_quiet(self):
        console, requests = self.console(), self.requests()
        others = [address for address in requests if address != self.page and not (self.site and address.startswith(self.site))]
        assert console == [] and others == [], f"console: {console}; requests: {others}"

    def find(self, selector):
        return self.driver.find_element("xpath" if selector.startswith("//") else "css selector", selector)

    def frame(self, selector=None):
        self.driver.switch_to.frame(selector and self.find(selector))

    def click(self, selector):
        self.find(selector).click()

    def text(self, selector):
        return self.find(selector).text

    def accessible(self, selector):
        return self.find(selector).accessible_name, self.find(selector).aria_role

    def give(self, selector, *paths):
        self.script("arguments[0].value = ''", self.find(selector))
        self.find(selector).send_keys("\n".join(map(str, paths)))

    def move(self, x, y, click=False):
        actions = ActionBuilder(self.driver, duration=0)
        actions.pointer_action.move_to_location(round(x), round(y))
        if click:
            actions.pointer_action.click()
        actions.perform()

    def hover(self, selector, x=0.5, y=0.5, click=False):
        box = self.box(selector)
        self.move(box["x"] + x * box["width"], box["y"] + y * box["height"], click)

    def box(self, selector):
        self.script("arguments[0].scrollIntoView({block: 'nearest'})", self.find(selector))
        return self.script("return arguments[0].getBoundingClientRect().toJSON()", self.find(selector))

    def keys(self, *names):
        named = lambda name: getattr(Keys, name.upper().replace("ARROW", "ARROW_").replace("PAGE", "PAGE_"))
        ActionChains(self.driver, duration=0).send_keys(*(named(name) if name[1:] else name for name in names)).perform()

    def choose(self, selector, number):
        self.script("arguments[0].selectedIndex = arguments[1]; arguments[0].dispatchEvent(new Event('change', {bubbles: true}))",
                    self.find(selector), number)

    def slide(self, selector, value):
        self.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
                    self.find(selector), value)

    def downloaded(self, name):
        """Chromium reserves the name with an empty file, writes one whose name ends in .crdownload, and renames that."""
        path = self.downloads / name
        self.wait_for(lambda: path.exists() and path.stat().st_size and not [*self.downloads.glob("*.crdownload")], name)
        data = path.read_bytes()
        path.unlink()
        return data


def skip(reason):
    """Ends the program as a test that is skipped."""
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)


def run_or_skip(*command, env=None):
    """Writes pages, where what writes them can be installed."""
    status = subprocess.run(command, check=False, stdout=sys.stderr, env=env).returncode
    if status == 77:
        skip("no pages: the packages that write them cannot be installed; the line above says how")
    assert status == 0, command


def make_module(build, *more):
    """The library as WebAssembly, live.js, and other targets of the build, where there is a compiler."""
    if not (shutil.which("clang") and shutil.which("wasm-ld") and os.path.exists("/usr/include/wasm32-wasi/stdio.h")):
        skip("no compiler for WebAssembly; ./gradus example attention --live installs it")
    subprocess.run(["ninja", "-C", build, "live.js", *more], check=True, stdout=sys.stderr)


def package(source, library):
    """The package for notebooks, which writes pages of a test's own numbers."""
    os.environ["GRADUS_LIBRARY"] = library
    sys.path.append(f"{source}/python")
    return importlib.import_module("gradus")


def written_by(folder, program, *_):
    """The make of a test whose pages one program writes."""
    subprocess.run([program, folder], check=True)


def quietly(test):
    def run(browser, *arguments):
        try:
            test(browser, *arguments)
            browser.check_quiet()
        finally:
            browser.console(), browser.requests()  # of a test that failed
    return run


def main(names, make, site=False):
    """site: a page may load the other files of the folder."""
    if MISSING:
        skip(MISSING)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        more = make(folder, *sys.argv[1:]) or ()
        with contextlib.closing(Browser()) as browser:
            browser.site = site and folder.resolve().as_uri()
            tests = {name: quietly(test) for name, test in names.items() if name.startswith("test_")}
            sys.exit(tap.run_tests(tests, browser, folder, *more))
