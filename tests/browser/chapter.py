"""Tests the pages of the chapters in a browser:  python3 chapter.py LECTURES

The files themselves: tests/lectures/pages.py. The live figures: figures.py."""
from browser import main, run_or_skip

ATTENTION = "04-attention.html"


def test_formulas_are_drawn(browser, folder):
    """A formula is wider than a letter, nothing is empty, and a sum's limits do not stand on the sum."""
    browser.open(folder / ATTENTION)
    boxes = browser.script("""return Array.from(document.querySelectorAll('.formula math'), math => {
        const box = math.getBoundingClientRect();
        return [box.width, box.height];
    })""")
    assert len(boxes) > 10 and all(width > 60 and height > 14 for width, height in boxes), boxes
    gap = browser.script("""const under = document.querySelector('munder > mo').parentElement;
        const [sign, limit] = Array.from(under.children, child => child.getBoundingClientRect());
        return limit.top - sign.top""")
    assert gap > 8


def test_pictures_are_shown_and_nothing_is_wider_than_a_phone(browser, folder):
    for page in sorted(folder.glob("*.html")):
        browser.open(page, size=(390, 800))
        sizes = browser.script("return Array.from(document.images, image => image.naturalWidth)")
        assert not sizes or min(sizes) > 100, (page, sizes)
        wide = browser.script("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (page, wide)


def test_letters_of_pictures_can_be_read(browser, folder):
    """A letter has at least 14 of a picture's 1280 x 720 points: 9 pixels, where the picture is as wide as the text."""
    for page in sorted(folder.glob("*.html")):
        browser.open(page)
        shares = browser.script("""return Array.from(document.querySelectorAll('#text figure img'), image =>
            [image.getBoundingClientRect().width * 14 / 1280, image.closest('figure').id]).filter(([, shown]) => shown)""")
        small = [share for share in shares if 0 < share[0] < 9]
        assert not small, (page, small)


def test_drawings_are_dark_in_the_dark_theme(browser, folder):
    filters = lambda: browser.script("return Object.fromEntries([...document.querySelectorAll('figure:has(img)')].map("
                                     "figure => [figure.id, getComputedStyle(figure.querySelector('img')).filter]))")
    browser.open(folder / "08-vae.html", theme="dark")
    dark = filters()
    assert dark.pop("figure-codes") == dark.pop("figure-manifold") == dark.pop("figure-reconstructions") == "none"  # of digits
    assert len(dark) > 4 and all("invert" in value for value in dark.values()), dark
    browser.click("#theme"), browser.click("#theme") # dark of the system, light, dark
    assert "invert" in filters()["figure-elbo"]
    browser.media("dark", "print")
    assert set(filters().values()) == {"none"}
    browser.open(folder / "08-vae.html")
    assert set(filters().values()) == {"none"}


def test_tables_code_and_questions(browser, folder):
    browser.open(folder / ATTENTION)
    cells = browser.script("""return Array.from(document.querySelectorAll('table'), table =>
        Array.from(table.querySelectorAll('th'), cell => cell.textContent).join('|'))""")
    assert "layer|multiply-adds|sequential steps" in cells
    code = browser.script("""return Array.from(document.querySelectorAll('figure.code'), figure =>
        [figure.querySelector('figcaption')?.textContent, figure.querySelector('code').textContent])""")
    assert ["retrieval.c look_up"] == [caption for caption, text in code if "static Tensor *look_up(" in text]
    assert browser.script("return document.querySelector('blockquote strong').textContent") == "Predict."
    closed = browser.script("return document.querySelector('blockquote + details').open")
    assert closed is False


def test_keys_and_sections(browser, folder):
    at_top = lambda i: browser.wait(f"Math.abs(document.querySelectorAll('#text h2')[{i}].getBoundingClientRect().top) < 20")
    browser.open(folder / ATTENTION)
    browser.keys("n", "n")
    at_top(1)
    browser.keys("p")
    at_top(0)
    links = browser.script("return Array.from(document.querySelectorAll('#contents a'), link => link.textContent)")
    assert links == browser.script("return Array.from(document.querySelectorAll('#text h2'), h => h.textContent)") and len(links) > 10
    browser.click("#contents li:nth-child(4) a")
    at_top(3)
    browser.media("light", "print")
    assert browser.script("return getComputedStyle(document.querySelector('#contents')).display") == "none"
    browser.media("light")


if __name__ == "__main__":
    main(globals(), lambda folder, lectures: run_or_skip(lectures, "lecture", "--html", "--out", folder))
