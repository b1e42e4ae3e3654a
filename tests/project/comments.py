#!/usr/bin/env python3
"""Prints the comments of C that are wider than 100 columns:  comments.py FOLDER...

clang-format keeps code within 100 columns and leaves comments alone, because it would also join the lines of tables,
equations and drawings. A drawing, which has a bar or a bracket, and a table may be DRAWING columns wide."""
import pathlib
import re
import sys

WIDTH, DRAWING = 100, 122


def prose(body):
    """Is this line of a comment, without its indentation, part of a paragraph? Its text begins one blank after the star and has no
    run of three blanks inside."""
    text = re.sub(r"^(/\*|\*)", "", body)
    return bool(re.match(r" [^ \-|@#]", text)) and not re.search(r"\S   +\S", text) and "----" not in text


def commented(line):
    """Does this line hold a comment, or a part of one?"""
    return "/*" in line or line.lstrip().startswith("*")


def drawing(line):
    """Is this a line of a drawing, or of a table?"""
    inside = re.match(r"\s*\*", line) and not prose(line.lstrip())
    return len(line) <= DRAWING and bool(inside and re.search(r"[|\[]|   \S", line))


wide = [f"{path}:{number}: {len(line)} columns"
        for path in sorted(p for folder in sys.argv[1:] for p in pathlib.Path(folder).rglob("*.[ch]"))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if len(line) > WIDTH and commented(line) and not drawing(line)]
print(*wide, sep="\n")
sys.exit(len(wide) > 0)
