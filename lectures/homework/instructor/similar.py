"""Which submissions of a class have passages in common.

A text becomes a row of tokens in which all names are alike and all numbers are alike, so that renaming hides nothing. Of every
RUN tokens a checksum is made, and of every WINDOW checksums the smallest is kept: the fingerprints (winnowing: Schleimer,
Wilkerson and Aiken, 2003). Fingerprints of the hand-out and of the solution do not count: they come from the task. Which share
of a text the solution has, and the hand-out has not, is told beside. What many of a class have may come from the task, or from a
text that many copied: a pair is listed for what few have (FEW, or a quarter of the class), or if most of a text is the other's."""
import collections
import itertools
import os
import re
import tempfile
import zlib

from common import clean, read, write
from tables import csv_text

RUN, WINDOW, FEW, MOST_PERCENT, MOST_SHARED = 14, 6, 4, 60, 8
PAIRS_SHOWN, RANGES_SHOWN, PAIRS_KEPT = 30, 6, 100000
KEYWORDS = set("for while if else return do int double float real const static continue break long struct void sizeof switch "
               "case".split())
TOKEN = re.compile(r"""(?P<blank>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\d.a-fxA-FXlLuU]*)"""
                   r"""|(?P<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|.""", re.S | re.A)

REMARK = """\
Pairs of submissions with common passages. Names and numbers are ignored; passages of the
hand-out and of the solution are left out. A pair is listed for passages that few of the
class have (rare), or because most of one text is in the other. A high share is a reason to
read both texts side by side, and no proof of copying: the tasks are short, and two students
who follow the same equation write the same loop. A low share proves nothing either.

"""


def tokens(text):
    """(kind, line) of each."""
    line = 1
    for m in TOKEN.finditer(text):
        kind, word = m.lastgroup, m.group()
        if kind != "blank":
            yield {"name": word if word in KEYWORDS else "a", "number": "1", "string": word[0]}.get(kind, word), line
        line += word.count("\n")


def fingerprints(text):
    """{checksum: the first line on which it stands}."""
    all_, found, last = list(tokens(text or "")), {}, -1
    kinds = [kind for kind, _ in all_]
    sums = [zlib.crc32(" ".join(kinds[i:i + RUN]).encode()) for i in range(len(kinds) - RUN + 1)]
    for w in range(len(sums) - WINDOW + 1):
        end = w + WINDOW - 1
        if last >= w and sums[end] > sums[last]:
            continue
        last = end if last >= w else min(range(end, w - 1, -1), key=lambda i: sums[i])  # the last one of equal ones
        found.setdefault(sums[last], all_[last][1])
    return found


def own_prints(homework, found):
    """Of each submission its fingerprints that are not the task's. Tells of each what share of what it did not get with the
    hand-out is the solution's."""
    with tempfile.TemporaryDirectory() as work:
        handed_out = fingerprints(homework.handed_out(os.path.join(work, "stub")))
        solved = fingerprints(homework.handed_out(os.path.join(work, "solved"), "--solution"))
    prints = []
    for s in found:
        own = fingerprints(read(s.file)) if s.result and s.counts and not s.partner else {}
        own = {sum_: line for sum_, line in own.items() if sum_ not in handed_out}
        if own:
            s.from_solution = (100 * len(own.keys() & solved.keys()) + len(own) // 2) // len(own)
        prints.append({sum_: line for sum_, line in own.items() if sum_ not in solved})
    for before, s in zip(found, found[1:]):
        s.from_solution = before.from_solution if s.partner else s.from_solution
    return prints


def find_pairs(prints):
    """(share of the text that has fewer, shared, rare, one, other), the largest shares first. Texts whose fingerprints are the
    same are compared once."""
    groups = collections.defaultdict(list)  # the texts' places
    for place, own in enumerate(prints):
        if own:
            groups[frozenset(own)].append(place)
    sets, owners, few = list(groups), collections.defaultdict(list), max(FEW, len(prints) // 4)
    for g, own in enumerate(sets):
        for sum_ in own:
            owners[sum_].append(g)
    is_rare = {sum_ for sum_, in_ in owners.items() if sum(len(groups[sets[g]]) for g in in_) <= few}
    listed = []
    for g, own in enumerate(sets):
        shared, rare = collections.Counter(), collections.Counter()
        for sum_ in own:
            shared.update(owners[sum_])
            rare.update(owners[sum_] if sum_ in is_rare else ())
        for h, count in shared.items():
            share = count / min(len(own), len(sets[h]))
            if h >= g and (rare[h] or count >= MOST_SHARED and 100 * share >= MOST_PERCENT):
                listed.append((share, count, rare[h], groups[own], groups[sets[h]]))
    listed.sort(key=lambda p: (-p[0], -p[1], p[3], p[4]))
    pairs = (p[:3] + tuple(sorted(both)) for p in listed
             for both in (itertools.combinations(p[3], 2) if p[3] is p[4] else itertools.product(p[3], p[4])))
    found = sum(len(a) * (len(a) - 1) // 2 if a is b else len(a) * len(b) for *_, a, b in listed)
    return sorted(itertools.islice(pairs, PAIRS_KEPT), key=lambda p: (-p[0], -p[1], p[3], p[4])), found


def ranges(one, other):
    """Where the common passages of two texts are: lines that are near each other become one range."""
    found = []  # [from, to, the other's line]
    for line, with_ in sorted((one[sum_], other[sum_]) for sum_ in one.keys() & other.keys()):
        if found and line <= found[-1][1] + 3:
            found[-1][1:] = line, min(with_, found[-1][2])
        elif len(found) < RANGES_SHOWN:
            found.append([line, line, with_])
    return "; ".join(f"{first}-{last} at {with_}" for first, last, with_ in found)


def write_similar(homework, found, out):
    prints = own_prints(homework, found)
    pairs, count = find_pairs(prints)
    words, lines = [REMARK], []
    for share, shared, rare, one, other in pairs:
        a, b, where = found[one], found[other], ranges(prints[one], prints[other])
        if len(lines) < PAIRS_SHOWN:
            words.append(f"{100 * share:3.0f} %  {a.shown()} and {b.shown()}: {shared} fingerprints, {rare} of them rare, "
                         f"lines {where}\n")
        lines.append([clean(a.name), clean(b.name), f"{share:.3f}", shared, rare, where, a.student, b.student])
    if not pairs:
        words.append("There is no such pair.\n")
    if count > len(pairs):
        words.append(f"\nThere are {count} such pairs. similar.csv has the first {len(pairs)}.\n")
    write(os.path.join(out, "similar.txt"), "".join(words))
    head = "one other share shared_fingerprints rare_fingerprints lines student_one student_other".split()
    write(os.path.join(out, "similar.csv"), csv_text([head, *lines]))
