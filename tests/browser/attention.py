"""Tests pages on attention as a person uses them:  python3 attention.py ATTENTION_PAGES

The program writes pages and, beside them, their numbers as .npy."""
import subprocess
import sys
import tempfile

from browser import read_npy, run_tests


def test_hostile_tokens_stay_text(browser, folder):
    browser.open(f"{folder}/small.html")
    browser.wait("document.querySelector('#heatmap')")
    assert browser.text("h1") == "<i>Attention</i> & more"
    browser.hover("#heatmap", 0.5 / 8, 0.5 / 8)
    assert "</script><script>window.attacked = 1</script>" in browser.text("#tip")
    assert browser.script("return window.attacked") is None
    assert browser.script("return document.scripts.length") == 2
    browser.check_quiet()


def test_the_number_under_the_pointer_is_that_of_the_file(browser, folder):
    _, numbers = read_npy(f"{folder}/small-2.npy")
    browser.open(f"{folder}/small.html")
    browser.choose("#layer", 1)
    browser.choose("#head", 1)
    for i, j in ((0, 0), (3, 5), (7, 2)):
        browser.hover("#heatmap", (j + 0.5) / 8, (i + 0.5) / 8)
        shown = float(browser.text("#tip").split("A = ")[1])
        # three or four decimals are shown, of numbers in 16 bits
        assert abs(shown - numbers[(8 + i) * 8 + j]) < 6e-4, (i, j, shown)


def test_themes_sizes_and_help_by_keys(browser, folder):
    browser.open(f"{folder}/small.html", theme="dark")
    paper = "return getComputedStyle(document.body).backgroundColor"
    assert browser.script(paper) == "rgb(22, 23, 27)"
    browser.keys("t")
    assert browser.script(paper) == "rgb(255, 255, 255)" and browser.text("#theme") == "Theme: light"
    before = browser.script("return document.querySelector('h1').getBoundingClientRect().height")
    browser.keys("+", "+")
    assert browser.script("return document.querySelector('h1').getBoundingClientRect().height") > before
    browser.keys("?")
    assert browser.script("return document.querySelector('#help').open")
    assert "larger text" in browser.text("#help")
    browser.keys("Escape")
    assert not browser.script("return document.querySelector('#help').open")
    browser.check_quiet()


def test_the_policy_refuses_other_scripts_and_requests(browser, folder):
    browser.open(f"{folder}/small.html")
    browser.script("""const script = document.createElement('script');
        script.textContent = 'window.attacked = 1';
        document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<img src=https://example.org/x.png onerror="window.attacked=1">');
        fetch('https://example.org/').catch(() => { window.refused = true; });""")
    browser.wait("window.refused")
    assert browser.script("return window.attacked") is None
    assert any("Content Security Policy" in message for message in browser.console())
    assert "https://example.org/x.png" in browser.requests()  # an attempt is noticed, though it is refused


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as pages:
        subprocess.run([sys.argv[1], pages], check=True)
        sys.exit(run_tests(globals(), pages))
