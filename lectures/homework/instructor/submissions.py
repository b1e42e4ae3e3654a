"""The submissions in a folder, and whose they are. Each entry is one:

    ann.c, ann/hw1.c, ann/submission/hw1.c      a person's own arrangement
    Ann Lee_4711_assignsubmission_file_/hw1.c   Moodle, also without a folder: ..._file_hw1.c
    leeann_LATE_123_456_hw1-1.c                 Canvas: user, submission, second attempt
    submission_123/hw1.c                        Gradescope, with submission_metadata.yml beside it

In all of them one rule says what is graded: hwN.c, else a .c file whose name has hwN in it, else the first .c file; nothing
that is no .c file. The others are named."""
import dataclasses
import os
import re
import stat

from common import clean, names, quit_, read
from times import time_read

DEPTH_MOST, NO_C, NOTE_MOST = 4, 3, 255
DEBRIS = re.compile(r"\.|__MACOSX$|.+(~|\.bak|\.orig|\.swp)$", re.I)  # hidden, or left by editors and systems
BESIDE = re.compile(r"makefile$|.+\.(md|csv|yml|yaml|json|h|log|out|o|so)$", re.I)  # in a class's folder, and no submission
MARK = "_assignsubmission_"


@dataclasses.dataclass
class Submission:
    name: str  # of the entry
    file: str  # what is graded, or the folder where there is no .c file
    system: str = "folder"  # or moodle, canvas, gradescope
    student: str = ""  # this and the next are empty where nothing tells them
    id: str = ""
    email: str = ""
    attempt: int = 0  # 1, 2, ... where the name counts them
    rank: int = NO_C  # of the file among a student's several, 0 first
    time: float = 0  # in seconds since 1970
    marked_late: bool = False  # by Canvas
    note: str = ""  # which files were not graded
    partners: list = dataclasses.field(default_factory=list)  # further submitters: (student, id, email)
    partner: bool = False  # it repeats the submission of another one of a group
    key: str = ""  # of everything that was asked: text, homework, overlay, options
    text: str = ""  # a hash of the text alone
    result: dict = None  # what grading gave; None: it was not possible
    attempts: int = 1  # different texts that were graded under this name
    due: float = 0  # the student's own, by the roster; 0: that of all
    late_days: int = 0
    points: float = 0  # the score, less what lateness costs, or what an instructor typed
    counts: bool = True  # it is the student's last attempt
    by_hand: bool = False
    comment: str = ""
    from_solution: int = None  # percent of the text's passages that the solution has, too

    def shown(self):
        return f"{self.student} ({clean(self.name)})" if self.student else clean(self.name)

    def compiled(self):
        return self.result["compiled"] if self.result else None


def note_left_out(s, name):
    note = f"{s.note}, {name}" if s.note else f"not graded: {name}"
    s.note = note if len(note) <= NOTE_MOST else s.note


def rank_of(name, id_):
    name = name.lower()
    if len(name) < 3 or not name.endswith(".c"):
        return NO_C
    return 0 if name == id_ + ".c" else 1 if id_ in name else 2


def files_in(folder, depth=0):
    """Of a folder and of those inside it. Links are not followed."""
    for name in names(folder) if depth < DEPTH_MOST else []:
        path = os.path.join(folder, name)
        if DEBRIS.match(name):
            continue
        if stat.S_ISDIR(os.lstat(path).st_mode):
            yield from files_in(path, depth + 1)
        else:
            yield path


def choose_file(s, homework):
    """Of a submission that is a folder, the file in it that is graded, and a note of the others."""
    folder, found = s.file, [] if os.path.islink(s.file) else list(files_in(s.file))
    s.rank = min((rank_of(os.path.basename(path), homework.id) for path in found), default=NO_C)
    if s.rank == NO_C:
        return
    s.file = next(path for path in found if rank_of(os.path.basename(path), homework.id) == s.rank)
    for path in found:
        if path != s.file and os.path.basename(path) != homework.header:
            note_left_out(s, clean(os.path.relpath(path, folder)))


def submitters(part):
    """Those of a submission's part of Gradescope's metadata: (student, id, email)."""
    people = re.search(r"^  :submitters:\n((?:  - .*\n(?:    .*\n)*)*)", part, re.M)
    found = []
    for item in re.split(r"^  - ", people[1], flags=re.M)[1:] if people else []:
        value = {key: m[1] for key in ("name", "sid", "email") if (m := re.search(rf":{key}:[ '\"]*([^'\"\n]*)", item))}
        email = clean(value.get("email", ""))
        found.append((clean(value.get("name", "")), clean(value.get("sid", "")) or email, email))
    return found


def find_origin(s, homework, metadata):
    """Where it came from, as far as its name tells; and the file's own name."""
    own = s.name
    if m := re.match(rf"(.*?)_(\d+){MARK}(?:[^_]*_)?(.*)", s.name, re.S):
        s.system, s.student, s.id, own = "moodle", m[1], m[2], m[3]
    elif re.fullmatch(r"submission_\d+", s.name):
        s.system = "gradescope"
        if part := re.search(rf"^{s.name}:\n(.*?)(?=^submission_|\Z)", metadata, re.M | re.S):
            first, *s.partners = submitters(part[1] + "\n") or [("", "", "")]
            s.student, s.id, s.email = first
            created = re.search(r":created_at:[ '\"]*([^'\"\n]*)", part[1])
            s.time = (time_read(created[1]) or (0,))[0] if created else 0
    elif m := re.match(r"([^_]+)_(LATE_)?(\d+)_\d+_(.*)", s.name, re.S):
        again = re.search(r"-(\d+)(?=[^-]*$)", m[4])
        s.system, s.student, s.id, s.marked_late = "canvas", m[1], m[3], bool(m[2])
        s.attempt = int(again[1]) + 1 if again else 1
        own = m[4].rsplit("_", 1)[-1]
        own = re.sub(r"-[^-]*(\.[^.]*)$", r"\1", own) if again else own
    s.student, s.id = clean(s.student), clean(s.id)
    return own


def is_remark(name, all_names):
    """Is it what a student typed into Moodle, beside a file?"""
    before, mark, kind = name.partition(MARK)
    return kind.startswith("onlinetext") and any(n.startswith(before + mark + "file") for n in all_names)


def submissions(homework, folder):
    if not os.path.isdir(folder):
        quit_(f"--all: {folder} cannot be opened; expected a folder")
    all_names, found = names(folder), []
    metadata = read(os.path.join(folder, "submission_metadata.yml")) or ""
    for name in all_names:
        if DEBRIS.match(name) or is_remark(name, all_names):
            continue
        s = Submission(name, os.path.join(folder, name))
        own = find_origin(s, homework, metadata)
        if s.system == "folder" and BESIDE.match(name):
            continue
        if os.path.isdir(s.file):
            choose_file(s, homework)
        else:
            s.rank = rank_of(own, homework.id)
        if not s.time and os.path.exists(s.file):
            s.time = int(os.stat(s.file).st_mtime)
        found.append(s)
    return found


# ---- which of them count ----------------------------------------------------------------------------------------

def with_partners(found):
    """Each student of a group gets a submission; they stand one after the other."""
    for s in found:
        yield s
        for student, id_, email in s.partners:
            yield dataclasses.replace(s, student=student, id=id_, email=email, partner=True)


def choose_attempts(found):
    """Of a student who handed in several files, the last attempt counts: what has no .c file comes before what has one, and
    of one attempt's files the best comes last."""
    order = sorted(found, key=lambda s: (s.system, s.id, s.rank < NO_C, s.attempt, -s.rank, s.time))
    best = None
    for s in reversed(order):
        s.counts = not (s.id and best and (best.system, best.id) == (s.system, s.id))
        if s.counts:
            best = s
        else:
            note_left_out(best, clean(s.name))
        s.attempts = max(s.attempts, s.attempt)


def set_points(s, due, free_days, percent):
    """The late days, and the points after them."""
    due, own = s.due or due, bool(s.due)
    over = s.time - due if due else 0
    s.late_days = int((over + 86399) // 86400) if over > 0 else int(s.marked_late and not own)
    share = 1 - percent / 100 * max(0, s.late_days - free_days)
    s.points = max(0, share) * s.result["score"] if s.result else 0
