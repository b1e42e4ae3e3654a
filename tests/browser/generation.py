"""Tests pages on generated text as a person uses them:  python3 generation.py SOURCE LIBRARY

The package for notebooks writes the pages, and its LIBRARY says what the C decoder makes of the same logits."""
import array
import ctypes
import importlib
import itertools
import random

from browser import main, package
from package_data import as_shape

BARS = """return Array.from(document.querySelectorAll('#bars g[data-token]'), bar => ({token: Number(bar.dataset.token),
    text: bar.querySelector('.p-here').textContent, model: bar.querySelector('.p-model').textContent,
    width: Number(bar.querySelector('.kept, .cut').getAttribute('width')), kept: Boolean(bar.querySelector('.kept'))}))"""
WORDS = ["</script><script>window.attacked = 1</script>", "<img src=x onerror='window.attacked=1'>", " the", "<eos>", "שלום", "猫", "groß", "\n",
         " cat", " sat", " on", " a", " mat", '"', "'", "&amp;", " ", "\udcff", " Fuß", "!"]
# Temperature, top-k and top-p: of the run, and those that a reader chooses.
RUN = 0.8, 15, 0.95
SETTINGS = [(1, 20, 1), (0, 20, 1), (0.5, 20, 1), (2.5, 20, 1), (1, 1, 1), (1, 6, 1), (1, 20, 0.5), (1, 20, 0.01), (1, 20, 0.99),
            (0.7, 9, 0.9), (1.5, 4, 0.6), (3, 19, 0.95)]
SEED = 0xfedcba9876543210
# Three hypotheses, (parent, token, length, log p): one ends at once, one after two words, one does not end.
END = 3
NODES = [(-1, 8, 1, -0.5), (-1, END, 1, -1.3), (-1, 2, 1, -1.6), (0, 9, 2, -1.6), (0, END, 2, -1.9), (3, 10, 3, -2.3), (3, 11, 3, -2.9)]
C = CANDIDATES = None  # of the library


def logits_of(steps, words):
    """A row a step; words 4, 5 and 6 have equal ones, and the last step is nearly sure of word 2."""
    draw = random.Random(7)
    rows = [array.array("f", (1.7 * draw.gauss(0, 1) for _ in range(words))) for _ in range(steps)]
    for row in rows:
        row[5] = row[6] = row[4]
    rows[-1][2] = 40
    return rows


ROWS, MANY = logits_of(8, len(WORDS)), logits_of(40, 50257)


def truncate(row, temperature, k, p):
    C.nn_temperature(ctypes.byref(CANDIDATES), (ctypes.c_float * len(row)).from_buffer(row), temperature)
    C.nn_top_k(ctypes.byref(CANDIDATES), k)
    C.nn_top_p(ctypes.byref(CANDIDATES), p)


def drawn(rng):
    return C.nn_draw(ctypes.byref(CANDIDATES), ctypes.byref(rng))


def sample(rows, settings):
    """The tokens of these settings with the random numbers of the run."""
    rng = C.Rng(SEED, 0, 0)
    return [truncate(row, *settings) or drawn(rng) for row in rows]


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
    for (step, row), settings in itertools.product(enumerate(ROWS), SETTINGS):
        set_page(browser, step, *settings)
        truncate(row, *settings)
        tokens, numbers = zip(*((one.token, one.p) for one in CANDIDATES.list[:CANDIDATES.count]))
        page = browser.script("return [Array.from(State.list.token), Array.from(State.list.p)]")
        assert page[0] == list(tokens), (step, settings, page[0], tokens)
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


def test_the_same_seed_draws_the_same_tokens(browser, folder):
    browser.open(f"{folder}/small.html")
    for seed, ((step, row), settings) in [*enumerate(itertools.product(enumerate(ROWS), SETTINGS), 5000000000)][::5]:  # above 32 bits
        rng = C.Rng(seed, 0, 0)
        truncate(row, *settings)
        tokens = [drawn(rng) for _ in range(100)]
        set_page(browser, step, *settings)
        browser.script("""const field = document.querySelector('#seed');
            field.value = arguments[0];
            field.dispatchEvent(new Event('change'));""", seed)
        one_by_one = []
        for act, one in ((browser.keys, "d"), (browser.click, "#draw-1"), (browser.keys, "d")):
            act(one)
            one_by_one.append(browser.script("return State.list.token[State.last.place]"))
        assert one_by_one == tokens[:3], (one_by_one, tokens[:3])
        for act, again, hundred in ((browser.click, "#again", "#draw-100"), (browser.keys, "r", "D")):
            act(again)  # from the first number
            act(hundred)
            counts = browser.script("return Array.from(State.counts)")
            assert counts == [tokens.count(token) for token in range(20)], (seed, step)
        written = browser.script("""return Array.from(document.querySelectorAll('#bars g[data-token]'), bar =>
            [Number(bar.dataset.token), Number(bar.querySelector('.count').textContent)])""")
        assert all(counts[token] == count for token, count in written)


def test_where_other_settings_leave_the_text(browser, folder):
    browser.open(f"{folder}/small.html")
    assert "all 8" in browser.text("#verdict")
    run = sample(ROWS, RUN)
    for settings in SETTINGS:
        other = next(((step, token) for step, token in enumerate(sample(ROWS, settings)) if token != run[step]), None)
        set_page(browser, 0, *settings)
        marked = browser.script("return Array.from(document.querySelectorAll('#text .other'), b => Number(b.dataset.step))")
        assert marked == ([other[0]] if other else []), (settings, other, marked)
        if other:
            word = browser.script("return word(arguments[0])", other[1])
            assert f"at step {other[0] + 1}: {word} in place of" in browser.text("#verdict")


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
    for alpha in (0, 0.5, 1, 2):
        scores = {node: log_p / length**alpha for node, (_, token, length, log_p) in enumerate(NODES) if token == END or length == 3}
        node = max(scores, key=scores.get)
        browser.slide("#alpha", alpha)
        assert browser.script(best)[-1] == node, (alpha, node)
        assert abs(float(browser.text("#beam").rsplit("score ", 1)[1].rstrip(".").replace("−", "-")) - scores[node]) <= 5.1e-5
        chosen.add(node)
    assert len(chosen) > 1  # or alpha would have shown nothing


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
    for step in (0, 39):  # the last has a logit of 40
        page = browser.script("return Array.from(logitsOf(arguments[0]).logits)", step)
        error = browser.script("return packed[arguments[0]].error", step)
        numbers = MANY[step]
        wide = 2 * max(map(abs, numbers))  # 0 has a code of its own
        assert error <= wide / 65532 * 0.51  # half a step of the code, and the rounding of floats
        # twice the rounding of a float, which is at most 40, beside it
        assert max(abs(a - b) for a, b in zip(page, numbers)) <= error + 2 * 40 * 2**-24


def make(folder, source, library):
    global C, CANDIDATES
    gradus = package(source, library)
    C = importlib.import_module("gradus._c").C
    beam = C.BeamTree(len(NODES), (C.BeamNode * len(NODES))(*NODES), -1, 1)
    for name, words, rows, run, more in (
            ("large", [f" w{i}" for i in range(len(MANY[0]))], MANY, (1, 40, 0.9), {"prompt": "Once"}),
            ("small", WORDS, ROWS, RUN, {"prompt": "One <b>morning</b>, ", "title": "<i>Generation</i>", "beam": beam, "end": END})):
        CANDIDATES = C.Candidates()
        C.nn_candidates_init(ctypes.byref(CANDIDATES), len(words))
        logits = as_shape(array.array("f", itertools.chain(*rows)), (len(rows), len(words)))
        temperature, top_k, top_p = run
        gradus.generation(words, logits, sample(rows, run), temperature=temperature, top_k=top_k, top_p=top_p, drawn=True, seed=SEED,
                          **more).save(folder / f"{name}.html")


if __name__ == "__main__":
    main(globals(), make)
