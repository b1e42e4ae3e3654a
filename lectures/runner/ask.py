"""Poses the questions of a chapter (questions.h):

    ask 4                    in the terminal, one at a time
    ask 4 --answers FILE     the answers from a file, one a line; an empty line passes a question over
    ask 4 --list             the questions alone; --format markdown: as the notes quote them
    ask 4 --key              the right answers, one a line, for an instructor

Status 0: all were answered rightly; 1: some were not; 2: the command line, or a line of the file, cannot be read."""
import math
import sys

from program import Options, refuse, say


class Answers:
    """Where answers come from: the terminal, or a file, which has one try."""

    def __init__(self, file=None, name: str = "standard input", loud: bool = True):
        self.file, self.name, self.loud, self.line = file or sys.stdin, name, loud, 0
        self.terminal = not file and sys.stdin.isatty()

    def take(self, question: dict, word: str, more: str = ""):
        """A choice from 0, a number, or "" where the question was passed over; None at the end of the file, or at q."""
        count = len(question["choices"])
        wanted = f"a letter from a to {chr(96 + count)}" if count else "a number"
        while True:
            if self.loud:
                print(f"   your {word} ({wanted}; ?: help): ", end="", flush=True)
            line = self.file.readline()
            text = line.strip()
            self.line += 1
            if not line or text == "q":
                return None
            if self.loud and not self.terminal:
                print(text)
            if text == "?":
                near = "" if count else "; it is right when it is near enough to the measured one"
                if self.loud:
                    say("", 3, f"Type {wanted}{near}. An empty line passes the question over and shows its answer; q ends; ? shows "
                        f"this.{more}")
                continue
            answer = read_answer(text, count)
            if answer is not None:
                return answer
            if not self.terminal:
                refuse(f"{self.name}:{self.line}: found '{text}'; expected {wanted}")
            print(f"   found '{text}'; expected {wanted}")


def read_answer(text: str, count: int):
    """ "b", "B" or "2" for a choice, or a number. None where the text is none of them."""
    if not text:
        return ""
    if count:
        choice = ord(text.lower()) - 97 if len(text) == 1 and text.isalpha() else int(text) - 1 if text.isdecimal() else -1
        return choice if 0 <= choice < count else None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def right_choice(question: dict) -> int:
    return next((i for i, choice in enumerate(question["choices"]) if choice["right"]), -1)


def judge(question: dict, answer, measured: float) -> str:
    if answer == "":
        return "passed over"
    if question["choices"]:
        return "right" if answer == right_choice(question) else "wrong"
    return "right" if abs(answer - measured) <= question["within"] * abs(measured) + 1e-12 else "wrong"


def pose(question: dict) -> None:
    say("", 3, question["question"], "\n\n")
    for i, choice in enumerate(question["choices"]):
        say(f"   {chr(97 + i)}", 6, choice["text"])
    print(end="\n" if question["choices"] else "")


def show(question: dict, answer, measured: float, claim: str = "") -> bool:
    """Shows what is right; was the answer?"""
    outcome = judge(question, answer, measured)
    print(f"\n   {'NOT SO' if outcome == 'wrong' else outcome.upper()}")
    if answer != "" and question["choices"]:
        say("   because", 12, question["choices"][answer]["reason"])
    if not question["choices"]:
        say("   measured", 12, f"{measured:.4g} ({question['quantity']})")
    say("   answer", 12, question["answer"])
    if outcome == "wrong" and not question["choices"]:
        say("   because", 12, question["misconception"])
    if claim:
        say("   claim", 12, claim)
    if question["row"]:
        say("   more", 12, f"./gradus claims --explain {question['row']}")
    print()
    return outcome == "right"


# ---- a chapter ---------------------------------------------------------------------------------------------------

class Chapter:
    def __init__(self, program, chapter: dict, row: int, seed: int):
        self.program, self.chapter, self.seed = program, chapter, seed
        self.asked = [(i, q) for i, q in enumerate(chapter["questions"]) if not row or q["row"] == row]

    def measure(self, index: int, question: dict) -> tuple:
        """What is asked for, the claim's value, and its verdict."""
        claim = self.chapter["claims"][question["claim"]]
        _, measured, value, verdict = self.program.answer("question", self.chapter["number"], index, self.seed)
        question["quantity"] = question["quantity"] or claim["quantity"]
        return float(measured), float(value), verdict, claim

    def ask(self, answers: Answers, tsv: bool) -> bool:
        """Poses all; were all answered rightly?"""
        tally = {"right": 0, "wrong": 0, "passed over": 0}
        if tsv:
            print("row\tquestion\tprediction\tanswer\toutcome\tclaim\tvalue\tverdict")
        for number, (index, q) in enumerate(self.asked, 1):
            if not tsv:
                print(f"{number} of {len(self.asked)}, row {q['row']}\n")
                pose(q)
            answer = answers.take(q, "prediction", " Type what you expect before you compute: after it the claim is run, and the "
                                  "measured answer is shown with its reason.")
            if answer is None:
                print(end="" if tsv else "\n\n")
                break
            measured, value, verdict, claim = self.measure(index, q)
            outcome = judge(q, answer, measured)
            tally[outcome] += 1
            if tsv:
                text = (lambda i: q["choices"][i]["text"]) if q["choices"] else "{:.9g}".format
                right = right_choice(q) if q["choices"] else measured
                print(q["row"], q["question"], "-" if answer == "" else text(answer), text(right), outcome, claim["statement"],
                      f"{value:.9g}", verdict, sep="\t", flush=True)
            else:
                show(q, answer, measured, f"\"{claim['statement']}\": {value:.4g}, bound {claim['bound']}: {verdict}")
        count = len(self.asked)
        if not tsv:
            print(f"{tally['right']} of {count} right, {tally['wrong']} wrong, {count - tally['right'] - tally['wrong']} passed over or "
                  "not reached")
        return tally["right"] == count

    def markdown(self):
        """Its lines, as the notes quote them."""
        for number, (_, q) in enumerate(self.asked):
            choices = ";".join(f" *({chr(97 + i)})* {c['text']}" for i, c in enumerate(q["choices"]))
            yield from [">"] * (number > 0)
            yield f"> **Predict.** {q['question']}{choices}{'.' if choices else ''}"

    def list(self) -> None:
        for number, (_, q) in enumerate(self.asked, 1):
            print(f"{number} of {len(self.asked)}, row {q['row']}\n")
            pose(q)

    def key(self) -> None:
        for index, q in self.asked:
            print(chr(97 + right_choice(q)) if q["choices"] else f"{self.measure(index, q)[0]:.9g}")


def main(program, words: list) -> int:
    options = Options("ask", "Poses the questions of a chapter: predict, then measure.")
    options.add_argument("chapter", nargs="?", help="by its number or its name")
    options.number("row", "only the questions of this row; 0: all", 0, 0, 99, "ROW")
    options.text("answers", "FILE", "one answer a line; an empty line passes a question over")
    options.text("format", "FORMAT", "text, tsv, or with --list markdown", "text", ("text", "tsv", "markdown"))
    options.flag("list", "the questions, without asking")
    options.flag("key", "the right answers, one a line")
    options.number("seed", "of all random numbers", 1, 0, 10**9)
    options.threads()
    asked = options.read(words)
    if not asked.chapter:
        refuse("found no chapter; expected one, as in: ask 4")
    chapter = Chapter(program, program.chapter_named(asked.chapter), asked.row, asked.seed)
    if not chapter.asked:
        refuse(f"chapter {chapter.chapter['number']} asks nothing about row {asked.row}")
    if asked.key:
        chapter.key()
    elif asked.list and asked.format == "markdown":
        print(*chapter.markdown(), sep="\n")
    elif asked.list:
        chapter.list()
    if asked.key or asked.list:
        return 0
    if asked.format == "markdown":
        refuse("--format: found 'markdown'; expected text or tsv, or --list as well")
    try:
        file = open(asked.answers, encoding="utf-8") if asked.answers else None
    except OSError:
        refuse(f"--answers: cannot open '{asked.answers}'")
    loud = asked.format == "text"
    return not chapter.ask(Answers(file, asked.answers or "standard input", loud), not loud)
