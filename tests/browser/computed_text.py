"""Pages that compute text, steps and sets, against native programs:  python3 computed_text.py BUILD ATTENTION GPT MODEL

BUILD makes the module and live-calls, a native program of the same functions (live_calls.c). What a page's library
answers is compared with what the native one answers to the same calls, and with what the examples write."""
import json
import os
import re
import subprocess

from browser import main, make_module
from computed import ask, example, open_live, page_data, said, write_rounded
from package_data import unpacked

PROMPT = "The wolf said to the "
SET = "7 3 9 1 3 5"
CALLS = None  # the native program


def native(*calls):
    """What the native functions answer to calls (name, text or None, number): a list, for those that answer."""
    lines = "".join("\t".join([name, str(number), (text or "").replace("\n", "\\n"), *map(str, more)]) + "\n"
                    for name, text, number, *more in calls)
    found = subprocess.run([CALLS], input=lines, stdout=subprocess.PIPE, text=True, check=True, timeout=300).stdout
    return [json.loads(line) for line in found.splitlines()]


def model_calls(page):
    """The calls that give the native functions the model of a page."""
    live = page_data(page)["live"]
    weights = [("live_weight", weight["name"], len(numbers), " ".join(map(repr, numbers)))
               for weight in live["weights"] for numbers in [unpacked(weight["numbers"])]]
    return [("live_begin", live["model"], 0), *weights]


def write(browser, prompt, seed, count, button="#ask button[type=submit]"):
    browser.script("for (const [id, value] of Object.entries(arguments[0])) document.getElementById(id).value = value",
                   {"sentence": prompt, "write-seed": seed, "count": count})
    return said(browser, browser.click, button)


def close(found, wanted, bound=1e-5):
    return len(found) == len(wanted) and all(abs(a - b) <= bound * max(1, abs(b)) for a, b in zip(found, wanted))


# ---- generation.html ----------------------------------------------------------------------------------------


def test_a_prompt_is_continued_as_the_program_does(browser, folder):
    """Tokens exactly and logits to 1e-5, by the example with the page's weights; and on, beyond a full context."""
    page = f"{folder}/gpt/generation.html"
    open_live(browser, page)
    browser.slide("#temperature", 0.8)
    browser.slide("#top-k", 12)
    browser.slide("#top-p", 0.95)
    assert "tokens, drawn one after the other" in write(browser, PROMPT, 5, 300)
    wanted = page_data(f"{folder}/gpt-native/generation.html")
    found = browser.script("return [DATA.tokens, DATA.logits, DATA.prompt, DATA.beam.token, DATA.beam.log_p]")
    assert found[0] == wanted["tokens"] and found[2] == PROMPT
    assert all(close(a, b) for a, b in zip(found[1], wanted["logits"]))
    assert found[3] == wanted["beam"]["token"] and close(found[4], wanted["beam"]["log_p"])
    assert "these settings draw the program's tokens, all" in browser.text("#verdict")
    write(browser, PROMPT, 5, 300, "#go-on")
    text = browser.script("return DATA.prompt + DATA.tokens.map(token => DATA.vocabulary[token]).join('')")
    with open(f"{folder}/gpt-native.txt", encoding="utf-8") as file:
        printed = re.sub(r"\s+", "", file.read())
    assert len(text) > 150 and re.sub(r"\s+", "", text) in printed, (text, printed)


def test_unknown_characters_are_marked(browser, folder):
    open_live(browser, f"{folder}/gpt/generation.html")
    assert 'found "\u03a9"' in write(browser, "The \u03a9 wolf <b>", 1, 5)
    marked = browser.script("return [...document.querySelectorAll('#said mark')].map(node => node.textContent)")
    assert marked[0] == "\u03a9" and all("w" not in part for part in marked), marked
    for text in ("", "a" * 400, "\ud83d\ude00"):
        assert "expected" in write(browser, text, 1, 5), text
    assert "5 tokens" in write(browser, "The wolf", 1, 5)


# ---- tape.html ----------------------------------------------------------------------------------------------


def test_the_steps_of_a_sentence_are_the_native_ones(browser, folder):
    page = f"{folder}/live/tape.html"
    sentence = "The cat didn't cross the road because it was too wide."
    open_live(browser, page)
    first = browser.text("h1")
    assert "probability" in ask(browser, sentence)
    (_, wanted) = native(*model_calls(page), ("live_steps", sentence, 0))
    found = browser.script("return OPS")
    assert len(found) == len(wanted["ops"]) and browser.text("h1") == wanted["title"] != first
    compared = 0
    for op, native_op in zip(found, wanted["ops"]):
        assert op["name"] == native_op["name"] and op["turn"] == native_op["turn"]
        pairs = [(op.get(key), native_op.get(key)) for key in ("value", "gradient")]
        pairs += [(a.get(key), b.get(key)) for a, b in zip(op["operands"], native_op["operands"]) for key in ("added", "sum")]
        for a, b in pairs:
            assert (a is None) == (b is None)
            if a:
                scale = max(abs(b["low"]), abs(b["high"]), 1e-3)
                assert a["row"] == b["row"] and all(abs(x - y) <= 1e-5 * max(1, scale) for x, y in zip(a["numbers"], b["numbers"])), op["name"]
                compared += 1
    assert compared > 100


def test_a_reader_steps_through_the_sentence(browser, folder):
    """Its last gradient is the length of the sentence; sources and equations are there as on the page's own tape."""
    open_live(browser, f"{folder}/live/tape.html")
    ask(browser, "It was too tired.")
    browser.keys("End")
    assert browser.script("return State.step === LAST && OPS[0].value.numbers.length > 0")
    assert "4" in browser.script("return inNotation(OPS[0].shapes)") or "5" in browser.script("return inNotation(OPS[0].shapes)")
    browser.keys("b")
    browser.keys("ArrowRight")
    panel = browser.text("#panel")
    assert "C source: examples/attention/" in panel and "Equation and gradient: autograd/ops/" in panel, panel
    assert "was not found" not in panel
    said = ask(browser, "It saw a walrus.")
    assert "saw” is not among this model" in said, said


# ---- train.html ---------------------------------------------------------------------------------------------


def test_each_setting_has_the_losses_of_the_native_program(browser, folder):
    """One after the other, each beside those before it; the link has them all."""
    open_live(browser, f"{folder}/live/train.html")
    browser.script("window.begun = 0; const begin = beginTraining; beginTraining = () => begin().then(() => { window.begun++; });")
    before = None
    changes = (("steps", 0), ("layers", 0), ("heads", 1), ("position", 1), ("position", 2), ("position", 3), ("causal", 1), ("window", 0),
               ("post", 1), ("rate", 4), ("seed", 5), ("set", 1))
    for number, (name, option) in enumerate(changes, 1):
        if name == "seed":
            browser.script("""const field = document.getElementById('set-seed');
                field.value = arguments[0];
                field.dispatchEvent(new Event('change'))""", option)
        else:
            browser.choose(f"#set-{name}", option)
        browser.wait(f"window.begun === {number}")
        for step in (1, 2):  # the second loss tells of the learning rate
            browser.click("#step")
            browser.wait(f"TRAINING.step === {step} && location.hash.includes('step={step}')")
        losses, layers, text, link = browser.script("""return [TRAINING.losses, TRAINING.layers, textOfSettings(),
            [location.hash, ...[settingsOf(location.hash).settings, TRAINING.settings].map(s => `#${new URLSearchParams(changedSettings(s, 2))}`)]]""")
        assert link[1] == link[2] and set(link[1][1:].split("&")) <= set(link[0][1:].split("&")), (name, link) # and what is drawn
        _, wanted = native(("live_begin", text, 0), ("live_train", "", 2))
        assert close(losses, wanted["losses"]) and losses != before, (name, losses, wanted["losses"], before)
        lengths = [length for _, length in layers]
        assert [what for what, _ in layers] == [what for what, _ in wanted["layers"]] and close(lengths, [length for _, length in wanted["layers"]])
        assert min(lengths) > 0 and sum(length ** 2 for length in lengths) < 1 + 1e-5, lengths  # clipped to a length of 1
        before = losses


def test_a_set_is_learned_as_natively(browser, folder):
    open_live(browser, f"{folder}/live/train.html", "#set=1&steps=200&step=40")
    found = browser.script("return [TRAINING.losses, TRAINING.guess, TRAINING.accuracies.at(-1)[1], textOfSettings()]")
    calls = [("live_begin", found[3], 0), ("live_train", "", 40), ("live_test", "", 200)]
    _, wanted, accuracy = native(*calls)
    assert "position=2" in found[3] and "window=0" in found[3] and len(found[0]) == 40
    assert close(found[0], wanted["losses"]) and abs(found[1] - 2.995732) < 1e-6 and abs(found[2] - accuracy["accuracy"]) <= 0.01


def test_a_set_has_no_order_without_positions(browser, folder):
    """A(Px) = P A(x) P^T, and the same probability; with sinusoids neither."""
    def run(text):
        n = len(text.split()) + 1
        probability = re.search(r"probability ([0-9.e-]+)", ask(browser, text)).group(1)
        return browser.script("return Array.from(current().matrix('weight', 1, 0))"), n, float(probability)

    words = SET.split()
    order = [3, 0, 4, 2, 5, 1]
    other = " ".join(words[i] for i in order)
    place = [0] + [i + 1 for i in order]
    for fragment, same in (("#set=1&steps=200&step=20", True), ("#set=1&position=0&steps=200&step=20", False)):
        open_live(browser, f"{folder}/live/train.html", fragment)
        (a, n, p), (b, _, q) = run(SET), run(other)
        most = max(abs(b[n * i + j] - a[n * place[i] + place[j]]) for i in range(n) for j in range(n))
        assert (most < 1e-4 and abs(p - q) < 1e-4) == same, (fragment, most, p, q)
        shuffled = said(browser, browser.click, "#shuffle")
        assert sorted(browser.script("return document.getElementById('sentence').value").split()) == sorted(words)
        assert not same or abs(float(re.search(r"probability ([0-9.e-]+)", shuffled).group(1)) - p) < 1e-4, (shuffled, p)
    browser.choose("#set-set", 0)
    browser.wait("document.getElementById('said').textContent.includes('animal') && !location.hash.includes('set=1')")


def make(folder, build, attention, gpt, model):
    global CALLS
    make_module(build, "tests/live-calls")
    os.environ["GRADUS_KERNELS"] = "base"  # the same weights and draws on every machine
    CALLS = f"{build}/tests/live-calls"
    example(attention, "--channels", "32", "--load", model, "--live", "--out", f"{folder}/live")
    example(gpt, "--steps", "60", "--channels", "32", "--layers", "2", "--decode", "greedy", "--save", f"{folder}/gpt.st", "--live", "--out", f"{folder}/gpt")
    write_rounded(f"{folder}/gpt.st", page_data(f"{folder}/gpt/generation.html")["live"]["weights"], f"{folder}/rounded.st")
    text = example(gpt, "--load", f"{folder}/rounded.st", "--html", "--out", f"{folder}/gpt-native", "--decode", "sample", "--prompt", PROMPT,
                   "--seed", "5", "--length", "300", "--temperature", "0.8", "--top-k", "12", "--top-p", "0.95")
    (folder / "gpt-native.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main(globals(), make)
