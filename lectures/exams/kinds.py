"""Reads questions.txt, which README.md describes, and draws a question of a kind: its numbers, its text, and the library's check
of each step."""
import math
import random
import re

from expressions import Matrix, evaluate

COURSES = "VBHZJ"
ANSWER = "............"  # the line that a student fills
TRIES = 2000


class Kind:
    """A kind of question: kind NAME row N level N minutes N [courses VBHZJ], and the lines below."""

    def __init__(self, line: int, head: tuple):
        self.line, self.lines, self.points, self.reasons = line, [], 0, False
        self.name, self.courses = head[0], head[4] or COURSES
        self.row, self.level, self.minutes = map(int, head[1:4])

    def add(self, line: str) -> None:
        self.lines.append(line)
        step = re.match(r"(why|step) (\d+)", line)
        self.points += int(step[2]) if step else 0
        self.reasons |= bool(step and step[1] == "why")  # it asks why


class Kinds:
    """Those of a file, and the symbols of the courses, its first lines up to an empty one."""

    def __init__(self, program, path):
        self.program, self.path, self.symbols, self.list = program, path, {}, []
        rows = {r["number"] for r in program.facts["rows"]}
        symbols, inside = True, False
        text = path.read_text("utf-8")
        if not text.endswith("\n"):
            raise ValueError(f"{path}: found no lines; expected kinds of questions")
        for number, line in enumerate(text.splitlines(), 1):
            if symbols and line and not line.startswith("#"):
                name, *words = line.split()
                self.symbols[name] = dict(zip(COURSES, words))
            elif inside and line:
                self.list[-1].add(line)
            elif line and not symbols and not line.startswith("#"):
                head = re.fullmatch(r"kind (\w[\w-]*) row (\d+) level ([123]) minutes ([1-9]\d*)(?: courses ([VBHZJ]+))?", line)
                if not head or int(head[2]) not in rows:
                    raise ValueError(f"{path}:{number}: found '{line[:60]}'; expected kind NAME row N level N minutes N, with a row of "
                                     "lectures/README.md and a level from 1 to 3")
                self.list.append(Kind(number, head.groups()))
                inside = True
            symbols &= line != ""
            inside &= line != ""

    def taught(self, kind: Kind, course: str) -> bool:
        """Has one of the course's slides the kind's row?"""
        return course in kind.courses and any(s["lecture"] == course and kind.row in s["rows"] for s in self.program.facts["slides"])

    def library(self, name: str, arguments: list) -> Matrix:
        """What the library computes (library.c)."""
        words = [word for x in arguments for word in (*x.shape, *map(repr, x.numbers))]
        found, *answer = self.program.answer("call", name, len(arguments), *words)
        if found == "!":
            raise ValueError(" ".join(answer))
        rows, columns = map(int, answer[:2])
        numbers = list(map(float, answer[2:]))
        return Matrix([numbers[i * columns:(i + 1) * columns] for i in range(rows)])


# ---- texts ---------------------------------------------------------------------------------------------------------

def number_text(x: float) -> tuple:
    r"""A number as LaTeX: 0.25, \frac{1}{3}, 1.234; and is it exact?"""
    def whole(y: float) -> bool:
        return abs(y - round(y)) < 1e-9 * max(1, abs(y))
    for decimals in range(5):
        if whole(x * 10**decimals):
            return f"{round(x) if whole(x) else x:.{decimals}f}", True
    for q in range(3, 4097):
        if whole(x * q):
            return f"{'-' if x < 0 else ''}\\frac{{{abs(round(x * q))}}}{{{q}}}", True
    return re.sub(r"e([-+]\d+)", lambda e: f" \\cdot 10^{{{int(e[1])}}}", f"{x:.4g}"), False


def matrix_text(matrix: Matrix, columns: bool) -> str:
    rows = zip(*matrix.rows) if columns else matrix.rows
    lines = (" & ".join(number_text(x)[0] for x in row) for row in rows)
    return "\\begin{pmatrix} " + " \\\\ ".join(lines) + " \\end{pmatrix}"


# ---- drawing -------------------------------------------------------------------------------------------------------

class Question:
    """A question of a kind in the course's symbols, whose numbers follow from the seed. `sheet` and `solution` are its text without
    and with the solution; `key` has (letter, result, points) of each answer, without a result if it is in words."""

    def __init__(self, kinds: Kinds, kind: Kind, course: str, seed: str):
        self.kinds, self.kind, self.course = kinds, kind, course
        self.random = random.Random(f"{seed} {kind.name}")
        self.key = []
        try:
            self.draw()
        except ValueError as error:
            raise ValueError(f"{kinds.path}:{kind.line + self.at}: kind {kind.name}: {error}") from None

    def take(self, word: str):
        """The rest of the next line, if it begins with this word; None: it does not."""
        line = self.kind.lines[self.at] if self.at < len(self.kind.lines) else ""
        if not line.startswith(word):
            return None
        self.at += 1
        return line[len(word):]

    def found(self) -> str:
        return f"found '{self.kind.lines[self.at][:40] if self.at < len(self.kind.lines) else ''}'"

    def define(self, line: str) -> Matrix:
        """NAME = EXPRESSION"""
        name, equals, text = line.partition(" = ")
        if not equals or not re.fullmatch("[A-Za-z0-9_]+", name) or name in self.names:
            raise ValueError(f"found '{line[:40]}'; expected a new name, and = after it")
        self.names[name] = evaluate(text, self.names)
        return self.names[name]

    def given(self) -> bool:
        """Takes the lines of what is given. Does every need hold?"""
        self.at, self.names = 0, {}
        while True:
            if (line := self.take("draw ")) is not None:
                names, _, text = line.partition(" = ")
                for name in names.split(", "):
                    numbers = self.define(f"{name} = {text}").numbers
                    self.names[name] = Matrix([[numbers[int(self.random.random() * len(numbers))]]])
            elif (line := self.take("rows ")) is not None:
                self.define(line).tokens = True
            elif (line := self.take("let ")) is not None:
                self.define(line)
            elif (line := self.take("need ")) is None:
                return True
            elif not evaluate(line, self.names).number():
                return False

    def text(self, line: str) -> str:
        """The line with its numbers and symbols; formulas, which stand between $, become $`...`$."""
        def name(at) -> str:
            word, sign = at[1] or at[3], "(" if at[1] else at[2]
            symbol = self.kinds.symbols.get(word.partition("[")[0])
            if symbol and word.partition("[")[0] not in self.names:
                return symbol[self.course] + "".join(word.partition("[")[1:])
            value = evaluate(word, self.names)
            if len(value.numbers) > 1:
                return matrix_text(value, value.tokens and self.course in "VB")
            text, exact = number_text(value.number())
            return f"({text})" if sign == "(" and value.number() < 0 else ("= " if exact else "\\approx ") * (sign == "=") + text
        line = re.sub(r"\$([^$]*)\$", r"$`\1`$", line)
        return re.sub(r"@(?:\((\w+(?:\[[^]]*\])?)\)|(=?)(\w+(?:\[[^]]*\])?))", name, line)

    def check(self, line: str, name: str) -> None:
        """The library rounds to float, by a relative 2^-24 at most. The longest check, an attention of four channels, rounds some 20
        times, and none is longer than 32 roundings, of numbers not much larger than its result. What it counts is exact: two counts
        differ by 1 at least."""
        calls, x = [], self.names[name].number()
        found = evaluate(line, self.names, lambda *call: calls.append(call) or self.kinds.library(*call)).number()
        if not calls:
            raise ValueError(f"found '{line[:60]}'; expected a call of the library")
        if not abs(x - found) <= min(32 * 2.0**-24 * max(1, abs(x)), 0.1):
            raise ValueError(f"the solution has {name} = {x:.9g}, and the library computes {found:.9g}")

    def answer(self, points: str, right, below: str) -> None:
        """The next line is NAME: SOLUTION, of an answer with this number; None: one in words."""
        line = self.take("  ") or ""
        name, colon, solution = line.partition(": ")
        if not colon:
            self.at -= line != ""
            raise ValueError(f"{self.found()}; expected {below}")
        letter = chr(97 + len(self.key))
        self.key.append((letter, "" if right is None else f"{right + 0.0:.10g}", int(points)))
        head = f"\n({letter}) [{points} point{'' if points == '1' else 's'}] {self.text(name)}: "
        self.sheet += head + ANSWER + "\n" + (f"\n{ANSWER}\n" if right is None else "")
        self.solution += head + self.text(solution) + "\n"

    def step(self) -> bool:
        """step POINTS NAME = EXPRESSION, check EXPRESSION and the answer; or why POINTS and the answer. False: there is neither."""
        if (points := self.take("why ")) is not None:
            self.answer(points, None, "NAME: SOLUTION below why")
        elif (line := self.take("step ")) is not None:
            points, _, line = line.partition(" ")
            name, right = line.partition(" = ")[0], self.define(line).number()
            below = f"check and NAME: SOLUTION below step {name}"
            if (check := self.take("check ")) is None:
                raise ValueError(f"{self.found()}; expected {below}")
            self.check(check, name)
            self.answer(points, right, below)
        else:
            return False
        return True

    def draw(self) -> None:
        if not any(self.given() for _ in range(TRIES)):
            raise ValueError(f"no numbers in {TRIES} tries hold every need")
        text = ""
        while (line := self.take("  ")) is not None:
            text += self.text(line) + "\n"
        self.sheet = self.solution = text
        while self.step():
            pass
        if self.at < len(self.kind.lines) or not self.key:
            found = self.found()
            self.at += 1
            raise ValueError(f"{found}; expected a line of lectures/exams/README.md")
