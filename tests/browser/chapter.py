"""Tests the pages of the chapters:  python3 chapter.py LECTURES

The program writes the page of each chapter. Its text is compared with README.md, its formulas with what pandoc makes of
them (formulas.tsv). The live figures: live.py.

    python3 chapter.py --write-formulas      writes formulas.tsv; needs pandoc
"""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

from browser import need_browser, run_tests

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
    browser.open(page_of(folder, CHAPTERS[4]))
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
    text = re.sub(r"<!--.*?-->|</?details>|</?summary>", "", text, flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"(\[[^\]]*\])\([^)]*\)", r"\1", text)
    text = re.sub(r"^\d+\. ", "", text, flags=re.M)
    return re.findall(r"\w+", text)


def test_every_word_of_the_text_is_there(_browser, folder):
    for chapter in CHAPTERS:
        page = pathlib.Path(page_of(folder, chapter)).read_text()
        parser = Words()
        text = page[page.index("<div id=\"text\">"):page.index("<script type=\"application/json\"")]
        parser.feed(re.sub("<details><summary>Answers</summary>.*?</details>", "", text, flags=re.S))
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
        assert len(parser.pictures) >= len(names) and all(re.match("data:image/(png|svg.xml);base64,", p) for p in parser.pictures)
        browser.open(page_of(folder, chapter))
        sizes = browser.script("return Array.from(document.images, image => image.naturalWidth)")
        assert len(sizes) == len(parser.pictures) and min(sizes) > 100, (chapter.name, sizes)
        browser.check_quiet()


def test_tables_code_and_questions(browser, folder):
    browser.open(page_of(folder, CHAPTERS[4]))
    cells = browser.script("""return Array.from(document.querySelectorAll('table'), table =>
        Array.from(table.querySelectorAll('th'), cell => cell.textContent).join('|'))""")
    assert "layer|multiply-adds|sequential steps" in cells
    code = browser.script("""return Array.from(document.querySelectorAll('figure.code'), figure =>
        [figure.querySelector('figcaption')?.textContent, figure.querySelector('code').textContent])""")
    assert ["retrieval.c look_up"] == [caption for caption, text in code if "static Tensor *look_up(" in text]
    assert browser.script("return document.querySelector('blockquote strong').textContent") == "Predict."
    words = browser.script("return Array.from(document.querySelectorAll('#text p code'), code => code.textContent)")
    assert "tape_input" in words


def test_keys_and_sections(browser, folder):
    at_top = lambda i: browser.wait(f"Math.abs(document.querySelectorAll('#text h2')[{i}].getBoundingClientRect().top) < 20")
    browser.open(page_of(folder, CHAPTERS[4]))
    browser.keys("n", "n")
    at_top(1)
    browser.keys("p")
    at_top(0)
    links = browser.script("return Array.from(document.querySelectorAll('#contents a'), link => link.textContent)")
    assert len(links) == 17 and links[3] == "21 Why sqrt(d)"
    browser.click("#contents li:nth-child(4) a")
    at_top(3)
    browser.media("light", "print")
    assert browser.script("return getComputedStyle(document.querySelector('#contents')).display") == "none"
    browser.media("light")
    browser.check_quiet()


def write_pages_and_run(tests):
    need_browser()
    with tempfile.TemporaryDirectory() as pages:
        subprocess.run([sys.argv[1], "lecture", "--html", "--out", pages], check=True, stdout=subprocess.DEVNULL)
        sys.exit(run_tests(tests, pages))


if __name__ == "__main__":
    if sys.argv[1] == "--write-formulas":
        sys.exit(write_formulas())
    write_pages_and_run(globals())
