#!/usr/bin/env python3
"""Writes data/unicode_tables.c: what the tokenisers of pretrained models need to know of characters.

    pip install unicodedata2==16.0.0 regex
    python3 data/unicode_tables.py > data/unicode_tables.c

A tokeniser must use the tables that its model was trained with, not the newest ones. The tokenizers library of Hugging
Face has several: BERT's punctuation, control characters and marks are those of Unicode 8.0 (the Rust crate
unicode_categories), its decompositions those of 12.0, lower case that of 17.0, and the letters and numbers of byte-level
BPE those of 16.0. Here: categories and decompositions from unicodedata2, which must be of 16.0; the characters of 8.0
and of 12.0 from Perl's property Present_In; lower case from Python, with the pairs that came after Unicode 14.0. The
characters whose category has changed since 8.0 are listed below. Grapheme clusters, by which SentencePiece's map is applied
there, are those of Unicode 16.0, which are those of the module regex for the characters that 16.0 has. tests/pretrained/tokenisers.py compares every code point with
the library.
"""
import subprocess

import regex
import unicodedata2 as u

assert u.unidata_version == "16.0.0", u.unidata_version

# Category in Unicode 8.0, where it is another one today.
CHANGED = {0x166D: "Po", 0x111C9: "Po", 0x1734: "Mn", 0x1171E: "Mn", 0x1885: "Lo", 0x1886: "Lo", 0xA9BD: "Mc"}

# Lower case that came with Unicode 16.0 and 17.0.
LOWER = {0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7CE: 0xA7CF, 0xA7D2: 0xA7D3, 0xA7D4: 0xA7D5,
         0xA7DA: 0xA7DB, 0xA7DC: 0x19B}
LOWER.update({c: c + 0x20 for c in range(0x10D50, 0x10D66)})
LOWER.update({c: c + 0x1B for c in range(0x16EA0, 0x16EB9)})

SPACE, LETTER, NUMBER, PUNCTUATION, MARK, CONTROL = 1, 2, 4, 8, 16, 32
WHITE = {*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
CODES = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def present_in(version):
    perl = ("for my $c (0..0x10FFFF) { next if $c >= 0xD800 && $c < 0xE000;"
            f' print "$c\\n" if chr($c) =~ /\\p{{Present_In: {version}}}/ }}')
    return set(map(int, subprocess.run(["perl", "-e", perl], check=True, capture_output=True, text=True).stdout.split()))


def classes():
    """Runs of characters of the same class: first, last, class."""
    old, runs = present_in("8.0"), []
    for c in CODES:
        now = u.category(chr(c))
        then = CHANGED.get(c, now if c in old or now == "Co" else "Cn")
        bits = (SPACE * (c in WHITE) | LETTER * (now[0] == "L") | NUMBER * (now[0] == "N")
                | PUNCTUATION * (then[0] == "P" or (33 <= c < 127 and not chr(c).isalnum())) | MARK * (then == "Mn")
                | CONTROL * (then in ("Cc", "Cf", "Co") or c == 0xFFFD))
        if c in (9, 10, 13):
            bits &= ~CONTROL
        if bits and runs and runs[-1][1] == c - 1 and runs[-1][2] == bits:
            runs[-1][1] = c
        elif bits:
            runs.append([c, c, bits])
    return runs


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
    """Canonical decompositions without Hangul, which has a formula; at most four characters."""
    old, rows = present_in("12.0"), []
    for c in CODES:
        d = u.normalize("NFD", chr(c))
        if d != chr(c) and not 0xAC00 <= c < 0xD7A4 and c in old:
            rows.append([c, [ord(x) for x in d]])
            assert len(d) <= 4
    return rows


BREAKS = [r"\p{GCB=Extend}|\p{GCB=ZWJ}", r"\p{GCB=SpacingMark}", r"\p{GCB=Prepend}", r"\p{GCB=Control}|\p{GCB=CR}|\p{GCB=LF}",
          r"\p{Extended_Pictographic}", r"\p{InCB=Consonant}", r"\p{InCB=Linker}"]


def breaks():
    """Runs of characters that do not simply stand alone: first, last, bit i for the i-th property of BREAKS."""
    runs = []
    for c in CODES:
        bits = sum(1 << i for i, p in enumerate(BREAKS) if regex.match(p, chr(c)))
        if u.category(chr(c)) == "Cn" and bits & ~24:  # unassigned in 16.0
            bits &= 24
        if bits and runs and runs[-1][1] == c - 1 and runs[-1][2] == bits:
            runs[-1][1] = c
        elif bits:
            runs.append([c, c, bits])
    return runs


def braces(n):
    if isinstance(n, list):
        return "{" + ", ".join(map(braces, n)) + "}"
    return hex(n).upper().replace("X", "x") if abs(n) > 63 else str(n)


def table(kind, name, rows, perline):
    print(f"const {kind} {name}[] = {{")
    texts = [braces(row) for row in rows]
    for i in range(0, len(texts), perline):
        print("    " + ", ".join(texts[i : i + perline]) + ",")
    print(f"}};\nconst int {name}_count = {len(rows)};\n")


if __name__ == "__main__":
    print("/* unicode_tables.c: generated by unicode_tables.py, which names its sources; not to be edited by hand.\n"
          " * Unicode 16.0 letters, numbers, grapheme clusters; 8.0 punctuation, marks, control characters; 12.0 decompositions; 17.0 lower case.\n"
          " * Longer than other files: it is data. */")
    print("/* clang-format off */")
    print('#include "data/unicode.h"\n')
    table("UnicodeRun", "unicode_runs", classes(), 6)
    table("UnicodeRun", "unicode_breaks", breaks(), 6)
    table("UnicodeLower", "unicode_lowers", lowers(), 6)
    table("UnicodeParts", "unicode_parts", decompositions(), 5)
    print("/* clang-format on */")
