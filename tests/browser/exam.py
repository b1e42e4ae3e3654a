"""Tests the PDF files of ./gradus exam that Chromium prints where LaTeX is missing:  python3 exam.py LECTURES"""
import os
import pathlib
import re
import zlib

from browser import main, run_or_skip

MILLIMETRE = 96 / 25.4  # pixels of CSS
SHEETS = (42, 43, 44, 45)


def characters(cmap):
    """The character of each glyph, by a font's table ToUnicode."""
    ranges = re.findall(r"^<(\w+)> (?:<(\w+)> )?<(\w+)>$", cmap, re.M)
    return {int(first, 16) + i: (int(code, 16) + i).to_bytes(len(code) // 2, "big").decode("utf-16-be")
            for first, last, code in ranges for i in range(int(last or first, 16) - int(first, 16) + 1)}


def lines_of(path):
    """For each page its lines: the pixels of CSS from the page's top to the baseline, and the text."""
    objects = {int(number): body for number, body in re.findall(rb"(\d+) 0 obj\n(.*?)\nendobj", path.read_bytes(), re.S)}
    stream = lambda number: zlib.decompress(objects[int(number)].split(b"stream\n", 1)[1]).decode("latin-1")
    fonts = {font: characters(stream(number)) for font, number in
             ((font, re.search(rb"/ToUnicode (\d+)", body)[1]) for font, body in objects.items() if b"/ToUnicode" in body)}
    pages = []
    for body in objects.values():
        if b"/Type /Page\n" not in body:
            continue
        names = {name.decode(): fonts[int(number)] for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", body)}
        lines, stack, top, font = {}, [], 0.0, {}
        for word in re.finditer(r"(?P<font>F\d+) \S+ Tf|1 0 0 1 \S+ (?P<down>\S+) cm|1 0 0 -1 \S+ (?P<y>\S+) Tm|<(?P<text>[0-9A-F]+)> Tj"
                                r"|^(?P<save>q)$|^(?P<restore>Q)$", stream(re.search(rb"/Contents (\d+)", body)[1]), re.M):
            kind, value = word.lastgroup, word[word.lastgroup]
            if kind == "font":
                font = names[value]
            elif kind == "y":
                y = top + float(value)
            elif kind == "text":
                lines[y] = lines.get(y, "") + "".join(font[int(value[i:i + 4], 16)] for i in range(0, len(value), 4))
            elif kind == "down":
                top += float(value)
            elif kind == "save":
                stack.append(top)
            else:
                top = stack.pop()
        pages.append(sorted(lines.items()))
    return pages


def text_of(pages):
    return "\n".join(text for page in pages for _, text in page)


def test_a_sheet_has_its_own_head_and_no_foot(browser, folder):
    for name in ("sheet-42", "solution-42"):
        pages = lines_of(folder / f"J/{name}.pdf")
        text = text_of(pages)
        assert ("Solutions, sheet 42" if "solution" in name else "Exam, sheet 42") == pages[0][0][1], pages[0]
        assert "Deep Learning, CS 101, 12 May" == pages[0][1][1], pages[0]
        assert not re.search("Jiang|Markdown|gradus exam|file://", text), text
        asked = re.findall(r"^## (Question .*)$", (folder / f"J/{name}.md").read_text("utf-8"), re.M)
        assert len(asked) > 6 and re.findall(r"^Question .*$", text, re.M) == asked, text


def test_a_question_stays_on_its_page(browser, folder):
    answers = lambda text: [len(re.findall(r"^\([a-z]\)", part, re.M)) for part in text.split("\nQuestion ")[1:]]
    for sheet in SHEETS:
        pages = lines_of(folder / f"J/sheet-{sheet}.pdf")
        assert len(pages) > 2 and all(text_of([page]).startswith("Question ") for page in pages[1:]), pages
        found = [count for page in pages for count in answers("\n" + text_of([page]))]
        assert found == answers((folder / f"J/sheet-{sheet}.md").read_text("utf-8").replace("## ", "")), (sheet, found)


def test_below_an_answer_is_space_to_work_in(browser, folder):
    for page in (page for sheet in SHEETS for page in lines_of(folder / f"J/sheet-{sheet}.pdf")):
        begins = [line for line in page if re.match(r"Question |\([a-z]\) |\.{12}$", line[1])]
        gaps = [after - y for (y, text), (after, _) in zip(begins, begins[1:]) if not text.startswith("Question")]
        assert len(gaps) > 1 and min(gaps) > 14 * MILLIMETRE, begins


def without_latex(folder):
    """A folder with the programs of PATH except pdflatex, which would set the sheets."""
    for path in os.environ["PATH"].split(os.pathsep):
        for program in pathlib.Path(path).glob("*"):
            if program.name != "pdflatex" and not os.path.lexists(folder / program.name):
                (folder / program.name).symlink_to(program)
    return {**os.environ, "PATH": str(folder)}


def make(folder, lectures):
    (folder / "bin").mkdir()
    run_or_skip(lectures, "exam", "--course", "J", "--seed", "42", "--sheets", "4", "--title", "Deep Learning, CS 101",
                "--date", "12 May", "--out", folder, env=without_latex(folder / "bin"))


if __name__ == "__main__":
    main(globals(), make)
