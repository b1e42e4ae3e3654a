"""Pages that compute, against the same program outside of a browser:  python3 computed.py BUILD EXAMPLE_ATTENTION MODEL

BUILD makes the module, live.js, which needs clang for WebAssembly. MODEL is a trained model of the example with 32
channels. What the page's library computes from the page's weights is compared with what the example computes from the
same weights, which this test reads from the page by the rule of plot/html/pack.c."""
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from browser import need_browser, run_tests

SENTENCE = "The cat didn't cross the road because it was too wide."


def example(program, *arguments):
    return subprocess.run([program, "--quiet", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def page_data(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def unpacked(packed):
    """The floats of an array of 16 bits a number."""
    codes = struct.unpack(f"<{len(base64.b64decode(packed['base64'])) // 2}H", base64.b64decode(packed["base64"]))
    return [packed["low"] + (packed["high"] - packed["low"]) * (code / 65532) for code in codes]


def write_rounded(model, weights, path):
    """MODEL with the numbers of a page in place of its own."""
    with open(model, "rb") as file:
        data = bytearray(file.read())
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    for weight in weights:
        numbers = unpacked(weight["numbers"])
        begin, end = header[weight["name"]]["data_offsets"]
        assert end - begin == 4 * len(numbers), weight["name"]
        data[8 + length + begin:8 + length + end] = struct.pack(f"<{len(numbers)}f", *numbers)
    with open(path, "wb") as file:
        file.write(data)


def ask(browser, text):
    """Types a sentence, and returns what the page says."""
    browser.script("document.getElementById('said').textContent = ''; document.getElementById('sentence').value = arguments[0]", text)
    browser.click("#ask button")
    browser.wait("document.getElementById('said').textContent")
    return browser.text("#said")


def open_live(browser, page, fragment=""):
    browser.open(page)
    if fragment:
        browser.script("location.hash = arguments[0]; location.reload()", fragment)
        browser.wait(f"location.hash === '{fragment}' && typeof TRAINING !== 'undefined'")
    browser.wait("document.documentElement.dataset.live === 'ready'")


def largest_difference(found, packed, own):
    """Between numbers of a map in the page and those of another page's packed array; both were rounded to 16 bits."""
    exact = unpacked(packed)
    assert len(found) == len(exact)
    return max(abs(a - b) for a, b in zip(found, exact)) - packed["error"] - own


# ---- a sentence ---------------------------------------------------------------------------------------------


def test_a_sentence_has_the_maps_and_gradients_of_the_example(browser, folder):
    open_live(browser, f"{folder}/live/attention.html")
    number = len(page_data(f"{folder}/live/attention.html")["inputs"])
    said = ask(browser, SENTENCE)
    native = page_data(f"{folder}/rounded/attention.html")["inputs"][0]
    assert f"→ {native['title']}, probability" in said, (said, native["title"])
    for member in ("weights", "gradients", "rollout"):
        for layer, packed in enumerate(native["attentions"][0][member]):
            found, own = browser.script("""const packed = INPUTS[arguments[0]].attentions[0][arguments[1]][arguments[2]];
                return [Array.from({length: packed.maps}, (_, h) => [...packed.map(h)]).flat(), packed.error]""", number, member, layer)
            most = max(abs(packed["low"]), abs(packed["high"]))
            assert largest_difference(found, packed, own) <= 1e-5 * max(1, most), (member, layer)
    browser.check_quiet()


def test_the_answer_after_cuts_is_that_of_the_example(browser, folder):
    open_live(browser, f"{folder}/live/attention.html")
    ask(browser, SENTENCE)
    with open(f"{folder}/cuts.txt", encoding="utf-8") as file:
        text = file.read()
    probability = lambda: float(re.search(r"probability ([0-9.e-]+)", browser.text("#said")).group(1))
    shown = lambda what: re.search(rf"^  {re.escape(what)} +(\S+) +p ([0-9.]+)", text, re.M).groups()
    assert abs(probability() - float(shown("as it is")[1])) < 1e-3
    browser.choose("#layer", 1)
    browser.choose("#head", 3)
    browser.click("#cut-head")
    browser.wait("document.getElementById('said').textContent && document.getElementById('cuts').textContent.includes('head 4')")
    assert shown("cut 2.4")[0] in browser.text("#said") and abs(probability() - float(shown("cut 2.4")[1])) < 1e-3
    browser.click("#cut-none")
    browser.choose("#query", 8)  # "it", word 7
    browser.choose("#cut-arc", 2)  # "cat", word 1
    assert "layer 2 head 4, word 7 → 1" in browser.text("#cuts")
    cut = shown("cut 2.4:7:1")
    assert cut[0] in browser.text("#said") and abs(probability() - float(cut[1])) < 1e-3, (cut, browser.text("#said"))
    assert browser.script("return current().number('weight', 1, 3, 7, 1)") == 0
    browser.check_quiet()


def test_an_unknown_word_is_marked_and_the_page_lives(browser, folder):
    open_live(browser, f"{folder}/live/attention.html")
    said = ask(browser, "The walrus saw <img src=x onerror=alert(1)> it.")
    assert "unknown word" in said
    marked = browser.script("return [...document.querySelectorAll('#said mark')].map(node => node.textContent)")
    assert marked[0] == "walrus" and "the" not in marked and "it" not in marked, marked
    assert browser.script("return document.images.length") == 0
    for text in ("", "it " * 40, "a" * 400, "it\u0000", "\ud83d\ude00 it"):
        assert ask(browser, text)
    assert "probability" in ask(browser, SENTENCE)
    browser.check_quiet()


def test_a_changed_module_is_refused(browser, folder):
    """The policy has the module's hash: one letter of it is another."""
    with open(f"{folder}/live/attention.html", encoding="utf-8") as file:
        text = file.read()
    at = text.index('const MODULE = "') + 5000
    with open(f"{folder}/changed.html", "w", encoding="utf-8") as file:
        file.write(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:])
    browser.open(f"{folder}/changed.html")
    browser.wait("document.getElementById('said').textContent.includes('does not run')")
    assert browser.script("return document.querySelectorAll('#main svg').length") == 1  # the page shows its own sentences
    assert any("Content Security Policy" in message for message in browser.console())


def test_the_policy_of_a_page_that_computes(browser, folder):
    open_live(browser, f"{folder}/live/train.html")
    policy = browser.script("return document.querySelector('meta[http-equiv]').content")
    assert re.fullmatch("default-src 'none'; script-src 'sha256-[^' ]+' 'sha256-[^' ]+' 'wasm-unsafe-eval'; style-src 'sha256-[^' ]+'; "
                        "img-src data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'", policy), policy
    browser.script("""const text = "fetch('https://example.org/').then(() => postMessage('reached'), () => postMessage('refused'))";
        const worker = new Worker(URL.createObjectURL(new Blob([text])));
        worker.onmessage = event => { window.worker = event.data; };""")
    browser.wait("window.worker")
    assert browser.script("return window.worker") == "refused"
    browser.console()


# ---- training -----------------------------------------------------------------------------------------------


def test_a_seed_gives_the_losses_of_the_terminal(browser, folder):
    with open(f"{folder}/trained/metrics.tsv", encoding="utf-8") as file:
        rows = [line.split("\t") for line in file if re.match(r"\d+\ttrain\t", line)]
    open_live(browser, f"{folder}/live/train.html", "#seed=3&steps=200&step=40")
    losses = browser.script("return TRAINING.losses")
    assert len(losses) == 40
    for row, loss in zip(rows, losses):
        assert abs(float(row[2]) - loss) < 1e-5, (row, loss)
    assert "Step 40 of 200" in browser.text("#facts")
    browser.check_quiet()


def test_playing_pausing_and_stepping(browser, folder):
    open_live(browser, f"{folder}/live/train.html", "#seed=3&steps=200")
    maps = browser.script("return [...current().matrix('weight', 1, 0)]")
    browser.click("#step")
    browser.wait("TRAINING.step === 1")
    browser.script("document.activeElement.blur()")  # on a button, space would press that
    browser.keys(" ")
    browser.wait("TRAINING.step > 2 && TRAINING.playing")
    browser.click("#play")
    browser.wait("!TRAINING.playing && TRAINING.nodes.play.textContent === 'Train'")
    browser.script("busy.then(() => { window.still = TRAINING.step; })")
    browser.wait("window.still")
    step = browser.script("return TRAINING.step")
    assert browser.script("return current().matrix('weight', 1, 0).some((x, i) => Math.abs(x - arguments[0][i]) > 1e-3)", maps)
    browser.click("#step")
    browser.wait(f"TRAINING.step === {step + 1} && location.hash.includes('step={step + 1}')")
    browser.click("#restart")
    browser.wait("TRAINING.step === 0 && TRAINING.losses.length === 0")
    browser.check_quiet()


def test_each_setting_changes_the_run_and_the_link(browser, folder):
    """One after the other, each beside those before it."""
    open_live(browser, f"{folder}/live/train.html", "#steps=200&step=1")
    before = browser.script("return TRAINING.losses[0]")
    browser.script("window.begun = 0; const begin = beginTraining; beginTraining = () => begin().then(() => { window.begun++; });")
    changes = (("layers", 0), ("heads", 1), ("position", 1), ("position", 2), ("position", 3), ("causal", 1), ("window", 0), ("post", 1))
    for number, (name, option) in enumerate(changes, 1):
        browser.choose(f"#set-{name}", option)
        browser.wait(f"window.begun === {number}")
        assert browser.script("return settingsOf(location.hash).settings[arguments[0]] === SETTINGS[arguments[0]].options[arguments[1]][1]",
                              name, option), name
        browser.click("#step")
        browser.wait("TRAINING.step === 1")
        loss = browser.script("return TRAINING.losses[0]")
        assert 0 < loss < 20 and abs(loss - before) > 1e-6, (name, loss, before)
        before = loss
    browser.check_quiet()


def test_a_link_with_wrong_settings_is_as_usual(browser, folder):
    open_live(browser, f"{folder}/live/train.html", "#layers=99&heads=3&seed=-1&rate=x&step=-5&steps=200")
    assert browser.script("return linkOf(TRAINING.settings, TRAINING.step)") == "#steps=200"
    browser.check_quiet()


def need_wasm():
    """Is there a compiler for WebAssembly? Says that all is skipped where there is none."""
    found = shutil.which("clang") and shutil.which("wasm-ld") and os.path.exists("/usr/include/wasm32-wasi/stdio.h")
    if not found:
        print("1..0 # SKIP no compiler for WebAssembly; ./gradus example attention --live installs it")
    return found


def main(build, program, model):
    need_browser()
    if not need_wasm():
        return 0
    subprocess.run(["ninja", "-C", build, "live.js"], check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        example(program, "--channels", "32", "--load", model, "--live", "--out", f"{folder}/live")
        write_rounded(model, page_data(f"{folder}/live/attention.html")["live"]["weights"], f"{folder}/rounded.st")
        text = example(program, "--channels", "32", "--load", f"{folder}/rounded.st", "--text", SENTENCE, "--html", "--out", f"{folder}/rounded",
                       "--cut", "2.4", "--cut", "2.4:7:1")
        with open(f"{folder}/cuts.txt", "w", encoding="utf-8") as file:
            file.write(text)
        example(program, "--seed", "3", "--steps", "200", "--out", f"{folder}/trained")
        return run_tests(globals(), folder)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
