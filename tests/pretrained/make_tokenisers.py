#!/usr/bin/env python3
"""Small tokenisers and what the tokenizers library makes of texts: the fixtures of tests/data/test_tokeniser.c.

    pip install tokenizers
    python3 tests/pretrained/make_tokenisers.py tests/golden/tokenisers

A folder has tokenizer.json, and expected.tsv: longest, a text in hexadecimal digits (two with a blank between them: a
pair), the tokens as id:type:begin:end in bytes, and the text that the ids give. tokenisers.py compares far more.
"""
import os
import random
import sys

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import tokenisers as K


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


def write(folder, t, texts, longest):
    os.makedirs(folder, exist_ok=True)
    t.save(folder + "/tokenizer.json", pretty=False)
    with open(folder + "/expected.tsv", "w") as f:
        for i, x in enumerate(texts):
            q = [x] if i % 4 else [x, texts[i - 1]]
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
    for name, t in (("wordpiece", wordpiece(training)), ("gpt2", K.trained(training, None, False, False)),
                    ("roberta", K.trained(training, None, True, True)), ("llama3", K.trained(training, K.LLAMA3, False, False))):
        write(os.path.join(sys.argv[1], name), t, texts, 9)


if __name__ == "__main__":
    main()
