"""Mistakes as students make them, none of which is in mistakes.txt, and what the report must say of each.

    python3 natural.py HOMEWORK_FOLDER GRADER CACHE WORK [--show]

It prints a line for each entry, "ID: as it should be" or what the report lacks, and a report that lacks something to
standard error.

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
here = os.path.dirname(os.path.abspath(__file__))
overlay = os.path.join(here, "overlay")  # the hidden inputs are the same in every run


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


def solution_of(hw):
    folder = os.path.join(work, "natural-" + hw)
    if not os.path.isdir(folder):
        subprocess.run([grader, homework, cache, "handout", hw, folder, "--solution"], check=True, capture_output=True)
    return open(os.path.join(folder, hw + ".c"), encoding="utf-8").read()


# Status 2 says that the machine failed (no process left, too busy), not the submission: it is tried again.
def graded(entry, path):
    test = ["--test", entry["test"]] if entry["test"] != "-" else []
    for _ in range(4):
        run = subprocess.run([grader, homework, cache, "grade", entry["hw"], path, "--overlay", overlay, *test], capture_output=True, text=True)
        if run.returncode != 2:
            break
    return run


failed = False
for e in list(entries(os.path.join(here, "natural.txt"))):
    path = os.path.join(work, e["id"] + ".c")
    with open(path, "w", encoding="utf-8") as f:
        f.write(changed(solution_of(e["hw"]), e["hunks"]))
    run = graded(e, path)
    report = " ".join(run.stdout.split())
    lacks = [f"lacks '{w}'" for w in e["tells"] if w not in report] + [f"has '{w}'" for w in e["never"] if w in report]
    if "of the hidden inputs" in report:
        lacks.insert(0, "fails on hidden inputs alone")
    if run.returncode != 1:
        lacks.insert(0, f"status {run.returncode}")
    if show:
        print("=" * 20, e["id"], *lacks)
        print("\n".join(line for line in run.stdout.split("\n") if "passed " not in line))
        continue
    print(e["id"] + ":", ", ".join(lacks) or "as it should be", flush=True)
    if lacks:
        failed = True
        print(e["id"] + ":", run.stdout, run.stderr, file=sys.stderr)
sys.exit(failed)
