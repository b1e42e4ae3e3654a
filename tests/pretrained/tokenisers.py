"""What the comparisons of tokenisers share: texts, byte-level BPE that is trained on them, gradus' tokeniser of a folder, and a
comparison with the tokenizers library. GRADUS_LIBRARY names the library of the package for notebooks, as build/libgradus-notebook.so.

The texts mix all scripts, emoji with joiners, white space, control characters, contractions, special tokens and bytes that are no
UTF-8. The library's offsets count characters; ours count bytes.
"""
import ctypes
import json
import os
import pathlib
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")
RANGES = [(32, 127)] * 12 + [(0xA0, 0x250), (0x250, 0x370), (0x370, 0x400), (0x400, 0x530), (0x590, 0x600),
          (0x600, 0x700), (0x900, 0xE00), (0xE00, 0xF00), (0x1100, 0x1200), (0x1E00, 0x2000), (0x2000, 0x2070),
          (0x2190, 0x2600), (0x2600, 0x27C0), (0x3000, 0x3100), (0x4E00, 0x9FFF), (0xAC00, 0xD7A4), (0xF900, 0xFB00),
          (0xFE00, 0xFE10), (0x10400, 0x10450), (0x1D100, 0x1D800), (0x1F300, 0x1FA00), (0x20000, 0x2A6D0), (0, 32), (0x7F, 0xA0)]
PHRASES = ["The animal didn't cross the street because it was too tired.", "I'LL we've he'D they\u2019re 'S 't",
           "[MASK]", "[SEP]", "<mask>", " <mask>  ", "<|endoftext|>", "</s>", "\u00c5ngstr\u00f6m caf\u00e9 na\u00efve", "e\u0301\u0323a\u0308",
           "\u0130stanbul \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\u4f60\u597d\u4e16\u754c", "\uc548\ub155", "\t\r\n \u00a0\u2003\u3000", "   ",
           "\n\n\n", "1234567890", "3.14e-10", "x_y-z/w\\v", "\u017fo '\u017f", "a" * 120, "supercalifragilisticexpialidocious",
           "!?...,;:", "don't", "\ufffd", "\u0000", "\u0627\u0644\u0633\u0644\u0627\u0645", "\u0928\u092e\u0938\u094d\u0924\u0947", "\r\n", "\u2028"]


def one_text(r):
    parts = []
    for _ in range(r.choice([0, 1, 2, 3, 5, 8, 13])):
        kind = r.random()
        if kind < 0.35:
            parts.append(r.choice(PHRASES).encode())
        elif kind < 0.95:
            low, high = r.choice(RANGES)
            parts.append("".join(chr(r.randrange(low, high)) for _ in range(r.randrange(1, 9))).encode())
        else:
            parts.append(bytes(r.randrange(256) for _ in range(r.randrange(1, 6))))
        parts.append(r.choice([b"", b" ", b" ", b"  ", b"\n"]))
    return b"".join(parts)


def trained(texts, split, prefix, roberta):
    t = Tokenizer(models.BPE())
    level = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=split is None)
    t.pre_tokenizer = level if split is None else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(split), "isolated", False), level])
    special = ["<s>", "<pad>", "</s>", "<unk>"] if roberta else ["<|endoftext|>"]
    t.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=3000, special_tokens=special, show_progress=False,
                                                     initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    t.decoder = decoders.ByteLevel()
    t.post_processor = processors.ByteLevel(trim_offsets=prefix, add_prefix_space=prefix)
    if roberta:
        t.add_special_tokens([AddedToken("<mask>", lstrip=True)])
        t.post_processor = processors.RobertaProcessing(("</s>", t.token_to_id("</s>")), ("<s>", t.token_to_id("<s>")),
                                                        trim_offsets=True, add_prefix_space=prefix)
    return t


def byte_offsets(raw):
    """Where character i of the text begins in its bytes, which may be no UTF-8."""
    at, offsets = 0, [0]
    while at < len(raw):
        n = next((n for n in (1, 2, 3, 4) if valid(raw[at : at + n], n)), 0)
        if n == 0:  # one U+FFFD for the longest beginning of a character
            n = 1
            while n < 4 and at + n < len(raw) and len(raw[at : at + n + 1].decode(errors="replace")) == 1:
                n += 1
        at += n
        offsets.append(at)
    return offsets


def valid(piece, n):
    try:
        return len(piece) == n and len(piece.decode()) == 1
    except UnicodeDecodeError:
        return False


class Ours:
    """The tokeniser of a folder as gradus reads it."""

    def __init__(self, folder):
        sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
        from gradus._c import C
        self.c, self.t = C, C.data_tokeniser_open(os.fsencode(folder))

    def __del__(self):
        self.c.data_tokeniser_free(self.t)

    def __call__(self, text, pair=None, longest=0):
        """Of a text, or of a pair: id, type, begin and end of each token, and the text that the ids give, as bytes."""
        C, found = self.c, self.c.Tokens()
        given = C.TokenInput(text=text, bytes=len(text), pair=pair, pair_bytes=len(pair or b""), longest=longest)
        C.data_tokens(self.t, given, ctypes.byref(found))
        tokens = [(k.id, k.type, k.begin, k.end) for k in found.token[:found.count]]
        C.data_tokens_free(ctypes.byref(found))
        ids = (ctypes.c_int32 * len(tokens))(*(k[0] for k in tokens))
        back = ctypes.create_string_buffer(C.data_tokens_text(self.t, ids, len(tokens), False, None, 0) + 1)
        C.data_tokens_text(self.t, ids, len(tokens), False, back, len(back))
        return tokens, back.raw[:-1]


def compare(name, folder, t, requests, longest):
    t.no_truncation()
    t.no_padding()
    if longest:
        t.enable_truncation(longest)
    ours, wrong, decoder = Ours(folder), 0, json.dumps(json.loads(t.to_str())["decoder"])
    for q in requests:
        e = t.encode(*[x.decode(errors="replace") for x in q])
        at = [byte_offsets(x) for x in q]
        want = []
        for i, kind, s, (b, c) in zip(e.ids, e.type_ids, e.sequence_ids, e.offsets):
            want.append((i, kind, at[s][b], at[s][c]) if s is not None else (i, kind, 0, 0))
        got, back = ours(*q, longest=longest)
        back = back.decode(errors="replace")
        text = t.decode(e.ids)  # ByteFallback writes U+FFFD for each byte of a run that ends within a character; here bytes stay bytes
        if got != want or (back != text and not ("\ufffd" in text and "ByteFallback" in decoder)):
            wrong += 1
            if wrong <= 3:
                print(f"{name}: {q}\n  got  {got}\n  want {want}\n  text {back!r}\n  want {text!r}")
    print(f"{'ok' if wrong == 0 else 'not ok'} {name}, at most {longest}: {len(requests) - wrong} of {len(requests)}", flush=True)
    return wrong
