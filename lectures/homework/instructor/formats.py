"""A report for other programs, from the JSON of the C grader: Gradescope's results.json, GitHub Classroom's, Markdown. What a
student may not read of a hidden test is not in that JSON."""
import base64
import json
import re
import textwrap


def gradescope(r):
    tests = [{"name": t["title"], "number": str(i), "score": t["score"], "max_score": t["max_score"],
              "status": "passed" if t["status"] == "passed" else "failed", "output": t["feedback"], "output_format": "text",
              "visibility": t["visibility"]} for i, t in enumerate(r["tests"], 1)]
    return json.dumps({"score": r["score"], "execution_time": r["seconds"], "output": r["message"], "output_format": "text",
                       "visibility": "visible", "stdout_visibility": "hidden", "tests": tests}, indent=1, ensure_ascii=False) + "\n"


def classroom(r):
    """One line of base64, which a step of a workflow hands on as its result."""
    status = "pass" if r["score"] == r["max_score"] else "fail" if r["compiled"] else "error"
    tests = [{"name": t["title"], "status": "pass" if t["status"] == "passed" else "fail", "score": t["score"],
              "max_score": t["max_score"], "message": t["feedback"]} for t in r["tests"]]
    result = {"version": 1, "status": status, "max_score": r["max_score"], "tests": tests}
    return base64.b64encode(json.dumps(result).encode()).decode() + "\n"


def markdown(r):
    """In a cell, a bar would end it; in a paragraph, < would begin HTML."""
    cell = lambda words: re.sub(r"([|<>*_`\\])", r"\\\1", words)
    shown = [t for t in r["tests"] if t["visibility"] == "visible" or r["tell"] != "nothing"]
    lines = [f"# {cell(r['title'])}\n\n**{r['score']:g} of {r['max_score']:g} points**\n\n", textwrap.indent(r["message"], "    "),
             "\n| test | result | points |\n|---|---|---|\n"]
    lines += [f"| {cell(t['title'])} | {t['status']} | {t['score']:g} of {t['max_score']:g} |\n" for t in shown]
    lines += [f"\n## {cell(t['title'])}\n\n{textwrap.indent(t['feedback'], '    ')}" for t in shown if t["feedback"]]
    return "".join(lines)


FORMATS = {"gradescope": gradescope, "classroom": classroom, "markdown": markdown}
