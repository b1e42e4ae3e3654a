#!/usr/bin/env python3
"""Classes with copies in them:  copies.py write FOLDER STUDENTS COPIES   then   copies.py check similar.csv COPIES

Each student has 40 statements of their own among 12 that all have, as a task makes them; the first COPIES students have one
text, with other names. The texts do not compile, so that grading them is quick: similarity reads them as they are."""
import csv
import itertools
import os
import random
import sys

EVERYBODY = "for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < m; j++) y[i] += a[i * m + j] * x[j]; }"


def statement(rng):
    """One of about 10^9 forms of which no names or numbers remain."""
    terms = [rng.choice(["a", "a[b]", "(a + b)", "f(a)", "-a", "a->b", "*a"]) for _ in range(rng.randint(3, 7))]
    line = "".join(t + rng.choice([" + ", " * ", " - ", " / ", " % ", " & ", " | "]) for t in terms) + "b"
    return rng.choice(["a = %s;", "if (%s) a++;", "while (%s) b--;", "a[b] += %s;", "return %s;", "f(a, %s);"]) % line


def text(seed):
    rng = random.Random(seed)
    lines = [statement(rng) for _ in range(40)]
    for _ in range(3):
        lines.insert(rng.randrange(len(lines)), EVERYBODY)
    return lines


def renamed(lines, name):
    return [line.replace("a", "a" + name).replace("b", "b" + name) for line in lines]


def write(folder, students, copies):
    os.makedirs(folder)
    for i in range(students):
        lines = renamed(text(0 if i < copies else i), str(i))
        with open(f"{folder}/s{i:03}.c", "w") as f:
            f.write("#error this text is only read\n" + "\n".join(lines) + "\n")


def check(path, copies):
    rows = list(csv.DictReader(open(path)))
    found = {(r["one"], r["other"]): float(r["share"]) for r in rows}
    for one, other in itertools.combinations(range(copies), 2):
        share = found.pop((f"s{one:03}.c", f"s{other:03}.c"), 0)
        assert share > 0.9, (one, other, share)
    assert all(share < 0.3 for share in found.values()), found


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        check(sys.argv[2], int(sys.argv[3]))
