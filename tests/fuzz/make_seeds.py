#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets: small valid files, from which libFuzzer derives others.

    python3 tests/fuzz/make_seeds.py

Formats: tensor/tensor.h and data/data.h. Needs nothing but Python."""
import io
import json
import pathlib
import struct
import zipfile

seeds = pathlib.Path(__file__).parent / "seeds"


def write(target, name, content):
    folder = seeds / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def safetensors(tensors, metadata=None):
    """tensors: name -> (dtype, shape, bytes)"""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


# Every dtype, an empty tensor, metadata with escapes.
write("safetensors", "floats.st", safetensors({"a": ("F32", [2, 3], floats(1, 2, 3, 4, 5, 6)), "b": ("F32", [], floats(7))}))
write("safetensors", "types.st", safetensors({
    "d": ("F64", [1], struct.pack("<d", 0.5)), "h": ("F16", [2], struct.pack("<2e", 1, -2)),
    "bf": ("BF16", [1], b"\x80\x3f"), "l": ("I64", [1], struct.pack("<q", 3)), "i": ("I32", [2], struct.pack("<2i", -1, 2)),
    "u": ("U8", [3], b"\x00\x01\xff"), "t": ("BOOL", [2], b"\x00\x01"), "none": ("F32", [0, 4], b"")},
    {"author": "a \"quoted\" \u00e9\n"}))
write("safetensors", "empty.st", safetensors({}))

# A checkpoint of the small run in checkpoint.c: a layer of 3 to 2, Adam, two generators.
zeros = floats(*[0] * 8)
weights = {"fc.weight": ("F32", [2, 3], floats(1, 2, 3, 4, 5, 6)), "fc.bias": ("F32", [2], floats(7, 8))}
state = {"optimiser.m": ("F32", [8], zeros), "optimiser.v": ("F32", [8], zeros)}
bits = [struct.unpack("<Q", struct.pack("<d", x))[0] for x in (0.01, 0.9, 0.999, 1e-8, 0)]
notes = {"progress": "5 6", "order": "0", "tape": "1 2", "adam": "3 " + " ".join(map(str, bits)) + " 0",
         "rng.0": "1 2 3", "rng.1": "4 5 6"}
write("checkpoint", "weights.st", safetensors(weights))
write("checkpoint", "whole.st", safetensors({**weights, **state}, notes))

# Files of --load: a model, and one whose facts promise more than its tensors.
facts = {"example": "gradus fuzz", "in": "3", "out": "2", "words": "one two"}
write("store", "model.st", safetensors({"fc.weight": weights["fc.weight"]}, facts))
write("store", "promise.st", safetensors({}, {**facts, "in": "65536", "out": "1048576"}))

write("idx", "labels", b"\x00\x00\x08\x01\x00\x00\x00\x03\x01\x02\x00")
write("idx", "images", b"\x00\x00\x08\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x40\x80\xff")
write("cifar", "one.bin", b"\x03" + bytes(i % 256 for i in range(3072)))
write("cifar", "short.bin", b"\x03\x04")
write("npy", "ids.npy", b"\x93NUMPY\x01\x00\x46\x00" + b"{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }".ljust(69)
      + b"\n" + struct.pack("<2i", 1, -2))

# Two arrays as they stand, and deflated; without the day, which would change the file.
array = b"\x93NUMPY\x01\x00\x46\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(69) + b"\n" + struct.pack("<2f", 1, -2)
for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as out:
        for member in ("a.npy", "b/c.npy"):
            out.writestr(zipfile.ZipInfo(member), array, method)
    write("npz", name + ".npz", archive.getvalue())
write("bpe", "two", "a\0b\0\0\1c\0")
write("bpe", "text", "the theatre, the thermos and then there")
write("text", "ascii", "hello world\nhello moon\n")
write("text", "mixed", "h\u00e9llo \u4f60\u597d \U0001f600\t".encode() + b"\xff\xc0\x80\xed\xa0\x80\x00")
write("utf8", "forms", "a\u00e9\u4f60\U0001f600".encode())
write("utf8", "wrong", b"\xc0\x80\xe0\x80\x80\xf0\x80\x80\x80\xed\xa0\x80\xf4\x90\x80\x80\xff\xc3")
write("words", "labelled", "positive\tthe plot was clever\nnegative\tthe plot was dull\n")
write("words", "grammar", "the animal didn't cross the street because it was too tired .")
write("words", "spanish", "El doctor no compra la casa blanca.")
write("words", "marks", "Caf\u00e9 \u2018don\u2019t\u2019 -- well-known, isn't it? 'quoted' a-b-c-")

# Whole JSON files as values.
write("json", "kinds", '{"a": [1, -2.5e-3, {"b": null}], "c": "\\u00e9\\n", "d": true, "e": false, "f": {}, "": 0}')
write("json", "lists", "[[[]], 1e-12, \"\\ud83d\\ude00\"]")

# config.json of each family that make_models.py makes, as the target chooses their weights.
golden = pathlib.Path(__file__).parent.parent / "golden"
for model in ("bert-words", "bert-classes", "roberta-words", "distilbert-words", "gpt2", "vit-no-bias", "deit-classes",
              "llama", "mistral", "qwen2"):
    write("config", model, json.dumps(json.loads((golden / "pretrained" / model / "config.json").read_text())))

# What the numbers of a small file promise: more words, channels and layers than it has, and ids that are no int.
llama = json.loads((golden / "pretrained" / "llama" / "config.json").read_text())
write("config", "promise", json.dumps({**llama, "vocab_size": 1 << 22, "hidden_size": 1 << 17, "head_dim": 1 << 12}))
write("config", "end", json.dumps({**llama, "eos_token_id": 1e300}))

# An index of the shards "a", "b" and "c".
for name, files in {"one": "aa", "same": "ab", "other": "ac", "missing": "ad"}.items():
    write("shards", name, json.dumps({"metadata": {"total_size": 1}, "weight_map": dict(zip(("x", "y"), files))}))

# tokenizer.json of each kind; "@": 0 stands for the 256 tokens of bytes. What is here cut short is the vocabulary.
for model in ("gpt2", "llama3", "roberta", "wordpiece"):
    whole = json.loads((golden / "tokenisers" / model / "tokenizer.json").read_text())
    if model == "wordpiece":
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "ca", "##fe", "do", "##n", "t", "'", ",", "1", "##2"]
        whole["model"]["vocab"] = {word: i for i, word in enumerate(words)}
    else:
        added = [a["content"] for a in whole["added_tokens"]]
        whole["model"]["vocab"] = {"@": 0, **{word: 256 + i for i, word in enumerate(["\u0120t", "he", "\u0120the", *added])}}
        whole["model"]["merges"] = ["\u0120 t", ["h", "e"], "\u0120t he"]
        for token in whole["added_tokens"]:
            token["id"] = whole["model"]["vocab"][token["content"]]
        for part in ("sep", "cls"):
            if part in whole["post_processor"]:
                whole["post_processor"][part][1] = whole["model"]["vocab"][whole["post_processor"][part][0]]
    write("tokenizer_json", model, json.dumps(whole, separators=(",", ":"), ensure_ascii=False))

for model in ("unigram", "unigram-whole"):
    pieces = json.loads((golden / "tokenisers" / model / "tokenizer.json").read_text())
    pieces["model"]["vocab"] = pieces["model"]["vocab"][:40] + [["<mask>", 0]]
    pieces["added_tokens"] = [{**token, "id": token["id"] if token["id"] < 3 else 40} for token in pieces["added_tokens"]]
    write("tokenizer_json", model, json.dumps(pieces, separators=(",", ":"), ensure_ascii=False))

# Those of transformers: normalizers, expressions, added tokens found in the normalised text, byte tokens.
for model in ("modernbert", "smollm2", "gpt4o", "qwen3", "llama-prepend", "gemma3"):
    steps = json.loads((golden / "tokenisers" / model / "tokenizer.json").read_text())
    added = [a["content"] for a in steps["added_tokens"]]
    words = ["\u2581", "t", "h", "e", "\u2581t", "he"] if steps["model"]["byte_fallback"] else ["\u0120t", "he", "\u0120the"]
    count = 0 if steps["model"]["byte_fallback"] else 256
    vocab = {word: count + i for i, word in enumerate([*words, *[w for w in added if w not in words]])}
    steps["model"]["vocab"] = {**({"@": 0} if count else {}), **vocab}
    steps["model"]["merges"] = ["\u2581 t", "h e"] if not count else ["\u0120 t", "h e", "\u0120t he"]
    for token in steps["added_tokens"]:
        token["id"] = vocab[token["content"]]
    for part in ((steps["post_processor"] or {}).get("special_tokens") or {}).values():
        part["ids"] = [vocab[part["id"]]]
    write("tokenizer_json", model, json.dumps(steps, separators=(",", ":"), ensure_ascii=False))

broken = {**whole, "model": {**whole["model"], "max_input_chars_per_word": 1e300}}
write("tokenizer_json", "longest", json.dumps(broken, separators=(",", ":"), ensure_ascii=False))
single = [{"Sequence": {"id": "A", "type_id": -1e300}}]
broken = {**whole, "post_processor": {**whole["post_processor"], "single": single}}
write("tokenizer_json", "type", json.dumps(broken, separators=(",", ":"), ensure_ascii=False))

write("marian", "vocabulary", '{"</s>": 0, "<unk>": 1, "a": 2, "<pad>": 3, ">>x<<": 4}')
write("vocab_txt", "bert", "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "ca", "##fe", "##\u00e9", "don", ","]))
write("vocab_txt", "cased", '{"do_lower_case": false, "tokenize_chinese_chars": false, "strip_accents": false}\n'
      "[UNK]\r\n[CLS]\r\n[SEP]\r\nThe\r\n")
pairs = "#version: 0.2\nt h\nth e\n\u0120 the\n"
write("vocab_merges", "gpt2", '{"@":0,"th":256,"the":257,"\u0120the":258,"<|endoftext|>":259}\0' + pairs)
write("vocab_merges", "roberta", '{"<s>":256,"<pad>":257,"</s>":258,"<unk>":259,"<mask>":260,"@":0}\0#version: 0.2\n')
write("vocab_merges", "unknown", '{"@":0}\0' + pairs)
