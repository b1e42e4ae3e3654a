#!/usr/bin/env python3
"""Small tokenisers and what the tokenizers library makes of texts: the fixtures of tests/data/test_tokeniser.c.

    pip install tokenizers sentencepiece transformers
    python3 tests/pretrained/make_tokenisers.py tests/golden/tokenisers

A folder has tokenizer.json, and expected.tsv: longest, a text in hexadecimal digits (two with a blank between them: a
pair), the tokens as id:type:begin:end in bytes, and the text that the ids give: first of texts that are made for one
branch each, then of 12 of 90 mixed ones. A folder that is there already is kept: the trainers break ties by chance.
tokenisers.py compares far more.
"""
import json
import os
import random
import sys
import tempfile
import unicodedata

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import sentencepieces as S
import tokenisers as K

# A word of more than 100 characters; a capital whose lower case are two characters; white space beside tokens that take
# it; words that are in a vocabulary and that no merges give; contractions, numbers and line breaks; ill-formed UTF-8 whose
# second byte decides how many bytes are one U+FFFD.
EDGES = [b"a" * 120 + b" is long", "\u0130stanbul and \u0130".encode(), b"a <mask> \n b", b"left <end> \t\xe3\x80\x80 right", b"<end>  ",
         b"a zebra zebra, zebras", b"zebra", b"I'LL we're 'S 12345 1 22", b"a\n\n b \r\n", b"", b" ", b"\xf0\x80\x80a", b"\xf0\x90\x80a",
         b"\xf4\x90\x80\x80", b"\xf4\x8f\xbfa", b"\xe0\x80a", b"\xed\xa0\x80"]


def wordpiece(texts):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    t.normalizer = normalizers.BertNormalizer()
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    t.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=700, special_tokens=special, show_progress=False))
    cls, sep = t.token_to_id("[CLS]"), t.token_to_id("[SEP]")
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                                     special_tokens=[("[CLS]", cls), ("[SEP]", sep)])
    t.decoder = decoders.WordPiece()
    return t


def accents_kept(path):
    """The WordPiece of the folder beside it, in lower case, with the accents."""
    d = json.load(open(os.path.join(path, "wordpiece", "tokenizer.json")))
    d["normalizer"].update(lowercase=True, strip_accents=False)
    d["model"]["vocab"].update({k: len(d["model"]["vocab"]) + i for i, k in enumerate(["##\u0307", "\u0307"])})
    return Tokenizer.from_str(json.dumps(d))


def extended(t, **model):
    """With a word that no merges give, two digits that are one token, and a token that takes the white space to its right."""
    d = json.loads(t.to_str())
    d["model"].update(model)
    if "12" not in d["model"]["vocab"]:
        d["model"]["vocab"]["12"] = len(d["model"]["vocab"])
        d["model"]["merges"].append(["1", "2"])
    d["model"]["vocab"]["\u0120zebra"] = len(d["model"]["vocab"])
    t = Tokenizer.from_str(json.dumps(d))
    t.add_special_tokens([AddedToken("<end>", rstrip=True)])
    return t


def whole_words(texts):
    """Llama 3's steps, with Qwen 2's expression: a word of the vocabulary is one token, whatever the merges say."""
    t = extended(K.trained(texts, K.QWEN2, False, False), ignore_merges=True)
    begin = t.token_to_id("<|endoftext|>")
    t.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True, add_prefix_space=False),
        processors.TemplateProcessing(single="<|endoftext|> $A", pair="<|endoftext|> $A <|endoftext|>:1 $B:1",
                                      special_tokens=[("<|endoftext|>", begin)])])
    return t


def unsplit(texts):
    """No regular expression: the text between two added tokens is one piece."""
    t = extended(K.trained(texts, None, False, False))
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    end = t.token_to_id("<end>")
    t.post_processor = processors.BertProcessing(("<end>", end), ("<|endoftext|>", t.token_to_id("<|endoftext|>")))
    return t


def unigram(name, kind):
    """SentencePiece's pieces, trained by sentencepieces.py, as a tokenizer.json."""
    with tempfile.TemporaryDirectory() as folder:
        return dict(S.pipelines(S.train(folder, name), S.charsmap_of(folder)))[kind]


def kinds(q):
    """The pairs of neighbours of the texts, by Unicode's category."""
    of = [["begin", *(unicodedata.category(c) for c in x.decode(errors="replace")), "end"] for x in q]
    return {pair for x in of for pair in zip(x, x[1:])}


def chosen(requests, count):
    """The numbers of so many requests that together have most of all kinds."""
    left, seen, found = {i: kinds(q) for i, q in enumerate(requests)}, set(), []
    while left and len(found) < count:
        found.append(max(left, key=lambda i: (len(left[i] - seen), -i)))
        seen |= left.pop(found[-1])
    return sorted(found)


def write(path, t, texts, longest, count, mode="w"):
    requests = [[x] if i % 4 else [x, texts[i - 1]] for i, x in enumerate(texts)]
    with open(path, mode) as f:
        for i in chosen(requests, count):
            q = requests[i]
            n = longest if i % 3 == 0 else 0
            t.no_truncation()
            if n:
                t.enable_truncation(n)
            e, at = t.encode(*[y.decode(errors="replace") for y in q]), [K.byte_offsets(y) for y in q]
            tokens = [(k, kind, at[s][b], at[s][c]) if s is not None else (k, kind, 0, 0)
                      for k, kind, s, (b, c) in zip(e.ids, e.type_ids, e.sequence_ids, e.offsets)]
            back = t.decode(e.ids).encode().hex() if b"\xef\xbf\xbd" not in t.decode(e.ids).encode() else "-"
            f.write(f"{n}\t{' '.join(y.hex() for y in q)}\t{' '.join(':'.join(map(str, k)) for k in tokens)}\t{back}\n")


def main():
    r = random.Random(3)
    training = [K.one_text(r).decode(errors="replace") for _ in range(300)] + K.PHRASES * 20
    texts = [x for x in (K.one_text(r) for _ in range(400)) if len(x) < 90][:90]
    small = K.trainers.BpeTrainer
    K.trainers.BpeTrainer = lambda **more: small(**{**more, "vocab_size": 500})
    for name, make in (("wordpiece", lambda: wordpiece(training)),
                       ("accents", lambda: accents_kept(sys.argv[1])), ("gpt2", lambda: K.trained(training, None, False, False)),
                       ("roberta", lambda: K.trained(training, None, True, True)),
                       ("unigram", lambda: unigram("clusters", "as SpmConverter writes")),
                       ("unigram-words", lambda: unigram("unigram-bytes", "words")), ("unigram-whole", lambda: unigram("unigram", "not split")),
                       ("llama3", lambda: K.trained(training, K.LLAMA3, False, False)),
                       ("whole-words", lambda: whole_words(training)), ("unsplit", lambda: unsplit(training))):
        folder = os.path.join(sys.argv[1], name)
        file = os.path.join(folder, "tokenizer.json")
        if os.path.exists(file):
            continue
        os.makedirs(folder, exist_ok=True)
        make().save(file, pretty=False)
        t = Tokenizer.from_file(file)
        edges = EDGES + [x.encode() for x in S.CLUSTERS] * name.startswith("unigram")
        write(os.path.join(folder, "expected.tsv"), t, edges, 9, len(edges))
        write(os.path.join(folder, "expected.tsv"), t, texts, 9, 12, "a")


if __name__ == "__main__":
    main()
