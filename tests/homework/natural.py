"""Mistakes as students make them, none of which is in mistakes.txt, and what the report must say of each.

    python3 natural.py HOMEWORK_FOLDER GRADER CACHE WORK [--show]

Each entry of natural.txt changes the solution, as in mistakes.txt, and names the homework and the test that fails:

    @ id
    test: hw1 softmax
    tells: words that the report must contain (several lines: all of them)
    never: words that would be false
    < lines of the solution
    > lines in their place

--show prints the reports instead.
"""

import os
import subprocess
import sys

homework, grader, cache, work = sys.argv[1:5]
show = "--show" in sys.argv
overlay = os.path.join(work, "natural-overlay")  # the second seed is fixed, so that each run is the same
os.makedirs(overlay, exist_ok=True)
with open(os.path.join(overlay, "settings"), "w", encoding="utf-8") as f:
    f.write("seed 2\n")


def entries(path):
    entry = None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("@ "):
            entry = {"id": line[2:], "tells": [], "never": [], "hunks": []}
            yield entry
        elif entry and line[:1] in ("<", ">"):
            if line[0] == "<" and (not entry["hunks"] or entry["hunks"][-1][1]):
                entry["hunks"].append(([], []))
            entry["hunks"][-1][line[0] == ">"].append(line[1:])
        elif entry and ": " in line:
            key, value = line.split(": ", 1)
            if key == "test":
                entry["hw"], entry["test"] = value.split()
            else:
                entry[key].append(value)


def changed(text, hunks):
    lines = text.split("\n")
    for old, new in hunks:
        wanted = [x.strip() for x in old]
        places = [i for i in range(len(lines)) if [x.strip() for x in lines[i : i + len(wanted)]] == wanted]
        assert len(places) == 1, (places, old)
        lines[places[0] : places[0] + len(wanted)] = new
    return "#include <stdlib.h>\n" + "\n".join(lines)  # for malloc in a mistake


solutions = {}
failures = named = said = 0
all_entries = list(entries(os.path.join(os.path.dirname(os.path.abspath(__file__)), "natural.txt")))
for e in all_entries:
    if e["hw"] not in solutions:
        folder = os.path.join(work, "natural-" + e["hw"])
        subprocess.run([grader, homework, cache, "handout", e["hw"], folder, "--solution"], check=True, capture_output=True)
        solutions[e["hw"]] = open(os.path.join(folder, e["hw"] + ".c"), encoding="utf-8").read()
    path = os.path.join(work, e["id"] + ".c")
    with open(path, "w", encoding="utf-8") as f:
        f.write(changed(solutions[e["hw"]], e["hunks"]))
    test = ["--test", e["test"]] if e["test"] != "-" else []
    r = subprocess.run([grader, homework, cache, "grade", e["hw"], path, "--overlay", overlay, *test], capture_output=True, text=True)
    report = " ".join(r.stdout.split())
    lacks = [w for w in e["tells"] if w not in report] + ["not: " + w for w in e["never"] if w in report]
    named += "What it looks like" in report
    said += "What shows" in report
    if show:
        print("=" * 20, e["id"], "status", r.returncode)
        print("\n".join(l for l in r.stdout.split("\n") if "passed " not in l))
    elif r.returncode != 1 or lacks:
        failures += 1
        print(e["id"], "status", r.returncode, "lacks", lacks, r.stdout, r.stderr)
print(len(all_entries), "mistakes,", named, "with a name,", said, "described")
sys.exit(1 if failures else 0)
