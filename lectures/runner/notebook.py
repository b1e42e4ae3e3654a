"""Writes a chapter as a notebook:  python3 notebook.py N [OUT.ipynb]

The text is that of README.md. A cell poses the questions where they stand there, a cell draws each picture, and each section
ends with a cell that measures its claims; the last cell has the chapter's main formula in NumPy. `./gradus notebook N` calls this program; python/README.md has the package that the
cells call."""
import json
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from formulas import FORMULAS  # noqa: E402

LECTURES = pathlib.Path(__file__).resolve().parents[1]
PICTURE = re.compile(r"!\[([^]]*)\]\(pictures/([\w-]+)\.png\)")


def cells_of(folder: pathlib.Path, out: pathlib.Path) -> list:
    """Pairs ("markdown" or "code", text)."""
    number, row, fence, asked = int(folder.name.split("-")[0]), "", "", False
    here = os.path.relpath(folder, out.parent)
    cells, text = [("code", "import gradus")], []

    def add(*code: str) -> None:
        if "".join(text).strip():
            cells.append(("markdown", "\n".join(text).strip()))
        text.clear()
        cells.extend(("code", c) for c in code)

    for line in (folder / "README.md").read_text("utf-8").splitlines():
        question = re.match(r"<!-- questions: (\d+) -->", line)
        heading = re.match(r"## (?:(\d+) |.*\(row (\d+)\)$)?", line)
        if line.startswith("```"):
            text.append("$$" if "```math" in (line, fence) else line)
            fence = "" if fence else line
        elif fence:
            text.append(line)
        elif question:
            asked = True
            add(f"gradus.ask({number}, row={question[1]})")
        elif asked and line.startswith(">"):
            pass
        elif PICTURE.search(line):
            add(*(f'gradus.figure({number}, "{name}")  # {title}' for title, name in PICTURE.findall(line)))
        elif heading:
            add(*([f"gradus.claims({row})"] if row else []))
            row = heading[1] or heading[2]
            text.append(line)
        elif not re.match(r"\|[ |:-]*\|$", line) or text and text[-1].startswith("|"):
            asked = False
            line = re.sub(r"\$`(.*?)`\$", r"$\1$", line)
            text.append(re.sub(r"\]\((?![a-z]+:|#)([^)]*)\)", lambda link: f"]({os.path.normpath(os.path.join(here, link[1]))})", line))
    add(*([f"gradus.claims({row})"] if row else []))
    cells += [("markdown", "## Change it"), ("code", FORMULAS[number])]
    return cells


def main(chapter: str = "", path: str = "") -> None:
    folder = next((f for f in LECTURES.glob("0[0-9]-*") if f.name.split("-")[0] == f"0{chapter}"), None)
    if not folder:
        sys.exit("notebook: expected the number of a chapter, as in: ./gradus notebook 4")
    out = pathlib.Path(path or LECTURES.parent / "out/notebooks" / f"{folder.name}.ipynb")
    cells = [{"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": text,
              **({"execution_count": None, "outputs": []} if kind == "code" else {})}
             for i, (kind, text) in enumerate(cells_of(folder, out.resolve()))]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}, indent=1), "utf-8")
    print(f"gradus: wrote {out}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
