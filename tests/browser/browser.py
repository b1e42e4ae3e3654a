"""Drives a browser as a person would, with the WebDriver protocol (w3.org/TR/webdriver2) and Python's standard library alone:
Chromium through chromedriver, which is meant where nothing else is said, and Firefox (firefox.py). GRADUS_BROWSER=Firefox or
GRADUS_BROWSER=Chromium,Firefox chooses others.

    browser = Browser()
    browser.open("page.html", size=(1280, 720), theme="dark")
    browser.click("#theme")
    browser.keys("t")
    assert browser.script("return Frame.theme") == "system"
    browser.check_quiet()       # no console error, no request but the file itself
    browser.close()

A test file ends with run_tests(globals()), which runs each function test_... with each chosen browser and prints TAP.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's id, WebDriver section 12
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010", "Shift": "\ue008",
        "PageUp": "\ue00e", "PageDown": "\ue00f"}
PATIENCE = 120  # seconds to wait for what must come: a loaded machine must not fail a test


def find_programs():
    """Chromium and its driver, or None where one is not installed."""
    chromium = os.environ.get("GRADUS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or \
        shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (chromium, driver) if chromium and driver else None


class Browser:
    """One window of a headless Chromium with a profile of its own, which ends with close()."""

    name = "Chromium"

    def __init__(self):
        chromium, driver = find_programs()
        self._make_folder()
        # A home of its own: the browser leaves nothing in the user's.
        environment = dict(os.environ, HOME=str(self.folder), XDG_CONFIG_HOME=str(self.folder),
                           XDG_CACHE_HOME=str(self.folder))
        self.driver = subprocess.Popen([driver, "--port=0"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        self.address = f"http://127.0.0.1:{self._read_port()}"
        arguments = ["--headless=new", f"--user-data-dir={self.folder / 'profile'}", "--no-first-run", "--disable-gpu",
                     "--hide-scrollbars", "--force-device-scale-factor=1", "--disable-background-networking",
                     "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium refuses its sandbox to root
        options = {"binary": chromium, "args": arguments}
        always = {"browserName": "chrome", "goog:chromeOptions": options, "timeouts": {"script": 1000 * PATIENCE},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]
        self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.page = None

    def _make_folder(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gradus-browser-"))
        self.downloads = self.folder / "downloads"
        self.downloads.mkdir()

    def _read_port(self):
        """The system chose it, so that no other program can take it before; chromedriver says it when it listens there."""
        for line in self.driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                return found[1]
        raise RuntimeError("chromedriver has ended")

    def _call(self, method, path, body=None):
        """One command of the protocol."""
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as failure:
            value = json.load(failure)["value"]
            raise RuntimeError(f"{path}: {value['error']}: {value['message']}") from None

    def command(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def devtools(self, name, **parameters):
        """A command of the DevTools protocol."""
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def close(self):
        try:
            self.command("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(PATIENCE)
            self.driver.stdout.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    # ---- pages ---------------------------------------------------------------------------------------

    def open(self, path, size=(1280, 720), theme="light", fragment=""):
        """Loads a file in a window of this size, until it is drawn; the pointer is in the corner, and the logs begin anew."""
        self.command("POST", "/url", {"url": "about:blank"})
        self.resize(*size)
        self.move(0, 0)  # a pointer that rests where the last test left it hovers over the new page, at some time
        self.media(theme)
        self.console()
        self.requests()
        self.page = pathlib.Path(path).resolve().as_uri()
        self.command("POST", "/url", {"url": self.page + fragment})
        self.drawn()

    def drawn(self):
        """Waits until what a page does after its script and before it is seen is done: resize events, observers, frames."""
        self.script("""return new Promise(done => {
            const after = frames => requestAnimationFrame(() => frames ? after(frames - 1) : done());
            after(3);
        })""")

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, theme="light", kind="", motion="reduce"):
        """Emulates the system's theme, with kind "print" paper, and whether things may move ("no-preference"): what moves is no
        target for a click."""
        self.devtools("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": motion}])

    def script(self, body, *arguments):
        """Runs the body of a function in the page and returns what it returns."""
        return self.command("POST", "/execute/sync", {"script": body, "args": list(arguments)})

    def wait(self, condition):
        """Waits until a JavaScript expression is true; a loaded machine may take long."""
        end = time.monotonic() + PATIENCE
        while not self.script(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"after {PATIENCE} s not true: {condition}"
            time.sleep(0.02)

    def log(self, kind):
        return self.command("POST", "/se/log", {"type": kind})

    def console(self):
        """Messages of the console since the last call: errors, and what the content security policy refused."""
        return [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses that the page has asked for since the last call; data: and blob: are inside it."""
        found = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                parameters = message["params"]
                address = parameters["request"]["url"] if "request" in parameters else parameters["url"]
                if not address.startswith(("data:", "blob:", "about:")):
                    found.append(address)
        return found

    def check_quiet(self):
        """No error on the console, and no request but the one for the file itself."""
        console, requests = self.console(), self.requests()
        assert console == [], f"console: {console}"
        assert set(requests) <= {self.page}, f"requests: {requests}"

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.command("GET", "/screenshot")))

    # ---- what a person does -----------------------------------------------------------------------------

    def find(self, selector):
        """A selector of CSS, or, beginning with //, of XPath."""
        using = "xpath" if selector.startswith("//") else "css selector"
        return self.command("POST", "/element", {"using": using, "value": selector})[ELEMENT]

    def frame(self, selector=None):
        """What follows happens in this frame, or in the page."""
        self.command("POST", "/frame", {"id": selector and {ELEMENT: self.find(selector)}})

    def click(self, selector):
        self.command("POST", f"/element/{self.find(selector)}/click")

    def text(self, selector):
        """The text that is shown."""
        return self.command("GET", f"/element/{self.find(selector)}/text")

    def accessible(self, selector):
        """The name that a screen reader reads, and the role."""
        element = self.find(selector)
        return (self.command("GET", f"/element/{element}/computedlabel"),
                self.command("GET", f"/element/{element}/computedrole"))

    def move(self, x, y, click=False):
        """Moves the mouse to a point of the window."""
        actions = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions})

    def hover(self, selector, x=0.5, y=0.5, click=False):
        """Moves the mouse to a point of an element, as shares of its width and height."""
        box = self.box(selector)
        self.move(box["x"] + x * box["width"], box["y"] + y * box["height"], click)

    def box(self, selector):
        return self.script("""const node = document.querySelector(arguments[0]);
            node.scrollIntoView({block: 'nearest'});
            const box = node.getBoundingClientRect();
            return {x: box.x, y: box.y, width: box.width, height: box.height};""", selector)

    def keys(self, *names):
        """Presses keys one after the other: characters, or names of KEYS."""
        actions = []
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self._act({"type": "key", "id": "keyboard", "actions": actions})

    def _act(self, source):
        self.command("POST", "/actions", {"actions": [source]})

    def choose(self, selector, number):
        """Chooses an option of a list, as its change event tells."""
        self.script("""const list = document.querySelector(arguments[0]);
            list.selectedIndex = arguments[1];
            list.dispatchEvent(new Event('change', {bubbles: true}));""", selector, number)

    def slide(self, selector, value):
        """Moves a slider."""
        self.script("""const slider = document.querySelector(arguments[0]);
            slider.value = arguments[1];
            slider.dispatchEvent(new Event('input', {bubbles: true}));""", selector, value)

    def downloaded(self, name):
        """The bytes of a file that the page has saved: a browser reserves the name with an empty file, writes a file whose
        name ends in .crdownload (Chromium) or .part (Firefox), and renames that at the end."""
        path, end = self.downloads / name, time.monotonic() + PATIENCE
        unfinished = lambda: [*self.downloads.glob("*.crdownload"), *self.downloads.glob("*.part")]
        while not path.exists() or path.stat().st_size == 0 or unfinished():
            assert time.monotonic() < end, f"{name} was not saved; there are {os.listdir(self.downloads)}"
            time.sleep(0.05)
        data = path.read_bytes()
        path.unlink()
        return data


# ---- numbers --------------------------------------------------------------------------------------------


def read_npy(path):
    """Shape and numbers, row after row, of a .npy file in the forms that gradus writes."""
    data = pathlib.Path(path).read_bytes()
    assert data[:6] == b"\x93NUMPY", path
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length].decode(), {"__builtins__": {}})  # a dict of literals
    assert not header["fortran_order"]
    letter, size = {"<f4": ("f", 4), "<f8": ("d", 8), "<i4": ("i", 4)}[header["descr"]]
    body = data[10 + length:]
    return header["shape"], struct.unpack(f"<{len(body) // size}{letter}", body)


# ---- a test program ---------------------------------------------------------------------------------------


class Skip(Exception):
    """A test raises it with the reason why it cannot run here."""


def chosen_browsers():
    """The classes that GRADUS_BROWSER names, of the browsers that are installed."""
    from firefox import Firefox, find_firefox  # which is made of this file's class
    known = {"Chromium": (Browser, find_programs), "Firefox": (Firefox, find_firefox)}
    names = os.environ.get("GRADUS_BROWSER", "Chromium").split(",")
    if not set(names) <= set(known):
        sys.exit(f"GRADUS_BROWSER is {','.join(names)}; expected Chromium, Firefox, or Chromium,Firefox")
    return {name: known[name][0] for name in names if known[name][1]()}


def need_browser():
    """Ends the program, as a test that is skipped, where there is no browser: before pages are made for it."""
    if not chosen_browsers():
        print("1..0 # SKIP no Chromium with chromedriver, which ./gradus test --browser installs, and no Firefox that was asked for")
        sys.exit(0)


def run_tests(names, *arguments):
    """Runs each function test_... of a module with each browser and the arguments, and prints TAP."""
    tests = [(name, test) for name, test in names.items() if name.startswith("test_") and callable(test)]
    browsers = chosen_browsers()
    failures = sum(run_in(name, browser, tests, number * len(tests), arguments)
                   for number, (name, browser) in enumerate(browsers.items()))
    print(f"1..{len(browsers) * len(tests)}")
    return 1 if failures else 0


def run_in(browser_name, make, tests, done, arguments):
    """Runs the tests in one browser, after `done` tests in others, and returns how many failed."""
    failures = 0
    browser = make()
    try:
        for number, (name, test) in enumerate(tests, done + 1):
            title = f"{number} - {browser_name}: {name[5:].replace('_', ' ')}"
            try:
                test(browser, *arguments)
                print(f"ok {title}")
            except Skip as reason:
                print(f"ok {title} # SKIP {reason}")
            except Exception:  # the next test is run, too
                failures += 1
                print(f"not ok {title}")
                traceback.print_exc()
            sys.stdout.flush()
    finally:
        browser.close()
    return failures
