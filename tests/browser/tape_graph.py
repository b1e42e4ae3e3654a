"""Tests the graph on the page of a tape: boxes, lines, modules that fold, files:  python3 tape_graph.py TAPE_PAGES

tape_pages.c writes the pages; the numbers that they show are tested in tape.py."""
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from browser import need_browser, run_tests
from tape import numbers, step_text, title


def boxes(browser, kind):
    return browser.script("return [...document.querySelectorAll(`.item.${arguments[0]} .line0`)].map(node => node.textContent)",
                          kind)


def test_modules_fold_and_unfold(browser, folder):
    browser.open(f"{folder}/blocks.html")
    total = browser.script("return N")
    browser.click("#unfold-all")
    assert len(boxes(browser, "op")) == total and boxes(browser, "module") == []
    browser.click("#fold-all")
    assert boxes(browser, "module") == ["blocks"], boxes(browser, "module")
    # A folded module is one step, forward and backward.
    while browser.script("return !State.chosen?.module"):
        browser.keys("ArrowRight")
    assert title(browser) == "blocks"
    after = browser.script("return State.step")
    assert browser.script("return OPS[State.step - 1].module.startsWith('blocks') && !OPS[State.step].module.startsWith('blocks')")
    browser.keys("ArrowLeft")
    assert browser.script("return !OPS[State.step - 1].module.startsWith('blocks')")
    browser.keys("ArrowRight", "m")
    assert browser.script("return State.step") == after
    assert boxes(browser, "module") == ["blocks.0", "blocks.1", "blocks.2", "blocks.3"]
    browser.hover(".item.module", click=True)
    assert title(browser) == "blocks.0"
    browser.click("#panel button")  # unfold blocks.0
    assert boxes(browser, "module") == ["blocks.0.attn", "blocks.0.ff", "blocks.1", "blocks.2", "blocks.3"]
    browser.script("document.querySelector('.bracket[aria-label=\"fold module blocks.0\"]').dispatchEvent(new MouseEvent('click'))")
    assert boxes(browser, "module") == ["blocks.0", "blocks.1", "blocks.2", "blocks.3"]
    browser.keys("b")
    turns = 0
    while not step_text(browser).startswith(f"backward {total}"):
        browser.keys("ArrowRight")
        turns += 1
    assert turns == len(boxes(browser, "op")) + 4, (turns, boxes(browser, "op"))
    assert browser.script("return document.querySelectorAll('.item.module.back').length") == 4
    browser.check_quiet()


def test_a_tape_of_6000_ops_begins_folded(browser, folder):
    browser.open(f"{folder}/large.html")
    total = browser.script("return N")
    assert total == 5997 and len(boxes(browser, "op") + boxes(browser, "module")) < 60
    browser.keys("ArrowRight", "ArrowRight", "ArrowRight")
    assert title(browser) == "blocks" and step_text(browser) == f"forward 5994 of {total}"
    assert len(browser.script("return [...document.querySelectorAll('#panel li')].map(item => item.textContent)")) == 100
    assert "5892 ops more" in browser.text("#panel"), browser.text("#panel")[-60:]
    browser.click("#unfold-all")
    assert 400 < len(boxes(browser, "op") + boxes(browser, "module")) <= 1500
    assert "428 modules stay folded" in browser.script("return Frame.live.textContent")
    browser.keys("End")
    assert step_text(browser) == f"backward {total} of {total}"
    browser.check_quiet()


def test_a_result_that_is_read_far_below_is_drawn_again(browser, folder):
    browser.open(f"{folder}/chain.html")
    again = "[...document.querySelectorAll('.item.again')]"
    assert browser.script(f"return {again}.map(node => node.querySelector('.line0').textContent)") == ["#0"]
    browser.script("goTo(24)")  # backward of the product: #0 has one of two contributions
    assert browser.script(f"return {again}[0].querySelector('.badge').textContent") == ""
    browser.keys("ArrowRight")
    assert browser.script(f"return {again}[0].querySelector('.badge').textContent") == "∇ 1/2"
    assert numbers(browser, "adds to dL/d #0") == [6]
    browser.click(".item.again")  # leads to the op's own box
    assert title(browser) == "#0 = scale(input)"
    assert browser.script("return document.querySelector('.item.chosen').classList.contains('op')")
    browser.keys("ArrowDown")
    assert title(browser) == "#1 = scale(#0)"
    browser.keys("End")
    assert numbers(browser, "Gradient that arrives") == [12]
    assert browser.script(f"return {again}[0].querySelector('.badge').textContent") == "∇"


def test_symbols_of_each_lecture(browser, folder):
    browser.open(f"{folder}/blocks.html")
    browser.click("#unfold-all")
    assert browser.script("return document.getElementById('notation').value") == "lecture Z"
    assert "a" in boxes(browser, "op") and "A" not in boxes(browser, "op")
    for number, symbol, shape in ((5, "A", "(B 1, h 2, L 5, L 5)"), (3, "w", "(B 1, h 2, n 5, m 5)"),
                                  (2, "alpha", "(B 1, H 2, T 5, T 5)")):
        browser.choose("#notation", number)
        assert boxes(browser, "op").count(symbol) == 4, (symbol, boxes(browser, "op"))
        assert shape in browser.script("return document.getElementById('graph').textContent")


def overlaps(browser):
    """How many pairs of boxes overlap, and how many edges do not begin and end at their boxes."""
    return browser.script("""
        const pairs = Graph.items.flatMap((a, i) => Graph.items.slice(i + 1).filter(b =>
            Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2));
        const wrong = Graph.edges.filter(edge => {
            const from = Graph.items[edge.from], to = Graph.items[edge.to], length = edge.node.getTotalLength();
            const a = edge.node.getPointAtLength(0), b = edge.node.getPointAtLength(length);
            return Math.abs(a.y - from.y - from.height / 2) > 0.5 || Math.abs(b.y - to.y + to.height / 2) > 0.5 ||
                Math.abs(a.x - from.x) > from.width / 2 || Math.abs(b.x - to.x) > to.width / 2 || a.y >= b.y;
        });
        return [pairs.length, wrong.length];""")


def test_the_graph_is_drawn_without_overlaps(browser, folder):
    for name in ("square", "chain", "net", "hostile", "blocks"):
        browser.open(f"{folder}/{name}.html")
        assert overlaps(browser) == [0, 0], (name, overlaps(browser))
        browser.script("foldAll(true)")
        assert overlaps(browser) == [0, 0], (name, overlaps(browser))
        # each operand that is an op's result has its line
        assert browser.script("""return OPS.every((op, at) => op.operands.every(x => !(x.op >= 0) ||
            Graph.edges.some(edge => edge.to === Graph.ofOp[at].index && (edge.from === Graph.ofOp[x.op].index ||
                Graph.items[edge.from].result === x.op))))""")


def test_the_current_op_is_in_view(browser, folder):
    browser.open(f"{folder}/blocks.html")
    browser.media(motion="no-preference")  # the graph glides
    browser.click("#unfold-all")
    for step in (1, 30, 61, 70, 122):
        browser.script("goTo(arguments[0])", step)
        browser.wait("""(() => { const box = document.querySelector('.item.now').getBoundingClientRect();
            const view = Graph.scroll.getBoundingClientRect();
            return box.top >= view.top && box.bottom <= view.bottom; })()""")


def test_files_of_the_graph(browser, folder):
    browser.open(f"{folder}/net.html")
    browser.script("goTo(6)")
    browser.click("//button[.='SVG']")
    text = browser.downloaded("tape.svg").decode()
    root = xml.etree.ElementTree.fromstring(text)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "#1" in texts and "= tanh(hidden)" in texts and "script" not in text
    browser.click("//button[.='PNG']")
    assert browser.downloaded("tape.png")[:8] == b"\x89PNG\r\n\x1a\n"
    browser.check_quiet()


if __name__ == "__main__":
    need_browser()
    with tempfile.TemporaryDirectory() as pages:
        subprocess.run([sys.argv[1], pages], check=True)
        sys.exit(run_tests(globals(), pages))
