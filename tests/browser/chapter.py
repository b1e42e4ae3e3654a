"""Tests the pages of the chapters:  python3 chapter.py LECTURES

The program writes the page of each chapter. Its text is compared with README.md, its formulas with what pandoc makes of
them (formulas.tsv), its figures with closed forms and with the program's own numbers.

    python3 chapter.py --write-formulas      writes formulas.tsv; needs pandoc
"""
import html.parser
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

from browser import run_tests
from philox import Rng

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("GRADUS_SOURCE", HERE.parent.parent))
CHAPTERS = sorted(path.parent for path in SOURCE.glob("lectures/0*/README.md"))


# ---- formulas ------------------------------------------------------------------------------------------

def formulas(readme):
    return [found.group(1).strip() for found in re.finditer(r"^```math\n(.*?)^```", readme.read_text(), re.M | re.S)]


def linear(node):
    """A formula in one line, the same for every way to group it: x_(i)^(2), [a/b], and so on."""
    tag = node.tag.split("}")[-1]
    children = [linear(child) for child in node if not child.tag.endswith("annotation")]
    shapes = {"msub": "%s_(%s)", "msup": "%s^(%s)", "msubsup": "%s_(%s)^(%s)", "munder": "%s|_(%s)", "mover": "%s|^(%s)",
              "munderover": "%s|_(%s)|^(%s)", "mfrac": "[%s/%s]"}
    if tag == "mspace":
        return ""
    if tag in shapes:
        return shapes[tag] % tuple(children)
    if len(node) == 0:
        return re.sub(r"[\s\u2061\u2062\u00a0]", "", node.text or "")
    around = {"msqrt": "sqrt(%s)", "mtd": "<%s>", "mtr": "%s;"}.get(tag, "%s")
    assert tag in ("mrow", "math", "semantics", "mstyle", "mtable", "mpadded", "msqrt", "mtd", "mtr"), tag
    return around % "".join(children)


def normal(line):
    """Accents and primes have several code points."""
    for old, new in (("^(\u2032)", "\u2032"), ("\u0302", "^"), ("\u02dc", "~"), ("\u0303", "~"), ("\u203e", "\u00af"), ("\u2225", "\u2016")):
        line = line.replace(old, new)
    return re.sub("\u2032(_\\([^()]*\\))", "\\1\u2032", line)


def write_formulas():
    rows = []
    for readme in CHAPTERS:
        for formula in formulas(readme / "README.md"):
            page = subprocess.run(["pandoc", "-f", "markdown", "-t", "html", "--mathml"], input=f"$${formula}$$\n",
                                  capture_output=True, text=True, check=True).stdout
            line = normal(linear(xml.etree.ElementTree.fromstring(re.search(r"<math.*</math>", page, re.S).group(0))))
            # pandoc 2.17 has the short arrows for these two
            if "\\Longrightarrow" in formula:
                line = line.replace("\u21d2", "\u27f9")
            if "\\iff" in formula:
                line = line.replace("\u21d4", "\u27fa")
            rows.append(f"{json.dumps(formula)}\t{line}\n")
    (HERE / "formulas.tsv").write_text("".join(sorted(set(rows))))


def page_of(folder, chapter):
    return f"{folder}/{chapter.name}.html"


def test_each_formula_is_that_of_pandoc(_browser, folder):
    expected = dict(line.rstrip("\n").split("\t") for line in (HERE / "formulas.tsv").open(encoding="utf-8"))
    count = 0
    for chapter in CHAPTERS:
        page = pathlib.Path(page_of(folder, chapter)).read_text()
        found = re.findall(r"<math.*?</math>", page, re.S)
        source = formulas(chapter / "README.md")
        assert len(found) == len(source), (chapter, len(found), len(source))
        for formula, math in zip(source, found):
            assert json.dumps(formula) in expected, f"not in formulas.tsv: {formula}; see the head of chapter.py"
            line = normal(linear(xml.etree.ElementTree.fromstring(math)))
            assert line == expected[json.dumps(formula)], (formula, line, expected[json.dumps(formula)])
            count += 1
    assert count >= 50


def test_formulas_are_drawn(browser, folder):
    """A wide fraction is wider than a letter, nothing is empty, and a sum's limits do not stand on the sum."""
    browser.open(page_of(folder, CHAPTERS[3]))
    boxes = browser.script("""return Array.from(document.querySelectorAll('math'), math => {
        const box = math.getBoundingClientRect();
        return [box.width, box.height];
    })""")
    assert len(boxes) > 10 and all(width > 60 and height > 14 for width, height in boxes), boxes
    gap = browser.script("""const under = document.querySelector('munder > mo').parentElement;
        const [sign, limit] = Array.from(under.children, child => child.getBoundingClientRect());
        return limit.top - sign.top""")
    assert gap > 8
    browser.check_quiet()


# ---- text ---------------------------------------------------------------------------------------------------

class Words(html.parser.HTMLParser):
    """The words of a page's text, without code and formulas; addresses; ids."""

    def __init__(self):
        super().__init__()
        self.words, self.links, self.ids, self.pictures, self.skip = [], [], set(), [], 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert "style" not in attributes and not any(name.startswith("on") for name in attributes), (tag, attributes)
        self.skip += tag in ("math", "pre", "figcaption", "script", "style", "noscript")
        self.ids.add(attributes.get("id"))
        if tag == "a":
            self.links.append(attributes["href"])
        if tag == "img":
            self.pictures.append(attributes["src"])

    def handle_endtag(self, tag):
        self.skip -= tag in ("math", "pre", "figcaption", "script", "style", "noscript")

    def handle_data(self, data):
        if not self.skip:
            self.words += re.findall(r"\w+", data)


def words_of(markdown):
    """The words of README.md, without code, formulas, comments and addresses."""
    text = re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S)
    text = re.sub(r"^(    .*\n)+", "", text, flags=re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"(\[[^\]]*\])\([^)]*\)", r"\1", text)
    text = re.sub(r"^\d+\. ", "", text, flags=re.M)
    return re.findall(r"\w+", text)


def test_every_word_of_the_text_is_there(_browser, folder):
    for chapter in CHAPTERS:
        page = pathlib.Path(page_of(folder, chapter)).read_text()
        parser = Words()
        parser.feed(page[page.index("<div id=\"text\">"):page.index("<script type=\"application/json\"")])
        wanted = words_of((chapter / "README.md").read_text())
        at = next((i for i, (a, b) in enumerate(zip(parser.words, wanted)) if a != b), None)
        assert at is None, (chapter.name, parser.words[at - 8:at + 3], wanted[at - 8:at + 3])
        assert len(parser.words) == len(wanted) > 1000


def test_links_lead_somewhere_and_pictures_are_inside(browser, folder):
    for chapter in CHAPTERS:
        parser = Words()
        parser.feed(pathlib.Path(page_of(folder, chapter)).read_text())
        for link in parser.links:
            path, _, anchor = link.partition("#")
            if "://" in link:
                continue
            assert path or anchor in parser.ids, (chapter.name, link)
            assert not path or (pathlib.Path(folder) / urllib.parse.unquote(path)).exists(), (chapter.name, link)
        names = set(re.findall(r"!\[[^\]]*\]\((pictures/[^)]*)\)", (chapter / "README.md").read_text()))
        assert len(parser.pictures) >= len(names) and all(p.startswith("data:image/png;base64,") for p in parser.pictures)
        browser.open(page_of(folder, chapter))
        sizes = browser.script("return Array.from(document.images, image => image.naturalWidth)")
        assert len(sizes) == len(parser.pictures) and min(sizes) > 100, (chapter.name, sizes)
        browser.check_quiet()


def test_tables_code_and_questions(browser, folder):
    browser.open(page_of(folder, CHAPTERS[3]))
    cells = browser.script("""return Array.from(document.querySelectorAll('table'), table =>
        Array.from(table.querySelectorAll('th'), cell => cell.textContent).join('|'))""")
    assert "layer|multiply-adds|sequential steps" in cells
    code = browser.script("""return Array.from(document.querySelectorAll('figure.code'), figure =>
        [figure.querySelector('figcaption')?.textContent, figure.querySelector('code').textContent])""")
    assert ["retrieval.c look_up"] == [caption for caption, text in code if "static Tensor *look_up(" in text]
    assert browser.script("return document.querySelector('blockquote strong').textContent") == "Predict."
    assert browser.script("return document.querySelector('#text p code').textContent") == "tape_input"


def test_keys_and_sections(browser, folder):
    top = "return document.querySelectorAll('#text h2')[arguments[0]].getBoundingClientRect().top"
    browser.open(page_of(folder, CHAPTERS[3]))
    browser.keys("n", "n")
    assert abs(browser.script(top, 1)) < 20
    browser.keys("p")
    assert abs(browser.script(top, 0)) < 20
    links = browser.script("return Array.from(document.querySelectorAll('#contents a'), link => link.textContent)")
    assert len(links) == 17 and links[3] == "21 Why sqrt(d)"
    browser.click("#contents li:nth-child(4) a")
    assert abs(browser.script(top, 3)) < 20
    browser.media("light", "print")
    assert browser.script("return getComputedStyle(document.querySelector('#contents')).display") == "none"
    browser.media("light")
    browser.check_quiet()


# ---- live figures ---------------------------------------------------------------------------------------------

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
    if sys.argv[1] == "--write-formulas":
        sys.exit(write_formulas())
    with tempfile.TemporaryDirectory() as pages:
        subprocess.run([sys.argv[1], "lecture", "--html", "--out", pages], check=True, stdout=subprocess.DEVNULL)
        sys.exit(run_tests(globals(), pages))
