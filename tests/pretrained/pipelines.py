#!/usr/bin/env python3
"""Random normalizers, pre_tokenizers, added tokens and models against the tokenizers library: ids, offsets, and the text that ids give.

    pip install tokenizers
    GRADUS_LIBRARY=... python3 tests/pretrained/pipelines.py [PIPELINES [TEXTS [SEED]]]

Each of 200 pipelines has up to four steps of a kind in a random order, which no published model may have, and 100 texts of tokenisers.py.
"""
import json
import random
import sys
import tempfile

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers as N, pre_tokenizers as P, processors, trainers

import families as F
import tokenisers as K

BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
EXPRESSIONS = [K.LLAMA3, K.QWEN2, F.GPT4O, F.TEKKEN, F.PHI4, r"\s+", r"\d", r"\w+", r"[^\w\s]", r"\p{L}+|\p{N}+", r"[A-Z]?[a-z]+", r"(?i:the|a)\b".replace(r"\b", ""),
               r"\p{N}{1,3}", r"\p{N}{2,3}", "[\u4e00-\u9fa5\u3040-\u309f]+", r"\S+?(?=\s|\p{P})", r"(?>\p{L}+)", r"(?:\p{Lu})?\p{Ll}{2,}", r"\p{^L}", r"\P{N}+", r"[\p{P}\p{S}]",
               r"\A\s", r".$", r"[\s\p{Z}]+(?!\S)", r"\x{4e00}|\u00e9", r"[^\s[.,!?]]+", r" {2,}", "\u2581", r"(?i:[sk])+".replace(")+", ")")]


def normalizer(r):
    return r.choice([N.NFC, N.NFD, N.Lowercase, N.StripAccents, lambda: N.Strip(r.random() < 0.5, r.random() < 0.5),
                     lambda: N.Replace(r.choice([" ", "a", "the", "\u0301", Regex(r"\s+"), Regex(r"\p{Mn}"), Regex(r"\d+"), Regex(r"\A ")]),
                                       r.choice(["", "\u2581", "x", "\u4f60\u597d", " "])),
                     lambda: N.Prepend(r.choice(["\u2581", " ", "ab"])),
                     lambda: N.BertNormalizer(*[r.random() < 0.5 for _ in range(4)])])()


def splitter(r):
    return r.choice([lambda: P.Split(Regex(r.choice(EXPRESSIONS)), r.choice(BEHAVIORS), r.random() < 0.3),
                     lambda: P.Split(r.choice([" ", "a", "\u2581", "\n"]), r.choice(BEHAVIORS), r.random() < 0.3),
                     lambda: P.Digits(r.random() < 0.5), lambda: P.Punctuation(r.choice(BEHAVIORS)), P.Whitespace, P.WhitespaceSplit,
                     P.BertPreTokenizer, lambda: P.Metaspace(prepend_scheme=r.choice(["always", "first", "never"]), split=r.random() < 0.5)])()


def model(r, texts):
    """A vocabulary of random beginnings of the texts; for BPE also without some bytes, with byte tokens, with an unknown token."""
    kind = r.choice(["bytes", "bpe", "bpe", "wordpiece", "unigram"])
    if kind in ("bytes", "bpe"):
        alphabet = P.ByteLevel.alphabet() if kind == "bytes" else []
        t = Tokenizer(models.BPE())
        t.pre_tokenizer = P.Sequence([P.Whitespace(), P.ByteLevel(add_prefix_space=False, use_regex=False)]) if kind == "bytes" else P.WhitespaceSplit()
        t.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=600, limit_alphabet=150, show_progress=False, initial_alphabet=alphabet))
        d = json.loads(t.to_str())["model"]
        vocab, merges = d["vocab"], [tuple(m) for m in d["merges"]]
        extra = (["<unk>"] if r.random() < 0.6 else []) + ([f"<0x{b:02X}>" for b in range(256) if r.random() < 0.98] if r.random() < 0.5 else [])
        vocab.update({x: len(vocab) + i for i, x in enumerate(extra)})
        return kind, models.BPE(vocab=vocab, merges=merges, unk_token="<unk>" if "<unk>" in extra else None, fuse_unk=r.random() < 0.5,
                                byte_fallback=len(extra) > 1, ignore_merges=r.random() < 0.3)
    if kind == "wordpiece":
        return kind, models.WordPiece(vocab=F.words(texts), unk_token="[UNK]", max_input_chars_per_word=r.choice([5, 100]))
    pieces = {x: -r.random() * 9 for text in texts for x in [text[r.randrange(len(text) + 1):][:r.randrange(1, 5)]] if x}
    return kind, models.Unigram([("<unk>", 0.0), ("\u2581", -1.0), *list(pieces.items())[:500]], unk_id=0, byte_fallback=False)


def pipeline(r, texts):
    kind, m = model(r, texts)
    t = Tokenizer(m)
    if r.random() < 0.8:
        t.normalizer = N.Sequence([normalizer(r) for _ in range(r.randrange(1, 4))])
    steps = [splitter(r) for _ in range(r.randrange(0, 4))]
    if kind == "bytes":
        steps.append(P.ByteLevel(add_prefix_space=r.random() < 0.5, use_regex=r.random() < 0.5))
        t.decoder = decoders.ByteLevel()
        if r.random() < 0.5:
            t.post_processor = processors.ByteLevel(trim_offsets=True, add_prefix_space=r.random() < 0.5)
    if steps:
        t.pre_tokenizer = P.Sequence(steps)
    if kind == "unigram":
        t.decoder = decoders.Metaspace(prepend_scheme=r.choice(["always", "never"]))
    for word in r.sample(["the", "[MASK]", "<mask>", "Caf\u00e9", "NewWord", "e\u0301", "  ", " a", "was", "\u0130", "\ufb01", "1"], r.randrange(0, 6)):
        t.add_tokens([AddedToken(word, single_word=r.random() < 0.3, lstrip=r.random() < 0.3, rstrip=r.random() < 0.3, normalized=r.random() < 0.6)])
    return kind, t


def main():
    count, each, seed = [int(x) for x in sys.argv[1:] + ["200", "100", "5"][len(sys.argv) - 1:]]
    wrong, r = 0, random.Random(seed)
    training = [K.one_text(r).decode(errors="replace").replace("\0", "") for _ in range(200)] + [p for p in K.PHRASES if "\0" not in p] * 5
    for i in range(count):
        kind, t = pipeline(r, training)
        texts = F.texts_of(r, each)
        with tempfile.TemporaryDirectory() as folder:
            t.save(folder + "/tokenizer.json")
            try:
                bad = K.compare(f"{i} {kind}", folder, t, [[x] for x in texts], 0)
            except BaseException as e:  # the library itself may have no answer; a panic is no Exception
                print("skipped", i, kind, str(e)[:300])
                continue
        if bad:
            d = json.loads(t.to_str())
            print("   ", json.dumps({k: d[k] for k in ("normalizer", "pre_tokenizer", "post_processor", "decoder")})[:1500])
            print("   ", [(a["content"], *[k for k in ("single_word", "lstrip", "rstrip", "normalized") if a[k]]) for a in d["added_tokens"]])
        wrong += bad > 0
    print(f"{'not ok' if wrong else 'ok'} - {wrong} of {count} pipelines differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
