"""Pages that compute, against the same program outside of a browser:  python3 computed.py BUILD EXAMPLE_ATTENTION MODEL

BUILD makes the module, live.js, which needs clang for WebAssembly. MODEL is a trained model of the example with 32
channels. What the page's library computes from the page's weights is compared with what the example computes from the
same weights, which this test reads from the page by the rule of plot/html/pack.c."""
import json
import pathlib
import re
import struct
import subprocess

from browser import main, make_module
import package_data
from package_data import unpacked

SENTENCE = "The cat didn't cross the road because it was too wide."


def example(program, *arguments):
    return subprocess.run([program, "--quiet", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def page_data(path):
    return package_data.page_data(pathlib.Path(path).read_text("utf-8"))


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


def said(browser, act, *arguments):
    """Acts, and returns what the page says then."""
    browser.script("document.getElementById('said').textContent = ''")
    act(*arguments)
    browser.wait("document.getElementById('said').textContent")
    return browser.text("#said")


def ask(browser, text):
    """Types a sentence, and returns what the page says."""
    browser.script("document.getElementById('sentence').value = arguments[0]", text)
    return said(browser, browser.click, "#ask button")


def open_live(browser, page, fragment=""):
    browser.open(page, fragment=fragment)
    browser.wait("document.documentElement.dataset.live === 'ready'")


def compare_maps(browser, number, page):
    """Each map of an input is that of another page, within 1e-5 beside the rounding of both to their bits."""
    wanted = page_data(page)["inputs"][0]["attentions"][0]
    for member in ("weights", "gradients", "rollout"):
        found = browser.script("return Boolean(INPUTS[arguments[0]].attentions[0][arguments[1]])", number, member)
        assert found == (member in wanted), member
        for layer, packed in enumerate(wanted.get(member, [])):
            difference = browser.script("""const packed = INPUTS[arguments[0]].attentions[0][arguments[1]][arguments[2]];
                const numbers = of => Array.from({length: of.maps}, (_, h) => [...of.map(h)]).flat();
                const [found, wanted] = [packed, new Packed(arguments[3])].map(numbers);
                const most = wanted.reduce((most, x, i) => Math.max(most, Math.abs(x - found[i])), 0);
                return found.length === wanted.length ? most - packed.error : NaN""", number, member, layer, packed)
            most = max(1, abs(packed["low"]), abs(packed["high"]))
            assert difference <= packed["error"] + 1e-5 * most, (member, layer, difference)


# ---- a sentence ---------------------------------------------------------------------------------------------


def test_a_sentence_has_the_maps_and_gradients_of_the_example(browser, folder):
    open_live(browser, f"{folder}/live/attention.html")
    number = len(page_data(f"{folder}/live/attention.html")["inputs"])
    answer = ask(browser, SENTENCE)
    native = page_data(f"{folder}/rounded/attention.html")["inputs"][0]
    assert f"→ {native['title']}, probability" in answer, (answer, native["title"])
    compare_maps(browser, number, f"{folder}/rounded/attention.html")


def test_the_answer_after_cuts_is_that_of_the_example(browser, folder):
    open_live(browser, f"{folder}/live/attention.html")
    whole = ask(browser, SENTENCE)
    with open(f"{folder}/cuts.txt", encoding="utf-8") as file:
        text = file.read()

    def is_printed(answer, what):
        word, p = re.search(rf"^  {re.escape(what)} +(\S+) +p ([0-9.]+)", text, re.M).groups()
        found = float(re.findall(r"probability ([0-9.e-]+)", answer)[-1])
        assert word in answer and abs(found - float(p)) < 1e-3, (what, word, p, answer)

    is_printed(whole, "as it is")
    browser.choose("#layer", 1)
    browser.choose("#head", 3)
    is_printed(said(browser, browser.click, "#cut-head"), "cut 2.4")
    assert browser.text("#cuts") == "Cut: layer 2 head 4."
    assert said(browser, browser.click, "#cut-none") == whole and browser.text("#cuts") == "Nothing is cut."
    browser.choose("#query", 8)  # "it", word 7
    is_printed(said(browser, browser.choose, "#cut-arc", 2), "cut 2.4:7:1")  # "cat", word 1
    assert "layer 2 head 4, word 8 → 2" in browser.text("#cuts")
    assert browser.script("return PANELS[1].attention.number('weight', 1, 3, 7, 1)") == 0
    assert browser.script("return PANELS[0].attention.number('weight', 1, 3, 7, 1)") > 0  # as it is, beside it


def test_a_cut_is_of_the_sentence_that_is_drawn(browser, folder):
    open_live(browser, f"{folder}/live/attention.html")
    drawn = browser.script("return sentenceOf(INPUTS[SHOWN.input])")
    assert browser.script("return document.getElementById('sentence').value") == drawn == "the animal didn't cross the street because it was too tired."
    # it opens where the program says that "it" looks, at its noun
    layer, head, pinned = browser.script("return [SHOWN.layer, SHOWN.head, SHOWN.pinned.index]")
    weights = browser.script("return [0, 1].flatMap(l => [0, 1, 2, 3].map(h => Math.min(...INPUTS.slice(0, 2).map(({attentions: [a], focus}) => "
                             "a.number('weight', l, h, focus[2] - 1, focus[3] - 1)))))")
    assert pinned == 7 and weights[4 * layer + head] == max(weights), (layer, head, weights)
    answer = said(browser, browser.click, "#cut-head")
    assert re.search("as it is → tired: .*, probability .*; cut → ", answer), answer
    assert browser.script("return PANELS.map(({input}) => sentenceOf(INPUTS[input]))") == [drawn, drawn]
    assert browser.script("return PANELS.map(panel => panel.node.querySelectorAll('path.gone').length > 0)") == [False, True]
    assert browser.script("return PANELS.map(panel => panel.heading.textContent.split(':')[0])") == ["as it is", "cut"]
    # the link has the sentence and the cut, and opens them
    browser.wait("location.hash.includes('cut=')")
    link = browser.script("return location.hash")
    open_live(browser, f"{folder}/live/attention.html", link)
    browser.wait("PANELS.length === 2")
    assert browser.text("#cuts") == f"Cut: layer {layer + 1} head {head + 1}."
    browser.choose("#input", 1)
    assert browser.script("return document.getElementById('sentence').value") == "the animal didn't cross the street because it was too wide."


def test_an_unknown_word_is_marked_and_the_page_lives(browser, folder):
    open_live(browser, f"{folder}/live/attention.html")
    told = ask(browser, "The walrus saw <img src=x onerror=alert(1)> it.")
    assert re.search("“walrus” is not among this model's [0-9]+ words; the nearest: ", told) and ".c:" not in told, told
    assert browser.script("return document.getElementById('main').hidden")  # no drawing of another sentence
    assert "animal" in browser.script("return document.getElementById('known').textContent.split(' ')")
    marked = browser.script("return [...document.querySelectorAll('#said mark')].map(node => node.textContent)")
    assert marked[0] == "walrus" and "the" not in marked and "it" not in marked, marked
    assert browser.script("return document.images.length") == 0
    for text in ("", "it " * 40, "a" * 400, "it\u0000", "\ud83d\ude00 it"):
        assert ask(browser, text)
    assert "probability" in ask(browser, SENTENCE)


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


def test_playing_pausing_and_stepping(browser, folder):
    open_live(browser, f"{folder}/live/train.html", "#seed=3&steps=200")
    maps = browser.script("return [...current().matrix('weight', 1, 0)]")
    browser.click("#step")
    browser.wait("TRAINING.step === 1")
    browser.script("document.activeElement.blur()")  # on a button, space would press that
    # The page itself presses pause at the third step: nobody knows how far it trains until a test asks.
    browser.script("""const train = trainSteps, button = document.getElementById('play');
        trainSteps = async count => {
            await train(count);
            if (TRAINING.step > 2 && !window.paused)
                window.paused = [button.textContent, TRAINING.playing, button.click(), button.textContent, TRAINING.playing];
        }""")
    browser.keys(" ")
    browser.wait("window.paused")
    assert browser.script("return paused") == ["Pause", True, None, "Train", False]
    browser.script("busy.then(() => { window.still = TRAINING.step; })")
    browser.wait("window.still")
    step = browser.script("return TRAINING.step")
    assert browser.script("return current().matrix('weight', 1, 0).some((x, i) => Math.abs(x - arguments[0][i]) > 1e-3)", maps)
    browser.keys(".")
    browser.wait(f"TRAINING.step === {step + 1} && location.hash.includes('step={step + 1}')")
    browser.click("#restart")
    browser.wait("TRAINING.step === 0 && TRAINING.losses.length === 0")


def test_a_link_with_wrong_settings_is_as_usual(browser, folder):
    open_live(browser, f"{folder}/live/train.html", "#layers=99&heads=3&seed=-1&rate=x&step=-5&steps=200")
    assert browser.script("return new URLSearchParams(changedSettings(TRAINING.settings, TRAINING.step)).toString()") == "steps=200"
    browser.choose("#layer", 0)
    browser.wait("location.hash.includes('layer=1')")
    assert "steps=200" in browser.script("return location.hash")


def make(folder, build, program, model):
    make_module(build)
    example(program, "--channels", "32", "--load", model, "--live", "--out", f"{folder}/live")
    write_rounded(model, page_data(f"{folder}/live/attention.html")["live"]["weights"], f"{folder}/rounded.st")
    text = example(program, "--channels", "32", "--load", f"{folder}/rounded.st", "--text", SENTENCE, "--html", "--out", f"{folder}/rounded",
                   "--cut", "2.4", "--cut", "2.4:7:1")
    (folder / "cuts.txt").write_text(text, "utf-8")
    example(program, "--seed", "3", "--steps", "200", "--out", f"{folder}/trained")


if __name__ == "__main__":
    main(globals(), make)
