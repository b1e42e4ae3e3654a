"""Tests what is said of exercises that are done, wrong, or end with an error, printed as TAP:  python3 exercises.py SOURCE

A program of the test's own answers in place of that of the chapters (lectures/runner/answers.c)."""
import contextlib
import io
import math
import os
import pathlib
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path[1:1] = [str(SOURCE / folder) for folder in ("lectures/runner", "tests/python")]
from claims import Report, try_one  # noqa: E402
from tap import run_tests  # noqa: E402

# What each exercise explains and gives: a student's function, of which the solution is 0, and two mistakes.
PROGRAM = f"""#!{sys.executable}
import os, sys
MISTAKES = {{"half": ("1 steps", 0.1 + 0.2), "dbl": ("3 steps", 2.0)}}
STUDENT = [("0 steps", 0.0), None, MISTAKES["half"], ("1 steps", 0.3), ("2 steps", 0.1 + 0.2), None, ("0 steps", float("nan")), None]
for line in sys.stdin:
    _, _, index, _, *fault = line.split()
    if index == "1":
        sys.exit("matmul: a is (2, 3), b is (2, 3)")
    while index == "5":
        pass
    if index == "7":
        os.abort()
    says, value = MISTAKES[fault[0]] if fault else STUDENT[int(index)]
    print(f"    {{says}}\\n= {{value!r}} 0.001 {{'HOLDS' if value == 0 else 'FAILS'}}", flush=True)
"""
NAMES = ["done", "refused", "known", "unknown", "chance", "looping", "undefined", "crashed"]
FAULTS = [{"name": "solved", "what": "a solution"}, {"name": "half", "what": "the half of what is asked"},
          {"name": "dbl", "what": "twice what is asked"}]


def try_all(form: str) -> tuple:
    """What is printed of each; how many ended with an error; and the report."""
    report, said, ended = Report(form), {}, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program"
        path.write_text(PROGRAM)
        path.chmod(0o755)
        for index, name in enumerate(NAMES):
            claim = {"row": 1, "statement": name, "slides": ["V: Title"], "quantity": "a number", "bound": "<= 1e-09", "faults": FAULTS}
            with contextlib.redirect_stdout(io.StringIO()) as out:
                ended += try_one(report, str(path), f"exercise 0 {index}", claim, 1, most=1)
            said[name] = out.getvalue()
    return said, ended, report


os.environ["PYTHONFAULTHANDLER"] = ""
SAID, ENDED, REPORT = try_all("table")


def test_an_error_ends_no_other():
    assert (REPORT.count, REPORT.failed, ENDED) == (8, 7, 3), (REPORT.count, REPORT.failed, ENDED)
    for name, says in {"refused": "it ended with the error above", "crashed": "it ended with signal 6 (it ended itself: abort)",
                       "looping": "it did not end within 1 s of processor time", "undefined": "a NaN, or a wrong shape, in: a number"}.items():
        assert says in SAID[name], SAID[name]


def test_a_known_mistake_is_named():
    assert "known mistake: the half of" in SAID["known"] and "twice" not in SAID["known"], SAID["known"]
    for name in ("done", "unknown", "chance"):  # a bit, or the way, differs
        assert "known mistake" not in SAID[name], SAID[name]


def test_a_table_for_programs_has_a_line_each():
    said, _, report = try_all("tsv")
    assert all(len(text.splitlines()) == 1 and text.count("\t") == 8 for text in said.values()), said
    assert math.isfinite(report.seconds) and report.failed == 7


sys.exit(run_tests(globals()))
