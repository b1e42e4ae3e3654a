"""The lectures and homeworks in a notebook, by the project's launcher ./gradus, which is looked for in the folder that GRADUS_HOME
names; without it, in the working folder and those above, and beside this package."""
import base64
import os
import pathlib
import subprocess
import sys
import tempfile

from ._c import HERE, Error


def _run(*words, wrong: tuple = (0,)) -> str:
    """What ./gradus prints; an exit status that is not in `wrong` raises what it says."""
    given = os.environ.get("GRADUS_HOME")
    folders = [pathlib.Path(given)] if given else [pathlib.Path.cwd(), *pathlib.Path.cwd().parents, *HERE.parents]
    found = [f / "gradus" for f in folders if (f / "gradus").is_file() and os.access(f / "gradus", os.X_OK)]
    if not found:
        raise Error(f"gradus: found no program ./gradus in {folders[0]}{'' if given else ' or a folder above it'}; expected the "
                    "project's folder, which the environment variable GRADUS_HOME names")
    done = subprocess.run([str(found[0]), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode not in wrong:
        raise Error((done.stderr or done.stdout).decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "replace")


class Shown:
    """A text in Markdown, or a picture, for a cell."""

    def __init__(self, plain: str, **kinds: str):
        self.plain, self.kinds = plain, kinds

    def __repr__(self) -> str:
        return self.plain

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/plain": self.plain, **{kind.replace("_", "/"): value for kind, value in self.kinds.items()}}


def claims(row: int, seed: int = 1) -> Shown:
    """Measures what the slides state in a row of the lectures' index: each claim with its number, its bound and its verdict."""
    table = _run("claims", "--row", row, "--seed", seed, "--format", "markdown", wrong=(0, 1))
    return Shown(table, text_markdown=table)


def ask(chapter: int, row: int = 0) -> Shown:
    """A chapter's questions, or those of one row; the answers, which are measured now, are folded."""
    questions = _run("ask", chapter, "--row", row, "--list", "--format", "markdown")
    key = _run("ask", chapter, "--row", row, "--key").split("\n")
    answers = "\n".join(f"{i}. {answer}" for i, answer in enumerate(key, 1) if answer)
    return Shown(questions, text_markdown=f"{questions}\n<details><summary>Answers</summary>\n\n{answers}\n\n</details>\n")


def figure(chapter: int, name: str) -> Shown:
    """Draws a figure of a chapter from numbers that are computed now."""
    with tempfile.TemporaryDirectory() as folder:
        _run("figures", chapter, "--only", name, "--format", "png", "--out", folder, "--quiet")
        drawn = sorted(pathlib.Path(folder).glob(f"*/{name}.png"))
        if not drawn:
            raise Error(f"figure: chapter {chapter} drew no \"{name}\"; expected one of ./gradus figures {chapter} --list, and gnuplot")
        return Shown(f"<gradus figure {name}>", image_png=base64.b64encode(drawn[0].read_bytes()).decode())


def _cell(line: str, cell: str) -> None:
    words = line.split()
    if len(words) < 2 or words[0] != "grade":
        raise Error(f"%%gradus {line}: expected %%gradus grade HOMEWORK, such as %%gradus grade hw3")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{words[1]}.c"
        path.write_text(cell, "utf-8")
        print(_run("grade", words[1], path, *words[2:], wrong=(0, 1)))


def load_ipython_extension(shell) -> None:
    """Gives a notebook the magic %%gradus: a cell that begins with `%%gradus grade hw3` is C, and is graded."""
    shell.register_magic_function(_cell, "cell", "gradus")


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()):
    load_ipython_extension(_shell)
