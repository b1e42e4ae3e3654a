"""Grades every submission of a folder, several at a time, each by a worker, which is the C grader (`each` in grader/main.c);
whatever happens in one, the others go on. A submission is graded again only if its text, the homework, the overlay, the grader or
the options changed. The folder of results gets NAME.txt (what the student is told), NAME.json and NAME.row of each."""
import concurrent.futures
import hashlib
import json
import os
import re
import secrets
import signal
import subprocess
import threading

from common import clean, names, quit_, read, read_bytes, say, write
import formats
import roster
import submissions
from similar import write_similar
from tables import by_hand, write_class_files, write_summary

# The grader keeps a submission's own time far below this: what reaches it is the machine's failure.
MOST_SECONDS, NAME_BYTES = 1200, 200


def result_path(out, name, kind):
    """NAME.kind. A file system has no longer names than 255 bytes: a long one ends with a hash of the whole. A submission with the
    name of a text of the class has results with "~" added; no submission's own name ends so (submissions.py ignores those)."""
    whole = os.fsencode(name)
    if len(whole) > NAME_BYTES:
        name = os.fsdecode(whole[:NAME_BYTES]) + "~" + hashlib.sha256(whole).hexdigest()[:16]
    elif name.lower() in ("summary", "similar"):
        name += "~"
    return os.path.join(out, f"{name}.{kind}")


# ---- seeds and keys ---------------------------------------------------------------------------------------------

def seed_read(text):
    """Decimal, or 0x and hexadecimal; 0: it is none."""
    if not re.fullmatch(r"0x[0-9a-f]{1,16}|\d{1,20}", text):
        return 0
    seed = int(text, 16 if text.startswith("0x") else 10)
    return seed if seed < 2**64 else 0


def seed_of(out, given):
    """The seed of a class's hidden inputs, kept in the folder of results: the one there unless another is given; a new one where
    there is none. Of two shards that begin at once, the first one's seed is both's."""
    path, own = os.path.join(out, "seed"), os.path.join(out, f"seed.part-{os.getpid()}")
    write(own, (given or hex(secrets.randbits(64) or 1)) + "\n")
    try:
        if given:
            os.replace(own, path)
        else:
            os.link(own, path)
    except FileExistsError:
        pass
    if not given:
        os.remove(own)
    kept = (read(path) or "").strip()
    if not seed_read(kept):
        quit_(f"{path}: found '{clean(kept)}'; expected a seed")
    return kept


def hash_of(*parts):
    sum_ = hashlib.sha256()
    for part in parts:
        sum_.update(b"%d " % len(part) + part)
    return sum_.hexdigest()[:16]


def bytes_of(*path):
    return read_bytes(os.path.join(*path)) or b""


def set_keys(found, grader, o):
    """Of everything that decides a result: the text, the homework (the cache's name stands for it), its mistakes, the overlay, the
    options and the grader."""
    root, asked = grader.command[1], [o.test, o.function, o.seed or 1, o.case, seed_read(grader.seed)]
    parts = [os.path.basename(grader.cache).encode(), repr(asked).encode()]
    parts += [bytes_of(root, "grader", name) for name in names(os.path.join(root, "grader")) if name[-2:] in (".c", ".h")]
    parts += [bytes_of(grader.folder, "mistakes.txt"), bytes_of(root, "mistakes_debug.txt")]
    parts += [bytes_of(o.overlay, name) for name in ("settings", "hidden.c") if o.overlay]
    for s in found:
        s.text = hash_of(bytes_of(s.file))
        s.key = hash_of(s.text.encode(), s.note.encode(), *parts)


# ---- results ----------------------------------------------------------------------------------------------------

def row_read(s, out):
    """False if it was not graded there, or not the same text with the same question."""
    try:
        had = json.loads(read(result_path(out, s.name, "row")) or "")
    except ValueError:
        return False
    s.attempts = had["attempts"] + (had["text"] != s.text)
    s.result = had if had["key"] == s.key else None
    return s.result is not None


def mistakes_of(report):
    return list(dict.fromkeys(id_ for t in report["tests"] for id_ in t["diagnosis"].split(",") if id_))


def write_results(s, text, report, out):
    write(result_path(out, s.name, "txt"), text)
    write(result_path(out, s.name, "json"), formats.gradescope(report))
    s.result = {"key": s.key, "text": s.text, "attempts": s.attempts, "score": report["score"], "max_score": report["max_score"],
                "seconds": report["seconds"], "mistakes": mistakes_of(report),
                "compiled": "no C file" if report["no_c"] else "yes" if report["compiled"] else "no",
                "tests": {t["name"]: [t["status"], t["score"]] for t in report["tests"]}}
    write(result_path(out, s.name, "row"), json.dumps(s.result) + "\n")  # last: where it is, the others are


def write_failure(s, why, out):
    """It has no grade: the reason is in NAME.txt, and there is no row, so that the next run tries again."""
    say(f"{clean(s.name)} could not be graded: {why}")
    write(result_path(out, s.name, "txt"), f"{clean(s.name)} could not be graded: {why}\nThe next run tries again.\n")
    for kind in ("json", "row"):
        if os.path.exists(result_path(out, s.name, kind)):
            os.remove(result_path(out, s.name, kind))


# ---- in parallel ------------------------------------------------------------------------------------------------

class Worker:
    """A C grader that grades one submission after the other."""
    def __init__(self, grader):
        self.command = [*grader.command, "each", grader.called, *grader.options]
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def record(self):
        return self.process.stdout.read(int(self.process.stdout.readline())).decode("utf-8", "replace")

    def grade(self, s):
        """The report as text, and what the JSON says. Where the process that grades ends, the JSON has the reason alone."""
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        late = threading.Timer(MOST_SECONDS * max(1, os.getloadavg()[0] / os.cpu_count()), self.process.kill)
        late.start()
        try:
            self.process.stdin.write(os.fsencode(s.file) + b"\0" + s.note.encode() + b"\0")
            self.process.stdin.flush()
            return self.record(), json.loads(self.record())
        except (ValueError, OSError):
            self.process.kill()
            killed = self.process.wait() == -signal.SIGKILL and late.finished.is_set()
            self.process = None
            return "", {"failure": f"the process that did it {'took too long' if killed else 'was killed, or failed'}"}
        finally:
            late.cancel()


def grade_submissions(grader, ungraded, out, jobs):
    """Returns how many could not be graded."""
    own, workers, failed = threading.local(), [], 0

    def begin():
        own.worker = Worker(grader)
        workers.append(own.worker)

    with concurrent.futures.ThreadPoolExecutor(min(jobs, len(ungraded)) or 1, initializer=begin) as pool:
        waiting = {pool.submit(lambda s: own.worker.grade(s), s): s for s in ungraded}
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            s, (text, report) = waiting[future], future.result()
            if report["failure"]:
                write_failure(s, report["failure"], out)
                failed += 1
            else:
                write_results(s, text, report, out)
            if done % max(1, len(ungraded) // 10) == 0:
                say(f"graded {done} of {len(ungraded)}")
        for worker in workers:
            worker.__exit__()
    return failed


# ---- the class --------------------------------------------------------------------------------------------------

def write_class(grader, found, out, o):
    found = list(submissions.with_partners(found))
    due, words = o.due or (0, "")
    found += roster.apply(o.roster, found, grader, due) if o.roster else []
    submissions.choose_attempts(found)
    for s in found:
        submissions.set_points(s, due, o.late_days, o.late_percent)
    by_hand(found, out)
    write_class_files(grader, found, out, result_path)
    write_similar(grader, found, out)
    write_summary(grader, found, out, words, bool(o.roster))


def refuse(s, out, place, count):
    """No shard has graded it, or not as it is now. A shard of `count` has it alone."""
    path = result_path(out, s.name, "row")
    what = "of another version of the submission, the homework, its overlay or the grader" if os.path.exists(path) else "not there"
    quit_(f"--merge: {path} is {what}; expected each submission's result: run its shard again, or --shard {place}/{count}, which "
          "is this one alone")


def grade_all(grader, o, out):
    """o.shard: one machine's part, every all-th submission, from the own-th on."""
    own, all_ = o.shard or (1, 1)
    found = submissions.submissions(grader, o.all)[own - 1::all_]
    set_keys(found, grader, o)
    ungraded = [s for s in found if not row_read(s, out)]
    if len(ungraded) < len(found):
        say(f"{len(found) - len(ungraded)} of {len(found)} are graded already")
    if o.merge and ungraded:
        refuse(ungraded[0], out, found.index(ungraded[0]) + 1, len(found))
    failed = grade_submissions(grader, ungraded, out, o.jobs or os.cpu_count())
    if all_ == 1:
        write_class(grader, found, out, o)
    return 2 if failed else 0
