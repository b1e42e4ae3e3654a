"""Pages by the keyboard alone:  python3 keyboard.py BUILD EXAMPLE_ATTENTION MODEL EXAMPLE_GPT EXAMPLE_PRETRAINED LECTURES

On a page of each kind, Tab reaches every control that is seen, the focus is visible there, and the control's own keys act on it and
on nothing else: what is typed is text, Space and Enter press a button once, and no key of the page (its help lists them) acts too."""
import importlib.util
import os
import pathlib

from browser import main, make_module, run_or_skip
from computed import example

# Counts the page's keys that act. A click is counted and goes no further, so that a page stays as it is.
SPY = """window.acted = [];
window.clicks = 0;
for (const entry of Frame.keys)
    entry.act = () => acted.push(entry.key);
addEventListener('click', event => {
    if (['BUTTON', 'A', 'SUMMARY'].includes(event.target.tagName)) {
        window.clicks++;
        event.preventDefault();
        event.stopImmediatePropagation();
    }
}, true);
window.reached = new Set();
window.outlineOf = node => [node, ...node.querySelectorAll('rect, path, circle')].map(part => {
    const {outlineStyle, outlineWidth, stroke, strokeWidth, strokeDasharray} = getComputedStyle(part);
    return [outlineStyle, outlineWidth, stroke, strokeWidth, strokeDasharray].join();
}).join(';');
// Elements that the keyboard must reach, and how each of them looks without the focus.
document.activeElement.blur();
const wanted = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter(node => node.checkVisibility({visibilityProperty: true}) && !node.disabled && !node.closest('dialog') && node.tabIndex >= 0);
window.looks = new Map(wanted.map(node => [node, outlineOf(node)]));"""

# The element with the focus: what it is, whether it is new here, and whether it looks other than without the focus.
FOCUSED = """const node = document.activeElement, first = !reached.has(node);
reached.add(node);
return {tag: node.tagName, type: node.type ?? '', first, name: (node.id || node.textContent || '').slice(0, 40),
    seen: !looks.has(node) || looks.get(node) !== outlineOf(node)}"""

VALUE = "const {type, checked, value} = document.activeElement; return type === 'checkbox' ? checked : value"
MISSED = "return [...looks.keys()].filter(node => node.isConnected && !reached.has(node)).map(node => node.outerHTML.slice(0, 100))"


def value_after(browser, *keys):
    before = browser.script(VALUE)
    browser.keys(*keys)
    return before, browser.script(VALUE)


def use(browser, focused):
    """Presses the keys of the control that has the focus."""
    name, kind = focused["name"], (focused["tag"], focused["type"])
    if focused["tag"] in ("BUTTON", "SUMMARY"):
        browser.script("window.clicks = 0")
        browser.keys("Space", "Enter")
        assert browser.script("return clicks") == 2, f"{name}: Space and Enter are not one click each"
    elif focused["tag"] == "A":
        browser.script("window.clicks = 0")
        browser.keys("Enter")
        assert browser.script("return clicks") == 1, f"{name}: Enter does not follow the link"
    elif focused["tag"] == "TEXTAREA" or kind in (("INPUT", "text"), ("INPUT", "search")):
        before, after = value_after(browser, "End", "t", "d", "b", "Space", "?")
        assert len(after) == len(before) + 5, f"{name}: {before} became {after} by typing 'tdb ?'"
    elif kind == ("INPUT", "checkbox"):
        before, after = value_after(browser, "Space")
        assert before != after, f"{name}: Space does not tick it"
    elif kind == ("INPUT", "range"):
        assert len({*value_after(browser, "Home"), *value_after(browser, "End")}) > 1, f"{name}: Home and End do not move it"
    elif focused["tag"] == "SELECT" and browser.script("return document.activeElement.length > 1"):
        found = {*value_after(browser, "Home"), *value_after(browser, "End")}
        assert len(found) > 1, f"{name}: Home and End choose nothing"


def axe():
    """The script of axe-core, of the file GRADUS_AXE or PyPI's package axe-core-python; None where neither is there."""
    found = importlib.util.find_spec("axe_core_python")
    given = os.environ.get("GRADUS_AXE") or (found and pathlib.Path(found.origin).with_name("axe.min.js"))
    return pathlib.Path(given).read_text("utf-8") if given else None


AXE = axe()


def look_for_barriers(browser):
    if AXE:
        browser.script(AXE)
        found = browser.script("return axe.run().then(({violations}) => violations.map(({id, nodes}) => `${id}: ${nodes[0].html}`))")
        assert found == [], found


def look_alone(browser):
    """The drawing alone fits into the window, and Escape returns."""
    browser.script("document.activeElement.blur()")
    size = browser.script("return Frame.fontSize")
    browser.keys("f")
    assert browser.script("return Present.on && !document.querySelector('header button').checkVisibility() && !Frame.controls.checkVisibility()")
    shown = browser.script("return [Frame.fontSize, document.documentElement.scrollHeight, innerHeight, typeof DATA.chapter]")
    assert shown[3] != "undefined" or shown[0] == 14 or shown[1] <= 1.02 * shown[2], shown
    look_for_barriers(browser)
    browser.keys("PageDown", "Escape")
    assert browser.script("return [Present.on, Frame.fontSize]") == [False, size]


def walk(browser, page, ready="true"):
    browser.open(page)
    browser.wait(ready)
    look_for_barriers(browser)
    look_alone(browser)
    browser.script(SPY)
    count = browser.script("return looks.size")
    assert count >= 3, count
    for _ in range(2 * count + 20):
        browser.keys("Tab")
        focused = browser.script(FOCUSED)
        if focused["tag"] == "BODY" or not focused["first"]:
            if not browser.script(MISSED):
                break
            continue
        assert focused["seen"], f"{focused}: the focus is not visible"
        use(browser, focused)
        assert browser.script("return acted") == [], f"{focused}: the page's keys act, too"
    missed = browser.script(MISSED)
    assert missed == [], f"Tab does not reach {missed}"


LIVE = "document.documentElement.dataset.live === 'ready'"


def test_attention(browser, folder):
    walk(browser, folder / "attention/attention.html", LIVE)


def test_generation(browser, folder):
    walk(browser, folder / "gpt/generation.html", LIVE)


def test_tape(browser, folder):
    walk(browser, folder / "attention/tape.html", "document.querySelector('#graph .item')")


def test_train(browser, folder):
    walk(browser, folder / "attention/train.html", LIVE)


def test_model(browser, folder):
    walk(browser, folder / "model/model.html", LIVE)


def test_a_chapter(browser, folder):
    walk(browser, folder / "chapter/06-language.html", "document.querySelector('.live')")


def make(folder, build, attention, model, gpt, pretrained, lectures):
    make_module(build)
    example(attention, "--channels", "32", "--load", model, "--live", "--out", f"{folder}/attention")
    example(gpt, "--steps", "1", "--live", "--out", f"{folder}/gpt")
    example(pretrained, "--live", "--out", f"{folder}/model")
    run_or_skip(lectures, "lecture", "6", "--live", "--out", f"{folder}/chapter")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(globals(), make)
