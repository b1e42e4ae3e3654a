#!/usr/bin/env python3
"""Compares gradus' reading of SentencePiece models with the sentencepiece library: ids, offsets, and the text that ids give.

    pip install sentencepiece tokenizers transformers      # transformers for Marian's pair of models
    GRADUS_LIBRARY=... python3 tests/pretrained/sentencepieces.py [COUNT]             # 1,000 texts through models trained here
    python3 tests/pretrained/sentencepieces.py --fixtures tests/golden/tokenisers     # the fixtures of test_tokeniser_pieces.c

A unigram model is also written as a tokenizer.json, with several sets of steps before it, and compared with the tokenizers library.
Unigram and BPE, with and without byte fallback, with the whole map of nmt_nfkc_cf and with one of a few rules, blanks kept or
squeezed, with symbols of the user's own. The texts are those of tokenisers.py, as valid UTF-8 without U+0000, which
SentencePiece's model format cannot hold.
"""
import json
import os
import random
import sys
import tempfile

import sentencepiece as S

WORDS = ("the animal street was tired because wide Straße naïve café déjà vu привет мир 東京 日本 हिन्दी of and to in is it that for on are "
         "with his they at be this from have or by one had not but what all were when we there can an your which their").split()
RULES = "FF21\t41\nBD\t31 2044 32\n1F600\t\nA0\t20\nFB01\t66 69\n"
MODELS = {
    "unigram": dict(model_type="unigram", vocab_size=90, character_coverage=0.98, rules=True),
    "unigram-bytes": dict(model_type="unigram", vocab_size=340, byte_fallback=True, rules=True, user_defined_symbols=["<own>", "wide st"]),
    "bpe-bytes": dict(model_type="bpe", vocab_size=420, byte_fallback=True, normalization_rule_name="identity",
                      remove_extra_whitespaces=False, user_defined_symbols=["[MASK]"], split_digits=True),
    "bpe": dict(model_type="bpe", vocab_size=120, character_coverage=0.98, add_dummy_prefix=False, rules=True),
    "clusters": dict(model_type="unigram", vocab_size=88, character_coverage=0.98, rules=True),
    "t5": dict(model_type="unigram", vocab_size=90, character_coverage=0.98, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, rules=True),
    "nmt": dict(model_type="unigram", vocab_size=340, byte_fallback=True, normalization_rule_name="nmt_nfkc_cf"),
}
# Characters with which clusters of several kinds begin, all mapped; "a" alone and with an accent; "e" with it only.
CLUSTER_RULES = "600\t50\n915\t4B\n2122\t54 4D\nA9\t43\n61\t6F\n61 301\tE1\n1161\t56\n65 301\tE9\nE01\t77 61 73\n"
# What the map of the tokenizers library does with grapheme clusters of fewer than 6 bytes, and with characters that vanish.
CLUSTERS = ["\uff21\u0301 \u0600\uff21 \xbd\u200d\u2122\u0301", "\x01\x02the \x03animal", "\U0001f600the \U0001f600\U0001f600street\U0001f600",
            "\u0600a \u0600\u0915 ", "\u0915\u0301 \u0915\u094d\u0915\u0301 \u0915\u200c\u0915\u0301", "\u2122\u0301 \u2764\u200d\u2122\u0301 \u2764\u0301\u200d\u2122\u0301 \u2764\u2122\u0301",
            "\xa9\u0301 \xa9\u200d \xa9\u200d\xa9\u0301", "a\u0301 e\u0301 ne\u0301a", "\u1161\u0301 \u1100\u1161\u0301 \uac00\u1161\u0301 \uac01\u1161\u0301", "\u0e01\u0e33 \u0e01a\u0903",
            "a\u0903a\U000e0020 \x01\u0301 a\xad", "<mask>  a  <mask>", "<s>the</s> was", "\uff1cs\uff1e\uff1cunk\uff1e", "\u2581\u2581the\u2581 \u2581", "a\r\n\u0301b\t\u0308"]
FIXTURES = ["unigram", "unigram-bytes", "bpe-bytes"]


def train(folder, name):
    r = random.Random(3)
    os.makedirs(folder, exist_ok=True)
    lines = [" ".join(r.choice(WORDS) for _ in range(r.randint(3, 12))) + r.choice([".", "!", "?", ""]) for _ in range(600)]
    with tempfile.TemporaryDirectory() as work:
        corpus, rules = os.path.join(work, "corpus.txt"), os.path.join(work, "rules.tsv")
        open(corpus, "w").write("\n".join(lines) + "\n")
        open(rules, "w").write(RULES + (CLUSTER_RULES if name == "clusters" else ""))
        options = dict(MODELS[name])
        if options.pop("rules", False):
            options["normalization_rule_tsv"] = rules
        S.SentencePieceTrainer.train(input=corpus, model_prefix=os.path.join(work, "m"), minloglevel=2, num_threads=1,
                                     **options)
        os.replace(os.path.join(work, "m.model"), os.path.join(folder, "spiece.model"))
    with open(os.path.join(folder, "tokenizer_config.json"), "w") as f:
        f.write('{"add_bos_token": false, "add_eos_token": false}\n')
    return S.SentencePieceProcessor(model_file=os.path.join(folder, "spiece.model"))


def expected(model, text):
    return [(p.id, p.begin, p.end) for p in model.encode(text, return_type="proto").pieces]


def texts_of(count):
    import tokenisers as K
    r = random.Random(11)
    extra = ["", " ", "   ", "the wide street", "ＡＡ½ﬁ\u00a0x", "\U0001f600", "a\U0001f600 b", "  the  animal  ", "<own>the<own>", "wide stwide st", "½½",
             "\u2581the\u2581", "\u2581", "<unk>", "<0x41>", "[MASK]the [MASK]", "zzzzz the", "the" * 50, "\u00a0\u00a0", "x\u00a0 y"]
    found = list(extra)
    while len(found) < count:
        text = K.one_text(r).decode(errors="replace").replace("\0", "")
        found.append(" ".join(r.choice([text, r.choice(WORDS)]) for _ in range(r.choice([1, 1, 2, 4]))))
    return found


def compare(folder, model, texts):
    import tokenisers as K
    ours, wrong = K.Ours(folder), 0
    for text in texts:
        tokens, wrote = ours(text.encode())
        got, want, wrote = [(i, begin, end) for i, _, begin, end in tokens], expected(model, text), wrote.decode(errors="replace")
        same_text = wrote == model.decode([k[0] for k in want])
        if got != want or not same_text:
            wrong += 1
            if wrong <= 3:
                print(f"# {text!r}\n#   got  {got}\n#   want {want}\n#   text {wrote!r}, not {model.decode([k[0] for k in want])!r}")
    return wrong


def train_marian(folder):
    """Marian's two models and their vocabulary, of which some pieces are left out; transformers' tokeniser of it."""
    import transformers
    pieces = []
    for name, model in (("source.spm", "unigram"), ("target.spm", "bpe")):
        pieces += [m.id_to_piece(i) for m in [train(folder, model)] for i in range(m.get_piece_size())]
        os.replace(os.path.join(folder, "spiece.model"), os.path.join(folder, name))
    names = ["</s>", "<unk>", ">>fra<<", "日", "hi"]
    names += [p for i, p in enumerate(dict.fromkeys(pieces)) if p not in names + ["<s>"] and i % 7] + ["<pad>"]
    with open(os.path.join(folder, "vocab.json"), "w") as f:
        json.dump({name: i for i, name in enumerate(names)}, f)
    with open(os.path.join(folder, "tokenizer_config.json"), "w") as f:
        f.write('{"source_lang": "en", "target_lang": "fr"}\n')
    paths = [os.path.join(folder, name) for name in ("source.spm", "target.spm", "vocab.json")]
    return transformers.MarianTokenizer(*paths)


def compare_marian(folder, count):
    """Ids of texts in both languages, and the text that they give; transformers has no offsets of these models."""
    import tokenisers as K
    model, wrong = train_marian(folder), 0
    ours = K.Ours(folder)
    codes = ["", "", ">>fra<<", ">>fra<< ", ">>xyz<<", ">>", "<<", "</s>", " <pad>", ">>>><<<<"]
    for text in filter(None, (codes[i % len(codes)] + text for i, text in enumerate(texts_of(count)))):
        tokens, wrote = ours(text.encode(), text.encode())
        got = [k[0] for k in tokens]
        want = model(text, add_special_tokens=False).input_ids + model(text_target=text).input_ids
        wrote, expected = wrote.decode(errors="replace"), model.decode(want, skip_special_tokens=True)
        if got != want or wrote.strip() != expected:
            wrong += 1
            if wrong <= 3:
                print(f"# {text!r}\n#   got  {got}\n#   want {want}\n#   text {wrote!r}, not {expected!r}")
    return wrong


def pipelines(model, charsmap):
    """Tokenisers of the tokenizers library with the pieces and the map of a unigram model, by what differs."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers as N, pre_tokenizers as P, processors
    pieces = [(model.id_to_piece(i), model.get_score(i)) for i in range(model.get_piece_size())]
    end, mapped = model.id_to_piece(model.eos_id()), N.Precompiled(charsmap)
    steps = {
        "words": (mapped, P.Sequence([P.WhitespaceSplit(), P.Metaspace()])),
        "as SpmConverter writes": (N.Sequence([mapped, N.Strip(False, True), N.Replace(Regex(" {2,}"), "\u2581")]), P.Metaspace(prepend_scheme="first")),
        "not split": (N.Sequence([mapped, N.Strip(True, False)]), P.Metaspace(split=False)),
        "no blank in front": (N.Sequence([mapped, N.Replace(Regex(" {2,}"), " ")]), P.Metaspace(prepend_scheme="never")),
        "not normalised": (None, P.Metaspace(prepend_scheme="first")),
    }
    for name, (normalizer, before) in steps.items():
        t = Tokenizer(models.Unigram(pieces, model.unk_id(), "<0x00>" in dict(pieces)))
        if normalizer:
            t.normalizer = normalizer
        t.pre_tokenizer = before
        t.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="never" if "no blank" in name else "always")])
        t.post_processor = processors.TemplateProcessing(single=f"$A {end}", pair=f"$A {end} $B:1 {end}:1", special_tokens=[(end, model.eos_id())])
        t.add_special_tokens([AddedToken(w, lstrip=w == "<mask>", normalized=False) for w in ("<unk>", "<s>", end, "<mask>")])
        yield name, t


def charsmap_of(folder):
    from transformers.utils import sentencepiece_model_pb2_new as proto
    m = proto.ModelProto()
    m.ParseFromString(open(os.path.join(folder, "spiece.model"), "rb").read())
    return m.normalizer_spec.precompiled_charsmap


def compare_json(name, count):
    """tokenizer.json of type Unigram: texts as tokenisers.py has them, also with bytes that are no UTF-8."""
    import tokenisers as K
    r, wrong = random.Random(5), 0
    with tempfile.TemporaryDirectory() as folder:
        kinds = list(pipelines(train(folder, name), charsmap_of(folder)))
    texts = [text.encode() for text in texts_of(60) + CLUSTERS] + [K.one_text(r) for _ in range(count)]
    for kind, t in kinds:
        with tempfile.TemporaryDirectory() as folder:
            t.save(folder + "/tokenizer.json")
            for longest in (0, 13):
                wrong += K.compare(f"Unigram, {name}, {kind}", folder, t, [[x] for x in texts], longest)
                wrong += K.compare(f"Unigram, {name}, {kind}, pairs", folder, t, [[a, b] for a, b in zip(texts[::4], texts[1::4])], longest)
    return wrong


def fixtures(root):
    """A line: the text in hexadecimal digits, and id:begin:end of each token."""
    for name in FIXTURES:
        folder = os.path.join(root, "sp-" + name)
        model = train(folder, name)
        with open(os.path.join(folder, "pieces.tsv"), "w") as f:
            for text in [text for text in texts_of(150) if len(text) < 30][:28]:
                f.write(text.encode().hex() + "\t" + " ".join("%d:%d:%d" % k for k in expected(model, text)) + "\n")


def main():
    if sys.argv[1:2] == ["--fixtures"]:
        return fixtures(sys.argv[2])
    count, failures = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, 0
    texts = texts_of(count)
    for name in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            wrong = compare(folder, train(folder, name), texts)
        failures += wrong > 0
        print(f"{'not ok' if wrong else 'ok'} - {name}: {wrong} of {len(texts)} texts differ")
    with tempfile.TemporaryDirectory() as folder:
        wrong = compare_marian(folder, count)
        failures += wrong > 0
        print(f"{'not ok' if wrong else 'ok'} - marian: {wrong} of {count} texts differ")
    failures += sum(compare_json(name, count) > 0 for name in ("unigram", "unigram-bytes", "clusters", "nmt"))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
