"""How long a large class takes, and how much memory: submissions made from the solution and its list of mistakes.

    python3 tests/homework/load.py build/lectures/homework/homework-grader hw0 --submissions 1000 --shards 4 --kills 10

grades them in one run and in shards, of which some are killed with SIGKILL and run again, merges the shards, and compares the
tables. It prints the processor time of both ways, the time by the clock, and the largest memory of a process. Processor time and
memory do not hang on what else the machine does. With --work FOLDER it keeps the results, and the same command continues an
interrupted run, or adds submissions to a class that was graded.
"""

import argparse
import filecmp
import os
import pathlib
import random
import re
import shutil
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
    if not (work / "solved").exists():
        handout = [*options.grader, "handout", options.homework, work / "solved", "--solution"]
        subprocess.run(handout, check=True, capture_output=True)
    solution = (work / "solved" / f"{options.homework}.c").read_text(encoding="utf-8").splitlines()
    texts = [solution] + [text for c in mistakes(folder) if (text := with_mistake(solution, c))]
    texts += [text for t in texts[1:] for c in mistakes(folder) if (text := with_mistake(t, c))]
    (work / "in").mkdir(exist_ok=True)
    for i in range(options.submissions):
        text = "\n".join(texts[i % len(texts)] + [f"/* student {i + 1} */", ""])
        path = work / "in" / f"student-{i + 1:06}.c"
        if not path.exists():  # a file keeps its time, which the table of a class may show
            path.write_text(text, encoding="utf-8")
    return len(texts)


def run(command, after=None):
    """Runs the command, kills it when after() is false; (status, s of processor time, s, MB of its largest process)."""
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=said, stderr=said)
        while after and process.poll() is None and after() and not time.sleep(0.05):
            pass
        if after and process.returncode is None:
            process.send_signal(signal.SIGKILL)
        _, status, usage = (0, process.returncode, None) if process.returncode is not None else os.wait4(process.pid, 0)
    used = usage.ru_utime + usage.ru_stime if usage else 0
    return status, used, time.monotonic() - began, usage.ru_maxrss / 1024 if usage else 0


def timeless(path):
    """The table without the seconds that a submission took, which no two runs share."""
    return re.sub(r"^((?:[^,]*,){10})[^,]*", r"\1", path.read_text(encoding="utf-8"), flags=re.M)


def results(folder):
    return sum(1 for _ in folder.glob("*.row")) if folder.exists() else 0


class Sums:
    """Of all runs of a kind, also those before the measurement was interrupted: a line each in a file."""

    def __init__(self, path):
        self.path = path

    def add(self, ran):
        with open(self.path, "a", encoding="utf-8") as file:
            print(*ran[1:], sep="\t", file=file)

    def __str__(self):
        rows = [[float(word) for word in line.split()] for line in self.path.read_text(encoding="utf-8").splitlines()]
        used, took = (sum(row[k] for row in rows) for k in (0, 1))
        return f"{used:.1f} s of processor time, {took:.0f} s by the clock, {max(row[2] for row in rows):.0f} MB"


def in_shards(options, grade, work, sums):
    """All shards, `kills` of them killed at moments that the seed decides; how many were killed."""
    killed = 0
    chance = random.Random(1)
    for k in range(1, options.shards + 1):
        part = work / f"part-{k}"
        shard = [*grade, "--out", part, "--shard", f"{k}/{options.shards}"]
        share = options.submissions // options.shards
        times = options.kills // options.shards + (k <= options.kills % options.shards)
        for until in sorted(chance.randrange(share) for _ in range(times)):
            if results(part) <= until:  # else an earlier run of this program has killed it there
                ran = run(shard, lambda: results(part) <= until)
                killed += ran[0] == signal.SIGKILL
                sums.add(ran)
        sums.add(run(shard))
        print(f"shard {k}: {results(part)} results, {killed} times killed", file=sys.stderr, flush=True)
    return killed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("grader")
    parser.add_argument("homework")
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--work", help="a folder that is kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(measure(options, pathlib.Path(options.work or temporary)))


def measure(options, work):
    folder = next((ROOT / "lectures/homework").glob(f"{options.homework}-*"))
    options.grader = [os.path.abspath(options.grader), ROOT / "lectures/homework", work / "cache"]
    work.mkdir(exist_ok=True)
    texts = make_class(options, folder, work)
    one = [*options.grader, "grade", options.homework, "--overlay", ROOT / "tests/homework/overlay"]  # the same hidden inputs
    grade = [*one, "--all", work / "in", "--jobs", options.jobs]
    run([*one, work / "solved" / f"{options.homework}.c"])  # builds the homework's tests
    whole, shards = Sums(work / "whole.tsv"), Sums(work / "shards.tsv")
    whole.add(run([*grade, "--out", work / "whole"]))
    print(f"one run: {results(work / 'whole')} results, {whole}", file=sys.stderr, flush=True)
    killed = in_shards(options, grade, work, shards)
    for k in range(1, options.shards + 1):
        shutil.copytree(work / f"part-{k}", work / "merged", dirs_exist_ok=True)
    _, used, _, memory = run([*grade, "--merge", work / "merged"])
    equal = timeless(work / "whole/grades.csv") == timeless(work / "merged/grades.csv")
    equal = equal and filecmp.cmp(work / "whole/similar.csv", work / "merged/similar.csv", False)
    print(f"{options.submissions} submissions of {texts} texts, graded {results(work / 'merged')}: one run {whole}; "
          f"{options.shards} shards, {killed} times killed: {shards}; merge {used:.2f} s, {memory:.0f} MB; "
          f"tables {'equal' if equal else 'DIFFER'}")
    return not equal


if __name__ == "__main__":
    main()
