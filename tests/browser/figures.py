"""Figures of the chapters that the library computes in the page:  python3 figures.py BUILD LECTURES

BUILD makes the module, live.js, which needs clang for WebAssembly. The program's first answer stands in the page: the module's to the
same settings is compared with it, on kernels of the same width, and the controls are moved."""
import os
import subprocess
import sys
import tempfile

from browser import need_browser, run_tests
from computed import need_wasm

# Chapter, its page, and its figures.
CHAPTERS = {1: ("01-recurrence", "through-time", "gates"), 2: ("02-tokens", "merges", "compare"), 5: ("05-block", "residual", "collapse"),
            7: ("07-vision", "cut", "spectrogram")}
# A gradient passes 60 products of 64 terms, each with a relative error of at most some 64 * 6e-8; powers of ten are rounded alike.
TOLERANCE = 60 * 64 * 6e-8


def open_chapter(browser, folder, page):
    browser.open(f"{folder}/{page}.html")
    browser.wait("document.querySelector('.live')")


def answer(browser, name):
    return browser.script("return document.getElementById(`live-${arguments[0]}`).live.answer", name)


def again(browser, name, act, *arguments):
    """Acts, and waits for another answer."""
    browser.script("window.before = document.getElementById(`live-${arguments[0]}`).live.answer", name)
    act(*arguments)
    browser.wait(f"document.getElementById('live-{name}').live.answer !== window.before")
    return answer(browser, name)


def close(a, b):
    return a == b or a is not None and b is not None and abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1e-30)


def test_the_module_answers_as_the_program_does(browser, folder):
    for page, *names in CHAPTERS.values():
        open_chapter(browser, f"{folder}/live", page)
        for name in names:
            first = answer(browser, name)
            control = f"#{name}-control-0"
            value = browser.script("return document.querySelector(arguments[0]).value", control)
            found = again(browser, name, browser.slide, control, value)
            assert found["tokens"] == first["tokens"] and len(found["lines"]) == len(first["lines"]) and len(found["maps"]) == len(first["maps"])
            assert found["lines"] or found["maps"] or found["tokens"], name
            for a, b in zip(found["lines"], first["lines"]):
                assert a["name"] == b["name"] and a["x"] == b["x"] and all(map(close, a["y"], b["y"])), (name, a, b)
            for a, b in zip(found["maps"], first["maps"]):
                assert all(abs(x - y) <= 1e-4 * max(1, abs(y)) for x, y in zip(a["numbers"], b["numbers"])), (name, a["name"])
        browser.check_quiet()


def test_each_control_moves_its_figure(browser, folder):
    for page, *names in CHAPTERS.values():
        open_chapter(browser, f"{folder}/live", page)
        for name in names:
            count = browser.script("return document.querySelectorAll(`#live-${arguments[0]} input[type=range]`).length", name)
            assert count > 0
            for i in range(count):
                before = answer(browser, name)
                end = browser.script("const {max, min, value} = document.querySelector(arguments[0]); return value === max ? min : max", f"#{name}-control-{i}")
                assert again(browser, name, browser.slide, f"#{name}-control-{i}", end) != before, (name, i)
        browser.check_quiet()


def test_byte_pairs_of_the_readers_text(browser, folder):
    """aaabdaaabac, the example of Gage (1994): aa is merged, then the first of the pairs that stand twice; their tokens are the text."""
    open_chapter(browser, f"{folder}/live", "02-tokens")
    text = "arguments[0].value = 'aaabdaaabac <b>é'; arguments[0].dispatchEvent(new Event('input'))"
    type_text = lambda: browser.script(text.replace("arguments[0]", "document.getElementById('merges-text')"))
    browser.slide("#merges-control-0", 1)
    found = again(browser, "merges", type_text)
    assert found["tokens"][:9] == ["aa", "a", "b", "d", "aa", "a", "b", "a", "c"], found["tokens"]
    assert browser.script("return document.querySelectorAll('#merges-pieces b').length") == 0
    assert browser.script("return document.querySelectorAll('#merges-pieces code').length") == len(found["tokens"])
    found = again(browser, "merges", browser.slide, "#merges-control-0", 0)
    assert len(found["tokens"]) == len("aaabdaaabac <b>é".encode())
    browser.check_quiet()


def test_without_the_library_the_page_shows_the_programs_answer(browser, folder):
    open_chapter(browser, f"{folder}/plain", "01-recurrence")
    assert len(answer(browser, "through-time")["lines"]) == 2
    assert browser.script("return document.querySelector('#through-time-control-0').disabled")
    assert "--live" in browser.text("#live-through-time .row")
    assert "wasm" not in browser.script("return document.querySelector('meta[http-equiv]').content")
    browser.check_quiet()


def main(build, lectures):
    need_browser()
    if not need_wasm():
        return 0
    subprocess.run(["ninja", "-C", build, "live.js"], check=True, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        write = lambda out, *what: subprocess.run([lectures, "lecture", *what, "--out", f"{folder}/{out}"], check=True, stdout=subprocess.DEVNULL,
                                                  env={**os.environ, "GRADUS_KERNELS": "base"})
        for chapter in CHAPTERS:
            write("live", str(chapter), "--live")
        write("plain", "1", "--html")
        return run_tests(globals(), folder)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
