"""Opens the pages that examples write with --html, and compares them with the .npy files of the same run:

    python3 examples.py EXAMPLE_ATTENTION EXAMPLE_VIT EXAMPLE_TRANSLATE

A few training steps are enough: the numbers need not be good, they have to be those of the run. Weights are shown with three
or four decimals: within 0.0006, and the pages' rounding to 16 bits is far below that."""
import math
import os
import re
import subprocess

from browser import main
from npy import read_npy

HEATMAP = "3"


def cells(browser, pairs, panel=0):
    """What the heatmap's tips say of cells, as {name: number}."""
    found = []
    for i, j in pairs:
        browser.script("PANELS[arguments[2]].view.point({row: arguments[0], column: arguments[1]}, 10, 10)", i, j, panel)
        lines = [line.split(" = ") for line in browser.text("#tip").split("\n") if " = " in line]
        found.append({name: float(number.replace("\u2212", "-")) for name, number in lines})
    return found


def test_attention_shows_the_grid_of_its_pictures(browser, folder):
    browser.open(f"{folder}/attention/attention.html")
    browser.keys(HEATMAP)
    for number in (1, 2):  # the two sentences
        (layers, heads, n, _), weights = read_npy(f"{folder}/attention/sentence-{number}.npy")
        _, gradients = read_npy(f"{folder}/attention/grid-gradient-{number}.npy")
        browser.choose("#input", number - 1)
        for layer, head in ((0, 1), (layers - 1, heads - 1)):
            browser.choose("#layer", layer)
            browser.choose("#head", head)
            pairs = [(0, 0), (7, 1), (n - 1, 3)]
            for (i, j), shown in zip(pairs, cells(browser, pairs)):
                at = ((layer * heads + head) * n + i) * n + j
                assert abs(shown["A"] - weights[at]) < 6e-4, (shown, weights[at])
                assert abs(shown["dL/dA"] - gradients[at]) < 1e-4 + 6e-3 * abs(gradients[at]), (shown, gradients[at])


def test_letters_grow_with_the_window(browser, folder):
    """The drawing alone has letters of 20 points at 1280 x 720; on a phone the columns of words do not meet."""
    for view in ("Arcs", "All+heads", "Heatmap"):
        for size, letters in (((1280, 720), 20), ((1920, 1080), 30)):
            browser.open(f"{folder}/attention/attention.html", size, fragment=f"#view={view}&present=1")
            browser.wait("Present.on")
            shown = browser.script("return [Frame.fontSize, document.documentElement.scrollHeight]")
            assert shown == [letters, size[1]], (view, size, shown)
    browser.open(f"{folder}/attention/attention.html", (390, 844))
    browser.script("""const {attention} = PANELS[0];
        attention.tokens = {rows: [...attention.tokens.rows], columns: [...attention.tokens.columns]};
        attention.tokens.rows[1] = attention.tokens.columns[1] = 'internationalization';
        redrawAll()""")
    right, left = browser.script("""return ['rows', 'columns'].map(axis => Array.from(document.querySelectorAll(`[data-axis=${axis}] text:not([class])`),
        text => text.getBoundingClientRect()[axis === 'rows' ? 'right' : 'left']))""")
    assert max(right) + 40 < min(left), (max(right), min(left))


def test_attention_shows_what_a_cut_changes(browser, folder):
    """A click on a head or an arc shows the answer that --cut printed in the same run; a second click puts it back."""
    with open(f"{folder}/attention.txt", encoding="utf-8") as output:
        line = re.compile(r"^  (as it is|cut \S+) +(\S.*?) +p (\S+) +log p of (\S+) +\S+(?:  \((\S+)\))?$", re.M)
        said = {what: rest for what, *rest in line.findall(output.read())}
    (layers, heads), changes = read_npy(f"{folder}/attention/sweep-heads-1.npy")
    (_, keys), arcs = read_npy(f"{folder}/attention/sweep-arcs-1.npy")
    browser.open(f"{folder}/attention/cuts.html")
    query = browser.script("return PANELS[0].view.cuts.at(-1).row")
    for what, button, change in (("cut 2.3", "1.2.-1", changes[heads + 2]), (f"cut 1.2:{query + 1}:4", "0.1.3", arcs[keys + 3])):
        answer, p, right, printed = said[what]
        assert f"as it is: {said['as it is'][0]}, p " in browser.text(".cuts"), browser.text(".cuts")
        browser.choose("#layer", int(button[0]))
        browser.choose("#head", int(button[2]))
        browser.click(f"[data-cut='{button}'] rect")
        text = browser.script("return document.querySelectorAll('.cuts > text')[1].textContent").replace("\u2212", "-")
        shown = re.fullmatch(rf"without .*: {re.escape(answer)}, p (\S+); log p of {right} changes by (\S+)", text)
        assert shown and abs(float(shown[1]) - float(p)) < 6e-4 and abs(float(shown[2]) - float(printed)) < 6e-4, (text, said[what])
        assert abs(float(shown[2]) - change) < 1e-3 * max(1, abs(change)), (text, change)
        browser.script("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
        assert "Click a head or an arc" in browser.text(".cuts")
    assert browser.script("return PANELS[0].view.cuts.length") == layers * heads * (1 + keys)


def test_vit_shows_the_rollout_of_its_picture(browser, folder):
    """The last panel of the picture has the class token's row of the same rollout as patches of pixels."""
    browser.open(f"{folder}/vit/attention.html")
    panel = max(name for name in os.listdir(f"{folder}/vit") if name.startswith("attention-1-") and name.endswith(".npy"))
    (side, _), pixels = read_npy(f"{folder}/vit/{panel}")
    browser.choose("#quantity", 3)
    browser.choose("#layer", browser.script("return PANELS[0].attention.layers - 1"))
    patches = browser.script("return [...PANELS[0].view.shown]")
    grid = math.isqrt(len(patches))
    pitch = (side + 1) // grid
    for p, shown in enumerate(patches):
        exact = pixels[(p // grid * pitch + 1) * side + p % grid * pitch + 1]
        assert abs(shown - exact) < 2e-5, (p, shown, exact)  # 16 bits of a range up to 1, float products


def test_translate_has_three_attentions(browser, folder):
    browser.open(f"{folder}/translate/attention.html")
    names = browser.script("return [...LISTS.attention.options].map(option => option.textContent)")
    assert names == ["encoder self-attention", "decoder self-attention", "cross-attention"], names
    (layers, heads, T, S), weights = read_npy(f"{folder}/translate/heads-1.npy")
    browser.keys(HEATMAP, "a", "a")
    browser.choose("#layer", layers - 1)
    browser.choose("#head", heads - 1)
    for (i, j), shown in zip([(0, 0), (T - 1, S - 1)], cells(browser, [(0, 0), (T - 1, S - 1)])):
        assert abs(shown["A"] - weights[(((layers - 1) * heads + heads - 1) * T + i) * S + j]) < 6e-4
    browser.choose("#attention", 1)  # of the decoder: causal, and the tokens are its inputs
    assert browser.script("return PANELS[0].attention.token('rows', 0)") == "<bos>"
    assert cells(browser, [(0, 1)])[0]["A"] == 0


def test_translate_shows_the_beam_that_it_printed(browser, folder):
    with open(f"{folder}/translate.txt", encoding="utf-8") as output:
        words, log_p = re.search(r"^  beam +(.*?) +\(log p (\S+)\)", output.read(), re.M).groups()
    browser.open(f"{folder}/translate/generation.html")
    best = browser.script("return [...pathTo(best())].reverse().map(node => VOCABULARY[DATA.beam.token[node]]).join('')")
    assert best.replace(" <eos>", "").strip() == words and f"log p {float(log_p):.2f}"[:8] in browser.text("#beam"), (best, words)
    assert "all" in browser.text("#verdict")


def make(folder, *programs):
    # An empty PATH: without gnuplot, scripts and tables alone are written.
    environment = dict(os.environ, PATH=str(folder), OMP_NUM_THREADS="1")
    cuts = ["--sweep", "heads", "--sweep", "arcs", "--cut", "2.3", "--cut", "1.2:8:4"]
    for program, more in zip(programs, (["--gradients", *cuts], [], ["--text", "soy un estudiante"]), strict=True):
        name = os.path.basename(program).removeprefix("example-")
        command = [os.path.abspath(program), "--quiet", "--html", "--out", f"{folder}/{name}", "--steps", "20", *more]
        with open(f"{folder}/{name}.txt", "w", encoding="utf-8") as output:
            subprocess.run(command, check=True, env=environment, stdout=output)


if __name__ == "__main__":
    main(globals(), make)
