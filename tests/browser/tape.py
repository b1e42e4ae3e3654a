"""Tests the page of a tape as a person uses it:  python3 tape.py TAPE_PAGES [STEPPING]

tape_pages.c writes the pages. What they show is compared with derivatives by hand and with numbers that this file
computes by itself, in double. The drawing of the graph is tested in tape_graph.py."""
import math
import subprocess
import sys
import tempfile

from browser import need_browser, run_tests
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


# ---- two layers, computed here ------------------------------------------------------------------------------


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transpose(a):
    return [list(row) for row in zip(*a)]


def two_layers():
    """Values and gradients of net.html, by the chain rule: for each op its result, the gradient that arrives, and what it
    adds to each operand that has a gradient."""
    x = [[0.5, -1], [2, 0.25]]
    w1 = [[0.1 * (2 * i + j + 1) - 0.35 for j in range(2)] for i in range(4)]
    w2 = [[0.3 - 0.07 * (4 * i + j) for j in range(4)] for i in range(3)]
    z = [[v + 0.05 * i for i, v in enumerate(row)] for row in product(x, transpose(w1))]
    h = [[math.tanh(v) for v in row] for row in z]
    y = [[v + 0.1 * i for i, v in enumerate(row)] for row in product(h, transpose(w2))]
    targets = [2, 0]
    loss = sum(math.log(sum(map(math.exp, row))) - row[t] for row, t in zip(y, targets)) / 2
    dy = [[(math.exp(v) / sum(map(math.exp, row)) - (i == t)) / 2 for i, v in enumerate(row)]
          for row, t in zip(y, targets)]
    dh = product(dy, w2)
    dz = [[g * (1 - v * v) for g, v in zip(*rows)] for rows in zip(dh, h)]
    add = {"cross_entropy": {"output": dy}, "tanh": {"hidden": dz},
           "output": {"#1": dh, "output.weight": product(transpose(dy), h), "output.bias": [map(sum, zip(*dy))]},
           "hidden": {"hidden.weight": product(transpose(dz), x), "hidden.bias": [map(sum, zip(*dz))]}}
    ops = [(z, dz, add["hidden"]), (h, dh, add["tanh"]), (y, dy, add["output"]), ([[loss]], [[1]], add["cross_entropy"])]
    return ops


def flat(rows):
    return [v for row in rows for v in row]


def test_values_and_gradients_of_two_layers(browser, folder):
    ops = two_layers()
    browser.open(f"{folder}/net.html")
    for i, (value, _, _) in enumerate(ops):
        browser.keys("ArrowRight")
        assert step_text(browser) == f"forward {i + 1} of 4", step_text(browser)
        assert close(numbers(browser, "Result"), flat(value)), (i, numbers(browser, "Result"), value)
        assert numbers(browser, "Gradient that arrives") is None, "a gradient before backward"
    for turn, i in enumerate((3, 2, 1, 0)):
        browser.keys("ArrowRight")
        _, gradient, added = ops[i]
        assert step_text(browser) == f"backward {turn + 1} of 4", step_text(browser)
        assert close(numbers(browser, "Gradient that arrives"), flat(gradient)), (i, gradient)
        for symbol, expected in added.items():
            shown = numbers(browser, f"adds to dL/d {symbol}")
            assert close(shown, flat(expected)), (i, symbol, shown)
    assert title(browser).startswith("hidden = input hidden.weight")
    # A constant has no gradient: nothing is said to be added to it.
    assert numbers(browser, "adds to dL/d input") is None
    browser.check_quiet()


def test_contributions_add_up(browser, folder):
    """y = x (x + 3 x) at x = 2: dL/dx is 8 by the product, 2 more by the sum, 6 more by the scale."""
    browser.open(f"{folder}/square.html")
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
    browser.check_quiet()


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
    browser.check_quiet()


def test_themes_sizes_and_paper(browser, folder):
    browser.open(f"{folder}/net.html", theme="dark")
    browser.script("goTo(2)")
    fill = "return getComputedStyle(document.querySelector('.item.op:not(.now) rect')).fill"
    assert browser.script(fill) == "rgb(22, 23, 27)"
    browser.keys("t")
    assert browser.script(fill) == "rgb(255, 255, 255)"
    browser.open(f"{folder}/square.html", size=(1920, 1080))
    browser.script("goTo(2)")
    sizes = [(browser.script("return Frame.fontSize"), browser.box(".item.now")["height"])]
    browser.keys("+", "+", "+", "+")
    sizes.append((browser.script("return Frame.fontSize"), browser.box(".item.now")["height"]))
    assert sizes[1][0] == sizes[0][0] + 8 and abs(sizes[1][1] / sizes[0][1] - sizes[1][0] / sizes[0][0]) < 0.05, sizes
    browser.media("dark", "print")
    assert browser.script("return getComputedStyle(document.getElementById('controls')).display") == "none"
    assert browser.script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.media()


def test_an_address_names_a_step(browser, folder):
    browser.open(f"{folder}/net.html")
    browser.script("location.hash = '#6'")
    browser.wait("State.step === 6")
    assert step_text(browser) == "backward 2 of 4"
    browser.script("location.hash = '#<b>'")
    browser.wait("State.step === 0")


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
    need_browser()
    with tempfile.TemporaryDirectory() as pages:
        subprocess.run([sys.argv[1], pages], check=True)
        sys.exit(run_tests(globals(), pages))
