"""Figures of the chapters that the library computes in the page:  python3 figures.py BUILD LECTURES LIVE_CALLS

BUILD makes the module, live.js, which needs clang for WebAssembly. The program's first answer stands in the page: the module's to the
same settings is compared with it, on kernels of the same width. Each control is moved to an end, and what the page says then is compared
with what the same C function says in a native program, LIVE_CALLS."""
import json
import os
import subprocess

from browser import main, make_module, run_or_skip

# Chapter, its page, and its figures.
CHAPTERS = {1: ("01-recurrence", "through-time"), 2: ("02-tokens", "merges"), 5: ("05-block", "residual"),
            3: ("03-position", "sinusoids"), 4: ("04-attention", "saturation", "masks", "jobs"), 6: ("06-language", "truncated", "tree"),
            7: ("07-vision", "spectrogram"), 8: ("08-vae", "em", "manifold")}
# These ask for the weights of a trained model, which the page hands to the module.
TRAINED = ("jobs", "manifold")
# A gradient passes 60 products of 64 terms, each with a relative error of at most some 64 * 6e-8; powers of ten are rounded alike.
TOLERANCE = 60 * 64 * 6e-8


def open_chapter(browser, folder, page):
    browser.open(f"{folder}/{page}.html")
    browser.wait("document.querySelector('.live')")
    browser.script("document.querySelectorAll('details').forEach(fold => { fold.open = true; })") # some figures are folded


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


def test_the_module_answers_as_the_program_does(browser, folder, live_calls):
    for page, *names in CHAPTERS.values():
        open_chapter(browser, f"{folder}/live", page)
        for name in names:
            first = answer(browser, name)
            found = again(browser, name, browser.script, """const {type, value, checked} = document.querySelector(arguments[0]);
                document.querySelector(arguments[0]).dispatchEvent(new Event(type === 'range' ? 'input' : 'change'))""", f"#{name}-control-0")
            assert found["tokens"] == first["tokens"] and len(found["maps"]) == len(first["maps"])
            ours, theirs = ([mark for drawing in answer["drawings"] for mark in drawing["marks"]] for answer in (found, first))
            assert len(ours) == len(theirs) and (ours or found["maps"] or found["tokens"]), name
            for a, b in zip(ours, theirs):
                assert all(a[key] == b[key] for key in ("as", "name")) and all(map(close, a["x"] + a["y"], b["x"] + b["y"])), (name, a, b)
            for a, b in zip(found["maps"], first["maps"]):
                assert all(abs(x - y) <= 1e-4 * max(1, abs(y)) for x, y in zip(a["numbers"], b["numbers"])), (name, a["name"])


def native_fact(live_calls, browser, name):
    """What the native program says of a figure with the settings that the page has."""
    inputs, field = browser.script("""const box = document.getElementById(`live-${arguments[0]}`);
        return [Array.from(box.querySelectorAll('input'), ({type, value, checked}) => type === 'checkbox' ? Number(checked) : Number(value)),
            box.querySelector('textarea')?.value ?? '']""", name)
    text = f"{name} {' '.join(map(str, inputs))}\n{field}".replace("\n", "\\n")
    printed = subprocess.run(live_calls, input=f"live_computed\t0\t{text}\n", env={**os.environ, "GRADUS_KERNELS": "base"}, capture_output=True,
                             text=True, check=True).stdout
    return json.loads(printed)["fact"]


def test_each_control_has_the_answer_of_the_native_program(browser, folder, live_calls):
    for page, *names in CHAPTERS.values():
        open_chapter(browser, f"{folder}/live", page)
        for name in names:
            kinds = browser.script("return Array.from(document.querySelectorAll(`#live-${arguments[0]} input`), input => input.type)", name)
            assert kinds
            for i, kind in enumerate(kinds):
                if kind == "checkbox":
                    found = again(browser, name, browser.click, f"#{name}-control-{i}")
                else:
                    end = browser.script("const {max, min, value} = document.querySelector(arguments[0]); return value === max ? min : max", f"#{name}-control-{i}")
                    found = again(browser, name, browser.slide, f"#{name}-control-{i}", end)
                assert not browser.text(f"#live-{name} .facts").startswith("The library:"), (name, i)
                assert name in TRAINED or found["fact"] == native_fact(live_calls, browser, name), (name, i)


def test_byte_pairs_of_the_readers_text(browser, folder, live_calls):
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


def test_a_pointer_moves_the_code(browser, folder, live_calls):
    """Pressed at the middle of the axes' ranges, which the ticks show, the pointer sets both sliders there, up to a step and a pixel."""
    open_chapter(browser, f"{folder}/live", "08-vae")
    wanted = browser.script("""const svg = document.getElementById('manifold-drawing-0'), {x, y} = rangesOf(svg.closest('.live').live.answer.drawings[0]);
        svg.scrollIntoView();
        return [(x.low + x.high) / 2, (y.low + y.high) / 2]""")
    again(browser, "manifold", browser.hover, "#manifold-drawing-0", (70 + 620) / 2 / 640, (30 + 230) / 2 / 310, True)
    found = browser.script("return [0, 1].map(i => document.getElementById(`manifold-control-${i}`).valueAsNumber)")
    assert all(abs(a - b) < 0.1 for a, b in zip(found, wanted)), (found, wanted)


def test_em_plays_to_its_last_step_and_begins_anew(browser, folder, live_calls):
    open_chapter(browser, f"{folder}/live", "08-vae")
    last = browser.script("return Number(document.getElementById('em-control-0').max)")
    browser.slide("#em-control-0", last - 2)
    browser.click("#em-play")
    browser.wait(f"document.getElementById('live-em').live.answer.fact.startsWith('Step {last} of EM')")
    browser.wait("document.getElementById('em-play').textContent === 'Play'")
    found = browser.script("""const button = document.getElementById('em-play'), slider = document.getElementById('em-control-0');
        return ['click', 'click'].map(act => { button[act](); return [button.textContent, slider.value]; });""")
    assert found == [["Pause", "0"], ["Play", "0"]], found  # from the beginning; then it waits


def test_a_pointer_chooses_a_query_of_the_masks(browser, folder, live_calls):
    """Of n = 16 queries with a causal mask, query i sees i keys."""
    open_chapter(browser, f"{folder}/live", "04-attention")
    for query in (3, 16):
        found = again(browser, "masks", browser.hover, "#live-masks canvas", 0.5, (query - 0.5) / 16)
        assert f"Query {query} sees {query} keys" in found["fact"], found["fact"]
        assert browser.script("return document.getElementById('masks-control-6').valueAsNumber") == query


def test_figures_have_names_and_are_seen_in_both_themes(browser, folder, live_calls):
    for page, *names in CHAPTERS.values():
        for theme in ("light", "dark"):
            browser.open(f"{folder}/live/{page}.html", theme=theme)
            browser.wait("document.querySelector('.live')")
            assert browser.script("""return Array.from(document.querySelectorAll('.live svg, .live canvas, .live input, .live textarea'))
                .filter(node => !(node.getAttribute('aria-label') || node.labels?.[0]?.textContent.trim())).map(node => node.outerHTML.slice(0, 80))""") == []
            shown = browser.script("return Array.from(document.querySelectorAll('.live'), box => box.id)")
            assert set(shown) == {f"live-{name}" for name in names}, shown


def test_without_the_library_the_page_says_how_to_get_it(browser, folder, live_calls):
    open_plain = f"{folder}/plain/04-attention.html"
    browser.open(open_plain)
    captions = browser.script("return Array.from(document.querySelectorAll('figcaption'), node => node.textContent).filter(text => text.includes('--live'))")
    assert len(captions) == 3 and all("./gradus lecture 4 --live (needs clang, lld and wasi-libc)" in text for text in captions), captions
    assert browser.script("return document.querySelectorAll('.live, canvas, input').length") == 0
    assert "wasm" not in browser.script("return document.querySelector('meta[http-equiv]').content")


def make(folder, build, lectures, live_calls):
    make_module(build)
    write = lambda out, *what: run_or_skip(lectures, "lecture", *what, "--out", f"{folder}/{out}", env={**os.environ, "GRADUS_KERNELS": "base"})
    for chapter in CHAPTERS:
        write("live", str(chapter), "--live")
    write("plain", "4", "--html")
    return [live_calls]


if __name__ == "__main__":
    main(globals(), make)
