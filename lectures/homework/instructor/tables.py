"""What is made of all submissions of a class: the points and comments that an instructor types, the grades as CSV, what
learning management systems import, the feedback as an archive, and a summary with charts in words."""
import collections
import csv
import io
import os
import re
import statistics
import zipfile

from common import clean, quit_, read, say, write

BINS = 10


# ---- CSV (RFC 4180) ---------------------------------------------------------------------------------------------

def number(x):
    return f"{x:.10g}"


def csv_text(lines):
    """A spreadsheet would compute a word that begins like a formula: it gets ' before it."""
    to = io.StringIO()
    rows = csv.writer(to, lineterminator="\n")
    for line in lines:
        rows.writerow(["'" + x if isinstance(x, str) and x[:1] in tuple("=+-@") else x for x in line])
    return to.getvalue()


# ---- by hand ----------------------------------------------------------------------------------------------------

def by_hand(found, out):
    """What by_hand.csv says: points and comments. Writes an empty one where there is none."""
    path = os.path.join(out, "by_hand.csv")
    table, own = read(path), collections.defaultdict(list)
    for s in found:
        own[clean(s.name)].append(s)  # of a group each
    if table is None:
        write(path, csv_text([["name", "points", "comment"]] + [[name, "", ""] for name in own]))
        return
    for line in list(csv.reader(io.StringIO(table, newline="")))[1:]:
        name, points, comment = (line + ["", "", ""])[:3]
        if not name:
            continue
        if points and not re.fullmatch(r"\d{1,6}(\.\d{0,2})?", points):  # what every gradebook takes: 92, 92.5, 92.25
            quit_(f"by_hand.csv: {clean(name)}: found points '{clean(points)}'; expected a number from 0 on, with at most two "
                  "decimals, or nothing")
        if name not in own and name[1:] not in own:
            say(f"by_hand.csv: there is no submission \"{clean(name)}\"")
        for s in own.get(name) or own.get(name[1:], []):
            s.by_hand, s.comment = bool(points), comment or s.comment
            s.points = float(points) if points else s.points


# ---- for learning management systems ----------------------------------------------------------------------------

def moodle(part):
    """Its grading worksheet: "Identifier" finds the participant."""
    yield ["Identifier", "Full name", "Maximum Grade", "Grade", "Feedback comments"]
    for s in part:
        yield [f"Participant {s.id}", s.student, number(s.result["max_score"]), number(s.points), s.comment]


def canvas(part, title):
    """Its gradebook: "ID" finds the student; the second line holds the points possible."""
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]
    yield ["    Points Possible", "", "", "", "", number(max((s.result["max_score"] for s in part), default=0))]
    for s in part:
        yield [s.student, s.id, "", "", "", number(s.points)]


def feedback_name(s):
    """Moodle finds the student by the folder's name, Canvas by the beginning of the file's."""
    if s.system == "moodle" and (m := re.match(r".*?_assignsubmission_[^_]*", s.name, re.S)):
        return m[0] + "_/feedback.txt"
    return (s.name[:-2] if s.system == "canvas" else s.name) + ".txt"


def feedback(found, out, result_path):
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for s in found:
            text = read(result_path(out, s.name, "txt")) if s.counts and not s.partner else None
            if text is None:
                continue
            if s.by_hand:
                most = number(s.result["max_score"] if s.result else 0)
                text += f"\nYour instructor gave {number(s.points)} of {most} points.\n"
            if s.comment:
                text += f"\nFrom your instructor:\n{s.comment}\n"
            archive.writestr(clean(feedback_name(s)), text.encode("utf-8"))
    write(os.path.join(out, "feedback.zip"), to.getvalue())


def write_class_files(homework, found, out, result_path):
    for system, table in (("moodle", moodle), ("canvas", lambda part: canvas(part, homework.title))):
        if any(s.system == system for s in found):
            part = [s for s in found if s.system == system and s.result and s.counts]
            write(os.path.join(out, system + ".csv"), csv_text(table(part)))
    feedback(found, out, result_path)


# ---- grades.csv -------------------------------------------------------------------------------------------------

def grades(homework, found):
    tests = [t["name"] for t in homework.tests]
    yield ["name", "student", "id", "score", "max_score", "compiled", "late_days", "points", "attempts", "counts", "seconds", "seed",
           "solution_percent", *tests, "mistakes", "comment", "note"]
    for s in found:
        r, counts = s.result, "yes" if s.counts else "no"
        graded = ([number(r["score"]), number(r["max_score"]), r["compiled"], s.late_days, number(s.points), s.attempts, counts,
                   f"{r['seconds']:.1f}"] if r else ["", "", "could not be graded", s.late_days, "", s.attempts, counts, ""])
        yield [clean(s.name), s.student, s.id, *graded, homework.seed, "" if s.from_solution is None else s.from_solution,
               *(number(r["tests"][t][1]) if r and t in r["tests"] else "" for t in tests),
               ",".join(r["mistakes"]) if r else "", s.comment, s.note]


# ---- the summary ------------------------------------------------------------------------------------------------

def chart(title, bars):
    """bars: (label, count, what the bar's whole length stands for)."""
    lines = [f"  {label[:60]:<28} {count:4d} {'#' * (40 * count // max(of, 1))}\n" for label, count, of in bars]
    return f"\n{title}\n" + ("".join(lines) or "  none\n")


def points_chart(counted):
    shares = [s.result["score"] / s.result["max_score"] for s in counted]
    bins = collections.Counter(min(BINS - 1, max(0, int(share * BINS))) for share in shares)
    most = max(bins.values(), default=1)
    return chart(f"how many reached how much of the points (median {100 * statistics.median(shares or [0]):.0f} %)",
                 [(f"{i * 100 // BINS:3d} to {(i + 1) * 100 // BINS:3d} %", bins[i], most) for i in reversed(range(BINS))])


def tests_chart(homework, counted):
    """The hardest test first; among equals, the homework's order."""
    bars = []
    for test in (t["name"] for t in homework.tests):
        states = [s.result["tests"][test][0] for s in counted if test in s.result["tests"]]
        bars += [(test, states.count("passed"), len(states))] if states else []
    return chart("how many passed each test, the hardest first", sorted(bars, key=lambda bar: bar[1] / bar[2]))


def mistakes_chart(found):
    count = collections.Counter(id_ for s in found if s.result for id_ in s.result["mistakes"])
    most = max(count.values(), default=1)
    return chart("mistakes that were named", [(id_, n, most) for id_, n in sorted(count.items(), key=lambda c: (-c[1], c[0]))])


def summary(homework, found, due_words, has_roster):
    """In the first two charts only the last attempt of each student counts."""
    states = collections.Counter(s.compiled() for s in found)
    absent, failed = states["nothing handed in"], states[None]
    graded = [s for s in found if s.result and s.compiled() != "nothing handed in"]
    scores = [s.result["score"] for s in graded]
    counted = [s for s in graded if s.counts and s.result["max_score"] > 0]
    return "".join([
        f"{homework.title}: {len(found) - absent} submissions, {sum(scores) / max(1, len(scores)):.1f} points on average, "
        f"{sum(s.result['score'] >= s.result['max_score'] for s in graded)} with all points, {states['no']} do not compile, "
        f"{states['no C file']} have no C file\n",
        f"{absent} of the roster handed in nothing\n" if has_roster else "",
        f"{failed} could not be graded\n" if failed else "",
        f"late: after {due_words}\n" if due_words else "",
        points_chart(counted), tests_chart(homework, counted), mistakes_chart(found)])


def write_summary(homework, found, out, due_words, has_roster):
    text = summary(homework, found, due_words, has_roster)
    write(os.path.join(out, "grades.csv"), csv_text(grades(homework, found)))
    write(os.path.join(out, "summary.txt"), text)
    files = "grades.csv moodle.csv canvas.csv by_hand.csv feedback.zip summary.txt similar.txt similar.csv".split()
    there = [file for file in files if os.path.exists(os.path.join(out, file))]
    print(f"{text}\n{clean(out)} has: {', '.join(there)}, and .txt and .json of each submission")
