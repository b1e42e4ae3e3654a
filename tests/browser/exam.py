"""Tests the PDF files of ./gradus exam that Chromium prints where LaTeX is missing, as pdftotext reads them (Debian: poppler-utils):
python3 exam.py LECTURES"""
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree

from browser import main, run_or_skip, skip

MILLIMETRE = 96 / 25.4  # pixels of CSS
SHEETS = (42, 43, 44, 45)


def lines_of(path):
    """For each page its lines: the pixels of CSS from the page's top to the line's, and the text."""
    printed = subprocess.run(["pdftotext", "-bbox-layout", path, "-"], check=True, stdout=subprocess.PIPE).stdout
    parts = lambda node, name: node.iter("{http://www.w3.org/1999/xhtml}" + name)
    return [sorted((float(line.get("yMin")) * 96 / 72, " ".join(word.text for word in parts(line, "word"))) for line in parts(page, "line"))
            for page in parts(xml.etree.ElementTree.fromstring(printed), "page")]


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
    if not shutil.which("pdftotext"):
        skip("needs pdftotext, of poppler-utils")
    (folder / "bin").mkdir()
    run_or_skip(lectures, "exam", "--course", "J", "--seed", "42", "--sheets", "4", "--title", "Deep Learning, CS 101",
                "--date", "12 May", "--out", folder, env=without_latex(folder / "bin"))


if __name__ == "__main__":
    main(globals(), make)
