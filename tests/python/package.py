"""Tests of the package for notebooks with Python's standard library alone, printed as TAP:

    python3 package.py SOURCE LIBRARY COMPILER...

What the package reads out of the headers is compared with what the compiler makes of them; pages with the numbers that they
were made of; models with transformers' results in tests/golden/pretrained."""
import array
import base64
import ctypes
import html
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import types

SOURCE = pathlib.Path(sys.argv[1])
GOLDEN = SOURCE / "tests/golden/pretrained"
os.environ["GRADUS_LIBRARY"] = sys.argv[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "python"), str(pathlib.Path(__file__).parent)]
import gradus  # noqa: E402
from gradus._c import C  # noqa: E402
from package_data import WORDS, as_shape, floats, page_data, safetensors, unpacked  # noqa: E402
from tap import Skip, raises, run_tests  # noqa: E402


def data_of(page):
    return page_data(page.html())


def first_of(want, name):
    """The numbers of the first of a batch."""
    shape, flat = want[name]
    return flat[:len(flat) // shape[0]]


def close(got, want, bound):
    assert len(got) == len(want), (len(got), len(want))
    worst = max(abs(g - w) for g, w in zip(got, want))
    assert worst <= bound, f"largest difference {worst}"


def values(pointer):
    """The numbers of a contiguous C tensor."""
    return pointer.contents.data[:C.tensor_size(pointer)]


# ---- what is read out of the headers ---------------------------------------------------------------------------------


def test_structures_are_laid_out_as_the_compiler_does():
    known = {name: t for name, t in C.headers.types.items()
             if isinstance(t, type) and issubclass(t, ctypes.Structure) and hasattr(t, "_fields_") and
             not name.startswith("Anonymous") and name not in ("Tape", "Node", "Op")}
    known["struct Tape"] = C.Tape
    assert len(known) > 60, len(known)
    lines, mine = [], []
    for name, t in sorted(known.items()):
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        mine.append(f"{name} {ctypes.sizeof(t)}")
        for field, *_ in t._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            mine.append(f"{name}.{field} {getattr(t, field).offset}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sizes.c"
        path.write_text("#define GRADUS_INSIDE\n#include <gradus.h>\n#include <autograd/inspect.h>\n#include <plot/pages.h>\n#include <stdio.h>\n"
                        "int main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
        subprocess.run([*sys.argv[3:], f"-I{SOURCE}", str(path), "-o", f"{folder}/sizes"], check=True)
        theirs = subprocess.run([f"{folder}/sizes"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    wrong = [(m, t) for m, t in zip(mine, theirs) if m != t]
    assert len(mine) == len(theirs) and not wrong, wrong[:5]


def test_every_function_of_the_headers_is_in_the_library():
    declared = " ".join((SOURCE / h).read_text() for h in __import__("gradus._c", fromlist=["HEADERS"]).HEADERS)
    assert len(C.headers.functions) == declared.count("GRADUS_API ") - 3, len(C.headers.functions)  # two symbols and a macro
    missing = [name for name in C.headers.functions if not hasattr(C.library, name)]
    assert not missing, missing


def test_constants_have_the_values_of_the_enumerations():
    assert (C.PLOT_MEAN, C.PLOT_PAGE_TOKENS, C.PLOT_DARK, C.EDIT_PATCH, C.PRETRAINED_DECODER) == (-1, 2048, 1, 4, 1)


# ---- errors ----------------------------------------------------------------------------------------------------------


def test_a_failure_of_the_library_is_an_exception_with_its_text():
    error = raises(gradus.Error, lambda: gradus.load("/nowhere"))
    assert str(error).startswith("nn_pretrained_load: /nowhere/config.json: "), error
    assert not C.library.tensor_failed()  # and the next call succeeds
    gradus.attention(floats((2, 2))).html()


def test_texts_that_do_not_fit_a_map_are_refused():
    for labels, drawn in ((WORDS + ["y"], gradus.attention), (WORDS[:3], gradus.attention), (WORDS[:2], gradus.heatmap)):
        error = raises(ValueError, lambda: drawn(floats((4, 4)), labels))
        assert f"found {len(labels)} (list) for 4 positions; expected a list of 4 texts" in str(error), error
        assert ("[CLS] and [SEP]" in str(error)) == (len(labels) < 4), error
    assert "found 3 (list) for 4 positions" in str(raises(ValueError, lambda: gradus.arcs(floats((4, 4)), WORDS[:3], 1)))
    raises(gradus.Error, lambda: gradus.attention(floats((4, 4)), "abcd"))
    assert data_of(gradus.attention(floats((4, 4)), WORDS))["inputs"][0]["attentions"][0]["rows"] == WORDS


def test_maps_that_transformers_did_not_return_are_named():
    steps = ([floats((1, 2, 2))], [floats((1, 2, 2))])
    assert "of several steps" in str(raises(gradus.Error, lambda: gradus.attention(steps)))
    assert "eager" in str(raises(gradus.Error, lambda: gradus.attention((None, None))))
    silent = types.SimpleNamespace(logits=1, attentions=None)
    told = str(raises(gradus.Error, lambda: gradus.attention(silent)))
    assert "output_attentions=True" in told and 'attn_implementation="eager"' in told, told


# ---- pages -----------------------------------------------------------------------------------------------------------


def test_a_page_holds_the_weights_tokens_and_gradients_that_it_was_given():
    maps, back = [floats((2, 4, 4)), floats((2, 4, 4), 1)], [floats((2, 4, 4), -1), floats((2, 4, 4), -2)]
    page = gradus.attention(maps, WORDS, gradients=back, title="a <title>", loss="the loss")
    found = data_of(page)
    part = found["inputs"][0]["attentions"][0]
    assert (found["title"], found["inputs"][0]["loss"], part["rows"], part["columns"]) == ("a <title>", "the loss", WORDS, WORDS)
    for layer in range(2):  # a code is off by at most half a step of the range
        for name, start in (("weights", layer), ("gradients", -1 - layer)):
            numbers = part[name][layer]
            close(unpacked(numbers), [start + i / 64 for i in range(32)], (numbers["high"] - numbers["low"]) / 65532)


def test_an_encoder_decoder_has_three_attentions_with_their_own_tokens():
    source, target = ["a", "b", "c"], ["d", "e"]
    output = types.SimpleNamespace(encoder_attentions=(floats((1, 2, 3, 3)),), decoder_attentions=(floats((1, 2, 2, 2)),),
                                   cross_attentions=(floats((1, 2, 2, 3)),), logits=1)
    parts = data_of(gradus.attention(output, (source, target)))["inputs"][0]["attentions"]
    assert [(p["name"], p["rows"], p["columns"]) for p in parts] == [
        ("encoder self-attention", source, source), ("decoder self-attention", target, target),
        ("cross-attention", target, source)]


def test_an_item_of_a_batch_and_an_image():
    part = data_of(gradus.attention([floats((2, 1, 5, 5))], image=floats((4, 4)), patch=2, item=2))["inputs"][0]["attentions"][0]
    close(unpacked(part["weights"][0]), [(25 + i) / 64 for i in range(25)], 25 / 64 / 65532)
    assert part["picture"]["patch"] == 2 and part["picture"]["first"] == 1
    error = raises(gradus.Error, lambda: gradus.attention([floats((1, 5, 5))], image=floats((4, 4)), patch=3).html())
    assert str(error).startswith("plot_page_attention: an image (4, 4)"), error


def test_two_pages_stand_beside_one_another():
    a, b = gradus.attention(floats((2, 2)), ["a", "b"], title="A"), gradus.attention(floats((3, 3)), ["c", "d", "e"], title="B")
    assert [i["title"] for i in data_of(a.beside(b))["inputs"]] == ["A", "B"]


def test_a_cell_holds_the_page_and_nothing_from_elsewhere():
    page = gradus.attention(floats((2, 4, 4)), ["&lt;", *WORDS[1:]])
    bundle = page._repr_mimebundle_()
    assert html.unescape(bundle["text/html"].split('srcdoc="')[1].split('"')[0]) == page.html()
    if C.plot_has_gnuplot():
        assert base64.b64decode(bundle["image/png"])[:4] == b"\x89PNG"


def test_generated_text_and_its_settings():
    page = gradus.generation(["a", "b", "c"], floats((2, 3)), [2, 1], "start: ", temperature=0.5, top_k=2, drawn=True, seed=5)
    found = data_of(page)
    assert (found["temperature"], found["topK"], found["drawn"]) == (0.5, 2, True)
    assert [int(found[key]) for key in ("seed", "stream", "position")] == [5, 0, 0]
    assert found["vocabulary"] == ["a", "b", "c"] and found["tokens"] == [2, 1] and page.text == "start: cb", found.keys()
    raises(gradus.Error, lambda: gradus.generation(["a", "b"], floats((2, 3)), [2, 1]))


def test_pictures():
    if not C.plot_has_gnuplot():
        raise Skip("gnuplot is not there")
    page = gradus.attention([floats((2, 4, 4))], WORDS)
    assert "layer 1, head 2" in page.svg(1, 2) and page.figure("pdf")[:4] == b"%PDF"
    assert "expected 1 to 1, 1 to 2" in str(raises(gradus.Error, lambda: page.svg(2, 1)))
    for row in (2, WORDS[1]):  # a row's number, from 1, or its label
        assert "\u732b" in gradus.arcs(floats((4, 4)), WORDS, row).svg()
        assert gradus.links(floats((4, 4)), WORDS, row=row).svg() == gradus.links(floats((4, 4)), WORDS, row=2).svg()
    assert "found 5; expected 1 to 4, or a label" in str(raises(gradus.Error, lambda: gradus.arcs(floats((4, 4)), WORDS, 5)))
    drawn = page.figure("pdf")._repr_mimebundle_()  # the last line of a cell
    assert base64.b64decode(drawn["image/png"])[:4] == b"\x89PNG" and len(drawn["text/plain"]) < 100, drawn["text/plain"]
    raises(gradus.Error, lambda: gradus.heatmap(floats((2, 2))).figure("tiff"))


# ---- models ----------------------------------------------------------------------------------------------------------


# As tests/nn/test_pretrained.c states: roundings of floats, relative to the largest number.
def agrees(got, want):
    close(got, want, 3e-5 * max(1e-3, *map(abs, want)))


def test_models_compute_what_transformers_computed():
    for family in ("gpt2", "bert-bare", "roberta-classes", "llama", "vit-classes"):
        want, model = safetensors(GOLDEN / family / "expected.safetensors"), gradus.load(GOLDEN / family)
        if "pixels" in want:
            flat = array.array("f", first_of(want, "pixels"))
            given = as_shape(flat, want["pixels"][0][1:])
        else:
            given = first_of(want, "ids")
            assert want.get("lengths", (0, [len(given)]))[1][0] == len(given), family
        run = model.run(given)
        if "pixels" in want:  # their last hidden states come before the last norm
            agrees(values(C.nn_pretrained_classify(model.m, run.x)), first_of(want, "logits"))
        else:
            agrees(values(run.x), first_of(want, f"hidden.{model.layers}"))
        for i in range(model.layers):
            agrees(values(run._hidden[i]), first_of(want, f"hidden.{i}"))
            agrees(values(C.tape_find(run.tape, f"blocks.{i}.attn.A".encode())), first_of(want, f"maps.{i}"))


def test_encoder_decoders_compute_what_transformers_computed():
    for family in ("t5", "bart", "marian"):
        want, model = safetensors(GOLDEN / family / "expected.safetensors"), gradus.load(GOLDEN / family)
        run = model.run(first_of(want, "ids"), first_of(want, "decoder_ids"), gradients=True)
        agrees(values(C.nn_pretrained_logits(model.m, run.x)), first_of(want, "logits"))
        for name, maps in (("decoder.%d.self_attn", "self_maps"), ("decoder.%d.cross_attn", "cross_maps"), ("blocks.%d.attn", "maps")):
            agrees(values(C.tape_find(run.tape, f"{name % 0}.A".encode())), first_of(want, f"{maps}.0"))
        part = data_of(run.attention())["inputs"][0]
        assert [len(a["gradients"]) for a in part["attentions"]] == [2, 1, 1], family
        assert part["loss"].startswith("the mean cross-entropy of the text's own next tokens"), part["loss"]


def test_tokens_are_named_as_the_vocabulary_spells_them():
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "bert"
        shutil.copytree(GOLDEN / "bert-words", folder)
        known = "[PAD] [UNK] [CLS] [SEP] [MASK] the animal street ##ed tir good".split()
        (folder / "vocab.txt").write_text("\n".join(known) + "\n", "utf-8")
        model = gradus.load(folder)
        text = "The TIRED animal [MASK]"
        assert model.run(text).tokens == ["[CLS]", "the", "tir", "##ed", "animal", "[MASK]", "[SEP]"], model.run(text).tokens
        assert model.run(text, as_typed=True).tokens == ["[CLS]", "The", "TIR", "ED", "animal", "[MASK]", "[SEP]"]
        run = model.run(text, gradients=True)  # L as the terminal has it
        logits = values(C.nn_pretrained_logits(model.m, run.x))[5 * model.config.words:6 * model.config.words]
        minus_log_p = math.log(sum(math.exp(x - max(logits)) for x in logits))
        assert run.loss == f"-log p of the likeliest word at [MASK]: {minus_log_p:.4g}", (run.loss, minus_log_p)
        error = raises(gradus.Error, lambda: model.run("The animal", gradients=True))
        assert "expected upstream=g" in str(error), error


def test_gradients_of_maps_are_those_of_transformers():
    want, model = safetensors(GOLDEN / "bert-bare/expected.safetensors"), gradus.load(GOLDEN / "bert-bare")
    given = first_of(want, "ids")
    shape = (1, len(given), model.config.channels)
    flat = array.array("f", (math.cos(i) for i in range(shape[1] * shape[2])))
    run = model.run(given, gradients=True, upstream=as_shape(flat, shape))
    for i in range(model.layers):
        a = C.tape_find(run.tape, f"blocks.{i}.attn.A".encode())
        agrees(a.contents.grad[:C.tensor_size(a)], first_of(want, f"dmaps.{i}"))
    part = data_of(run.attention())["inputs"][0]
    assert part["loss"] == run.loss and len(part["attentions"][0]["gradients"]) == model.layers
    short = as_shape(array.array("f", [1.0]), (1, 1, 1))
    assert "expected the shape of the last" in str(raises(gradus.Error, lambda: model.run(given, gradients=True, upstream=short)))


def test_the_loss_of_a_text_is_the_cross_entropy_of_its_next_tokens():
    model, given = gradus.load(GOLDEN / "gpt2"), [1, 7, 3, 20]
    run = model.run(given, gradients=True)
    rows = values(C.nn_pretrained_logits(model.m, run.x))
    entropy = 0
    for t, after in enumerate(given[1:]):
        row = rows[29 * t:29 * t + 29]
        entropy += math.log(sum(map(math.exp, row))) - row[after]
    close([float(run.loss.split(": ")[1])], [entropy / 3], 1e-3 * abs(entropy))  # it has four digits


def test_greedy_text_is_that_of_transformers_and_its_page_has_every_step():
    want = first_of(safetensors(GOLDEN / "gpt2/expected.safetensors"), "greedy")[:12]
    prompt = first_of(safetensors(GOLDEN / "gpt2/expected.safetensors"), "prompt")
    # A vocabulary of single bytes as GPT-2 writes them (encoder.py, bytes_to_unicode); the first 29 are the model's tokens.
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(i) for i in plain] + [chr(256 + i) for i in range(68)]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("config.json", "model.safetensors"):
            shutil.copy(GOLDEN / "gpt2" / name, folder)
        (pathlib.Path(folder) / "vocab.json").write_text(json.dumps({letter: i for i, letter in enumerate(letters)}))
        (pathlib.Path(folder) / "merges.txt").write_text("#version: 0.2\n")
        model = gradus.load(folder)
        text = "".join(letters[i] for i in prompt)
        assert model.encode(text)[0] == prompt and model.decode(prompt) == text
        page = model.generate(text, 12)
        assert page.text == text + "".join(letters[i] for i in want), (page.text, want)
        assert data_of(page)["tokens"] == want
        one, two = (model.generate(text, 12, temperature=1.5, seed=s).text for s in (1, 1))
        assert one == two != model.generate(text, 12, temperature=1.5, seed=2).text
        stop = "".join(letters[i] for i in want[2:4])
        page = model.generate(text, 12, stop_strings=[stop])
        assert page.text.endswith(stop) and page.ids == want[:len(page.ids)] and stop not in page.text[len(text):-1], page.text
        raises(gradus.Error, lambda: model.generate(text, 12, stop_strings=stop, beams=2))


def test_rules_and_several_prompts_give_what_transformers_writes():
    lines = [line.rstrip("\n").split("\t") for line in open(SOURCE / "tests/golden/generation.tsv", encoding="utf-8")]
    for family in ("gpt2", "bart"):
        model, compared = gradus.load(GOLDEN / family), 0
        greedy = [line for line in lines if line[0] == family and line[1] == "1" and line[5] == "-"]  # without min_length and bad words
        for one, two in zip(greedy[::2], greedy[1::2]):
            prompts, want = ([[int(x) for x in line[at].split()] for line in (one, two)] for at in (6, 7))
            pages = model.generate(prompts, 8, repetition_penalty=float(one[2]), no_repeat_ngram_size=int(one[3]))
            assert [page.ids for page in pages] == want, (family, one[2:4], [page.ids for page in pages], want)
            data_of(pages[0])  # tokens that are forbidden have no finite logit
            compared += 1
        assert compared == 5, compared


def test_encoder_decoders_write_what_transformers_wrote():
    for family in ("t5", "bart", "marian"):
        want, model = safetensors(GOLDEN / family / "expected.safetensors"), gradus.load(GOLDEN / family)
        page = model.generate(first_of(want, "ids"), 8, beams=1)
        assert page.ids == page.best == first_of(want, "greedy")[:8], (family, page.ids, page.best)
    page = model.generate(first_of(want, "ids"), 4, beams=3)
    tree = data_of(page)["beam"]
    parent, token, length, log_p = (tree[key] for key in ("parent", "token", "length", "log_p"))
    ends = [i for i in range(len(token)) if length[i] == 4 or token[i] == model.config.end]
    node, path = max(ends, key=lambda i: log_p[i] / length[i]), []
    while node >= 0:
        node, path = parent[node], [token[node], *path]
    assert page.best[:len(path)] == path, (page.best, path)
    raises(gradus.Error, lambda: model.generate([1], 4, beams=-1))


def test_a_step_with_gradients_becomes_a_page():
    model = gradus.load(GOLDEN / "gpt2")
    with gradus.tape("one step") as page:
        model.run([1, 2, 3], gradients=True)
    found = data_of(page)
    assert found["kind"] == "tape" and found["title"] == "one step", found.keys()
    with gradus.tape("none") as empty:
        model.run([1, 2, 3])
    assert "no step with a backward pass" in str(raises(gradus.Error, empty.html))


def test_an_edit_changes_what_is_computed_after_it():
    model = gradus.load(GOLDEN / "gpt2")
    plain, edited = model.run([1, 2, 3]), model.run([1, 2, 3], edits=[gradus.Edit("blocks.1.attn.A", "zero")])
    A = C.tape_find(edited.tape, b"blocks.1.attn.A")
    assert set(values(A)) == {0.0} and values(plain.x) != values(edited.x)
    part = model.run([1, 2, 3], edits=[gradus.Edit("blocks.1.attn.A", "scale", {2: (1, 2)}, factor=3)])
    was, now = (values(C.tape_find(r.tape, b"blocks.1.attn.A")) for r in (plain, part))
    close(now, [3 * a if 3 <= i < 6 else a for i, a in enumerate(was)], 1e-6)  # the second of three rows
    assert "no tensor has the name 'none'" in str(raises(gradus.Error, lambda: model.run([1], edits=[gradus.Edit("none", "zero")])))
    raises(gradus.Error, lambda: model.run([1], edits=[gradus.Edit("blocks.1.attn.A", "remove")]))


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
