"""Firefox, driven as browser.py drives Chromium.

Firefox takes WebDriver's commands over Marionette, a socket, without geckodriver: each message is its length, a colon, and JSON
[0, id, command, parameters]; an answer is [1, id, error, value] (firefox-source-docs.mozilla.org/testing/marionette/Protocol.html)."""
import json
import os
import shutil
import socket
import subprocess
import time

from browser import PATIENCE, Browser

# What WebDriver's paths are called here; "element" stands for /element/ID.
COMMANDS = {"/url": "Navigate", "/element": "FindElement", "element/click": "ElementClick", "element/text": "GetElementText",
            "element/value": "ElementSendKeys", "element/computedlabel": "GetComputedLabel",
            "element/computedrole": "GetComputedRole", "/actions": "PerformActions", "/screenshot": "TakeScreenshot"}

# The page's policy forbids eval, and a sandbox does not see a page's const and let: a debugger evaluates the function in the page.
SCRIPT = """const {addDebuggerToGlobal} = ChromeUtils.importESModule('resource://gre/modules/jsdebugger.sys.mjs');
if (typeof Debugger === 'undefined')
    addDebuggerToGlobal(globalThis);
const found = new Debugger().makeGlobalObjectReference(window).executeInGlobal(arguments[0]);
if (found.throw)
    throw new Error(String(found.throw.unsafeDereference()));
return found.return.unsafeDereference();"""

# Observes the tab's requests of a network, which Firefox's own are not.
LISTEN = """globalThis.asked = [];
Services.obs.addObserver(channel => {
    const request = channel.QueryInterface(Ci.nsIHttpChannel);
    if (request.loadInfo.browsingContextID === gBrowser.selectedBrowser.browsingContext.id)
        asked.push(request.URI.spec);
}, 'http-on-modify-request');"""

# A page's messages reach the browser in their order, and so before a mark that the page's process writes after them. Those on MathML
# do not count: Firefox writes them, too, of a formula of which it has read half when it draws. chapter.py compares the formulas.
MARK = "gradus: all messages are here"
MESSAGES = """const list = Services.console.getMessageArray();
if (!list.some(({message}) => message === arguments[0]))
    return null;
Services.console.reset();
return list.filter(message => message instanceof Ci.nsIScriptError)
    .filter(({sourceName, flags, category}) => !/^(chrome|resource|moz-extension):/.test(sourceName) && category !== 'Layout: MathML' &&
        (!(flags & Ci.nsIScriptError.warningFlag) || category.startsWith('CSP')))
    .map(({category, errorMessage}) => category.startsWith('CSP') ? `Content Security Policy: ${errorMessage}` : errorMessage);"""

PREFERENCES = {"marionette.port": 0, "browser.download.folderList": 2, "browser.download.useDownloadDir": True,
               "browser.download.alwaysOpenPanel": False, "browser.helperApps.neverAsk.saveToDisk": "image/svg+xml,image/png",
               "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False}


def find_firefox():
    return os.environ.get("GRADUS_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox(Browser):
    """One window of a headless Firefox with a profile of its own."""

    name = "Firefox"

    def __init__(self):
        self._make_folder()
        preferences = {**PREFERENCES, "browser.download.dir": str(self.downloads)}
        (self.folder / "user.js").write_text("".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
                                                     for name, value in preferences.items()), encoding="utf-8")
        environment = dict(os.environ, HOME=str(self.folder), MOZ_HEADLESS_WIDTH="2000", MOZ_HEADLESS_HEIGHT="1400")
        self.driver = subprocess.Popen([find_firefox(), "--headless", "--marionette", "--remote-allow-system-access", "--no-remote",
                                        "--profile", str(self.folder)], env=environment, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.file = self._connect()
        self._read()  # which protocol it is
        self._call("NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": 1000 * PATIENCE, "pageLoad": 1000 * PATIENCE}}})
        self._privileged(LISTEN)
        self.page = None

    def _connect(self):
        """The system chose the port, so that no other program can take it before; Firefox writes it into a file."""
        end, said = time.monotonic() + PATIENCE, self.folder / "MarionetteActivePort"
        while time.monotonic() < end and self.driver.poll() is None:
            if said.exists() and (port := said.read_text()):
                return socket.create_connection(("127.0.0.1", int(port)), PATIENCE).makefile("rwb")
            time.sleep(0.1)
        raise RuntimeError(f"Firefox does not listen within {PATIENCE} s")

    def _read(self):
        digits = b""
        while not digits.endswith(b":"):
            digit = self.file.read(1)
            if not digit:
                raise RuntimeError("Firefox has ended")
            digits += digit
        return json.loads(self.file.read(int(digits[:-1])))

    def _call(self, name, scope="WebDriver", **parameters):
        """One command. A Firefox that does not answer within PATIENCE is an error, and not waited for any longer."""
        message = json.dumps([0, 1, f"{scope}:{name}", parameters]).encode()
        self.file.write(b"%d:%s" % (len(message), message))
        self.file.flush()
        try:
            _, _, error, value = self._read()
        except TimeoutError:
            raise RuntimeError(f"Firefox does not answer {name} within {PATIENCE} s") from None
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return value["value"] if isinstance(value, dict) and set(value) == {"value"} else value

    def _privileged(self, body, *arguments):
        """Runs the body of a function in the browser's own window."""
        self._call("SetContext", "Marionette", value="chrome")
        try:
            return self._call("ExecuteScript", script=body, args=list(arguments), sandbox="system")
        finally:
            self._call("SetContext", "Marionette", value="content")

    def command(self, method, path, body=None):
        parts = path.split("/")
        if len(parts) == 4:  # /element/ID/what
            return self._call(COMMANDS[f"element/{parts[3]}"], id=parts[2], **(body or {}))
        more = {"full": False} if path == "/screenshot" else {}
        return self._call(COMMANDS[path], **(body or {}), **more)

    def script(self, body, *arguments):
        function = f"(async () => JSON.stringify(await (function () {{{body}\n}})(...{json.dumps(arguments)})))()"
        found = self._call("ExecuteScript", script=SCRIPT, args=[function], sandbox="system")
        return None if found is None else json.loads(found)

    def close(self):
        try:
            self._call("Quit", "Marionette", flags=["eForceQuit"])
            self.driver.wait(PATIENCE)
        finally:
            self.driver.kill()
            shutil.rmtree(self.folder, ignore_errors=True)

    def frame(self, selector=None):
        self._call("SwitchToFrame", element=selector and self.find(selector))

    def click(self, selector):
        """Marionette finds no point of a group of an SVG: there, the mouse goes to the middle of its box."""
        if not selector.startswith("//") and self.script("return document.querySelector(arguments[0]) instanceof SVGElement", selector):
            self.hover(selector, click=True)
        else:
            super().click(selector)

    # ---- pages: what emulates the window and hears the messages ------------------------------------------

    def resize(self, width, height):
        self._privileged("""const style = gBrowser.selectedBrowser.style;
            for (const end of ['min', 'max']) {
                style.setProperty(`${end}-width`, `${arguments[0]}px`);
                style.setProperty(`${end}-height`, `${arguments[1]}px`);
            }""", width, height)
        self.wait(f"innerWidth === {width} && innerHeight === {height}")

    def media(self, theme="light", kind="", motion="reduce"):
        self._privileged("""Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', arguments[0] === 'dark' ? 0 : 1);
            Services.prefs.setIntPref('ui.prefersReducedMotion', arguments[2] === 'reduce' ? 1 : 0);
            gBrowser.selectedBrowser.browsingContext.mediumOverride = arguments[1];""", theme, kind, motion)
        wanted = [kind or "screen", f"(prefers-reduced-motion: {motion})"]
        if not kind:  # paper is light
            wanted.append(f"(prefers-color-scheme: {theme})")
        self.wait(" && ".join(f"matchMedia('{query}').matches" for query in wanted))

    def console(self):
        self._call("ExecuteScript", script="Services.console.logStringMessage(arguments[0])", args=[MARK], sandbox="system")
        end, found = time.monotonic() + PATIENCE, None
        while found is None:
            assert time.monotonic() < end, f"Firefox hands over no messages within {PATIENCE} s"
            found = self._privileged(MESSAGES, MARK)
        return found

    def requests(self):
        return self._privileged("return asked.splice(0)")
