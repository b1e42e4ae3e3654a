"""Tests the site that ./gradus book writes, opened from the disk:  python3 book.py LECTURES

Links and what is searched: tests/lectures/pages.py."""
import os

from browser import main, run_or_skip

FOUND = "return [...document.querySelectorAll('.md-search-result__link')].map(link => link.href)"


def search(browser, words):
    browser.script("""const field = document.querySelector('.md-search__input');
        field.focus();
        field.value = arguments[0];
        field.dispatchEvent(new Event('keyup', {bubbles: true}))""", words)


def test_the_search_finds_sections(browser, folder):
    browser.open(folder / "index.html")
    search(browser, "byte pairs merge")
    browser.wait("document.querySelector('.md-search-result__link')")
    assert any("/02-tokens.html" in link for link in browser.script(FOUND)), browser.script(FOUND)
    search(browser, "xylophone")
    browser.wait("!document.querySelector('.md-search-result__link')")


def test_pages_follow_one_another(browser, folder):
    browser.open(folder / "04-attention.html")
    assert browser.script("return document.querySelector('.md-footer__link--prev').getAttribute('href')") == "03-position.html"
    assert browser.script("return document.querySelector('.md-footer__link--next').getAttribute('href')") == "05-block.html"
    sections = browser.script("return [...document.querySelectorAll('.md-sidebar--secondary .md-nav__link')].map(a => a.hash.slice(1))")
    ids = browser.script("return [...document.querySelectorAll('.text h2')].map(h => h.id)")
    assert [name for name in sections if name in ids] == ids and len(ids) > 10, (sections, ids)
    assert browser.script("return [...document.querySelectorAll('.md-nav__link--active')].some(a => a.textContent.includes('4 Attention'))")


def test_both_themes(browser, folder):
    for theme, scheme in (("light", "default"), ("dark", "slate"), ("light", "default")):
        browser.open(folder / "01-recurrence.html", theme=theme)
        browser.wait(f"document.body.dataset.mdColorScheme === '{scheme}'")


def test_pages_are_shown_whole(browser, folder):
    for name in ("04-attention", "hw3-attention", "example-gpt", "glossary", "verdicts"):
        browser.open(folder / f"{name}.html", size=(390, 800))
        assert browser.script("return document.querySelectorAll('.text h2').length") > 0, name
        assert browser.script("return Math.min(1, ...Array.from(document.images, image => image.naturalWidth))") > 0, name
        assert browser.script("return document.documentElement.scrollWidth - innerWidth") <= 0, name


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(globals(), lambda folder, lectures: run_or_skip(lectures, "book", "--out", folder), site=True)
