"""How long a large class takes, and how much memory: submissions made from the solution and its list of mistakes.

    python3 tests/homework/load.py build/lectures/homework/homework-grader hw0 --submissions 1000 --shards 4 --kills 10

grades them in one run and in shards, of which some are killed with SIGKILL and run again, merges the shards, and compares the
tables. It prints one row: processor time of both ways, and the largest memory of a process. Both do not hang on what else the
machine does; the time by the clock does.
"""

import argparse
import filecmp
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def mistakes(folder):
    """The list's changes: (the lines that stand in the solution, those that stand there instead) of each."""
    changes, old, new, begun = [], [], [], False  # begun: this mistake has lines of its own
    for line in (folder / "mistakes.txt").read_text(encoding="utf-8").splitlines() + ["@"]:
        if line.startswith("@"):
            changes += [(old, new)] if new else []
            new, begun = [], False
        elif line.startswith("<"):
            old, new, begun = (old if begun else []) + [line[1:].strip()], [], True
        elif line.startswith(">"):
            new = new + [line[1:].strip()]
    return changes


def with_mistake(solution, change):
    """The solution with the change, or None where its lines do not stand one after the other."""
    old, new = change
    lines = [line.strip() for line in solution]
    for i in range(len(lines) - len(old) + 1):
        if old and lines[i:i + len(old)] == old:
            return solution[:i] + new + solution[i + len(old):]
    return None


def make_class(options, folder, work):
    """Submissions of one text each: right ones, one mistake, two mistakes."""
    subprocess.run([*options.grader, "handout", options.homework, work / "solved", "--solution"], check=True, capture_output=True)
    solution = (work / "solved" / f"{options.homework}.c").read_text(encoding="utf-8").splitlines()
    texts = [solution] + [text for c in mistakes(folder) if (text := with_mistake(solution, c))]
    texts += [text for t in texts[1:] for c in mistakes(folder) if (text := with_mistake(t, c))]
    (work / "in").mkdir()
    for i in range(options.submissions):
        text = "\n".join(texts[i % len(texts)] + [f"/* student {i + 1} */", ""])
        (work / "in" / f"student-{i + 1:06}.c").write_text(text, encoding="utf-8")
    return len(texts)


def run(command, after=None):
    """Runs the command, kills it after so many results; (status, processor time in s, memory of its largest process in MB)."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        while after and process.poll() is None and after() and not time.sleep(0.01):
            pass
        if after and process.returncode is None:
            process.send_signal(signal.SIGKILL)
        _, status, usage = (0, process.returncode, None) if process.returncode is not None else os.wait4(process.pid, 0)
    return status, usage.ru_utime + usage.ru_stime if usage else 0, usage.ru_maxrss / 1024 if usage else 0


def timeless(path):
    """The table without the seconds that a submission took, which no two runs share."""
    return re.sub(r"^((?:[^,]*,){10})[^,]*", r"\1", path.read_text(encoding="utf-8"), flags=re.M)


def results(folder):
    return sum(1 for _ in folder.glob("*.row")) if folder.exists() else 0


def in_shards(options, grade, work):
    """All shards, `kills` of them killed at moments that the seed decides; (seconds, memory, killed)."""
    seconds = memory = killed = 0
    chance = random.Random(1)
    for k in range(1, options.shards + 1):
        part = work / f"part-{k}"
        shard = [*grade, "--out", part, "--shard", f"{k}/{options.shards}"]
        share = options.submissions // options.shards
        times = options.kills // options.shards + (k <= options.kills % options.shards)
        for until in sorted(chance.randrange(share) for _ in range(times)):
            killed += run(shard, lambda: results(part) <= until)[0] != 0
        _, used, most = run(shard)
        seconds, memory = seconds + used, max(memory, most)
    return seconds, memory, killed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("grader")
    parser.add_argument("homework")
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    folder = next((ROOT / "lectures/homework").glob(f"{options.homework}-*"))
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        options.grader = [os.path.abspath(options.grader), ROOT / "lectures/homework", work / "cache"]
        texts = make_class(options, folder, work)
        grade = [*options.grader, "grade", options.homework, "--all", work / "in", "--jobs", options.jobs]
        run([*grade[:-4], work / "solved" / f"{options.homework}.c"])  # builds the homework's tests
        _, whole, whole_memory = run([*grade, "--out", work / "whole"])
        _, shards, memory, killed = (0, *in_shards(options, grade, work))
        parts = [word for k in range(1, options.shards + 1) for word in ("--merge", work / f"part-{k}")]
        _, merge, merge_memory = run([*grade, "--out", work / "merged", *parts])
        equal = timeless(work / "whole/grades.csv") == timeless(work / "merged/grades.csv")
        equal = equal and filecmp.cmp(work / "whole/similar.csv", work / "merged/similar.csv", False)
        print(f"{options.submissions} submissions of {texts} texts, graded {results(work / 'merged')}: "
              f"one run {whole:.1f} s of processor time, {whole_memory:.0f} MB; {options.shards} shards, {killed} times killed: "
              f"the last runs {shards:.1f} s, {memory:.0f} MB; merge {merge:.2f} s, {merge_memory:.0f} MB; "
              f"tables {'equal' if equal else 'DIFFER'}")
        sys.exit(not equal)


if __name__ == "__main__":
    main()
