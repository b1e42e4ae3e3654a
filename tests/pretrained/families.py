#!/usr/bin/env python3
"""Tiny tokenisers of each family, saved by transformers' own classes, and what they make of texts.

    pip install tokenizers sentencepiece transformers
    GRADUS_LIBRARY=... python3 tests/pretrained/families.py [COUNT]                  # 2,000 texts through each
    python3 tests/pretrained/families.py --fixtures tests/golden/tokenisers          # those of tests/data/test_tokeniser.c

Each family once as the tokenizer.json that save_pretrained writes, and, where its class reads other files (vocab.txt; vocab.json with
merges.txt; spiece.model), once from these alone, with several settings of the folder. The right answer is the backend tokeniser that
AutoTokenizer makes of the same folder. Texts, and what is compared, are those of tokenisers.py. A folder of the fixtures that is there
already is kept: the trainers break ties by chance.
"""
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import sentencepieces as S
import tokenisers as K

GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TEKKEN = GPT4O.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)?", "").replace(r"\p{N}{1,3}", r"\p{N}")
PHI4 = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s")
SPACES = [AddedToken(" " * n, normalized=True, special=False) for n in (24, 16, 8, 4, 3, 2)]
SMALL = 420  # tokens
WORDS, PAIRS = 180, 256 + 60  # of the vocabularies in files of their own, special tokens of PAIRS apart


def texts_of(r, count):
    """Also with the families' own tokens, and words that are added tokens, alone and within others."""
    own = ["<|endoftext|>", "<|im_start|>", "<think>", "<extra_id_3>", "<s>", "</s>", "<bos>", "<mask>", "[MASK]", " <mask> ", "NewWord", "NEWWORD",
           "aNewWord", "NewWord's", "caf\u00e9", "CAFE\u0301", "  ", "    x", "\u2581", "\u2581\u2581a", "e\u0323\u0302\u0301", "\u1100\u1161\u11a8", "\u212b\u2126", "\uf900"]
    return [(K.one_text(r) + r.choice([b"", b" "]) + "".join(r.choice(own) for _ in range(r.choice([0, 0, 1, 2]))).encode() + K.one_text(r)[:20])
            for _ in range(count)]


def byte_pairs(texts, special, pre=None, normalizer=None, size=None):
    t = Tokenizer(models.BPE())
    t.normalizer, t.pre_tokenizer = normalizer, pre or pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size or SMALL, special_tokens=special, show_progress=False,
                                                     initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.decoder = decoders.ByteLevel()
    return t


def parts(t):
    """Vocabulary and merges."""
    m = json.loads(t.to_str())["model"]
    return dict(vocab=m["vocab"], merges=[tuple(x) for x in m["merges"]])


def words(texts, size=None, alphabet=150):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    t.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=size or SMALL, limit_alphabet=alphabet, special_tokens=special, show_progress=False))
    return json.loads(t.to_str())["model"]["vocab"]


def wrapped(t, **special):
    import transformers
    return transformers.PreTrainedTokenizerFast(tokenizer_object=t, **special)


def split_by(texts, expression, **more):
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return byte_pairs(texts, ["<|endoftext|>"], pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expression), "isolated"), level]), **more)


def modern_bert(texts):
    t = byte_pairs(texts, ["[PAD]", "[UNK]", "[CLS]", "[SEP]"], normalizer=normalizers.NFC())
    t.add_special_tokens([AddedToken("[MASK]", lstrip=True)])
    t.add_tokens([AddedToken("NewWord", single_word=True, normalized=True), *SPACES])
    cls, sep = t.token_to_id("[CLS]"), t.token_to_id("[SEP]")
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", cls), ("[SEP]", sep)])
    return t


def blanks_in_front(texts, model, legacy):
    """Llama's older files: normalizer Prepend and Replace, no pre_tokenizer."""
    import transformers
    t = transformers.LlamaTokenizer(**pieces_of(model), bos_token="<s>", eos_token="</s>", add_bos_token=True, legacy=legacy)
    d = json.loads(t.backend_tokenizer.to_str())
    d["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"},
                                                          {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]}
    d["pre_tokenizer"] = None
    return wrapped(Tokenizer.from_str(json.dumps(d)))


def pieces_of(model):
    import transformers
    from tokenizers.models import BPE
    found = transformers.convert_slow_tokenizer.SentencePieceExtractor(model).extract(BPE)
    return dict(vocab=found["vocab"], merges=found["merges"])


def families(texts, model):
    """Pairs of a name and a tokeniser of transformers; model: a SentencePiece model, BPE with byte pieces."""
    import transformers as T
    text = ["<s>", "<pad>", "</s>", "<unk>"]
    mask = AddedToken("<mask>", lstrip=True, special=True)
    bert = T.BertTokenizer(vocab=words(texts))
    bert.add_tokens([AddedToken("NewWord"), AddedToken("caf\u00e9", single_word=True)])
    yield "bert", bert
    yield "distilbert", T.DistilBertTokenizer(vocab=words(texts), do_lower_case=False, strip_accents=True)
    yield "roberta-json", T.RobertaTokenizer(**parts(byte_pairs(texts, text)), mask_token=mask, add_prefix_space=True)
    yield "bart", T.BartTokenizer(**parts(byte_pairs(texts, text)), mask_token=mask)
    yield "modernbert", wrapped(modern_bert(texts), mask_token="[MASK]")
    yield "gpt2-json", T.GPT2Tokenizer(**parts(byte_pairs(texts, ["<|endoftext|>"])), add_bos_token=True)
    neox = T.GPTNeoXTokenizer(**parts(byte_pairs(texts, ["<|endoftext|>", "<|padding|>"])))
    neox.add_tokens(SPACES)
    yield "gpt_neox", neox
    yield "llama", T.LlamaTokenizer(**pieces_of(model), add_bos_token=True)
    yield "llama-prepend", blanks_in_front(texts, model, True)
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    yield "smollm2", wrapped(byte_pairs(texts, ["<|endoftext|>", "<|im_start|>"], digits))
    yield "mistral-tekken", wrapped(split_by(texts, TEKKEN))
    yield "gpt4o", wrapped(split_by(texts, GPT4O))
    yield "phi4", wrapped(split_by(texts, PHI4))
    yield "qwen2", T.Qwen2Tokenizer(**parts(byte_pairs(texts, ["<|endoftext|>"])))
    qwen3 = T.Qwen2Tokenizer(**parts(byte_pairs(texts, ["<|endoftext|>"])), bos_token=None)
    qwen3.add_tokens([AddedToken("<|im_start|>", special=True), AddedToken("<think>", normalized=False, special=False)])
    yield "qwen3", qwen3
    gemma = pieces_of(model)
    gemma["vocab"].update({x: len(gemma["vocab"]) + i for i, x in enumerate(["<bos>", "<eos>", "<pad>", "<mask>"])})
    yield "gemma3", T.GemmaTokenizer(**gemma, add_bos_token=True)


# Folders without a tokenizer.json: a name, the family whose files they have, what stands in tokenizer_config.json, and other files.
ADDED = {"content": "NewWord", "lstrip": False, "normalized": True, "rstrip": False, "single_word": True, "special": False}
MASK = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "normalized": False, "rstrip": False, "single_word": False, "special": True}
FILES = [
    ("files-bert", "bert", {"tokenizer_class": "BertTokenizer", "additional_special_tokens": ["NewWord"]}, {"added_tokens.json": {"caf\u00e9": WORDS}}),
    ("files-distilbert", "distilbert", {"do_lower_case": False}, {"config.json": {"model_type": "distilbert"}}),
    ("files-gpt2", "gpt2", {"tokenizer_class": "GPT2TokenizerFast", "add_bos_token": True, "add_eos_token": True, "pad_token": "<pad>"}, {}),
    ("files-gpt2-map", "gpt2", {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "add_prefix_space": True},
     {"special_tokens_map.json": {"bos_token": "<s>", "pad_token": {k: v for k, v in MASK.items() if k != "__type"}}, "added_tokens.json": {"<s>": PAIRS + 1, "NewWord": PAIRS + 2}}),
    ("files-roberta", "roberta", {"tokenizer_class": "RobertaTokenizer", "mask_token": MASK}, {}),
    ("files-bart", "roberta", {"add_prefix_space": True, "mask_token": MASK}, {"config.json": {"model_type": "bart"}}),
    ("files-qwen2", "gpt2", {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder": {str(PAIRS + 1): ADDED}}, {}),
    ("files-neox", "gpt2", {"tokenizer_class": "GPTNeoXTokenizer"}, {}),
    ("files-t5", "t5", {"tokenizer_class": "T5Tokenizer"}, {"config.json": {"model_type": "t5"}}),
    ("files-t5-few", "unigram", {"tokenizer_class": "T5TokenizerFast", "extra_ids": 5}, {}),
    ("files-llama", "model", {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True}, {}),
    ("files-llama-legacy", "model", {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": True, "legacy": True}, {}),
    ("files-gemma", "model", {"tokenizer_class": "GemmaTokenizer", "add_bos_token": True}, {}),
]


# The files of one vocabulary are stored once, in the folder of the first that has them: test_tokeniser.c puts the others together.
SHARED = {"files-distilbert": "files-bert", "files-gpt2-map": "files-gpt2", "files-qwen2": "files-gpt2", "files-neox": "files-gpt2", "files-bart": "files-roberta"}
VOCABULARY = ("merges.txt", "vocab.json", "vocab.txt")


def share_vocabularies(root):
    for name in SHARED:
        for file in VOCABULARY:
            pathlib.Path(root, name, file).unlink(missing_ok=True)


def write_files(folder, kind, config, others, texts, sources):
    os.makedirs(folder, exist_ok=True)
    other = pathlib.Path(folder).parent / SHARED.get(os.path.basename(folder), "none")
    if other.exists():
        for file in filter(lambda file: (other / file).exists(), VOCABULARY):
            shutil.copy(other / file, folder)
    elif kind in ("bert", "distilbert"):
        vocab = words(texts, WORDS, 60)
        open(folder + "/vocab.txt", "w").write("".join(w + "\n" for w, _ in sorted(vocab.items(), key=lambda k: k[1])))
    elif kind in ("gpt2", "roberta"):
        special = ["<|endoftext|>"] if kind == "gpt2" else ["<s>", "<pad>", "</s>", "<unk>"]
        byte_pairs(texts, special, size=PAIRS + len(special)).model.save(folder)
    else:
        shutil.copy(sources[kind], folder + ("/tokenizer.model" if kind == "model" else "/spiece.model"))
    for name, content in {"tokenizer_config.json": config, **others}.items():
        json.dump(content, open(os.path.join(folder, name), "w"))


def on_one_line(folder):
    """save_pretrained writes a line for each token; the same value takes one."""
    for name in os.listdir(folder):
        if name.endswith(".json"):
            content = json.load(open(os.path.join(folder, name)))
            with open(os.path.join(folder, name), "w") as out:
                out.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n")


def from_folder(folder):
    import transformers
    transformers.logging.set_verbosity_error()
    return transformers.AutoTokenizer.from_pretrained(folder).backend_tokenizer


def sources(work):
    """SentencePiece models: BPE, and T5's with its special tokens in front."""
    S.train(work + "/bpe", "bpe-bytes"), S.train(work + "/unigram", "unigram"), S.train(work + "/t5", "t5")
    return {"model": work + "/bpe/spiece.model", "unigram": work + "/unigram/spiece.model", "t5": work + "/t5/spiece.model"}


def all_folders(root, texts, models):
    """Each folder that has been written, and its tokeniser."""
    for name, t in families(texts, models["model"]):
        folder = os.path.join(root, name)
        if not os.path.exists(folder):
            t.save_pretrained(folder)
            on_one_line(folder)
        yield name, folder, Tokenizer.from_file(folder + "/tokenizer.json")
    for name, kind, config, others in FILES:
        folder = os.path.join(root, name)
        if not os.path.exists(folder):
            write_files(folder, kind, config, others, texts, models)
        elif name in SHARED:
            continue
        yield name, folder, from_folder(folder)


def main():
    r, fixtures = random.Random(3), sys.argv[1:2] == ["--fixtures"]
    training = [K.one_text(r).decode(errors="replace") for _ in range(300)] + K.PHRASES * 20
    count = int(sys.argv[1]) if not fixtures and len(sys.argv) > 1 else 2000
    wrong, texts = 0, texts_of(random.Random(29), count)
    with tempfile.TemporaryDirectory() as work:
        root = sys.argv[2] if fixtures else work + "/folders"
        for name, folder, t in all_folders(root, training, sources(work)):
            if fixtures and not os.path.exists(folder + "/expected.tsv"):
                import make_tokenisers as M
                M.write(folder + "/expected.tsv", t, [x for x in texts if len(x) < 90][:24], 9, 12)
            elif not fixtures:
                wrong += K.compare(name, folder, t, [[x] for x in texts], 0)
                wrong += K.compare(name + ", pairs", folder, t, [[a, b] for a, b in zip(texts[::4], texts[1::4])], 13)
        if fixtures:
            share_vocabularies(root)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
