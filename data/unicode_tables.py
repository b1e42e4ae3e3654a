#!/usr/bin/env python3
"""Writes data/unicode_tables.c: what the tokenisers of pretrained models need to know of characters.

    pip install unicodedata2==16.0.0 regex
    python3 data/unicode_tables.py > data/unicode_tables.c

A tokeniser must use the tables that its model was trained with, not the newest ones. The tokenizers library of Hugging
Face has several: BERT's punctuation, control characters and marks are those of Unicode 8.0 (the Rust crate
unicode_categories), its decompositions, combining classes and accents those of 9.0, lower case that of 17.0, and the letters and numbers of byte-level
BPE those of 16.0. Here: categories and decompositions from unicodedata2, which must be of 16.0; the characters of 8.0
and of 9.0 from Perl's property Present_In; lower case from Python, with the pairs that came after Unicode 14.0. The
characters whose category has changed since 8.0 are listed below. Grapheme clusters, by which SentencePiece's map is applied
there, are those of Unicode 16.0, which are those of the module regex for the characters that 16.0 has. tests/pretrained/real_files.py compares every code point with
the library.
"""
import subprocess

import regex
import unicodedata2 as u

assert u.unidata_version == "16.0.0", u.unidata_version

# Category in Unicode 8.0, where it is another one today.
CHANGED = {0x166D: "Po", 0x111C9: "Po", 0x1734: "Mn", 0x1171E: "Mn", 0x1885: "Lo", 0x1886: "Lo", 0xA9BD: "Mc"}

# Marks in Unicode 9.0 that are letters today; 0x111C9 was none then.
MARKS_THEN = {0x1CF2, 0x1CF3}

# Lower case that came with Unicode 16.0 and 17.0.
LOWER = {0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7CE: 0xA7CF, 0xA7D2: 0xA7D3, 0xA7D4: 0xA7D5,
         0xA7DA: 0xA7DB, 0xA7DC: 0x19B}
LOWER.update({c: c + 0x20 for c in range(0x10D50, 0x10D66)})
LOWER.update({c: c + 0x1B for c in range(0x16EA0, 0x16EB9)})

CATEGORIES = "Cn Cc Cf Co Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs".split()  # as in unicode.h
PAIRS = 30  # a run of Lu and Ll in turn; 30: an even code is Lu, 31: an odd one
SPACE, PUNCTUATION, MARK, CONTROL, ACCENT = 32, 64, 128, 256, 512
WHITE = {*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
CODES = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def present_in(version):
    perl = ("for my $c (0..0x10FFFF) { next if $c >= 0xD800 && $c < 0xE000;"
            f' print "$c\\n" if chr($c) =~ /\\p{{Present_In: {version}}}/ }}')
    return set(map(int, subprocess.run(["perl", "-e", perl], check=True, capture_output=True, text=True).stdout.split()))


def boundaries(of):
    """Where a run of the same bits begins, as code << shift | bits; of(c) gives the bits."""
    found, before = [], 0
    for c in range(0x110000):
        bits = 0 if 0xD800 <= c < 0xE000 else of(c)
        if bits != before:
            found.append((c, bits))
        before = bits
    return found


def in_turn(runs):
    """Runs of one letter each, Lu and Ll in turn, become one."""
    cased, kept = [CATEGORIES.index("Lu"), CATEGORIES.index("Ll")], []
    for i, (c, bits) in enumerate(runs):
        single = bits in cased and i + 1 < len(runs) and runs[i + 1][0] == c + 1
        both = PAIRS + (c % 2 if bits == cased[0] else 1 - c % 2)
        if kept and kept[-1][1] == both and bits in cased and (single or kept[-1][2] == c):
            kept[-1][2] = c + 1  # its end
            if not single:  # the last letter of the run stands before other letters of its kind
                kept.append([c, bits, 0])
        elif single:
            kept.append([c, both, c + 1])
        else:
            kept.append([c, bits, 0])
    return [(c, bits) for c, bits, _ in kept]


def classes():
    """The category of Unicode 16.0, and what the tokenizers library's other tables say."""
    old, accents = present_in("8.0"), present_in("9.0") - {0x111C9}

    def of(c):
        now = u.category(chr(c))
        then = CHANGED.get(c, now if c in old or now == "Co" else "Cn")
        bits = (SPACE * (c in WHITE) | PUNCTUATION * (then[0] == "P" or (33 <= c < 127 and not chr(c).isalnum()))
                | MARK * (then == "Mn") | CONTROL * (then in ("Cc", "Cf", "Co") or c == 0xFFFD) | ACCENT * ((now[0] == "M" or c in MARKS_THEN) and c in accents))
        if c in (9, 10, 13):
            bits &= ~CONTROL
        return CATEGORIES.index(now) | bits
    return in_turn(boundaries(of))


def lower(c):
    return LOWER.get(c) or (ord(chr(c).lower()) if len(chr(c).lower()) == 1 else c)


def lowers():
    """Runs: first, last, step between two of them, distance to the lower case."""
    runs = []
    for c in CODES:
        d = lower(c) - c
        if d == 0:
            continue
        if runs and runs[-1][3] == d and c - runs[-1][1] in (1, 2) and runs[-1][2] in (0, c - runs[-1][1]):
            runs[-1][2] = c - runs[-1][1]
            runs[-1][1] = c
        else:
            runs.append([c, c, 0, d])
    return [[a, b, step or 1, d] for a, b, step, d in runs]


def decompositions():
    """Characters that are another one; those that are two: twice the first, plus 1 where these never become the
    character again, and the second. Without Hangul, which has a formula."""
    old, singles, pairs = present_in("9.0"), [], []
    for c in CODES:
        d = u.decomposition(chr(c))
        if not d or d[0] == "<" or 0xAC00 <= c < 0xD7A4 or c not in old:
            continue
        first, *second = (int(x, 16) for x in d.split())
        again = u.normalize("NFC", u.normalize("NFD", chr(c))) == chr(c)
        assert second or not again
        if second:
            pairs.append((c, 2 * first + (not again), *second))
        else:
            singles.append((c, first))
    return singles, pairs


def orders():
    """The canonical combining class of Unicode 9.0."""
    old = present_in("9.0")
    return boundaries(lambda c: u.combining(chr(c)) if c in old else 0)


BREAKS = [r"\p{GCB=Extend}|\p{GCB=ZWJ}", r"\p{GCB=SpacingMark}", r"\p{GCB=Prepend}", r"\p{GCB=Control}|\p{GCB=CR}|\p{GCB=LF}",
          r"\p{Extended_Pictographic}", r"\p{InCB=Consonant}", r"\p{InCB=Linker}"]


USUAL = {"Mn": 1, "Me": 1, "Mc": 2, "Cc": 8, "Cf": 8, "Zl": 8, "Zp": 8}  # unicode.c, unicode_break


def breaks():
    """Characters that do not simply stand alone: bit i for the i-th property of BREAKS, but as the difference from its category's usual bits."""
    def of(c):
        kind, bits = u.category(chr(c)), sum(1 << i for i, p in enumerate(BREAKS) if regex.match(p, chr(c)))
        return (bits & 24 if kind == "Cn" and bits & ~24 else bits) ^ USUAL.get(kind, 0)  # unassigned in 16.0
    return boundaries(of)


def digits(n):
    """A number in digits of 5 bits, the lowest first, from "0" on; all but the last have a sixth bit."""
    return chr(48 + n) if n < 32 else chr(80 + n % 32) + digits(n // 32)


def lines_of(rows):
    """Lines of at most 120 digits, each of whole rows: a line's first character as it is, then the distance from the one
    before."""
    lines, before = [""], 0
    for c, *numbers in rows:
        row = "".join(map(digits, numbers))
        if len(lines[-1] + digits(c - before) + row) > 120:
            lines.append("")
            before = 0
        lines[-1] += digits(c - before) + row
        before = c
    return [line.replace("\\", "\\\\").replace("?", "\\?") for line in lines]


def table(name, rows):
    lines = lines_of(rows)
    print(f"static const char *const {name}_lines[] = {{")
    print("\n".join(f'    "{x}",' for x in lines) + "};")
    print(f"const UnicodeTable {name} = {{{len(lines)}, {len(rows[0]) - 1}, {name}_lines}};\n")


if __name__ == "__main__":
    print("/* unicode_tables.c: generated by unicode_tables.py, which names its sources; not to be edited by\n"
          " * hand. Unicode 16.0 categories, grapheme clusters; 8.0 punctuation, marks, control characters; 9.0\n"
          " * decompositions, combining classes, accents; 17.0 lower case. unicode.h says how they are\n"
          " * written. */")
    print("/* clang-format off */")
    print('#include "data/unicode.h"\n')
    table("unicode_classes", classes())
    table("unicode_breaks", breaks())
    table("unicode_orders", orders())
    table("unicode_lowers", [(a, b - a, s, 2 * abs(d) + (d < 0)) for a, b, s, d in lowers()])
    singles, pairs = decompositions()
    table("unicode_singles", singles)
    table("unicode_pairs", pairs)
    print("/* clang-format on */")
