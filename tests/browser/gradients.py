"""dL/dA of models that are not trained by the run: pages of pretrained models.

    python3 gradients.py SOURCE EXAMPLE_PRETRAINED

The page stores numbers x in 16 bits of a symmetric range, which rounds by at most max |x| / 65532 in each layer. What L is,
is said on the page with its value, which the program prints in other terms, too."""
import json
import math
import os
import re
import shutil
import subprocess

from browser import main
from npy import read_npy
from package_data import safetensors

WORDS = ("[PAD] [UNK] [CLS] [SEP] [MASK] the animal street it was too tired wide . good bad big old cat dog did not "
         "cross because").split()

GPT2_IDS = (16, 27, 24, 18, 7, 23, 9)  # the first of the fixture's texts


def printed(folder, name):
    with open(f"{folder}/{name}.txt", encoding="utf-8") as file:
        return file.read()


def gradients(browser):
    """All numbers of the chosen input's dL/dA, in the order of layers and heads."""
    return browser.script("""const {attention} = PANELS[0];
        return attention.gradients.map((_, layer) => Array.from({length: attention.heads},
            (_, head) => [...attention.matrix('gradient', layer, head)])).flat(2)""")


def as_file(browser, path):
    """Is dL/dA on the page that of the file? Returns the largest number."""
    _, numbers = read_npy(path)
    shown, most = gradients(browser), max(abs(x) for x in numbers)
    assert len(shown) == len(numbers) and most > 1e-6, (len(shown), len(numbers), most)
    off = max(abs(a - b) for a, b in zip(shown, numbers, strict=True))
    assert off <= most / 65532 * 1.001 + 1e-7 * most, (off, most)
    return most


def said_loss(browser):
    """What the line above the drawing says of L, after dL/dA was chosen; its value, or None."""
    browser.choose("#quantity", 1)
    about = browser.text("#about")
    assert "gradient dL/dA" in about and "; L is " in about, about
    what, _, value = about.split("; L is ")[1].partition(": ")
    return what, float(value) if value else None


def tip_of(browser, i, j):
    browser.keys("3")
    browser.script("PANELS[0].view.point({row: arguments[0], column: arguments[1]}, 10, 10)", i, j)
    lines = dict(line.split(" = ") for line in browser.text("#tip").split("\n") if " = " in line)
    return {name: float(number.replace("\u2212", "-")) for name, number in lines.items()}


def test_bert_at_its_masks(browser, folder):
    """-log p of the likeliest words: the program prints p of each. The second text has no mask."""
    browser.open(f"{folder}/words/attention.html")
    as_file(browser, f"{folder}/words/attention-grid-gradient.npy")
    what, value = said_loss(browser)
    found = re.findall(r"mask \d: (\S+) ([\d.]+),", printed(folder, "words"))
    assert len(found) == 2 and what == (f'the mean of -log p of the likeliest words at [MASK], "{found[0][0]}", '
                                        f'"{found[1][0]}"'), (what, found)
    # p is printed with 3 decimals
    low, high = (-sum(math.log(float(p) + by) for _, p in found) / 2 for by in (5e-4, -5e-4))
    assert low <= value <= high, (low, value, high)
    shown = tip_of(browser, 1, 2)
    (layers, heads, n, _), weights = read_npy(f"{folder}/words/attention-grid.npy")
    _, exact = read_npy(f"{folder}/words/attention-grid-gradient.npy")
    assert abs(shown["A"] - weights[n + 2]) < 6e-4 and abs(shown["dL/dA"] - exact[n + 2]) < 1e-4 + 6e-3 * abs(exact[n + 2])
    browser.choose("#input", 1)
    assert browser.script("return [...LISTS.quantity.options].map(option => option.value)") == ["A", "rollout"]
    assert "it was tired: no dL/dA, because no loss was computed." in browser.text("#notes"), browser.text("#notes")


def test_numbers_stay_in_their_cells(browser, folder):
    """Of gradients some are thousands of times smaller than others. The largest is written with two digits."""
    browser.open(f"{folder}/words/attention.html", size=(1280, 620))
    browser.choose("#quantity", 2)
    browser.keys("3")
    cells = browser.script("""return [...document.querySelectorAll('svg.map .inside')].map(node => {
        const box = node.getBoundingClientRect();
        return [box.left, box.right, Math.round(box.top), Number(node.textContent.replace('\u2212', '-'))];
    })""")
    step, exact, most = browser.script("return [PANELS[0].view.wide, [...PANELS[0].matrix()], PANELS[0].range().high]")
    digit = 10 ** (math.ceil(math.log10(most)) - 2)
    assert len(cells) == len(exact) > 9
    for (left, right, _, number), x in zip(cells, exact, strict=True):
        assert right - left < step and abs(number - x) <= 0.501 * digit, (right - left, step, number, x)


def test_gpt2_of_the_next_tokens(browser, folder):
    """L follows from transformers' logits of the same tokens. The last token predicts nothing, and no other token looks at
    it: its row of dL/dA is 0 in every layer."""
    browser.open(f"{folder}/gpt2/attention.html")
    as_file(browser, f"{folder}/gpt2/attention-grid-gradient.npy")
    what, value = said_loss(browser)
    (*_, words), logits = safetensors(f"{folder}/model-gpt2/expected.safetensors")["logits"]
    minus_log_p = lambda row, word: math.log(sum(map(math.exp, row))) - row[word]
    exact = sum(minus_log_p(logits[t * words:(t + 1) * words], word) for t, word in enumerate(GPT2_IDS[1:])) / (len(GPT2_IDS) - 1)
    assert what == "the mean cross-entropy of the text's own next tokens" and abs(value / exact - 1) < 6e-4, (what, value, exact)
    n, numbers = browser.script("return PANELS[0].attention.rows"), gradients(browser)
    for first in range(0, len(numbers), n * n):
        rows = [max(abs(x) for x in numbers[first + i * n:first + (i + 1) * n]) for i in range(n)]
        assert rows[-1] == 0 < min(rows[:-1]), rows


# ---- the pages ------------------------------------------------------------------------------------------------


def model(source, folder, name, words):
    """A model of tests/golden with a vocabulary of so many words; GPT-2's are word0, word1, ..., without special tokens."""
    path = f"{folder}/model-{name}"
    shutil.copytree(f"{source}/tests/golden/pretrained/{name}", path)
    if name == "gpt2":
        with open(f"{path}/tokenizer.json", "w", encoding="utf-8") as file:
            json.dump({"version": "1.0", "added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "BertPreTokenizer"},
                       "post_processor": None, "decoder": None,
                       "model": {"type": "WordPiece", "unk_token": "word0", "continuing_subword_prefix": "##",
                                 "max_input_chars_per_word": 100, "vocab": {f"word{k}": k for k in range(words)}}}, file)
    else:
        with open(f"{path}/vocab.txt", "w", encoding="utf-8") as file:
            file.write("\n".join([*WORDS, *(f"word{k}" for k in range(words))][:words]) + "\n")
    return ["--model", path]


def make(folder, source, pretrained):
    # An empty PATH: without gnuplot, scripts and tables alone are written.
    environment = dict(os.environ, PATH=str(folder), OMP_NUM_THREADS="1")

    def run(program, name, *options):
        with open(f"{folder}/{name}.txt", "w", encoding="utf-8") as output:
            subprocess.run([os.path.abspath(program), "--quiet", "--html", "--out", f"{folder}/{name}", *options], check=True,
                           env=environment, stdout=output)

    bert = model(source, folder, "bert-words", 30)
    run(pretrained, "words", *bert, "--gradients", "--text", "the animal was [MASK] [MASK].",
        "--text", "it was tired")
    run(pretrained, "gpt2", *model(source, folder, "gpt2", 29), "--gradients", "--tokens", "2", "--text",
        " ".join(f"word{k}" for k in GPT2_IDS))


if __name__ == "__main__":
    main(globals(), make)
