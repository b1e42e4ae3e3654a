"""Tests the page of a tape as a person uses it:  python3 tape.py TAPE_PAGES [STEPPING]

tape_pages.c writes the pages. What they show is compared with derivatives by hand."""
import math
import subprocess
import sys
import xml.etree.ElementTree

from browser import main, written_by
from tap import Skip

# float has 24 bits: the sums of at most 4 products and the few functions below are right to some 20 roundings of
# numbers below 2.
TOLERANCE = 40 * 2.0 ** -24


def numbers(browser, heading):
    """The numbers of the panel's table below the heading that begins so; None where there is no such heading."""
    found = browser.script("""
        const heading = [...document.querySelectorAll('#panel h3, #panel h4')].find(h => h.textContent.startsWith(arguments[0]));
        const table = heading && heading.parentNode.querySelector(`${heading.tagName} ~ .numbers`) &&
            [...heading.parentNode.children].slice([...heading.parentNode.children].indexOf(heading)).find(n => n.matches('.numbers'));
        return table ? [...table.querySelectorAll('td')].map(cell => cell.title) : null;""", heading)
    return found and [float(text.replace("\u2212", "-").replace("not a number", "nan")) for text in found]


def close(found, expected):
    return found is not None and len(found) == len(expected) and \
        all(abs(a - b) <= TOLERANCE for a, b in zip(found, expected))


def title(browser):
    return browser.text("#panel h2")


def step_text(browser):
    return browser.text("#slider + output")


def test_contributions_add_up(browser, folder):
    """y = x (x + 3 x) at x = 2: dL/dx is 8 by the product, 2 more by the sum, 6 more by the scale."""
    browser.open(f"{folder}/square.html")
    browser.script("goTo(4)")
    assert numbers(browser, "Gradient that arrives") is None, "a gradient before backward"
    for heading, added, now, badge in (("#3", None, None, ""), ("#2", 8, None, "∇ 1/3"), ("#1", 2, 10, "∇ 2/3"),
                                       ("#0", 6, 16, "∇")):
        browser.script("goTo(arguments[0])", {"#3": 5, "#2": 6, "#1": 7, "#0": 8}[heading])
        assert title(browser).startswith(heading), title(browser)
        assert numbers(browser, "adds to dL/d input") == (added and [added])
        assert numbers(browser, "dL/d input is now") == (now and [now])
        assert browser.script("return document.querySelector('.leaf .badge').textContent") == badge
    browser.click(".item.leaf")
    assert title(browser) == "input" and numbers(browser, "Gradient") == [16]
    browser.keys("ArrowLeft")
    browser.click(".item.leaf")
    assert numbers(browser, "Gradient") == [10] and "2 of 3 contributions" in browser.text("#panel")


def picture(browser):
    """All that depends on the step."""
    return browser.script("""return [document.getElementById('graph').outerHTML, document.getElementById('panel').innerHTML,
        document.getElementById('slider').value, document.querySelector('#slider + output').textContent];""")


def test_a_step_back_restores_what_was_shown(browser, folder):
    browser.open(f"{folder}/square.html")
    seen = [picture(browser)]
    for _ in range(8):
        browser.click("#step")
        seen.append(picture(browser))
    assert len({str(page) for page in seen}) == 9, "two steps look the same"
    for expected in reversed(seen[:-1]):
        browser.click("#step-back")
        assert picture(browser) == expected, f"step {expected[2]} looks otherwise after a step back"
    browser.keys("ArrowLeft")  # before the first there is none
    assert picture(browser) == seen[0]


def test_play_and_pause(browser, folder):
    browser.open(f"{folder}/square.html")
    browser.choose("#speed", 4)
    browser.script("""const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'p', bubbles: true}));
        const play = document.querySelector('#play'), go = goTo;
        goTo = step => {
            go(step);
            if (step === 2) // the player's own timer is set after this
                setTimeout(() => { window.paused = [play.textContent, press(), play.textContent, State.step]; });
        }""")
    browser.click("#play")
    browser.wait("window.paused")
    browser.script("return new Promise(done => setTimeout(done, 200))")
    assert browser.script("return [...paused, State.step]") == ["Pause", True, "Play", 2, 2]
    browser.keys("p")
    browser.wait("State.step === 8 && document.querySelector('#play').textContent === 'Play'")  # it stops at the end
    assert browser.text("#play") == "Play"


def test_keys_of_a_debugger(browser, folder):
    browser.open(f"{folder}/net.html")
    browser.keys("End")
    assert step_text(browser) == "backward 4 of 4"
    browser.keys("b")
    assert step_text(browser) == "forward 4 of 4"
    browser.keys("Home")
    assert title(browser) == "Before the step"
    browser.keys("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown")  # three leaves and the linear layer come before
    assert title(browser) == "#1 = tanh(hidden)" and "Not computed yet" in browser.text("#panel")
    assert browser.script("return document.activeElement.querySelector('text').textContent") == "#1"
    browser.keys("Enter")  # runs to it
    assert step_text(browser) == "forward 2 of 4"
    browser.keys("Enter")  # and in backward
    assert step_text(browser) == "backward 3 of 4"
    browser.keys("ArrowUp")
    assert title(browser).startswith("hidden = input hidden.weight")
    browser.slide("#slider", 1)
    assert title(browser).startswith("hidden = input hidden.weight")
    for button, step in (("End", "backward 4 of 4"), ("To backward", "forward 4 of 4"), ("Start", "forward 0 of 4")):
        browser.click(f"//button[.='{button}']")
        assert step_text(browser) == step
    browser.script("document.querySelectorAll('.item.op')[1].dispatchEvent(new MouseEvent('dblclick'))")  # runs to it, as Enter
    assert step_text(browser) == "forward 2 of 4"


def test_what_a_screen_reader_is_told(browser, folder):
    browser.open(f"{folder}/net.html")
    browser.keys("ArrowRight", "ArrowRight")
    assert browser.script("return Frame.live.textContent") == "Forward, op 1: #1 = tanh(hidden)"
    name, role = browser.accessible(".item.now")
    assert role == "button" and name == "op 1: #1 = tanh(hidden), (2, 4), the current op", name
    assert browser.accessible("#graph")[0] == "The tape as a graph of 4 ops"
    nameless = browser.script("""return [...document.querySelectorAll('button, select, input, [role=button]')]
        .filter(node => !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length)).length""")
    assert nameless == 0, nameless


def test_the_lines_of_c(browser, folder):
    browser.open(f"{folder}/net.html")
    browser.keys("ArrowRight", "ArrowRight")
    called = browser.text(".source .called")
    assert "Tensor *h = ag_tanh(nn_linear(&net.hidden, x));" in called, called
    lines = browser.script("return [...document.querySelectorAll('.source span')].map(line => Number.parseInt(line.textContent))")
    assert lines == list(range(lines[0], lines[0] + 15)), lines
    assert "tests/browser/tape_pages.c:" in browser.text("#panel")
    assert "dL/dx" in browser.text(".rule") and "tanh" in browser.text(".rule")
    browser.open(f"{folder}/hostile.html")
    browser.script("goTo(4)")
    assert "gone/<i>model.c was not found when this page was written" in browser.text("#panel")


def test_hostile_names_stay_text(browser, folder):
    browser.open(f"{folder}/hostile.html")
    assert browser.text("h1") == "</script><img src=x onerror=\"window.hostile=1\">"
    for step in range(8):
        browser.script("goTo(arguments[0])", step)
    browser.script("goTo(1)")
    assert title(browser) == "<script>hostile=1</script> = scale(<b>&amp;\"')"
    assert math.isnan(numbers(browser, "Result")[1]) and numbers(browser, "Result")[2] == math.inf
    assert browser.script("return typeof hostile") == "undefined"
    assert browser.script("return document.querySelectorAll('#main b, #main i, img').length") == 0
    assert browser.script("return document.scripts.length") == 2
    # U+202E would reverse the text after it
    assert "\u202e" not in browser.script("return document.getElementById('graph').textContent")
    assert "שלום" in browser.text("#graph") and "中文" in browser.text("#graph")


def test_an_address_names_a_step(browser, folder):
    browser.open(f"{folder}/net.html")
    browser.script("location.hash = '#6'")
    browser.wait("State.step === 6")
    assert step_text(browser) == "backward 2 of 4"
    browser.script("location.hash = '#<b>'")
    browser.wait("State.step === 0")


# ---- the graph: boxes, lines, modules that fold, files ---------------------------------------------------------


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


def test_attention_on_three_tokens_by_hand(browser, folder):
    """lectures/04-attention/stepping.c: A has rows 2 : 1 : 2, 1 : 2 : 2 and 1 : 1 : 2, V = 10 X. For dL/dY = (1, 0) in row 0,
    dL/dA = (10, 0, 10) in row 0, and dL/dE_j = A_j (dL/dA_j - 8), for sum_j A_j dL/dA_j = 8."""
    if len(sys.argv) < 3:
        raise Skip("the lectures are not built")
    subprocess.run([sys.argv[2], f"--html={folder}/three.html"], check=True, stdout=subprocess.DEVNULL)
    browser.open(f"{folder}/three.html")
    shown = {}
    for _ in range(browser.script("return LAST")):
        browser.keys("ArrowRight")
        shown.setdefault(title(browser).split(" ")[0], []).append(
            (numbers(browser, "Result"), numbers(browser, "Gradient that arrives"), browser.text(".source .called")))
    assert close(shown["A"][0][0], [0.4, 0.2, 0.4, 0.2, 0.4, 0.4, 0.25, 0.25, 0.5])
    y, dy, line = shown["heads"][1]
    assert all(abs(a - b) < 10 * TOLERANCE for a, b in zip(y, [8, 6, 6, 8, 7.5, 7.5])), y
    assert dy == [1, 0, 0, 0, 0, 0] and "ag_matmul(A, V)" in line
    assert all(abs(a - b) < 10 * TOLERANCE for a, b in zip(shown["A"][1][1], [10, 0, 10] + 6 * [0])), shown["A"][1][1]
    scores = shown["scores"][1][1]
    assert all(abs(a - b) < 10 * TOLERANCE for a, b in zip(scores, [0.8, -1.6, 0.8] + 6 * [0])), scores


if __name__ == "__main__":
    main(globals(), written_by)
