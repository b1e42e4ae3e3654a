"""Tests the kinds of exam questions, printed as TAP:  python3 exam_kinds.py SOURCE PROGRAM

Every number is what the library computes, for many draws, and every equation that is printed holds; a wrong solution, and a file that
cannot be read, is refused with its line."""
import math
import pathlib
import re
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path[1:1] = [str(SOURCE / folder) for folder in ("lectures/runner", "lectures/exams", "tests/python")]
from kinds import COURSES, Kinds, Question, number_text  # noqa: E402
from program import Program  # noqa: E402
from tap import raises, run_tests  # noqa: E402

PROGRAM = Program(sys.argv[2])
KINDS = Kinds(PROGRAM, SOURCE / "lectures/exams/questions.txt")
SEEDS = 4


def test_every_kind_is_drawn_and_the_library_computes_the_same():
    chapters = {r["number"]: r["chapter"] for r in PROGRAM.facts["rows"]}
    for kind in KINDS.list:
        courses = [c for c in COURSES if KINDS.taught(kind, c)]
        assert courses, f"no course teaches {kind.name}"
        for seed in range(SEEDS):
            q = Question(KINDS, kind, courses[seed % len(courses)], str(seed))
            assert q.key and "@" not in q.solution, q.solution
    assert len({kind.name for kind in KINDS.list}) == len(KINDS.list) >= 60
    for chapter in range(1, 9):
        assert sum(chapters[kind.row] == chapter for kind in KINDS.list) >= 5, chapter


def value(side: str):
    """A side of an equation; None where it is no arithmetic."""
    side = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", side.strip())
    side = re.sub(r"\\ln (\(\(.*?\)\)|[\d.]+)", r"ln(\1)", side)
    for old, new in {r"\cdot": "*", r"\sqrt": "sqrt", "{": "(", "}": ")", "^": "**"}.items():
        side = side.replace(old, new)
    side = re.sub(r"(?<=[\d)]) *(?=\(|ln|sqrt)", "*", side)
    if not side or re.search(r"[A-Za-z\\|&]", re.sub("ln|sqrt", "", side)):
        return None
    try:
        return float(eval(side, {"ln": math.log, "sqrt": math.sqrt, "__builtins__": {}}))
    except (SyntaxError, TypeError):
        return None


def equations(text: str) -> int:
    """How many equations the formulas of a text have; each must hold: numbers are printed to four digits, of which several may be in
    one sum."""
    count = 0
    for formula in re.findall(r"\$`(.*?)`\$", text):
        sides = [value(side) for side in re.split(r"=|\\approx", formula)]
        for a, b in zip(sides, sides[1:]):
            if a is not None and b is not None:
                assert abs(a - b) <= 2e-3 * max(1, abs(b)), f"{a:.7g} and {b:.7g} in {formula}"
                count += 1
    return count


def test_the_equations_of_a_solution_hold():
    counts = [sum(equations(Question(KINDS, kind, "Z", str(seed)).solution) for seed in (11, 12)) for kind in KINDS.list]
    assert sum(counts) >= 250 and sum(count > 0 for count in counts) >= 54, counts
    assert equations(r"$`\frac{1}{3} \cdot 6 = 2`$ and $`2(1 + 3) \ln 2 \approx 5.545`$") == 2


def mine(text: str) -> Kinds:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mine.txt"
        path.write_text(text)
        return Kinds(PROGRAM, path)


def draw(lines: str) -> Question:
    """The kind `mine` of a file with these lines after its head."""
    kinds = mine("# symbols\n\nkind mine row 21 level 1 minutes 2\n" + lines)
    return Question(kinds, kinds.list[0], "V", "1")


def test_mistakes_are_refused_with_their_line():
    draw("draw a = [3]\n  $@a^2$?\nstep 2 s = a^2\ncheck ag_mul(a, a)\n  x: $@s$.\n")
    for lines, says in {
        "draw a = [3]\n  x\nstep 2 s = a^2 + 1\ncheck ag_mul(a, a)\n  x: y\n":
            "mine.txt:7: kind mine: the solution has s = 10, and the library computes 9",
        "step 2 s = 9.00003\ncheck ag_mul(3, 3)\n": "the library computes 9",
        "step 2 s = 4002001\ncheck weights_up(2000, 2000)\n": "the library computes 4002000",
        "draw a = [3]\n  x\nstep 2 s = a^2\n  x: y\n": "mine.txt:6: kind mine: found '  x: y'; expected check and NAME: SOLUTION below step s",
        "check ag_exp(0)\n": "mine.txt:4: kind mine: found 'check ag_exp(0)'; expected a line of",
        "  x\nstep 2 s = 9\ncheck ag_mul(3, 3)\n  x\n": "found '  x'; expected check and NAME: SOLUTION below step s",
        "draw a = [3]\n  x\nstep 2 s = a^2\ncheck a*a\n  x: y\n": "mine.txt:7: kind mine: found 'a*a'; expected a call of the library",
        "  x\nstep 2 s = ag_exp(1)\ncheck ag_exp(1)\n  x: y\n": "mine.txt:5: kind mine: found ag_exp(...); expected a function of arithmetic",
        "  @b\nstep 2 s = 1\ncheck ag_exp(0)\n  x: y\n": "found 'b'; expected a number, (, [, or",
        "  x\nstep 2 s = 1/0\ncheck ag_exp(0)\n  x: y\n": "is not finite",
        "  x\nstep 2 s = ln(0)\ncheck ag_exp(0)\n  x: y\n": "is not finite",
        "draw a = [1]\nneed a != 1\n  x\nstep 2 s = 1\ncheck ag_exp(0)\n  x: y\n": "hold every need",
        "draw a = [1]\ndraw a = [2]\nstep 2 s = 1\n": "mine.txt:5: kind mine: found 'a = [2]'; expected a new name",
        "skipped 1\nstep 2 s = 1\n": "mine.txt:4: kind mine: found 'skipped 1'",
        "step 2 s = [1, 2]\n": "found a matrix; expected a number",
        "step 2 s = 1 +\n": "expected an expression",
        "step 2 s = [1, 2; 3, 4, 5, 6]\n": "as many numbers in each row",
        "step 2 s = [1, 2] + [1, 2, 3]\n": "two matrices of one shape",
        "step 2 s = [1, 2][3]\n": "an index within the matrix",
        "  x\nstep 2 s = 1\ncheck ag_matmul([1, 2], [1, 2])\n": "matmul",
        "  x\nstep 2 s = 1\ncheck unknown(1)\n": "found unknown(...) of 1 arguments; expected a",
        "  x\nstep 2 s = 1\ncheck ag_exp(1, 2, 3, 4, 5)\n": "expected 1 to 4 arguments",
        "  x\nstep 2 s = 1\ncheck nn_sinusoids(99, 99, 3)\n": "that nn_sinusoids does not take",
        "  x\n": "found ''; expected a line of",
        "  x\nwhy 2\n  because\n": "expected NAME: SOLUTION below why",
    }.items():
        error = raises(ValueError, lambda: draw(lines))
        assert says in str(error), f"{error}; expected {says}"
    for text, says in {"# symbols\n\nkind other row 99 level 1 minutes 2\n": "mine.txt:3: found 'kind other row",
                       "# symbols\n\nkind a row 1 level 1 minutes 2\n\nkimd b\n": "mine.txt:5: found 'kimd b'",
                       "# symbols\n\nkind a row 1 level 1 minutes 2": "mine.txt: found no lines"}.items():
        assert says in str(raises(ValueError, lambda: mine(text)))


def test_numbers_are_printed():
    assert [number_text(x) for x in (7087872, -1e-12, -3, 0.25, -1 / 3, 22 / 7, math.log(2), 1e-4 / 3)] == [
        ("7087872", True), ("0", True), ("-3", True), ("0.25", True), ("-\\frac{1}{3}", True), ("\\frac{22}{7}", True),
        ("0.6931", False), ("3.333 \\cdot 10^{-5}", False)]


sys.exit(run_tests(globals()))
