"""Tests the pages of the chapters and the book as files:  python3 pages.py LECTURES SOURCE

What they show in a browser: tests/browser/chapter.py, book.py. Where the environment of lectures/pages cannot be made, all is skipped."""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from tap import run_tests  # noqa: E402

NO_ENVIRONMENT = 77
LECTURES, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
CHAPTERS = sorted(path.parent for path in SOURCE.glob("lectures/0*/README.md"))
SHEETS = [*SOURCE.glob("lectures/homework/*/README.md"), *SOURCE.glob("examples/*/README.md"), *SOURCE.glob("lectures/0*/stepping*.md")]
SKIPPED = ("math", "pre", "figcaption", "script", "style", "noscript")


class Page(html.parser.HTMLParser):
    """A page's words without code, formulas and captions; its headings, addresses, ids, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.words, self.links, self.ids, self.loads, self.headings, self.formulas = [], [], set(), [], [], []
        self.skip, self.heading, self.text = 0, False, pathlib.Path(path).read_text("utf-8")
        self.feed(re.sub(r"<details><summary>Answers</summary>.*?</details>", "", self.text, flags=re.S))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.skip += tag in SKIPPED
        self.ids.add(attributes.get("id"))
        self.links += [attributes["href"]] if tag == "a" and "href" in attributes else []
        self.loads += [attributes[name] for name in ("src", "srcset", "data") if name in attributes]
        self.loads += [attributes["href"]] if tag == "link" and attributes.get("rel") not in ("canonical", "next", "prev") else []
        self.formulas += [attributes["alttext"]] if tag == "math" else []
        if re.fullmatch("h[1-6]", tag) and attributes.get("id"):
            self.heading = True
            self.headings.append("")

    def handle_endtag(self, tag):
        self.skip -= tag in SKIPPED
        self.heading &= not re.fullmatch("h[1-6]", tag)

    def handle_data(self, data):
        if self.heading:
            self.headings[-1] += data
        if not self.skip:
            self.words += re.findall(r"\w+", data)


def source_of(chapter):
    """README.md without fences, which are replaced by their language."""
    return re.sub(r"^```(\w*)\n.*?^```", r"", (chapter / "README.md").read_text("utf-8"), flags=re.M | re.S)


def words_of(markdown):
    """The words of a text, without code blocks, comments, pictures and addresses."""
    text = re.sub(r"^(    .*\n)+", "", markdown, flags=re.M)
    text = re.sub(r"<!--.*?-->|</?details>|</?summary>|\$`.*?`\$", "", text, flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"(\[[^\]]*\])\([^)]*\)", r"\1", text)
    text = re.sub(r"^\d+\. ", "", text, flags=re.M)
    return re.findall(r"\w+", text)


def chapter_pages(folder):
    return ((chapter, Page(folder / "chapters" / f"{chapter.name}.html")) for chapter in CHAPTERS)


def test_every_formula_is_mathml(folder):
    count = 0
    for chapter, page in chapter_pages(folder):
        text = (chapter / "README.md").read_text("utf-8")
        wanted = [found[1] or found[2] for found in re.finditer(r"^```math\n(.*?)^```|\$`(.*?)`\$", text, re.M | re.S)]
        assert page.formulas == [" ".join(formula.split()) for formula in wanted], chapter
        for math in re.findall(r"<math.*?</math>", page.text, re.S):
            shown = re.sub(r"<[^>]*>", "", math)
            assert shown and not re.search(r"[\\&]\w|\$", shown.replace("&lt;", "<").replace("&gt;", ">")), math
        count += len(wanted)
    assert count >= 50, count


def test_formulas_are_spaced(folder):
    """As LaTeX does it: around a function's name, and not between a minus and its number."""
    block, vae = (Page(folder / "chapters" / f"{name}.html").text for name in ("05-block", "08-vae"))
    assert '<mi>Q</mi><mspace width="0.167em" /><mi>log</mi><mspace width="0.167em" />' in vae
    assert '<mo>,</mo><mspace width="0.278em" /><mo form="prefix">' in block


def test_every_heading_and_every_word_is_there(folder):
    plain = lambda text: re.sub(r"[`*\\]|\]\([^)]*\)|\[", "", text).strip()
    for chapter, page in chapter_pages(folder):
        text = source_of(chapter)
        assert page.headings == [plain(line) for line in re.findall(r"^#+ (.*)", text, re.M)], chapter
        wanted = words_of(text)
        body = page.text[page.text.index('<div id="text">'):page.text.index('<script type="application/json"')]
        (folder / "body.html").write_text(body, "utf-8")
        found = Page(folder / "body.html").words
        at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), None)
        assert at is None, (chapter.name, found[at - 8:at + 3], wanted[at - 8:at + 3])
        assert len(found) == len(wanted) > 500, (chapter.name, len(found), len(wanted))


def test_a_page_loads_nothing(folder):
    for chapter, page in chapter_pages(folder):
        assert all(load.startswith("data:") for load in page.loads), (chapter.name, page.loads)
        pictures = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", (chapter / "README.md").read_text("utf-8"))
        assert len([load for load in page.loads if load.startswith("data:image/")]) == len(pictures), chapter.name
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.text)[1]
        assert policy.startswith("default-src 'none';") and "http" not in policy, policy


def test_links_lead_somewhere(folder):
    for chapter, page in chapter_pages(folder):
        for link in page.links:
            path, _, anchor = link.partition("#")
            assert "://" in link or path or anchor in page.ids, (chapter.name, link)
            assert "://" in link or not path or (folder / "chapters" / urllib.parse.unquote(path)).exists(), (chapter.name, link)


def test_questions_have_their_answers_and_code_its_place(folder):
    for chapter, page in chapter_pages(folder):
        text = (chapter / "README.md").read_text("utf-8")
        assert page.text.count("<summary>Answers</summary>") == len(re.findall("^<!-- questions: ", text, re.M)), chapter.name
        for file, name in re.findall(r"^<!-- code: (\S+) (\w+)", text, re.M):
            assert f">{file}</a> {name}</figcaption>" in page.text, (chapter.name, file, name)


def test_links_of_the_book_stay_inside(folder):
    pages = {path.name: Page(path) for path in (folder / "book").glob("*.html") if path.name != "404.html"}
    assert len(pages) > len(CHAPTERS) + len(SHEETS) + 1, len(pages)
    assert {"index.html", "glossary.html", "stepping.html", "hw3-attention.html", "example-gpt.html"} <= set(pages)
    wrong = []
    for name, page in pages.items():
        wrong += [f"{name} loads {load}" for load in page.loads
                  if not load.startswith("data:") and ("//" in load or not (folder / "book" / load.split("?")[0]).is_file())]
        for link in page.links:
            address, _, anchor = urllib.parse.unquote(link).partition("#")
            if "://" in address or address == ".":
                continue
            if address and not (folder / "book" / address).is_file():
                wrong.append(f"{name}: {link}: no file")
            target = pages.get(address or name)
            if target and anchor and anchor not in target.ids | {"__toc", "__drawer"}:
                wrong.append(f"{name}: {link}: no such id")
    assert not wrong, "\n".join(wrong)


def test_the_index_and_the_search_have_every_page(folder):
    names = {path.name for path in (folder / "book").glob("*.html")} - {"index.html", "404.html"}
    listed = re.findall(r'<li><a href="([^"]*)">', (folder / "book/index.html").read_text("utf-8"))
    assert sorted(listed) == sorted(names)
    index = json.loads((folder / "book/search/search_index.json").read_text("utf-8"))["docs"]
    assert names <= {entry["location"].split("#")[0] for entry in index}
    found = [entry["location"] for entry in index if all(word in entry["text"].lower() for word in ("byte", "pair", "merge"))]
    assert any(location.startswith("02-tokens.html#") for location in found), found


def test_a_text_that_is_wrong_is_an_error(folder):
    for text, message in (("# A\n\n```math\n\\unknown x\n```\n", "found \\unknown"), ("# A\n\n![b](missing.png)\n", "missing.png")):
        (folder / "wrong.md").write_text(text, "utf-8")
        run = subprocess.run([sys.executable, str(SOURCE / "lectures/pages/pages.py"), "text", str(folder / "wrong.md")],
                             capture_output=True, text=True, check=False)
        assert run.returncode == 1 and message in run.stderr and not (folder / "wrong.html").exists(), run


def test_without_the_environment_the_line_to_type_is_printed(folder):
    (folder / "right.md").write_text("# A\n", "utf-8")
    run = subprocess.run([sys.executable, str(SOURCE / "lectures/pages/pages.py"), "text", str(folder / "right.md")], capture_output=True,
                         text=True, check=False, env={"GRADUS_BUILD": str(folder / "none"), "GRADUS_INSTALL": "no", "PATH": "/usr/bin:/bin"})
    assert run.returncode == NO_ENVIRONMENT and "-m venv" in run.stderr and "-m pip install" in run.stderr, run


def write_pages(folder):
    """False where the environment cannot be made."""
    for words in (["lecture", "--html", "--out", f"{folder}/chapters"], ["book", "--out", f"{folder}/book"]):
        status = subprocess.run([LECTURES, *words], stdout=sys.stderr, check=False).returncode
        if status:
            return status
    return 0


with tempfile.TemporaryDirectory() as folder:
    status = write_pages(folder)
    if status == NO_ENVIRONMENT:
        print("1..0 # SKIP no pages: the packages that write them cannot be installed; the line above says how")
        sys.exit(0)
    sys.exit(run_tests(globals(), pathlib.Path(folder)) or status)
