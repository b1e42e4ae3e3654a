"""The command `./gradus steps`: where one is in a course, one step, or a plan. See README.md. Status of a step: 0 if it is done,
1 if not yet; 2: the command line, or a line of a path, cannot be read."""
import os
import pathlib
import random
import re
import subprocess
import time

import ask
import claims
from program import LECTURES, Options, refuse, say

SESSION = 25  # minutes of what is to be done today


class Step:
    """A kind of step and what it is about: "predict 21". A row that two courses have is one step in both."""

    def __init__(self, kind: str, what, minutes: float):
        self.kind, self.what, self.minutes, self.done = kind, str(what), int(minutes), False
        self.key, self.row = f"{kind} {what}", what if isinstance(what, int) else 0

    def __str__(self) -> str:
        return f"{self.key} ({self.minutes} min)"


# ---- a path --------------------------------------------------------------------------------------------------------

class Path:
    """A text file of a course: what is to be done of a row, and which functions a homework has, stands in the chapters and the
    homeworks themselves."""

    def __init__(self, program, name: str):
        self.program, self.name, self.title, self.steps = program, name, "a path", []
        file = pathlib.Path(name if re.search(r"[/\\.]", name) else LECTURES / f"steps/paths/{name}.txt")
        try:
            lines = file.read_text("utf-8").splitlines()
        except OSError:
            refuse(f"--course: found '{name}'; expected V, B, H, Z, J, gradus or the file of a path")
        lecture, after = "", {}
        for number, line in enumerate(map(str.strip, lines), 1):
            self.where = f"{file}:{number}: "
            word, _, rest = line.partition(" ")
            if word == "path":
                self.title = rest
            elif word == "slides":
                lecture = rest
            elif word == "after":
                row, _, items = rest.partition(" ")
                after[row] = self.where, items.split(", ")
            elif line and not line.startswith("#"):
                self.add_line(line)
        self.add_slides(lecture, after)
        if not self.steps:
            refuse(f"{file}: found no step; expected at least one")

    def step(self, key: str):
        """The step of this key, or the first of a homework's, "write hw2:"; None: it has none."""
        return next((s for s in self.steps if s.key == key or key.endswith(":") and s.key.startswith(key)), None)

    def add(self, kind: str, what, minutes: float) -> None:
        step = Step(kind, what, minutes)
        if self.step(step.key):
            refuse(f"{self.where}found '{step.key}' twice; expected it once")
        self.steps.append(step)

    def add_slides(self, lecture: str, after: dict) -> None:
        """The rows of a lecture in the order of its slides, each with what follows it: where that stands, and its lines."""
        facts = self.program.facts
        self.title = next((one["name"] for one in facts["lectures"] if one["letter"] == lecture), self.title)
        for row in dict.fromkeys(str(row) for s in facts["slides"] if s["lecture"] == lecture for row in s["rows"]):
            self.add_row(row)
            self.where, lines = after.pop(row, (self.where, []))
            for line in lines:
                self.add_line(line)
        for row, (where, _) in after.items():
            refuse(f"{where}found row {row}; expected one of the slides that the path has")

    def add_line(self, line: str) -> None:
        word, *rest = line.split() or [""]
        if word == "row" and rest:
            self.add_row(rest[0])
        elif word == "homework" and rest:
            self.add_homework(*rest)
        elif word == "walk" and rest:
            self.add("walk", rest[0], 30)
        elif word == "mystery" and rest:
            self.add("find", f"mystery{rest[0]}", 15)
        else:
            refuse(f"{self.where}found '{line}'; expected row, homework, walk or mystery, and what it is about")

    def add_row(self, word: str) -> None:
        """A row is read with its questions before it, then one of its claims with a planted fault, then its exercise."""
        row = int(word) if word.isdecimal() else 0
        chapter = self.program.chapter_of(row)
        if not chapter:
            refuse(f"{self.where}there is no row '{word}'; expected one of lectures/README.md")
        questions, claims, exercises = (sum(e["row"] == row for e in chapter[k]) for k in ("questions", "claims", "exercises"))
        if questions:
            # A word of a section takes a second and a half, since formulas and code are words, too.
            section = re.search(rf" \(row {row}\)\n(.*?)(?=\n## |\Z)", (LECTURES / chapter["folder"] / "README.md").read_text("utf-8"), re.S)
            self.add("predict", row, 3 * questions + (len(section[1].split()) + 39) // 40 if section else 3 * questions)
        if claims:
            self.add("break", row, 8)
        if exercises:
            self.add("change", row, 20)

    def add_homework(self, folder: str, *chosen: str) -> None:
        """A folder, and the functions that are written; without them all. A program with a bug, and a lab, are one step."""
        name = folder if folder.startswith("lab-") else folder.split("-")[0]
        homework = LECTURES / "homework" / folder
        try:
            tasks = re.findall(r"^TASK [^(]*?(\w+)\(", (homework / f"{name}.h").read_text("utf-8"), re.M)
            hours = re.search(r"\| time \| ([\d.]+)(?: to ([\d.]+))?", (homework / "README.md").read_text("utf-8"))
        except OSError:
            hours = None
        if not hours or chosen and name[0] != "h":
            refuse(f"{self.where}found '{folder}'; expected a folder of lectures/homework, and functions of it")
        minutes = 30 * (float(hours[1]) + float(hours[2] or hours[1]))
        if name[0] != "h":
            self.add("find" if name[0] == "d" else "write", name, minutes)
        for function in (chosen or tasks) if name[0] == "h" else ():
            if function not in tasks:
                refuse(f"{self.where}found '{function}'; expected functions of {name}.h")
            self.add("write", f"{name}:{function}", minutes / len(tasks))
        self.add_milestones()

    def add_milestones(self) -> None:
        """Those that were not reached before, and whose homeworks, or functions of one, all are."""
        for line in (LECTURES / "steps/milestones/milestones.txt").read_text("utf-8").splitlines():
            name, *parts = line.split()
            needed = [f"write {part}" + ":" * (":" not in part) for part in parts if part.startswith("hw")]
            if name != "#" and all(map(self.step, needed)) and not self.step(f"milestone {name}"):
                self.add("milestone", name, 15)

    # ---- a plan

    def about(self, steps: list) -> list:
        """What the steps are about, each once: rows, homeworks without their functions, guides and milestones."""
        return list(dict.fromkeys(f"row {s.row}" if s.row else s.key if s.kind in ("walk", "milestone") else s.what.split(":")[0]
                                  for s in steps))

    def plan(self, weeks: int) -> None:
        """In Markdown; a step is in the week in which its middle lies."""
        whole = sum(s.minutes for s in self.steps)
        print(f"# {self.title}\n\n## A plan of {weeks} weeks\n\n{whole / 60:.0f} hours: about {whole / 60 / weeks:.1f} a week. Rows are "
              "those of lectures/README.md.")
        end = since = minutes = 0
        for week in range(1, weeks + 1):
            first, before = end, minutes
            while end < len(self.steps) and (2 * minutes + self.steps[end].minutes) * weeks <= 2 * whole * week:
                minutes += self.steps[end].minutes
                end += 1
            print(f"\n### Week {week}: {(minutes - before) / 60:.1f} hours\n")
            if end > first:
                print("-", ", ".join(self.about(self.steps[first:end])))
            if weeks >= 4 and week in ((weeks + 1) // 2, weeks):
                rows = ",".join(dict.fromkeys(str(s.row) for s in self.steps[since:end] if s.row))
                print(f"- exam on {rows}" if len(self.name) > 1 else f"- exam: ./gradus exam --course {self.name} --rows {rows}")
                since = end


# ---- what is noted -------------------------------------------------------------------------------------------------

class Record:
    """Lines whose order is free, but for the last course: two files are merged by writing one after the other, and a line is added
    to what another program may have noted since. A folder of XDG that is not absolute is ignored, as its specification has it."""

    def __init__(self):
        state, home = os.environ.get("XDG_STATE_HOME", ""), os.environ.get("HOME", os.environ.get("USERPROFILE", ""))
        self.file = f"{state}/gradus/steps.txt" if os.path.isabs(state) else \
            f"{home if os.path.isabs(home) else '.'}/.local/state/gradus/steps.txt"

    def lines(self, word: str) -> list:
        """What stands after this word."""
        try:
            text = pathlib.Path(self.file).read_text("utf-8", errors="replace")
        except OSError:
            return []
        return [line[len(word):].rstrip() for line in text.split("\n") if line.startswith(word)]

    def note(self, line: str) -> None:
        try:
            os.makedirs(os.path.dirname(self.file), exist_ok=True)
            with open(self.file, "a+b") as file:
                within = file.tell() and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
                file.write((b"\n" if within else b"") + line.encode() + b"\n")
        except OSError:
            say("record", 8, f"{self.file} cannot be written: nothing is noted")


# ---- the kinds of steps --------------------------------------------------------------------------------------------

class Check:
    """Says what a step asks for, and checks it: a method for each kind, which is true if the step is done."""

    def __init__(self, program, step: Step, seed: int):
        self.program, self.step, self.seed = program, step, seed
        self.random = random.Random(f"{seed} {step.row}")
        self.chapter = program.chapter_of(step.row)
        self.section = f"section {step.row} of lectures/{self.chapter['folder']}/README.md" if self.chapter else ""
        self.folder = os.environ.get("GRADUS_HOMEWORK") or "homework"
        self.launcher = os.environ.get("GRADUS_LAUNCHER") or str(LECTURES.parent / "gradus")

    def predict(self) -> bool:
        say("", 3, f"Predict before anything is measured; the step is done when all answers are right. Then read {self.section} "
            f"(./gradus lecture {self.chapter['number']} --html).", "\n\n")
        return ask.main(self.program, [str(self.chapter["number"]), "--row", self.step.what]) == 0

    def run(self, index: int, fault: str = "") -> float:
        print(f"   {'with a fault' if fault else 'as it is'}:\n")
        f = claims.run(self.program, f"claim {self.chapter['number']} {index}", self.chapter["claims"][index], 1, fault,
                       lambda line: print(line, end=""))
        print(f"\n   value {f.value:.6g}, bound {f.claim['bound']}: {f.verdict}\n")
        return f.value

    def break_(self) -> bool:
        """A claim of the row is shown without and with a fault, which is to be named among the claim's other faults that have
        another value, and faults of claims of other rows."""
        say("", 3, "A fault is planted in what a claim of this row measures. Name it.", "\n\n")
        listed, row = self.chapter["claims"], self.step.row
        index = self.random.choice([i for i, c in enumerate(listed) if c["row"] == row])
        claim = listed[index]
        fault = self.random.choice(claim["faults"])
        say("", 3, claim["statement"])
        say("   measured:", 13, claim["quantity"], "\n\n")
        sound, planted = self.run(index), self.run(index, fault["name"])
        choices = {fault["what"]: f"it takes the value from {sound:.4g} to {planted:.4g}"}
        for other in claim["faults"]:
            value = claims.run(self.program, f"claim {self.chapter['number']} {index}", claim, 1, other["name"]).value
            if repr(value) != repr(planted):
                choices.setdefault(other["what"], f"it gives {value:.4g}, and {planted:.4g} was measured")
        names = {f["name"] for f in claim["faults"]}
        for other in self.random.sample(listed, len(listed)):
            if other["row"] != row and other["faults"][0]["name"] not in names:
                choices.setdefault(other["faults"][0]["what"],
                                   f"this is a fault of another claim, of row {other['row']}: \"{other['statement']}\"")
        choices = [{"text": what, "reason": reason, "right": what == fault["what"]} for what, reason in list(choices.items())[:4]]
        self.random.shuffle(choices)
        return self.question({"row": row, "question": "Which fault is it?", "choices": choices,
                              "answer": f"{fault['what']} (./gradus claims --break {row}:{fault['name']})"}, float("nan"))

    def question(self, question: dict, right: float) -> bool:
        ask.pose(question)
        answer = ask.Answers().take(question, "answer")
        if answer is None:
            print()
        return answer is not None and ask.show(question, answer, right)

    def change(self) -> bool:
        say("", 3, f"Solve the exercise of {self.section} in the copy of exercises*.c that is named below, and begin this step again. As "
            "it stands:", "\n\n")
        return self.runs(self.launcher, "claims", "--try", self.step.what)

    def walk(self) -> bool:
        """Asks for one of the guide's numbers in walks.tsv, which the guide does not print."""
        guide = next(LECTURES.glob(f"*/{self.step.what}.md"), None)
        lines = [line.split("\t") for line in (LECTURES / "steps/walks.tsv").read_text("utf-8").splitlines()]
        asked = [line for line in lines if line[0] == self.step.what]
        if not guide or not asked:
            refuse(f"found no guide '{self.step.what}'; expected one of lectures/*/stepping*.md that walks.tsv has")
        say("", 3, f"Type ./gradus debug {self.step.what} in a second terminal, and there what lectures/{guide.relative_to(LECTURES)} has "
            "after \"(gdb)\".", "\n\n")
        _, after, typed, value = self.random.choice(asked)
        return self.question({"row": 0, "choices": [], "within": 1e-3, "quantity": "what gdb answers there", "question": f"After the guide's "
                              f"first `{after}`, type `{typed}`: which number is the answer, after any \"$1 =\"?",
                              "answer": "the guide does not print it",
                              "misconception": "other places of the program have other numbers"}, float(value))

    def write(self) -> bool:
        """Hands the homework out, or grades all of it, or one function."""
        name, _, function = self.step.what.partition(":")
        file = f"{self.folder}/{name}/{name}.c"
        there = os.path.exists(file)
        words = ["grade", name, file, *(["--function", function] if function else [])] if there else ["handout", name, os.path.dirname(file)]
        print("   ./gradus", *words[:2], f"'{words[2]}'", *words[3:], end="\n\n", flush=True)
        ok = self.runs(self.launcher, *words)
        if ok and not there:
            say("", 3, f"Read {words[2]}/README.md, and write {function or 'its functions'} in {name}.c beside it; this step, begun again, "
                "grades it.")
        return ok and there

    def find(self) -> bool:
        """A mystery is a run of its own at each try: what a wrong answer was told does not help the next."""
        mystery = re.fullmatch(r"mystery(\d)", self.step.what)
        if not mystery:
            return self.write()
        return self.runs(self.program.path, "mystery", str(1 + self.seed % 10**6), "--chapter", mystery[1])

    def milestone(self) -> bool:
        """Grades what the program calls of the homeworks, compiles it with them, and runs it."""
        return self.runs("sh", str(pathlib.Path(self.program.path).parent / "milestone.sh"), self.step.what, self.folder)

    @staticmethod
    def runs(*words: str) -> bool:
        return subprocess.run(words).returncode == 0


# ---- the command ---------------------------------------------------------------------------------------------------

def print_step(label: str, step: Step, program) -> None:
    say(label, 8, f"{step}: {program.what(step.row)}" if step.row else str(step))


def show(path: Path, record: Record) -> int:
    """What is next, and where that is in the course."""
    left = [s for s in path.steps if not s.done]
    done = len(path.steps) - len(left)
    if not done and path.name == "gradus":
        say("first", 8, "run and read lectures/00-backprop/gpt.c, a GPT in 200 lines; see ./gradus example three-tokens")
    if left: # a session is the steps of about this many minutes, one at least
        today, minutes = [], 0
        for step in left:
            if minutes >= SESSION or minutes and minutes + step.minutes > SESSION + 10:
                break
            today.append(step.key)
            minutes += step.minutes
        say("today", 8, f"{minutes} minutes: {', '.join(today)}")
        print_step("next", left[0], path.program)
        say("type", 8, "./gradus steps next")
    else:
        say("next", 8, "all steps are done")
    say("course", 8, f"{path.name}: {path.title} (another: --course V, B, H, Z, J or gradus)")
    say("done", 8, f"{done} of {len(path.steps)} steps")
    say("record", 8, record.file)
    return 0


def run_step(step: Step, path: Path, record: Record, seed: int) -> int:
    print_step("step", step, path.program)
    print(flush=True)
    check = Check(path.program, step, seed or time.time_ns() // 1000)
    step.done = getattr(check, "break_" if step.kind == "break" else step.kind)()
    if not step.done:
        say("not yet", 8, f"./gradus steps {step.key} begins this step again")
        return 1
    record.note(f"done {step.key}")
    say("done", 8, step.key)
    return show(path, record)


def main(program, words: list) -> int:
    options = Options("steps", "Leads through a course, step by step: next starts the next step.")
    options.add_argument("kind", nargs="?", help="next, or the kind of a step")
    options.add_argument("what", nargs="?", help="what that is about, as in: steps predict 21")
    options.text("course", "NAME", "V, B, H, Z, J, gradus, or the file of a path; noted for the next time")
    options.number("weeks", "print the path as a plan of so many weeks, in Markdown", 0, 1, 52)
    options.number("seed", "of the choices in made questions; 0: other ones each time", 0, 0, 10**9)
    asked = options.read(words)
    if asked.kind and (asked.kind == "next") == (asked.what is not None):
        refuse(f"found '{' '.join(filter(None, (asked.kind, asked.what)))}'; expected next, or a kind of step and what it is about, as in: "
               "steps predict 21")
    if asked.weeks and asked.kind:
        refuse(f"found --weeks and '{asked.kind}'; expected one of both")
    record = Record()
    course = (record.lines("course ") or ["gradus"])[-1]
    other = asked.course and asked.course != course
    if other:
        course = os.path.abspath(asked.course) if re.search(r"[/\\.]", asked.course) else asked.course
    path = Path(program, course)
    if asked.weeks:
        path.plan(asked.weeks)
        return 0
    if other:
        record.note(f"course {course}")
    for key in record.lines("done "):
        step = not key.endswith(":") and path.step(key)
        if step:
            step.done = True
    step = next((s for s in path.steps if not s.done), None) if asked.kind else None
    if asked.what:
        step = path.step(f"{asked.kind} {asked.what}")
        if not step:
            refuse(f"course {path.name} has no step '{asked.kind} {asked.what}'; expected one of its path, or --course")
    return run_step(step, path, record, asked.seed) if step else show(path, record)
