"""Tests of what a notebook shows, printed as TAP:

    python3 notebooks.py SOURCE LIBRARY LECTURES GRADER

The lectures' programs through a stand-in of the launcher; a chapter's notebook, cell by cell; and pages inside cells, in
Chromium, as nbclient saved them where that is installed (pip install nbclient ipykernel selenium)."""
import base64
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, LIBRARY, LECTURES, GRADER = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
os.environ["GRADUS_LIBRARY"] = str(LIBRARY)
os.environ["PYTHONPATH"] = str(SOURCE / "python")  # of the kernels that nbclient starts
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "tests/python"), str(SOURCE / "tests/browser")]
from browser import MISSING, Browser  # noqa: E402
import gradus  # noqa: E402
from gradus._c import C  # noqa: E402
from package_data import WORDS, floats  # noqa: E402
from tap import Skip, raises, run_tests  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
HOME = pathlib.Path(FOLDER.name)
(HOME / "gradus").write_text(f"""#!/bin/sh
case $1 in
grade) exec '{GRADER}' '{SOURCE}/lectures/homework' '{HOME}/homework' "$@" ;;
*) exec '{LECTURES}' "$@" ;;
esac
""")
(HOME / "gradus").chmod(0o755)
os.environ["GRADUS_HOME"] = str(HOME)


def lectures(*words):
    return subprocess.run([LECTURES, *words], capture_output=True, text=True, check=True, encoding="utf-8").stdout


# ---- the lectures' programs ------------------------------------------------------------------------------------------


def test_claims_are_those_of_the_program():
    table = gradus.claims(21)._repr_mimebundle_()["text/markdown"].strip().split("\n")
    want = [line.split("\t") for line in lectures("claims", "--row", "21", "--format", "tsv").splitlines()[1:]]
    assert len(table) == len(want) + 2 and all(f"| {claim[6]} |" in row for claim, row in zip(want, table[2:])), table


def test_questions_stand_before_their_folded_answers():
    shown = gradus.ask(4, row=21)._repr_mimebundle_()["text/markdown"]
    question, answers = shown.split("<details>")
    assert "What is the variance of q.k?" in question
    for answer in lectures("ask", "4", "--row", "21", "--key").split():
        assert answer in answers and answer not in question.split(), answer


def test_a_figure_of_a_chapter():
    if not C.plot_has_gnuplot():
        raise Skip("gnuplot is not there")
    picture = gradus.figure(4, "variance")._repr_mimebundle_()["image/png"]
    assert base64.b64decode(picture)[:4] == b"\x89PNG"
    raises(gradus.Error, lambda: gradus.figure(4, "none"))


def test_what_is_missing_or_wrong_is_said():
    assert "there is no chapter" in str(raises(gradus.Error, lambda: gradus.ask(99)))
    os.environ["GRADUS_HOME"] = "/nowhere"
    try:
        error = raises(gradus.Error, lambda: gradus.claims(21))
        assert "found no program ./gradus in /nowhere; expected" in str(error), error
    finally:
        os.environ["GRADUS_HOME"] = str(HOME)


def test_a_cell_of_c_is_graded():
    class Shell:
        def register_magic_function(self, function, kind, name):
            self.magic = {(kind, name): function}

    shell = Shell()
    gradus.load_ipython_extension(shell)
    magic, code = shell.magic["cell", "gradus"], (SOURCE / "lectures/homework/hw3-attention/hw3.c").read_text("utf-8")

    def graded(cell):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            magic("grade hw3", cell)
        return out.getvalue()

    right, wrong = graded(code), graded(code.replace("sqrtf(", "1 + sqrtf(", 1) if "sqrtf(" in code else code.replace("+=", "-=", 1))
    assert right != wrong and right.strip(), wrong
    assert "hw3" in str(raises(gradus.Error, lambda: magic("mark hw3", code)))
    raises(gradus.Error, lambda: magic("grade hw99", code))


def test_a_chapters_notebook_runs_from_top_to_bottom():
    path = HOME / "chapter.ipynb"
    subprocess.run([sys.executable, SOURCE / "lectures/runner/notebook.py", "3", path], check=True)
    cells = json.loads(path.read_text("utf-8"))["cells"]
    readme = (SOURCE / "lectures/03-position/README.md").read_text("utf-8")
    joined = "\n".join("".join(c["source"]) for c in cells)
    for title in (line for line in readme.split("\n") if line.startswith("## ")):
        assert title in joined, title
    formulas = re.findall(r"\$`(.*?)`\$", readme)  # GitHub's; a notebook has them without the backquotes
    assert formulas and "$`" not in joined and all(f"${formula}$" in joined for formula in formulas)
    code = [c["source"] for c in cells if c["cell_type"] == "code"]
    assert code[0] == "import gradus" and sum("claims(" in c for c in code) >= 5 and sum("ask(" in c for c in code) >= 5
    names = {"gradus": gradus}
    if importlib.util.find_spec("numpy"):
        with contextlib.redirect_stdout(None):
            exec(code[-1], {"gradus": gradus})
    for cell in code[1:-1]:
        if "figure(" not in cell or C.plot_has_gnuplot():
            bundle = eval(cell, names)._repr_mimebundle_()
            assert len(bundle) == 2, cell
            assert "FAILS" not in bundle.get("text/markdown", ""), cell


# ---- in a browser ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def window_and_files(*bodies):
    """A browser, and files with these bodies."""
    if MISSING:
        raise Skip(MISSING)
    paths = [HOME / f"cell-{number}.html" for number in range(len(bodies))]
    for path, body in zip(paths, bodies):
        path.write_text(f"<!doctype html><meta charset=utf-8><body>{body}", "utf-8")
    with contextlib.closing(Browser()) as window:
        yield window, *paths


def shows(cell, words):
    """Opens a file with the cell's HTML, as a notebook would show it, and waits until the frame shows the words."""
    with window_and_files(cell) as (window, path):
        window.open(path)
        window.frame("iframe")
        window.wait(f"{json.dumps(words)}.every(word => document.querySelector('main')?.textContent.includes(word))")
        window.frame()
        covers = window.script("""const a = document.querySelector('iframe').getBoundingClientRect(),
            b = document.querySelector('iframe').parentElement.getBoundingClientRect();
            return a.width === b.width && a.height === b.height && a.height >= 600;""")
        assert covers, "the frame does not cover the static picture"
        window.check_quiet()


def test_a_page_works_inside_a_cell():
    shows(gradus.attention(floats((2, 4, 4)), WORDS)._repr_html_(), WORDS)


def test_without_scripts_the_static_picture_is_seen():
    if not C.plot_has_gnuplot():
        raise Skip("gnuplot is not there")
    page = gradus.attention(floats((2, 4, 4)), WORDS)._repr_html_()
    with window_and_files(page.replace("allow-scripts ", ""), page.split("<iframe")[0] + "</div>") as (window, *paths):
        sizes = []
        for path in paths:
            window.open(path)
            window.script("return document.querySelector('img').decode()")
            window.drawn()
            sizes.append(len(window.driver.get_screenshot_as_png()))
        assert sizes[0] >= sizes[1], sizes  # an opaque frame hides the picture, and leaves a file of a few kB


def test_a_notebook_is_run_saved_and_shown_again():
    try:
        import nbclient
        import nbformat
    except ImportError as error:
        raise Skip(f"{error.name} is not installed") from None
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (
        "import array, gradus", "m = memoryview(array.array('f', [1, 0, 0.25, 0.75])).cast('B').cast('f', (2, 2))",
        f"gradus.attention(m, {WORDS[:2]!r})", "gradus.claims(20)", "%%gradus grade hw3\nint x;",
        "try:\n    gradus.load('/nowhere')\nexcept gradus.Error as error:\n    print(error)")])
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
    nbformat.write(book, HOME / "saved.ipynb")
    cells = nbformat.read(HOME / "saved.ipynb", as_version=4).cells
    bundle = cells[2].outputs[0]["data"]
    assert "| HOLDS |" in cells[3].outputs[0]["data"]["text/markdown"]
    assert "hw3" in cells[4].outputs[0]["text"] and "/nowhere/config.json" in cells[5].outputs[0]["text"]
    shows(bundle["text/html"], WORDS[:2])


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
