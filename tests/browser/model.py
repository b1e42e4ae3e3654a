"""A model's folder in a page, against the same program outside of a browser:  python3 model.py BUILD EXAMPLE_PRETRAINED SOURCE

BUILD makes the module, live.js, which needs clang for WebAssembly. SOURCE has the small models of tests/golden/pretrained and the
inputs of the fuzz targets. All maps are compared with those of the example's page, ids and texts with what it prints."""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess

from browser import main, make_module
from computed import compare_maps
from npy import write_npy

IDS = "5,7,3,8,11"


def open_page(browser, folder):
    browser.open(f"{folder}/model.html")
    browser.wait("document.documentElement.dataset.live === 'ready'")


def finish(browser, act, *arguments):
    """Acts, and waits until the page has done all that it was asked for."""
    act(*arguments)
    browser.script("window.done = false; busy.then(() => { window.done = true; })")
    browser.wait("window.done")


def open_model(browser, folder, model):
    open_page(browser, folder)
    finish(browser, browser.give, "#pick-files", *sorted(model.iterdir()))
    assert browser.script("return Boolean(MODEL.opened)"), browser.text("#summary")
    side, writes = browser.script("return [MODEL.opened.side, MODEL.opened.writes]")
    shown = browser.script("return ['field', 'pick-picture', 'go'].map(id => document.getElementById(id).checkVisibility())")
    assert shown == [side == 0, side > 0, writes], (model, shown)


def type_and(browser, text, selector):
    browser.script("MODEL.nodes.field.value = arguments[0]", text)
    finish(browser, browser.click, selector)


def native(program, model, out, *arguments):
    return subprocess.run([program, "--quiet", "--model", model, "--html", "--out", out, *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def test_each_family_has_the_maps_of_the_example(browser, folder, program, source):
    for name in ("bert-words", "roberta-classes", "distilbert-words", "gpt2", "llama", "qwen3", "modernbert-words", "gemma3"):
        model = source / "tests/golden/pretrained" / name
        native(program, model, f"{folder}/{name}", "--ids", IDS)
        open_model(browser, folder, model)
        type_and(browser, IDS, "#run")
        assert browser.text("#said").endswith(f"token ids {IDS.replace(',', ', ')}"), (name, browser.text("#said"))
        compare_maps(browser, 0, f"{folder}/{name}/attention.html")


def test_a_folder_is_dropped_or_chosen(browser, folder, program, source):
    """A folder from the disk, as Chromium hands it over."""
    model = source / "tests/golden/pretrained/gpt2"
    native(program, model, f"{folder}/dropped", "--ids", IDS)
    open_page(browser, folder)
    box, data = browser.box("#folder"), {"items": [], "files": [str(model)], "dragOperationsMask": 1}
    drag = lambda kind: browser.devtools("Input.dispatchDragEvent", {"type": kind, "data": data, "x": box["x"] + 20, "y": box["y"] + 20})
    drag("dragEnter")
    drag("dragOver")
    browser.wait("document.querySelector('#folder').classList.contains('over')")
    drag("drop")
    browser.wait("MODEL.opened")
    assert not browser.script("return document.querySelector('#folder').classList.contains('over')")
    type_and(browser, IDS, "#run")
    compare_maps(browser, 0, f"{folder}/dropped/attention.html")
    open_page(browser, folder)
    finish(browser, browser.give, "#pick-folder", model)
    type_and(browser, IDS, "#run")
    compare_maps(browser, 0, f"{folder}/dropped/attention.html")


def test_a_model_to_hand_out_is_in_its_page(browser, folder, program, source):
    """One file, which lies alone in its folder and opens its own model."""
    model = source / "tests/golden/pretrained/roberta-classes"
    said = subprocess.run([program, "--live", "--model", model, "--out", f"{folder}/own"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert re.search(r"own/model.html, [0-9.]+ MB", said), said
    native(program, model, f"{folder}/native", "--ids", IDS)
    browser.open(f"{folder}/own/model.html")
    browser.wait("document.documentElement.dataset.live === 'ready' && MODEL.opened")
    assert not browser.script("return document.getElementById('pick-files').checkVisibility()")
    type_and(browser, IDS, "#run")
    compare_maps(browser, 0, f"{folder}/native/attention.html")


def test_each_setting_of_a_text(browser, folder, program, source):
    """Temperature 0, and the first of the candidates alone by top-k or top-p, write what greedy decoding prints; a seed, its draws."""
    model = source / "tests/golden/pretrained/gpt2"
    printed = native(program, model, f"{folder}/settings", "--ids", IDS, "--tokens", "12", "--seed", "5")
    ids_of = lambda way: [int(x) for x in printed.split(f"--- {way}\n")[1].split("\n")[0].split()]
    greedy, drawn = ids_of("greedy"), ids_of("temperature 0.8")
    open_model(browser, folder, model)
    usual = {"tokens": 12, "temperature": 0.8, "topK": 0, "topP": 1, "seed": 5}
    for change, wanted in (({}, drawn), ({"temperature": 0}, greedy), ({"topK": 1}, greedy), ({"topP": 0.01}, greedy)):
        browser.script("MODEL.nodes.field.value = arguments[0]; for (const [id, value] of Object.entries(arguments[1])) MODEL.nodes[id].value = value",
                       IDS, {**usual, **change})
        finish(browser, browser.click, "#go")
        found = browser.script("return MODEL.ids")
        assert found[:len(wanted)] == wanted[:len(found)] and len(found) >= len(wanted), (change, found, wanted)
    browser.script("""const {written, go} = MODEL.nodes, show = written.replaceChildren.bind(written);
        let tokens = 0;
        written.replaceChildren = (...parts) => {
            show(...parts);
            if (++tokens === 3)
                go.click(); // Stop
        }""")
    finish(browser, browser.click, "#go")
    assert browser.script("return [MODEL.ids.length, MODEL.writing, MODEL.nodes.go.textContent]") == [3, False, "Go on with the text"]


def test_a_tokeniser_cuts_the_text(browser, folder, program, source):
    """A WordPiece vocabulary of this test's own, beside the weights of bert-words; one text after the other."""
    model = pathlib.Path(folder) / "words"
    shutil.copytree(source / "tests/golden/pretrained/bert-words", model, dirs_exist_ok=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "##s", "on", "a", "mat", ".", "é"]
    (model / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    open_model(browser, folder, model)
    for text, ids in (("The cats sat on a [MASK].", "2, 5, 6, 8, 7, 9, 10, 4, 12, 3"), ("the <b>mat", "2, 5, 1, 1, 1, 11, 3")):
        native(program, model, f"{folder}/native", "--text", text)
        type_and(browser, text, "#run")
        assert browser.text("#said").endswith(f"token ids {ids}"), browser.text("#said")
        assert ("[MASK]: " in browser.text("#said")) == ("MASK" in text)
        compare_maps(browser, 0, f"{folder}/native/attention.html")


def test_a_picture_has_the_maps_of_the_example(browser, folder, program, source):
    """A PNG of the model's own size, so that the browser scales nothing; as .npy for the example."""
    model = source / "tests/golden/pretrained/vit-classes"
    side = json.loads((model / "config.json").read_text())["image_size"]
    pixels = [(37 * i + 11 * (i // 7)) % 256 for i in range(3 * side * side)]
    write_npy(f"{folder}/picture.npy", "|u1", (3, side, side), pixels)
    native(program, model, f"{folder}/vit", "--image", f"{folder}/picture.npy")
    open_model(browser, folder, model)
    png = browser.script("""const [side, pixels] = arguments, canvas = document.createElement('canvas');
        canvas.width = canvas.height = side;
        const context = canvas.getContext('2d'), image = context.createImageData(side, side);
        for (let i = 0; i < side * side; i++)
            image.data.set([pixels[i], pixels[side * side + i], pixels[2 * side * side + i], 255], 4 * i);
        context.putImageData(image, 0, 0);
        return canvas.toDataURL('image/png').split(',')[1];""", side, pixels)
    pathlib.Path(folder, "picture.png").write_bytes(base64.b64decode(png))
    finish(browser, browser.give, "#pick-picture", f"{folder}/picture.png")
    compare_maps(browser, 0, f"{folder}/vit/attention.html")
    assert browser.script("return Boolean(INPUTS[0].attentions[0].picture)")


def hostile(folder, source):
    """Folders that are no models: (what the message says, files)."""
    good = source / "tests/golden/pretrained/gpt2"
    config, weights = (good / "config.json").read_bytes(), (good / "model.safetensors").read_bytes()
    seeds = source / "tests/fuzz/seeds"
    yield "config.json", {}
    yield "config.json", {"config.json": b"{"}
    yield "config.json", {"config.json": b"[" * 100000}
    yield "safetensors", {"config.json": config}
    yield "safetensors", {"config.json": config, "model.safetensors": weights[:-1]}
    yield "safetensors", {"config.json": config, "model.safetensors": weights[:300]}
    yield "safetensors", {"config.json": config, "model.safetensors": b"\xff" * 64}
    yield "vocab.json", {"config.json": config, "model.safetensors": weights, "vocab.txt": b"\xff\xfe"}
    yield "tokenizer.json", {"config.json": config, "model.safetensors": weights, "tokenizer.json": b"<script>alert(1)</script>"}
    for seed in sorted((seeds / "safetensors").iterdir()):
        yield "model", {"config.json": config, "model.safetensors": seed.read_bytes()}
    for seed in sorted((seeds / "config").iterdir()):
        yield "model", {"config.json": seed.read_bytes(), "model.safetensors": weights}
    for seed in sorted((seeds / "tokenizer_json").iterdir()):
        yield "model", {"config.json": config, "model.safetensors": weights, "tokenizer.json": seed.read_bytes()}


def test_a_hostile_folder_ends_in_a_message(browser, folder, program, source):
    """One after the other in one page, which then opens a model and runs it."""
    open_page(browser, folder)
    for number, (says, files) in enumerate(hostile(folder, source)):
        bad = pathlib.Path(folder, f"bad-{number}")
        bad.mkdir(exist_ok=True)
        (bad / "unknown.txt").write_text("-")
        for name, data in files.items():
            (bad / name).write_bytes(data)
        finish(browser, browser.give, "#pick-files", *sorted(bad.iterdir()))
        if browser.script("return MODEL.opened !== null"):  # the seed is a model's own, or a tokeniser of fewer tokens
            assert "tokenizer.json" in files or b'"gpt2"' in files["config.json"], files.keys()
            continue
        text = browser.text("#summary")
        assert says in text and re.match("(nn_pretrained_load|safetensors_open|data_tokeniser_open|live_open): ", text), (says, text)
        browser.script("MODEL.nodes.said.textContent = ''")
    model = source / "tests/golden/pretrained/gpt2"
    finish(browser, browser.give, "#pick-files", *sorted(model.iterdir()))
    for text in ("", "5,x", "99999999"):
        type_and(browser, text, "#run")
        assert "expected" in browser.text("#said"), (text, browser.text("#said"))
    type_and(browser, IDS, "#run")
    assert "next token: " in browser.text("#said")


def make(folder, build, program, source):
    make_module(build)
    subprocess.run([program, "--live", "--out", folder], check=True, stdout=subprocess.DEVNULL)
    return os.path.abspath(program), pathlib.Path(source).resolve()


if __name__ == "__main__":
    main(globals(), make)
