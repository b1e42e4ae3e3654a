"""The table of all students, as CSV with a line of names of columns (COLUMNS), as Moodle's, Canvas' and Gradescope's own tables
have them. Whoever handed in nothing gets a row. An extension is a number of days after --due, or a time in its place."""
import csv
import io
import os

from common import clean, quit_, read, say
from submissions import Submission
from times import time_read

COLUMNS = {"id": "id", "sid": "id", "id number": "id", "identifier": "id", "name": "name", "student": "name",
           "full name": "name", "email": "email", "email address": "email", "extension": "extension"}


def fields(line):
    """Without blanks before them, and without the word of Moodle's identifier."""
    line = [field.lstrip("\ufeff ") for field in line]
    return [field[12:] if field.lower().startswith("participant ") else field for field in line]


def students(path):
    text = read(path)
    if text is None:
        quit_(f"--roster: {path} cannot be read")
    head, *lines = list(csv.reader(io.StringIO(text))) or [[]]
    what = [COLUMNS.get(name.lower()) for name in fields(head)]
    if not {"id", "name", "email"} & set(what):
        quit_(f"--roster: {path}: found no column id, name or email in the first line; expected one")
    found = []
    for line in lines:
        s = dict.fromkeys(("id", "name", "email", "extension"), "")
        s.update((key, field) for key, field in zip(what, fields(line)) if key)
        if (s["id"] or s["name"] or s["email"]) and s["name"] != "Points Possible":  # Canvas' second line
            found.append(s)
    return found


def is_of(student, s):
    same = lambda one, other: bool(one) and one.lower() == other.lower()
    own = s.name.partition(".")[0]
    return (s.system == "folder" and any(same(student[key], n) for key in ("id", "name", "email") for n in (own, s.name))
            or same(student["id"], s.id) or same(student["email"], s.email) or same(student["email"], s.id)
            or not (student["id"] and s.id) and same(student["name"], s.student))


def extend(student, s, due):
    words = student["extension"]
    if not words:
        return
    if time := time_read(words):
        s.due = time[0]
        return
    if not due or not words.isdigit() or int(words) > 365:
        quit_(f"--roster: {clean(student['name'] or student['id'])}: found the extension '{clean(words)}'"
              f"{'' if due else ' without --due'}; expected a number of days from 0 to 365 (with --due), or a time such as "
              "2026-11-27T23:59+01:00")
    s.due = due + 86400 * int(words)


def take_names(student, s):
    s.id = s.id or clean(student["id"] or student["email"])
    s.student = s.student or clean(student["name"])


def apply(path, found, homework, due):
    """Names and due times by the roster; returns those who handed in nothing."""
    roster, seen, system = students(path), set(), "folder"
    for s in found:
        system = s.system if s.system != "folder" else system
        place = next((i for i, student in enumerate(roster) if is_of(student, s)), None)
        if place is None:
            say(f"--roster: nobody in it has handed in {clean(s.name)}")
            continue
        seen.add(place)
        take_names(roster[place], s)
        extend(roster[place], s, due)
    absent = []
    most = sum(t["points"] for t in homework.tests)
    for student in (student for i, student in enumerate(roster) if i not in seen):
        s = Submission("", os.devnull, system, note="nothing was handed in", result={
            "compiled": "nothing handed in", "score": 0, "max_score": most, "seconds": 0, "tests": {}, "mistakes": []})
        take_names(student, s)
        s.name = s.id or s.student
        absent.append(s)
    return absent
