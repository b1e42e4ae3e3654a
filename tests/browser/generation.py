"""Tests pages on generated text as a person uses them:  python3 generation.py GENERATION_PAGES

The program writes pages and, beside them, what the C decoder makes of the same logits."""
import subprocess
import sys
import tempfile

from browser import need_browser, run_tests
from npy import read_npy
from philox import Rng

BARS = """return Array.from(document.querySelectorAll('#bars g[data-token]'), bar => ({token: Number(bar.dataset.token),
    text: bar.querySelector('.p-here').textContent, model: bar.querySelector('.p-model').textContent,
    width: Number(bar.querySelector('.kept, .cut').getAttribute('width')), kept: Boolean(bar.querySelector('.kept'))}))"""


def table(path):
    with open(path, encoding="utf-8") as lines:
        return [[float(x) for x in line.split("\t")] for line in lines]


def set_page(browser, step, temperature, k, p):
    browser.slide("#step", int(step) + 1)
    browser.slide("#temperature", temperature)
    browser.slide("#top-k", k)
    browser.slide("#top-p", p)


def shown(text):
    return float(text.replace("−", "-"))


def test_the_distribution_is_that_of_the_decoder(browser, folder):
    """Tokens, order, and probabilities: to 1e-13 as computed (exp and the sums of 20 numbers differ by some 2^-53 each), to
    half a unit of the four digits as written, and as the lengths of bars."""
    browser.open(f"{folder}/small.html")
    for step, temperature, k, p, *pairs in table(f"{folder}/distributions.tsv"):
        set_page(browser, step, temperature, k, p)
        tokens, numbers = [int(t) for t in pairs[::2]], pairs[1::2]
        page = browser.script("return [Array.from(State.list.token), Array.from(State.list.p)]")
        assert page[0] == tokens, (step, temperature, k, p, page[0], tokens)
        assert all(abs(a - b) <= 1e-13 * b for a, b in zip(page[1], numbers)), (page[1], numbers)
        wanted = dict(zip(tokens, numbers))
        bars = browser.script(BARS)
        assert len(bars) == 20
        scale = max(bar["width"] / wanted[bar["token"]] for bar in bars if wanted.get(bar["token"]))
        for bar in bars:
            exact = wanted.get(bar["token"])
            assert bar["kept"] == (exact is not None) and (bar["text"] == "cut") == (exact is None), bar
            if exact is not None:
                assert abs(shown(bar["text"]) - exact) <= 0.005 * exact, bar
                assert abs(bar["width"] - scale * exact) < 1e-6 * scale, bar
    browser.check_quiet()


def test_the_same_seed_draws_the_same_tokens(browser, folder):
    browser.open(f"{folder}/small.html")
    for seed, step, temperature, k, p, *tokens in table(f"{folder}/draws.tsv")[::5]:
        set_page(browser, step, temperature, k, p)
        browser.script("""const field = document.querySelector('#seed');
            field.value = arguments[0];
            field.dispatchEvent(new Event('change'));""", int(seed))
        drawn = []
        for act, one in ((browser.keys, "d"), (browser.click, "#draw-1"), (browser.keys, "d")):
            act(one)
            drawn.append(browser.script("return State.list.token[State.last.place]"))
        assert drawn == tokens[:3], (drawn, tokens[:3])
        for act, again, hundred in ((browser.click, "#again", "#draw-100"), (browser.keys, "r", "D")):
            act(again)  # from the first number
            act(hundred)
            counts = browser.script("return Array.from(State.counts)")
            assert counts == [tokens.count(token) for token in range(20)], (seed, step)
        written = browser.script("""return Array.from(document.querySelectorAll('#bars g[data-token]'), bar =>
            [Number(bar.dataset.token), Number(bar.querySelector('.count').textContent)])""")
        assert all(counts[token] == count for token, count in written)
    browser.check_quiet()


def test_the_random_numbers_are_philox(browser, folder):
    browser.open(f"{folder}/small.html")
    for seed, stream, position in ((0, 0, 0), (1, 2, 3), (2**64 - 1, 2**40 + 7, 2**34 + 2)):
        page = browser.script("""const rng = new Rng(BigInt(arguments[0]), BigInt(arguments[1]), arguments[2]);
            return [rng.bits(), rng.uniform(), rng.uniform()];""", str(seed), str(stream), position)
        rng = Rng(seed, stream, position)
        assert page == [rng.bits(), rng.uniform(), rng.uniform()], (seed, page)


def test_where_other_settings_leave_the_text(browser, folder):
    browser.open(f"{folder}/small.html")
    assert "all 8" in browser.text("#verdict")
    for temperature, k, p, step, token in table(f"{folder}/others.tsv"):
        set_page(browser, 0, temperature, k, p)
        marked = browser.script("return Array.from(document.querySelectorAll('#text .other'), b => Number(b.dataset.step))")
        assert marked == ([] if step < 0 else [step]), (temperature, k, p, step, marked)
        if step >= 0:
            word = browser.script("return word(arguments[0])", int(token))
            assert f"at step {int(step) + 1}: {word} in place of" in browser.text("#verdict")
    browser.check_quiet()


def test_the_tree_grows_by_steps_and_alpha_chooses(browser, folder):
    nodes = "return Array.from(document.querySelectorAll('#tree [data-node]'), node => Number(node.dataset.node))"
    best = """return Array.from(document.querySelectorAll('#tree .best[data-node]'), node => Number(node.dataset.node))"""
    browser.open(f"{folder}/small.html")
    browser.slide("#beam-step", 0)
    assert browser.script(nodes) == []
    browser.keys("b")
    assert browser.script(nodes) == [0, 1, 2] and "3 hypotheses" in browser.text("#beam")
    browser.keys("b", "b")
    assert browser.script(nodes) == list(range(7))
    browser.keys("B")
    assert browser.script(nodes) == [0, 1, 2, 3, 4]
    # node 2 has no descendant after step 2; node 1 has ended and stays
    pale = browser.script("return Array.from(document.querySelectorAll('#tree .dead'), n => Number(n.dataset.node))")
    assert pale == [2], pale
    browser.slide("#beam-step", 3)
    chosen = set()
    for alpha, node, score in table(f"{folder}/beam.tsv"):
        browser.slide("#alpha", alpha)
        assert browser.script(best)[-1] == node, (alpha, node)
        assert abs(float(browser.text("#beam").rsplit("score ", 1)[1].rstrip(".").replace("−", "-")) - score) <= 5.1e-5
        chosen.add(node)
    assert len(chosen) > 1  # or alpha would have shown nothing
    browser.check_quiet()


def test_the_tree_plays_and_stops(browser, folder):
    browser.open(f"{folder}/small.html")
    browser.script("window.grown = []; const grow = growTo; growTo = step => { grown.push(step); grow(step); }")
    browser.keys("p")
    browser.wait("State.shown === 3 && document.querySelector('#play').textContent === 'Play'")
    assert browser.script("return grown") == [0, 1, 2, 3]


def test_hostile_tokens_stay_text(browser, folder):
    browser.open(f"{folder}/small.html")
    assert browser.text("h1") == "<i>Generation</i>"
    assert "One <b>morning</b>" in browser.text("#text")
    browser.click("#draw-100")
    assert browser.script("return window.attacked") is None and browser.script("return document.scripts.length") == 2
    browser.check_quiet()


def test_keys_choose_steps_and_screen_readers_hear(browser, folder):
    browser.open(f"{folder}/small.html")
    browser.keys("ArrowRight", "ArrowRight", "ArrowLeft")
    assert browser.script("return State.step") == 1
    assert browser.text("#facts").startswith("Step 2 of 8") and browser.script("return Frame.live.textContent") == browser.text("#facts")
    name, role = browser.accessible("#bars")
    assert role in ("img", "image") and "most likely tokens of step 2" in name
    assert browser.accessible("#temperature")[0].startswith("temperature")
    browser.click("#text button[data-step='4']")
    assert browser.accessible("#text button[data-step='4']")[0].startswith("step 5: ")
    assert browser.script("return State.step") == 4
    browser.check_quiet()


def test_paper_is_white_and_has_no_controls(browser, folder):
    browser.open(f"{folder}/small.html", theme="dark")
    paper = "return getComputedStyle(document.body).backgroundColor"
    assert browser.script(paper) == "rgb(22, 23, 27)"
    browser.media("dark", "print")  # a system that is dark
    assert browser.script(paper) == "rgb(255, 255, 255)"
    shown = browser.script("return ['#controls', '#tools', '.row'].map(name => getComputedStyle(document.querySelector(name)).display)")
    assert shown == ["none"] * 3, shown
    browser.media("light")


def test_the_distribution_or_the_beam_alone(browser, folder):
    for to, alone in (("0", ["Text", "Distribution"]), ("document.body.scrollHeight", ["Beam search"])):
        browser.open(f"{folder}/small.html")
        browser.script(f"scrollTo(0, {to})")
        browser.keys("f")
        seen = "return [...document.querySelectorAll('#main > section')].filter(part => part.checkVisibility()).map(part => part.ariaLabel)"
        assert browser.script(seen) == alone, browser.script(seen)
        size, height = browser.script("return [Frame.fontSize, document.documentElement.scrollHeight]")
        assert size == 20 and height == 720, (alone, size, height)
        browser.keys("Escape")
        assert len(browser.script(seen)) == 4
    browser.check_quiet()


def test_bars_and_tree_are_saved(browser, folder):
    browser.open(f"{folder}/small.html")
    saved = {}
    for section, what, name in (("Draws", "bars", "distribution"), ("Beam search", "tree", "beam")):
        browser.click(f"//button[.='Save {what} as SVG']")
        saved[name] = browser.downloaded(f"{name}.svg").decode()
        assert saved[name].startswith("<svg") and "http" not in saved[name].replace("http://www.w3.org/2000/svg", "")
        browser.click(f"//section[@aria-label='{section}']//button[.='as PNG']")
        assert browser.downloaded(f"{name}.png")[:8] == b"\x89PNG\r\n\x1a\n"
    assert saved["distribution"].count("<rect") == 41  # two a token, and the paper
    assert saved["beam"].count("data-node=") == browser.script("return DATA.beam.token.length")
    browser.check_quiet()


def test_as_many_words_as_gpt2(browser, folder):
    """A page of 2 million logits answers a slider; the goal is a second, what it takes is printed."""
    browser.open(f"{folder}/large.html")
    browser.wait("State.list")
    spent = browser.script("""const start = performance.now();
        const slider = document.getElementById('temperature');
        slider.value = 0.9;
        slider.dispatchEvent(new Event('input'));
        return performance.now() - start;""")
    print(f"# 40 steps of 50,257 words: a slider answers in {spent:.0f} ms")
    browser.wait("verdict.textContent.includes('step') || verdict.textContent.includes('all 40')")
    assert "16 bits" in browser.text("#notes")
    _, logits = read_npy(f"{folder}/large.npy")
    for step in (0, 39):  # the last has a logit of 40
        page = browser.script("return Array.from(logitsOf(arguments[0]).logits)", step)
        error = browser.script("return packed[arguments[0]].error", step)
        numbers = logits[step * 50257:(step + 1) * 50257]
        wide = 2 * max(map(abs, numbers))  # 0 has a code of its own
        assert error <= wide / 65532 * 0.51  # half a step of the code, and the rounding of floats
        # twice the rounding of a float, which is at most 40, beside it
        assert max(abs(a - b) for a, b in zip(page, numbers)) <= error + 2 * 40 * 2**-24
    browser.check_quiet()


if __name__ == "__main__":
    need_browser()
    with tempfile.TemporaryDirectory() as pages:
        subprocess.run([sys.argv[1], pages], check=True)
        sys.exit(run_tests(globals(), pages))
