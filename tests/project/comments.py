#!/usr/bin/env python3
"""Finds lines of C that are wider than 100 columns, and reflows comments that are:

    comments.py [--reflow] FOLDER...

clang-format keeps code within 100 columns and leaves comments alone, because it would also join the lines of tables,
equations and drawings. This program moves words within prose only: from the first line that is too wide to the end
of its paragraph. A line is prose if its text begins one blank after the star and has no run of three blanks inside.
The rule of a heading (---- name ----) is cut, and a table or drawing loses columns that are blank in all its lines.
What is left is printed, and is to be mended by hand. A drawing, which has a bar or a bracket, and a table may be
DRAWING columns wide."""
import pathlib
import re
import sys

WIDTH, DRAWING = 100, 122


def prose(body):
    """Is this line of a comment, without its indentation, part of a paragraph?"""
    text = re.sub(r"^(/\*|\*)", "", body)
    return bool(re.match(r" [^ \-|@#]", text)) and not re.search(r"\S   +\S", text) and "----" not in text


def commented(line):
    """Does this line hold a comment, or a part of one?"""
    return "/*" in line or line.lstrip().startswith("*")


def drawing(line):
    """Is this a line of a drawing, or of a table?"""
    inside = re.match(r"\s*\*", line) and not prose(line.lstrip())
    return len(line) <= DRAWING and bool(inside and re.search(r"[|\[]|   \S", line))


def fill(first, rest, words):
    """The words in lines that begin with `first`, then with `rest`."""
    lines, line = [], first
    for word in words:
        if len(line) + 1 + len(word) > WIDTH and line not in (first, rest):
            lines.append(line)
            line = rest
        line += " " + word
    return lines + [line]


def words_of(lines):
    """Their words. The end of the comment stays with the last word."""
    text = " ".join(re.sub(r"^\s*(/\*|\*)? ?", "", line).strip() for line in lines)
    return re.sub(r" \*/$", "\0*/", text).split()


def narrowed(table):
    """The lines with columns removed that are blank in all of them, as long as two blanks stay beside each other."""
    for at in range(len(min(table, key=len)) if len(table) == 1 else max(map(len, table)), 4, -1):
        if max(map(len, table)) <= WIDTH:
            break
        if all(line[at - 1:at + 2].strip() == "" for line in table):
            table = [line[:at] + line[at + 1:] for line in table]
    return table


def reflowed(lines):
    """The lines of a file with its comments reflowed."""
    out, inside, i = [], False, 0
    while i < len(lines):
        line, body = lines[i], lines[i].lstrip()
        begins = body.startswith("/*") and ("*/" not in body or body.endswith("*/"))
        comment = begins or (inside and body.startswith("*"))
        if comment and len(line) > WIDTH and re.search("-{8,}", line):
            longest = max(re.findall("-+", line), key=len)
            line = line.replace(longest, "-" * max(2, len(longest) - len(line) + WIDTH), 1)
        elif comment and len(line) > WIDTH and prose(body):
            indent = line[: len(line) - len(body)]
            paragraph = [line]
            while not paragraph[-1].endswith("*/") and i + 1 < len(lines) and prose(lines[i + 1].lstrip()) \
                    and lines[i + 1].lstrip().startswith("*"):
                i += 1
                paragraph.append(lines[i])
            rest = indent + " *"
            filled = fill(indent + ("/*" if begins else "*"), rest if begins else indent + "*", words_of(paragraph))
            out += [text.replace("\0", " ") for text in filled]
            inside = not paragraph[-1].endswith("*/")
            i += 1
            continue
        elif comment and len(line) > WIDTH:
            first = len(out)
            while first > 0 and not prose(out[first - 1].lstrip()) and out[first - 1].strip() not in ("*", "/*") \
                    and out[first - 1].lstrip().startswith("*"):
                first -= 1
            table = out[first:] + [line]
            while not table[-1].endswith("*/") and i + 1 < len(lines) and not prose(lines[i + 1].lstrip()) \
                    and lines[i + 1].strip() != "*" and lines[i + 1].lstrip().startswith("*"):
                i += 1
                table.append(lines[i])
            out[first:] = narrowed(table)
            inside = not table[-1].endswith("*/")
            i += 1
            continue
        inside = "*/" not in body if begins else inside and "*/" not in body
        out.append(line)
        i += 1
    return out


def main():
    reflow, folders = "--reflow" in sys.argv, [a for a in sys.argv[1:] if a != "--reflow"]
    wide = 0
    for path in sorted(p for f in folders for p in pathlib.Path(f).rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        if reflow and any(len(line) > WIDTH for line in lines):
            lines = reflowed(lines)
            if "\n".join(lines) != text:
                path.write_text("\n".join(lines), encoding="utf-8")
        for number, line in enumerate(lines, 1):
            if len(line) > WIDTH and commented(line) and not drawing(line):
                wide += 1
                print(f"{path}:{number}: {len(line)} columns")
    sys.exit(wide > 0)


if __name__ == "__main__":
    main()
