"""Tests the folder that ./gradus book writes:  python3 book.py LECTURES SOURCE

Every link of every page leads to a file of the folder and to an element of that page; the index names all pages and finds
sections by words that this test reads in the texts themselves."""
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

from browser import need_browser, run_tests


class Page(html.parser.HTMLParser):
    """The addresses and ids of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])


def test_every_link_leads_into_the_folder(browser, folder, texts):
    pages = {path.name: Page(path) for path in folder.glob("*.html")}
    assert len(pages) == len(texts) + 1, (len(pages), len(texts))
    wrong = []
    for name, page in pages.items():
        for link in page.links:
            address, _, anchor = urllib.parse.unquote(link).partition("#")
            if "://" in address:
                continue
            if address and not (folder / address).is_file():
                wrong.append(f"{name}: {link}: no file")
            target = pages.get(address or name)
            if target and anchor and anchor not in target.ids:
                wrong.append(f"{name}: {link}: no such id")
    assert not wrong, "\n".join(wrong)


def test_the_index_has_every_page_once(browser, folder, texts):
    links = [link for link in Page(folder / "index.html").links]
    assert sorted(links) == sorted(path.name for path in folder.glob("*.html") if path.name != "index.html")
    headings = sorted(re.search(r"^# +(.*)", text.read_text(encoding="utf-8"), re.M).group(1) for text in texts)
    browser.open(folder / "index.html")
    shown = browser.script("return [...document.querySelectorAll('#text li > a')].map(link => link.textContent)")
    plain = lambda text: re.sub(r"[`*\\\s]", "", text)
    assert sorted(map(plain, shown)) == sorted(map(plain, headings))
    browser.check_quiet()


def test_the_search_finds_sections(browser, folder, texts):
    browser.open(folder / "index.html")
    box = "[id$=-words]"
    found = lambda: browser.script("return [...document.querySelectorAll('[id$=-found] a')].map(link => link.getAttribute('href'))")
    browser.script("const field = document.querySelector(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('input'))",
                   box, "byte PAIRS merge")
    sections = found()
    assert any(link.startswith("02-tokens.html#") for link in sections), sections
    for link in sections:  # each has the three words, in its heading or below
        name, _, anchor = link.partition("#")
        browser_text = (folder / name).read_text(encoding="utf-8").split(f'id="{anchor}"', 1)[1].lower()
        assert all(word in browser_text for word in ("byte", "pairs", "merge")), link
    browser.script("const field = document.querySelector(arguments[0]); field.value = 'xylophone <b>'; field.dispatchEvent(new Event('input'))", box)
    assert found() == [] and browser.text("[id^=live-] .facts") == "0 sections."
    browser.check_quiet()


def test_pages_open_without_a_message(browser, folder, texts):
    for name in ("hw3-attention", "example-gpt", "glossary", "verdicts"):
        browser.open(folder / f"{name}.html")
        assert browser.script("return document.querySelectorAll('#text h2').length") > 0, name
        browser.check_quiet()


def main(lectures, source):
    need_browser()
    root = pathlib.Path(source)
    more = [root / "lectures/glossary.md", root / "lectures/verdicts.md",
            *sorted(root.glob("lectures/homework/*/README.md")), *sorted(root.glob("examples/*/README.md"))]
    texts = [*sorted(root.glob("lectures/0*/README.md")), *more]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([lectures, "book", *map(str, more), "--out", f"{folder}/book"], check=True, stdout=sys.stderr)
        return run_tests(globals(), pathlib.Path(folder) / "book", texts)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main(*sys.argv[1:]))
