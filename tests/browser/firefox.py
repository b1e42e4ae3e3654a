"""Live figures in Firefox:  python3 firefox.py BUILD LECTURES LIVE_CALLS

Firefox takes WebDriver's commands over Marionette, a socket, without geckodriver: each message is its length, a colon, and JSON
[0, id, command, parameters]; an answer is [1, id, error, value]. Each control of chapter 6 is moved to an end, and the page's
answer is compared, with all four digits of what it says, with that of the same C function in a native program (live_calls.c)."""
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from browser import free_port
from computed import need_wasm

MOVE = """const [name, i] = arguments, {live} = document.getElementById(`live-${name}`), inputs = Array.from(live.row.querySelectorAll('input'));
    window.before = live.answer;
    inputs[i].value = inputs[i].value === inputs[i].max ? inputs[i].min : inputs[i].max;
    inputs[i].dispatchEvent(new Event('input'));
    return inputs.map(({value}) => value).join(' ')"""
ANSWER = """const {live} = document.getElementById(`live-${arguments[0]}`);
    return live.answer !== window.before ? live.answer : live.facts.textContent.startsWith('The library:') ? live.facts.textContent : null"""


def connect(port):
    """A function that calls a command, once Firefox listens."""
    for _ in range(1200):
        try:
            file = socket.create_connection(("127.0.0.1", port), 300).makefile("rwb")
            break
        except OSError:
            time.sleep(0.1)
    read = lambda: json.loads(file.read(int(b"".join(iter(lambda: file.read(1) or b":", b":")))))
    read()  # which protocol it is
    def call(command, **parameters):
        message = json.dumps([0, 1, command, parameters]).encode()
        file.write(b"%d:%s" % (len(message), message))
        file.flush()
        _, _, error, value = read()
        assert error is None, error
        return value
    return call


def main(build, lectures, live_calls):
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program or not need_wasm():
        return print("1..0 # SKIP no Firefox") if not program else None
    subprocess.run(["ninja", "-C", build, "live.js"], check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        subprocess.run([lectures, "lecture", "6", "--live", "--out", folder], check=True, stdout=subprocess.DEVNULL)
        port = free_port()
        with open(f"{folder}/user.js", "w", encoding="utf-8") as preferences:
            preferences.write(f'user_pref("marionette.port", {port});\n')
        firefox = subprocess.Popen([program, "--headless", "--marionette", "--profile", folder], env={**os.environ, "HOME": folder}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            call = connect(port)
            call("WebDriver:NewSession")
            call("WebDriver:Navigate", url=f"file://{folder}/06-language.html")
            script = lambda body, *arguments: call("WebDriver:ExecuteScript", script=body, args=list(arguments), sandbox=None)["value"]
            for name, i in [("truncated", 0), ("truncated", 1), ("truncated", 2), ("truncated", 3), ("truncated", 4), ("tree", 0), ("tree", 1)]:
                values = script(MOVE, name, i)
                found = next(filter(None, (script(ANSWER, name) for _ in itertools.count())))
                wanted = subprocess.run(live_calls, input=f"live_computed\t0\t{name} {values}\\n\n", capture_output=True, text=True, check=True).stdout
                assert found["fact"] == json.loads(wanted)["fact"], (name, values, found, wanted)
            print("ok 1 - each control of chapter 6 in Firefox is answered as by the native program\n1..1")
        finally:
            firefox.terminate()
            firefox.wait(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
