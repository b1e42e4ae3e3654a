"""The command `./gradus exam`: chooses the questions of a sheet, and writes it as Markdown, and from that as LaTeX, PDF and a page
for a browser. Status 0; 1: answers cannot be graded, or a file cannot be written; 2: the command line cannot be read."""
import os
import random
import re
import shutil
import subprocess
import sys

from grade import grade_class
from kinds import ANSWER, COURSES, Kinds, Question
from program import LECTURES, Options, need_folder, refuse, write

HOUR, LONG = 60, 12  # minutes

# With five digits of the logarithms, each divergence of the kind kl-of-two-distributions comes out by hand within the 1 % of grade.py
# (0.15 % at worst); with three, 21 of its 56 do not.
RULES = r"""
Give whole numbers exactly, and others as a fraction or with three significant digits. The last number of a question counts for all of \
its numbers; where it is wrong, each right one before it counts for its own. Answer a why in one or two sentences.

$`\ln 2 \approx 0.69315`$, $`\ln 3 \approx 1.09861`$, $`\ln 5 \approx 1.60944`$.
""".replace("\\\n", "")


def rows_of(text: str) -> set:
    """The rows of a list such as 16-22,26."""
    rows = set()
    for part in text.split(","):
        found = re.fullmatch(r"([1-9]\d*)(?:-(\d+))?", part)
        if not found or found[2] and int(found[2]) < int(found[1]):
            refuse(f"--rows: found '{part}'; expected numbers such as 4 or 16-22")
        rows |= set(range(int(found[1]), int(found[2] or found[1]) + 1))
    return rows


def choose(kinds: Kinds, asked, seed: str) -> list:
    """Takes kinds until none fits into the minutes: each time one of those that come now, if there are any, among these one of a row
    that the sheet has least often, among these of such a chapter, and among these at random. An hour begins with a long question;
    then come two that ask why."""
    chapters = {r["number"]: r["chapter"] for r in kinds.program.facts["rows"]}
    rows = rows_of(asked.rows) if asked.rows else chapters.keys()
    order = random.Random(f"choose {seed}")
    left = [(order.random(), k) for k in kinds.list if kinds.taught(k, asked.course) and k.row in rows]
    chosen, minutes = [], asked.minutes

    def rank(entry: tuple) -> tuple:
        kind = entry[1]
        now = asked.minutes < HOUR or (kind.reasons or len(chosen) > 2 if chosen else kind.minutes >= LONG)
        return (not now, sum(k.row == kind.row for k in chosen), sum(chapters[k.row] == chapters[kind.row] for k in chosen), entry[0])

    while left := [entry for entry in left if entry[1].minutes <= minutes]:
        best = min(left, key=rank)
        left.remove(best)
        chosen.append(best[1])
        minutes -= best[1].minutes
    if not chosen:
        raise ValueError(f"no kind of question is left for course {asked.course}; expected other --rows, or more --minutes")
    return [k for k in kinds.list if k in chosen]


def latex_of(text: str, space: str) -> str:
    """A question stays on one page, and an answer has space to work in. space: between paragraphs."""
    def line_of(line: str) -> str:
        if line.startswith("#"):
            return "\\filbreak\\medskip\\textbf{" + line.lstrip("# ") + "}"
        parts = re.sub(re.escape(ANSWER), r"\\dotfill\\par\\vspace*{14mm}", line.replace("`", "")).split("$")
        parts[::2] = [re.sub(r"([%&_#])", r"\\\1", part) for part in parts[::2]]  # outside of formulas
        return "$".join(parts)
    return "\\documentclass[a4paper,11pt]{article}\\nofiles\n\\usepackage[utf8]{inputenc}\n\\usepackage{amsmath}\n" \
        f"\\usepackage[margin=2.2cm]{{geometry}}\n\\setlength{{\\parindent}}{{0pt}}\\setlength{{\\parskip}}{{{space}}}\n" \
        "\\begin{document}\n" + "\n".join(map(line_of, text.split("\n"))) + "\\end{document}\n"


def write_sheet(kinds: Kinds, asked, folder: str, sheet: int) -> None:
    seed = f"{asked.course} {sheet}"  # each course has its own numbers
    chosen = choose(kinds, asked, seed)
    questions = [Question(kinds, kind, asked.course, seed) for kind in chosen]
    points, minutes = sum(k.points for k in chosen), sum(k.minutes for k in chosen)
    lecture = next(lecture["name"] for lecture in kinds.program.facts["lectures"] if lecture["letter"] == asked.course)
    course = (asked.title or lecture) + (f", {asked.date}" if asked.date else "")
    key = "answer,right,points\n" + "".join(f"{number}{letter},{right},{points}\n" for number, q in enumerate(questions, 1)
                                            for letter, right, points in q.key)
    pdf = shutil.which("pdflatex")
    for name, title in ("sheet", "Exam"), ("solution", "Solutions"):
        text = f"# {title}, sheet {sheet}\n\n{course}\n\n{len(chosen)} questions, {points} points, about {minutes} minutes."
        text += f" Name: ........................\n{RULES}" if name == "sheet" else "\n"
        for number, (kind, q) in enumerate(zip(chosen, questions), 1):
            text += f"\n## Question {number}: {kind.points} points, about {kind.minutes} minute{'s' * (kind.minutes > 1)}, level " \
                f"{kind.level}\n\n{getattr(q, name)}"
            text += f"\nRow {kind.row} of lectures/README.md, kind {kind.name}.\n" if name == "solution" else ""
        stem = f"{folder}/{name}-{sheet}"
        write(f"{stem}.md", text)
        write(f"{stem}.tex", latex_of(text, "16pt" if name == "sheet" else "4pt"))
        if pdf:
            if subprocess.run([pdf, "-interaction=batchmode", "-halt-on-error", f"-output-directory={folder}", f"{stem}.tex"],
                              stdout=subprocess.DEVNULL).returncode:
                raise ValueError(f"pdflatex refuses {stem}.tex; its .log says why")
            os.unlink(f"{stem}.log")
    write(f"{folder}/key-{sheet}.csv", key)
    print(f"{folder}/sheet-{sheet}, solution-{sheet} (md, tex{', pdf' if pdf else '; there is no pdflatex, so no PDF'}): {len(chosen)} "
          f"questions, {points} points, {minutes} minutes", flush=True)


def print_pages(folder: str, sheets: range) -> None:
    """Where LaTeX is missing, a Chromium prints the pages. Each is our own, and loads nothing: it needs no sandbox, which Chromium
    refuses to root."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if shutil.which("pdflatex") or not chromium:
        return
    for stem in (f"{folder}/{name}-{sheet}" for sheet in sheets for name in ("sheet", "solution")):
        if subprocess.run([chromium, "--headless", "--no-pdf-header-footer", "--no-sandbox", f"--print-to-pdf={stem}.pdf", f"{stem}.html"],
                          stderr=subprocess.DEVNULL).returncode:
            raise ValueError(f"{chromium} cannot print {stem}.html")
    print(f"{folder}: and printed by Chromium (pdf)")


def main(program, words: list) -> int:
    options = Options("exam", "Writes paper exams of a course, with solutions, and grades the answers.")
    options.text("course", "LETTER", "V, B, H, Z or J, whose symbols and rows it has")
    options.number("seed", "the number of the first sheet", 1, 0, 10**6)
    options.number("sheets", "how many sheets, of successive numbers", 1, 1, 1000)
    options.number("minutes", "at most so long", 60, 2, 600)
    options.text("rows", "LIST", "only these of lectures/README.md: 16-22,26")
    options.text("grade", "FILE", "grade the answers of a class: student,sheet,1a,1b,...")
    options.text("title", "TEXT", "your course, below the heading")
    options.text("date", "TEXT", "the day, after it")
    options.text("out", "DIR", "the folder; each course has its own in it", "out/exam")
    asked = options.read(words)
    if not asked.course or asked.course not in tuple(COURSES):
        refuse(f"--course: found '{asked.course or ''}'; expected V, B, H, Z or J")
    folder = f"{asked.out}/{asked.course}"
    if asked.grade:
        if any(word.split("=")[0] in ("--seed", "--sheets", "--minutes", "--rows", "--title", "--date") for word in words):
            refuse("--grade: found --seed, --sheets, --minutes, --rows, --title or --date, too; expected none of them: the keys beside the "
                   "sheets have the answers")
        grade_class(asked.grade, folder)
        return 0
    need_folder("out", folder)
    kinds, sheets = Kinds(program, LECTURES / "exams/questions.txt"), range(asked.seed, asked.seed + asked.sheets)
    for sheet in sheets:
        write_sheet(kinds, asked, folder, sheet)
    if subprocess.run([sys.executable, str(LECTURES / "pages/pages.py"), "text", folder]).returncode == 0:
        print(f"{folder}: the sheets and solutions as pages, too (html)", flush=True)
        print_pages(folder, sheets)
    return 0
