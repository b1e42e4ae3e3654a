"""Tests the live figures of the chapters' pages:  python3 live.py LECTURES

The controls are moved as a person does, and what is drawn is compared with a closed form, or with the program's own numbers."""
import math
import re
import subprocess
import sys

from chapter import CHAPTERS, page_of, write_pages_and_run
from philox import Rng


def open_chapter(browser, folder, number):
    browser.open(page_of(folder, next(chapter for chapter in CHAPTERS if chapter.name.startswith(f"{number:02d}"))))


def numbers(browser, name):
    """The program's numbers of the figure after this picture: {name: values}."""
    return browser.script("""const figure = DATA.figures.find(({after}) => after === `figure-${arguments[0]}`);
        return Object.fromEntries(Object.entries(figure.numbers).map(([name, packed]) => [name, Array.from(numbersOf(packed).at)]));""", name)


def attributes(browser, selector, *names):
    return browser.script("""const [selector, names] = arguments;
        return Array.from(document.querySelectorAll(selector), node => names.map(name => Number(node.getAttribute(name))));""", selector, names)


def facts(browser, name):
    return browser.text(f"#live-{name} .facts")


def check(browser, selector, on):
    if browser.script("return document.querySelector(arguments[0]).checked", selector) != on:
        browser.click(selector)


def softmax(scores):
    e = [math.exp(s - max(scores)) for s in scores]
    return [x / sum(e) for x in e]


def test_live_scale(browser, folder):
    """The weights of one query over 16 keys that are drawn here, too; with and without the root of d."""
    open_chapter(browser, folder, 4)
    for power, seed in ((0, 1), (4, 1), (8, 2)):
        d = 2**power
        browser.slide("#saturation-d", power)
        if seed == 2:
            browser.click("#saturation-again")
        rng = Rng(seed)
        q = [rng.normal() for _ in range(d)]
        scores = [sum(x * rng.normal() for x in q) for _ in range(16)]
        for which, factor in (("first", d**-0.5), ("second", 1)):
            wanted = softmax([factor * s for s in scores])
            heights = [h for h, in attributes(browser, f"#saturation-drawing rect.{which}", "height")]
            assert len(heights) == 16 and all(abs(h - 220 * a) < 1e-6 for h, a in zip(heights, wanted)), (d, which)
            cursor = attributes(browser, f"#saturation-drawing .cursor.{which}", "cy")[0][0]
            assert abs(cursor - (250 - 220 * sum(a * (1 - a) for a in wanted))) < 1e-6
        assert f"d = {d}:" in facts(browser, "saturation")
    program = numbers(browser, "saturation")
    dots = attributes(browser, "#saturation-drawing circle.second:not(.cursor)", "cy")
    assert all(abs(y - (250 - 220 * mean)) < 1e-6 for (y,), mean in zip(dots, program["plain"])) and len(dots) == 6
    assert program["scaled"][5] / program["plain"][5] > 10  # the claim "without scaling the softmax saturates"
    browser.check_quiet()


def test_live_masks(browser, folder):
    """The pairs that are full are those whose weight the library does not make 0."""
    open_chapter(browser, folder, 4)
    program = numbers(browser, "windows")
    for which in ("masks", "windows"):
        for case in range(8):
            causal, length, window, dilation, tokens = program["settings"][5 * case:5 * case + 5]
            check(browser, f"#{which}-causal", causal == 1)
            for name, value in (("length", length), ("window", window), ("dilation", dilation), ("global", tokens)):
                browser.slide(f"#{which}-{name}", value)
            full = browser.script(f"return Array.from(document.querySelectorAll('#{which}-grid [data-pair]'), r => r.matches('.first'))")
            wanted = [x == 1 for x in program["kept"][256 * case:256 * case + 256]]
            assert full == wanted, (which, case)
            assert facts(browser, which).startswith(f"{sum(wanted)} of 256 pairs")
    # n (2 w + 1) - s w (w + 1), and the query under the pointer
    for name, value in (("n", 20), ("length", 20), ("window", 3), ("dilation", 2), ("global", 0)):
        browser.slide(f"#windows-{name}", value)
    check(browser, "#windows-causal", False)
    assert facts(browser, "windows").startswith("116 of 400") and facts(browser, "windows").endswith("= 116.")
    browser.hover("#windows-grid [data-pair='7,7']")
    assert "Query 8 sees 7 keys; with equal scores each has weight 0.143" in facts(browser, "windows")
    browser.check_quiet()


def test_live_heads(browser, folder):
    """Bars as the claim measures them, for each head alone; and for three heads that can be spared together."""
    open_chapter(browser, folder, 4)
    lines = re.findall(r"without layer (\d), head (\d), are lost: .*? ([-\d.]+), .*? ([-\d.]+), bank ([-\d.]+)",
                       subprocess.run([sys.argv[1], "claims", "4", "--explain", "25"], capture_output=True, text=True, check=True).stdout)
    assert len(lines) == 8
    for layer, head, *lost in lines:
        box = f"#jobs-cut-{4 * int(layer) + int(head) - 5}"
        browser.click(box)
        widths = [w for w, in attributes(browser, "#jobs-bars [data-kind]", "width")]
        # what is lost is of 1.000, 1.000 and 1.000 right answers, and printed to three digits
        assert all(abs(w / 420 - (1 - float(x))) < 0.0006 for w, x in zip(widths, lost)), (layer, head, widths, lost)
        assert f"1 of 8 heads are cut: L{layer} H{head}." in facts(browser, "jobs")
        browser.click(box)
    for head in (0, 6, 7):
        browser.click(f"#jobs-cut-{head}")
    shares = [w / 420 for w, in attributes(browser, "#jobs-bars [data-kind]", "width")]
    assert abs(sum(shares) / 3 - 0.974) < 0.0006, shares  # as the claim prints it
    browser.click("#jobs-whole")
    assert facts(browser, "jobs").startswith("No head is cut.")
    browser.check_quiet()


def test_live_sinusoids(browser, folder):
    open_chapter(browser, folder, 3)
    browser.slide("#sinusoids-d", 5)
    browser.slide("#sinusoids-base", 2)
    for channel, position in ((0, 3), (7, 20), (31, 49)):
        browser.slide("#sinusoids-channel", channel)
        browser.slide("#sinusoids-position", position)
        angle = position / 100 ** (2 * (channel // 2) / 32)
        wanted = math.cos(angle) if channel % 2 else math.sin(angle)
        assert f"it is {wanted:.4f}" in facts(browser, "sinusoids").replace("\u2212", "-")
        for drawing in ("wave", "channels"):
            (y,), = attributes(browser, f"#sinusoids-{drawing} .second", "cy")
            assert abs(y - (105 - 75 * wanted)) < 1e-6
        assert f"wavelength {2 * math.pi * 100 ** (2 * (channel // 2) / 32):.3f}"[:15] in facts(browser, "sinusoids")
    # the mouse and the arrow keys choose a cell of the table
    browser.hover("#sinusoids-table", 10.5 / 32, 25.5 / 50, click=True)
    assert facts(browser, "sinusoids").startswith("Channel 10 of 32") and "At position 25" in facts(browser, "sinusoids")
    browser.keys("ArrowDown")
    assert "At position 26" in facts(browser, "sinusoids")
    # all numbers of the program: 16 bits of -1 to 1, half a step, and a float
    browser.slide("#sinusoids-d", 7)
    browser.slide("#sinusoids-base", 4)
    assert float(re.search(r"50 × 128 numbers: (\S+)\.", facts(browser, "sinusoids"))[1].replace("\u2212", "-")) < 1.7e-5
    browser.check_quiet()


def truncated(logits, temperature, k, p):
    """The definition, word by word: the most probable words while fewer than k are kept and their sum is below p."""
    weights = [math.exp(a / temperature) for a in logits]
    order = sorted(range(len(logits)), key=lambda i: -weights[i])[:k]
    total, kept = sum(weights[i] for i in order), []
    for i in order:
        if p < 1 and sum(weights[j] for j in kept) >= p * total:
            break
        kept.append(i)
    return {i: weights[i] / sum(weights[j] for j in kept) for i in kept}


def test_live_decoding(browser, folder):
    open_chapter(browser, folder, 6)
    program = numbers(browser, "truncated")
    rng = Rng(1)
    for temperature, k, p in ((1, 8, 1), (0.5, 8, 1), (2.5, 5, 1), (1, 8, 0.8), (1.5, 3, 0.6)):
        for name, value in (("temperature", temperature), ("k", k), ("p", p)):
            browser.slide(f"#truncated-{name}", value)
        wanted = truncated(program["logits"], temperature, k, p)
        shown = browser.script("return Array.from(document.querySelectorAll('#truncated-bars [data-here]'), t => [Number(t.dataset.here), t.textContent])")
        assert {i: text for i, text in shown if text != "cut"} == {i: f"{x:.4f}" for i, x in wanted.items()}, (temperature, k, p)
        bars = browser.script("return Array.from(document.querySelectorAll('#truncated-bars rect.first'), r => [Number(r.dataset.token), Number(r.getAttribute('width'))])")
        scale = 420 / max(max(wanted.values()), softmax(program["logits"])[0])
        assert {i for i, _ in bars} == set(wanted) and all(abs(w - scale * wanted[i]) < 1e-9 for i, w in bars)
        browser.click("#truncated-draw")
        counts = dict.fromkeys(range(8), 0)
        for _ in range(100):
            u, at = rng.uniform(), 0.0
            for i, x in wanted.items():
                at += x
                if u < at:
                    counts[i] += 1
                    break
        drawn = [x for x, in attributes(browser, "#truncated-bars line.second", "x1")]
        order = [i for i, _ in shown]
        assert all(abs(x - (100 + scale * counts[i] / 100)) < 1e-9 for x, i in zip(drawn, order)), (temperature, k, p)
    browser.click("#truncated-setting-3")
    assert browser.script("return document.querySelector('#truncated-p').value") == "0.8"
    drawn = [x for x, in attributes(browser, "#truncated-bars line.second", "x1")]
    shares = [x for x in program["shares"][3 * 11 + 3:]]
    scale = 420 / truncated(program["logits"], 1, 8, 0.8)[0]
    assert all(abs(x - (100 + scale * share)) < 1e-4 for x, share in zip(drawn, shares))
    browser.check_quiet()


def test_live_beam(browser, folder):
    open_chapter(browser, folder, 6)
    program = numbers(browser, "tree")
    words = ["the", "a", "cat"]
    for beam in (1, 2, 3):
        browser.slide("#tree-B", beam)
        for step in (0, 1, 2, 3):
            browser.slide("#tree-step", step)
            shown = browser.script("return Array.from(document.querySelectorAll('#tree-tree [data-node]'), t => t.textContent)")
            # three words after the beginning: as many nodes as hypotheses in each step
            assert len(shown) == min(beam, 3) * step
        tokens, log_p = program[f"token-{beam}"], program[f"log-p-{beam}"]
        assert shown == [f"{words[int(t)]}  {math.exp(l):.4f}" for t, l in zip(tokens, log_p)], beam
    browser.slide("#tree-B", 1)
    browser.slide("#tree-step", 2)
    assert "leads with probability 0.2000" in facts(browser, "tree")  # 0.6 / 3, greedy
    browser.slide("#tree-B", 2)
    assert "“a cat” leads with probability 0.2700" in facts(browser, "tree")  # 0.3 x 0.9
    browser.check_quiet()


def test_live_em(browser, folder):
    """The page's EM against the program's: 40 steps, whose shares are floats in the program (1e-7 each)."""
    open_chapter(browser, folder, 8)
    program = numbers(browser, "em")
    for step in (0, 1, 5, 20, 40):
        browser.slide("#em-step", step)
        rows = [program["rows"][12 * step + 4 * k:12 * step + 4 * k + 4] for k in range(3)]
        ellipses = attributes(browser, "#em-plane ellipse", "cx", "cy", "rx")
        for (_, x, y, v), (cx, cy, rx) in zip(rows, ellipses):
            assert abs(cx - (265 + 50 * x)) < 1e-3 and abs(cy - (200 - 42.5 * y)) < 1e-3 and abs(rx - 50 * math.sqrt(v)) < 1e-3
        assert f"mean log p(x) = {program['log-p'][step]:.4f}" in facts(browser, "em")
    slope = browser.script("""const figure = DATA.figures.find(({kind}) => kind === 'em'), n = numbersOf;
        const rows = n(figure.numbers.rows).at, start = [0, 4, 8].map(k => ({pi: rows[k], x: rows[k + 1], y: rows[k + 2], v: rows[k + 3]}));
        return mixtureGradient(start, n(figure.numbers.x).at, n(figure.numbers.y).at).flatMap(({x, y}) => [x, y])""")
    assert all(abs(a - b) < 1e-5 for a, b in zip(slope, program["gradient"])), (slope, program["gradient"])
    likelihoods = []
    browser.choose("#em-method", 1)
    for step in (0, 10, 40):
        browser.slide("#em-step", step)
        likelihoods.append(float(re.search(r"log p\(x\) = (\S+);", facts(browser, "em"))[1]))
    assert likelihoods[0] < likelihoods[1] < likelihoods[2] < program["log-p"][40]
    browser.choose("#em-method", 0)
    browser.slide("#em-step", 38)
    browser.click("#em-play")
    browser.wait("document.querySelector('#em-step').value === '40'")
    browser.wait("document.querySelector('#em-play').textContent === 'Play'")
    browser.check_quiet()


def test_live_latent(browser, folder):
    """The picture under the pointer is what the weights in the page give; and these are the program's."""
    open_chapter(browser, folder, 8)
    program = numbers(browser, "manifold")

    def decode(z):
        h = [max(0, program["in"][2 * i] * z[0] + program["in"][2 * i + 1] * z[1] + program["in-bias"][i]) for i in range(64)]
        return [1 / (1 + math.exp(-sum(w * x for w, x in zip(program["out"][64 * i:64 * i + 64], h)) - program["out-bias"][i])) for i in range(196)]

    for k in range(4):
        wanted = program["decoded"][196 * k:196 * k + 196]
        # weights in 16 bits: an error of 2e-5 of the largest, some 3, in 64 products
        assert max(abs(a - b) for a, b in zip(decode(program["tried"][2 * k:2 * k + 2]), wanted)) < 1e-3
    assert float(re.search(r"within (\S+) of", facts(browser, "manifold"))[1].replace("\u2212", "-")) < 1e-3
    pixels = """const canvas = document.querySelector('#manifold-picture');
        return Array.from(canvas.getContext('2d').getImageData(0, 0, 14, 14).data).filter((_, i) => i % 4 === 0)"""
    for x, y in ((0.25, 0.25), (0.75, 0.5), (0.5, 0.9)):
        browser.hover("#manifold-plane", x, y, click=True)
        z = [float(t) for t in re.search(r"z = \((\S+), (\S+)\)", facts(browser, "manifold")).groups()]
        assert abs(z[0] - (6 * x - 3)) < 0.02 and abs(z[1] - (3 - 6 * y)) < 0.02  # the mouse moves by whole pixels
        exact = browser.script("""const box = document.querySelector('#manifold-plane').getBoundingClientRect(), [x, y] = arguments;
            return [6 * (Math.round(box.x + x * box.width) - box.x) / box.width - 3, 3 - 6 * (Math.round(box.y + y * box.height) - box.y) / box.height]""", x, y)
        shown, wanted = browser.script(pixels), decode(exact)
        assert max(abs(a - 255 * b) for a, b in zip(shown, wanted)) < 0.51, (x, y)
    before = browser.script(pixels)
    browser.keys("ArrowRight", "ArrowRight")
    assert browser.script(pixels) != before and browser.accessible("#manifold-picture")[0].startswith("The picture decoded from z =")
    browser.check_quiet()


def test_live_figures_have_names_and_themes(browser, folder):
    for number in (3, 4, 6, 8):
        for theme in ("light", "dark"):
            open_chapter(browser, folder, number)
            browser.media(theme)
            unnamed = browser.script("""return Array.from(document.querySelectorAll('.live svg, .live canvas, .live input, .live select, .live button'))
                .filter(node => !(node.getAttribute('aria-label') || node.labels?.[0]?.textContent.trim() || node.textContent.trim()) && !node.hasAttribute('tabindex'))
                .map(node => node.outerHTML.slice(0, 80))""")
            assert unnamed == [], unnamed
        browser.check_quiet()


if __name__ == "__main__":
    write_pages_and_run(globals())
