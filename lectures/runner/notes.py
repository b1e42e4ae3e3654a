"""Brings what the notes quote up to date:

    python3 notes.py PROGRAM [README...]     these, or all of them and lectures/verdicts.md
    python3 notes.py PROGRAM --check         is each row complete, and is what the texts cite there?
    python3 notes.py PROGRAM --cited FILE... the same of the citations of these texts

PROGRAM is build/lectures/lectures. What is quoted stands below a marker:

    <!-- code: heads.c head_loop -->     the function of that name (or the struct), from that file beside the README;
                                         a path with / before it begins at the project's folder
    <!-- questions: 21 -->               what the chapter asks about that row
    <!-- index -->                       the tables of rows and slides, up to
    <!-- end of index -->

Nothing is typed twice; a test looks whether this program would change anything."""
import itertools
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from ask import Chapter  # noqa: E402
from program import LECTURES, Program  # noqa: E402

KINDS = ["confirmed", "contradicted", "qualified", "misprinted"]


def problem(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


# ---- the index -----------------------------------------------------------------------------------------------------

class Index:
    """Of lectures/README.md: row -> slides for whoever reads a chapter, slide -> rows for whoever gives a lecture tomorrow."""

    def __init__(self, program):
        self.program, self.facts = program, program.facts
        self.rows = {r["number"]: r for r in self.facts["rows"]}

    def figures(self, row: int) -> list:
        c = self.program.chapter_of(row)
        return [f"[{f['name']}]({c['folder']}/pictures/{f['name']}.png)" for f in c["figures"] if f["row"] == row]

    def example(self, row: int) -> str:
        path = self.rows[row]["program"]
        return f"[{path.split('/')[1]}](../{path}/)" if path else ""

    def slides_of(self, row: int) -> str:
        """V "Self-Attention", "Analogy ..."; H "Q, K, V": each title once."""
        shown = dict.fromkeys((s["lecture"], s["title"]) for s in self.facts["slides"] if row in s["rows"])
        return "; ".join(f"{letter} " + ", ".join(f'"{title}"' for _, title in group)
                         for letter, group in itertools.groupby(shown, lambda slide: slide[0]))

    def chapters(self):
        for c in self.facts["chapters"]:
            yield f"\n### Chapter {c['number']}: [{c['title']}]({c['folder']}/)\n"
            yield "| row | what | slides | claims | figures, examples |\n|---|---|---|---|---|"
            for row in range(c["first"], c["last"] + 1):
                claims = sum(claim["row"] == row for claim in c["claims"])
                example = self.example(row)
                yield f"| {row} | {self.rows[row]['what']} | {self.slides_of(row)} | {claims} | " + \
                    ", ".join(self.figures(row)) + (f" {example}" if example else "") + " |"

    def lectures(self):
        for lecture in self.facts["lectures"]:
            yield f"\n### {lecture['letter']}: {lecture['name']}\n\n| slide | rows | program | figures |\n|---|---|---|---|"
            for s in self.facts["slides"]:
                if s["lecture"] != lecture["letter"]:
                    continue
                where, last = {}, None
                for row in s["rows"]:
                    folder = self.program.chapter_of(row)["folder"]
                    where.update(dict.fromkeys([f"[{folder}]({folder}/)"] * (folder != last) + [self.example(row)] * bool(self.example(row))))
                    last = folder
                pages = f" ({s['pages']} slides)" if s["pages"] > 1 else ""
                yield f"| {s['title']}{pages} | {', '.join(map(str, s['rows']))} | {', '.join(where)} | " + \
                    ", ".join(figure for row in s["rows"] for figure in self.figures(row)) + " |"

    def text(self) -> str:
        return "\n".join(["## Row by row", *self.chapters(), "\n## Slide by slide", *self.lectures()])


# ---- is it complete? -------------------------------------------------------------------------------------------------

def claim_gaps(facts: dict, c: dict):
    slides = {f"{s['lecture']}: {s['title']}" for s in facts["slides"] if c["row"] in s["rows"]}
    if not c["faults"]:
        yield "has no fault"
    for slide in set(c["slides"]) - slides:
        yield f"cites \"{slide}\", which is no slide of that row"
    if (c["judgement"] or c["slide"] or c["says"]) and not (c["judgement"] and c["says"] and c["slide"] in c["slides"]):
        yield f"is against {c['slide'] or 'no slide'}; expected a judgement, one of the claim's slides and what it says"


def question_gaps(q: dict):
    if any(not choice["reason"] for choice in q["choices"]):
        yield "lacks a reason"
    right = sum(choice["right"] for choice in q["choices"]) == 1 if q["choices"] else q["within"] > 0 and q["misconception"]
    if not right or not q["answer"]:
        yield "lacks its answer"


def gaps(facts: dict) -> int:
    """Prints a line for each row without a claim, and for each part that a claim, an exercise or a question lacks."""
    wrong, numbers = 0, {r["number"]: r["chapter"] for r in facts["rows"]}
    for s in facts["slides"]:
        wrong += sum(problem(f"{s['lecture']}: \"{s['title']}\": found no row {row}") for row in s["rows"] if row not in numbers)
    for c in facts["chapters"]:
        for row in range(c["first"], c["last"] + 1):
            if numbers.get(row) != c["number"] or not any(claim["row"] == row for claim in c["claims"]):
                wrong += problem(f"row {row} has no claim, or is no row of chapter {c['number']} in slides.c")
        of = [(c["claims"], lambda claim: claim_gaps(facts, claim)), (c["questions"], question_gaps),
              (c["exercises"], lambda e: [*claim_gaps(facts, e), *["has no solution, or no wrong one after it"] * (
                  len(e["faults"]) < 2 or e["faults"][0]["name"] != "solved")])]
        for entries, gaps_of in of:
            wrong += sum(problem(f"row {e['row']}: \"{e.get('statement', e.get('question'))}\" {gap}") for e in entries for gap in gaps_of(e))
    return wrong


# ---- citations -------------------------------------------------------------------------------------------------------

def check_citations(facts: dict, paths: list) -> int:
    """Do the slides and claims exist that texts cite, V "Self-Attention", "..."; Z, J "..." and claims "the forward ..." and
    "backward"? What stands in code, or between backquotes, cites nothing."""
    letters = "".join(lecture["letter"] for lecture in facts["lectures"])
    slides = {(s["lecture"], s["title"]) for s in facts["slides"]}
    statements = [c["statement"] for chapter in facts["chapters"] for c in chapter["claims"]]
    quotes = r'((?:(?:,%s)? "[^"]{1,200}")+)'
    cited = [0, 0]
    wrong = 0
    for path in paths:
        text = re.sub(r"^```.*?^```", "", pathlib.Path(path).read_text("utf-8"), flags=re.M | re.S)
        text = re.sub(r"\s+", " ", re.sub(r"`[^`\n]*`", "", text))
        for who, titles in re.findall(rf"(?<![A-Za-z0-9])([{letters}](?:, [{letters}])*),?{quotes % ''}", text):
            cited[0] += 1
            wrong += sum(problem(f"{path}: {letter} has no slide \"{title}\"") for title in re.findall('"([^"]*)"', titles)
                         for letter in who.split(", ") if (letter, title) not in slides)
        for titles in re.findall(rf"(?<![A-Za-z0-9])[Cc]laims?{quotes % '| and'}", text):
            cited[1] += 1
            for title in re.findall('"([^"]*)"', titles):
                begin = title.removesuffix(" ...")
                if not any(s == title or s.startswith(begin) and begin != title for s in statements):
                    wrong += problem(f"{path}: no claim states \"{title}\"")
    print(f"{cited[0]} citations of slides and {cited[1]} of claims, {wrong} wrong")
    return wrong


# ---- verdicts --------------------------------------------------------------------------------------------------------

def cell(text: str) -> str:
    return re.sub(r"([|*_<])", r"\\\1", text)


def verdicts(facts: dict, lectures: pathlib.Path) -> str:
    """What the slides state and measurement contradicts, qualifies or corrects, by the claims that are against something; the
    numbers are those of the chapters' shares.tsv, the least and the largest over the seeds."""
    parts = {"Contradicted": "As it stands on the slide, the statement is false.",
             "Qualified": "The statement holds under a condition that the slide does not state.",
             "Misprinted": "An index, a shape or a symbol cannot be meant as it is printed; the claim measures what the correction changes."}
    out = """# Verdicts: what measurement does not confirm

The chapters check the statements of the five lectures by claims. Most claims confirm a statement. This page lists the others. Each number \
is that of a claim which `./gradus claims --row ROW` measures
again and `./gradus claims --explain ROW` derives; the values are the least and the largest over the seeds. Under "it says" the words in \
quotation marks and the formulas are the slide's, the words in brackets ours. The letters V, B, H, Z and J are the lectures' \
([index](README.md)).

`lectures/runner/notes.py` writes this page from the claims and from the shares.tsv of each chapter.
"""
    against = 0
    for title, about in parts.items():
        out += f"\n## {title}\n\n{about}\n\n| slide | it says | measured instead | number | row |\n|---|---|---|---|---|\n"
        for chapter in facts["chapters"]:
            path = lectures / chapter["folder"] / "shares.tsv"
            shares = {columns[1]: columns for columns in (line.split("\t") for line in path.read_text("utf-8").splitlines())}
            for c in chapter["claims"]:
                if KINDS[c["judgement"]] != title.lower():
                    continue
                if c["statement"] not in shares:
                    raise ValueError(f"{path} has no line \"{c['statement']}\"; expected what `claims {chapter['number']} --seeds 20 "
                                     "--format tsv` prints")
                _, _, _, bound, least, most, holds = shares[c["statement"]]
                values = least if least == most else f"{least} to {most}"
                out += f"| {c['slide'][0]}, \"{cell(c['slide'][3:])}\" | {cell(c['says'])} | {cell(c['statement'])} | " \
                    f"{cell(c['quantity'])}: {values} (bound {bound}, {holds} seeds) | [{c['row']}]({chapter['folder']}/) |\n"
                against += 1
    all_claims = sum(len(chapter["claims"]) for chapter in facts["chapters"])
    return out + f"\n{against} of {all_claims} claims concern a statement that they do not confirm.\n"


# ---- quotes ----------------------------------------------------------------------------------------------------------

def code(folder: pathlib.Path, top: pathlib.Path, path: str, name: str) -> str:
    """From the line that begins with a letter and names it, to the first line that begins with "}"."""
    file = top / path[1:] if path.startswith("/") else folder / path
    found = re.findall(rf"^[A-Za-z].*[ *]{name}(?:\(|$| ).*(?<!;)\n(?:.*\n)*?}}.*", file.read_text("utf-8"), re.M)
    if not found:
        raise ValueError(f"notes: no {name} in {file}")
    return "\n".join(found)


def fold(line: str) -> str:
    """A line of a quote in lines of about 120 columns, of which none begins as a table, a list or a heading does."""
    first, *words = line.split(" ")
    lines = [first]
    for word in words:
        if len(lines[-1]) + len(word) < 120 or re.fullmatch(r"([|>#+-].*|[0-9]+[.)])", word):
            lines[-1] += " " + word
        else:
            lines.append("> " + word)
    return "\n".join(lines)


def quoted(program, readme: pathlib.Path, top: pathlib.Path) -> str:
    """The text of a README with all that it quotes."""
    def questions(row: str) -> str:
        chapter = program.chapter_of(int(row))
        return "\n".join(map(fold, Chapter(program, chapter, int(row), 1).markdown()))

    text = readme.read_text("utf-8")
    text = re.sub(r"^(<!-- questions: (\d+) -->\n)(?:>.*\n)*", lambda m: f"{m[1]}{questions(m[2])}\n", text, flags=re.M)
    text = re.sub(r"^(<!-- code: (\S+) (\S+) -->\n)(?:```c\n(?:.*\n)*?```\n)?",
                  lambda m: f"{m[1]}```c\n{code(readme.parent, top, m[2], m[3])}\n```\n", text, flags=re.M)
    index = lambda m: f"{m[1]}{Index(program).text()}\n{m[2]}"
    return re.sub(r"^(<!-- index -->\n).*?^(<!-- end of index -->)", index, text, flags=re.M | re.S)


def main(path: str, *words: str) -> int:
    program, lectures = Program(path), LECTURES
    if words[:1] == ("--cited",):
        return check_citations(program.facts, words[1:]) > 0
    if words[:1] == ("--check",):
        texts = [text for pattern in ("../examples/*/README.md", "0*/*.md", "homework/*/README.md") for text in sorted(lectures.glob(pattern))]
        return check_citations(program.facts, texts) + gaps(program.facts) > 0
    new = {pathlib.Path(word): None for word in words} or {readme: None for readme in [lectures / "README.md", *lectures.glob("0*/README.md")]}
    for readme in new:
        new[readme] = quoted(program, readme, lectures.parent)
    if not words:
        new[lectures / "verdicts.md"] = verdicts(program.facts, lectures)
    for file, text in new.items():
        if file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (OSError, ValueError) as error:
        sys.exit(str(error))
