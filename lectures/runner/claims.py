"""The ledger: runs the claims of the chapters.

    claims [N]                  each as it is: HOLDS or FAILS
    claims --explain ROW        in words, with the numbers on the way
    claims --break ROW[:FAULT]  under its faults: each must FAIL
    claims [N] --seeds K        K times, from as many seeds: the share that holds; also --try ROW[:solved]
    claims [N] --poison nan     with kernels that return NaN, or zeros: each must FAIL, or say why not
    claims [N] --try ROW        the exercises: each FAILS until its function was changed as asked
    claims [N] --try ROW:solved with their solutions: each must HOLD
    claims [N] --try ROW:wrong  with their wrong solutions: each must FAIL"""
import math
import os
import re
import sys

from program import Options, Program, refuse, say

FORMATS = ("table", "tsv", "markdown")
JUDGEMENTS = ("confirms", "refutes", "qualifies", "corrects")
MOST = 60  # seconds of processor time for an exercise


class Finding:
    """A claim (or exercise) that was run; `where` is what the program calls it."""

    def __init__(self, where: str, claim: dict, fault: str, value: float, seconds: float, verdict: str):
        self.where, self.claim, self.fault, self.value, self.seconds, self.verdict = where, claim, fault, value, seconds, verdict


def run(program: Program, where: str, claim: dict, seed: int, fault: str = "", show=lambda line: None) -> Finding:
    value, seconds, verdict = program.answer(where, seed, fault, show=show)[1:]
    return Finding(where, claim, fault, float(value), float(seconds), verdict)


class Report:
    """A line as each claim is done, between a beginning and an end that says how many hold."""

    def __init__(self, form: str, head=("row", "verdict", "value", "bound", "time", "lectures", "statement")):
        self.form, self.count, self.failed, self.seconds = form, 0, 0, 0.0

    def begin(self) -> None:
        if self.form == "table":
            print(f"{'row':>3}  {'verdict':<7} {'value':>11}  {'bound':<18} {'time':>9}  {'lectures':<8}  statement")
        elif self.form == "tsv":
            print("row\tstatement\tslides\tquantity\tvalue\tbound\tverdict\tseconds\tfault")
        else:
            print("| row | statement | slides | quantity | value | bound | verdict | time |\n|---|---|---|---|---|---|---|---|")

    def add(self, f: Finding) -> None:
        c, slides = f.claim, "; ".join(f.claim["slides"])
        if self.form == "table":  # the statement comes last, so that its length moves no column
            letters = " ".join(dict.fromkeys(slide[0] for slide in c["slides"]))
            line = f"{c['row']:3}  {f.verdict:<7} {f.value:11.4g}  {c['bound']:<18} {f.seconds:7.2f} s  {letters:<8}  " \
                + (f"[{f.fault}] " if f.fault else "") + c["statement"]
        elif self.form == "tsv":
            line = f"{c['row']}\t{c['statement']}\t{slides}\t{c['quantity']}\t{f.value:.9g}\t{c['bound']}\t{f.verdict}\t{f.seconds:.3f}\t" \
                + (f.fault or "-")
        else:
            line = f"| {c['row']} | {cell(c['statement'])} | {slides} | {cell(c['quantity'])} | {f.value:.4g} | {c['bound']} | " \
                f"{f.verdict} | {f.seconds:.2f} s |"
        print(line, flush=True)  # a claim may take seconds: its line is to be seen when it is done
        self.tally(f.verdict == "FAILS", f.seconds)

    def tally(self, failed: bool, seconds: float) -> None:
        self.count += 1
        self.failed += failed
        self.seconds += seconds

    def end(self, says: str = "{holds} hold, {failed} fail") -> None:
        if self.form == "table":
            print(f"\n{self.count} claim{'s' * (self.count != 1)}: " + says.format(holds=self.count - self.failed, failed=self.failed)
                  + f"; {self.seconds:.1f} s")


def cell(text: str) -> str:
    """In a table of Markdown a bar would end the cell."""
    return text.replace("|", "\\|")


def explained(program: Program, where: str, claim: dict, seed: int) -> Finding:
    """The claim in words, then what its function has to say, then its verdict."""
    say(f"row {claim['row']:2}: ", 8, claim["statement"])
    for i, slide in enumerate(claim["slides"]):
        say("" if i else "  slides", 12, slide)
    if claim["says"]:
        say(f"  {JUDGEMENTS[claim['judgement']]}", 12, f"{claim['slide']}: {claim['says']}")
    say("  measured", 12, claim["quantity"], "\n\n")
    f = run(program, where, claim, seed, show=lambda line: print(line, end="", flush=True))
    print(f"\n  value     {f.value:.6g}, and the bound is {claim['bound']}: {f.verdict} ({f.seconds:.2f} s)")
    say("  because", 12, claim["why"])
    for i, fault in enumerate(claim["faults"]):
        say("" if i else "  broken by", 12, f"{fault['name']}: {fault['what']}")
    print(flush=True)
    return f


# ---- the ways to run them ------------------------------------------------------------------------------------------

class Ledger:
    """What is run: the claims of a chapter, of a row, or all; or their exercises."""

    def __init__(self, program: Program, chapter, row: int, seed: int, form: str = "table", exercises: bool = False, fault: str = ""):
        self.program, self.seed, self.fault, self.exercises = program, seed, fault, exercises
        self.report = Report(form)
        kind, key = ("exercise", "exercises") if exercises else ("claim", "claims")
        self.chosen = [(f"{kind} {c['number']} {i}", claim) for c in program.facts["chapters"] if chapter in (None, c)
                       for i, claim in enumerate(c[key]) if row in (0, claim["row"])]

    def run(self, where: str, claim: dict, fault: str = "", seed: int = 0) -> Finding:
        return run(self.program, where, claim, seed or self.seed, fault)

    def has(self, claim: dict) -> bool:
        return not self.fault or any(f["name"] == self.fault for f in claim["faults"])

    def plain(self) -> int:
        self.report.begin()
        for where, claim in self.chosen:
            if self.has(claim):
                self.report.add(self.run(where, claim, self.fault))
        self.report.end()
        return self.report.failed > 0

    def explained(self) -> int:
        for where, claim in self.chosen:
            f = explained(self.program, where, claim, self.seed)
            self.report.tally(f.verdict == "FAILS", f.seconds)
        return self.report.failed > 0

    def broken(self) -> int:
        """Each under each of its faults, or under one. Status 1, as a claim that fails should be: 0 tells that a fault changed
        nothing. Of an exercise the faults are the wrong solutions."""
        held = 0
        self.report.begin()
        for where, claim in self.chosen:
            for fault in (f["name"] for f in claim["faults"]):
                if fault != "solved" if self.exercises else self.fault in ("", fault):
                    f = self.run(where, claim, fault)
                    self.report.add(f)
                    held += f.verdict == "HOLDS"
        self.report.end()
        if held:
            print(f"lectures: {held} claims hold in spite of their fault", file=sys.stderr)
        return held == 0

    def seeds(self, count: int) -> int:
        """Seed after seed, and all claims of a seed together, so that what is trained for several of them is trained once."""
        for _, claim in self.chosen:
            if not self.has(claim):
                refuse(f"--seeds: \"{claim['statement']}\" has no \"{self.fault}\"; expected a row of which each has it")
        found = [[] for _ in self.chosen]
        for seed in range(self.seed, self.seed + count):
            for shares, (where, claim) in zip(found, self.chosen):
                f = self.run(where, claim, self.fault, seed)
                if f.verdict == "FAILS":
                    print(f"seed {seed}, row {claim['row']}: \"{claim['statement']}\" FAILS with {f.value:.6g}", file=sys.stderr)
                shares.append(f)
            print(f"seeds: {seed - self.seed + 1} of {count}", file=sys.stderr, end="\r" if sys.stderr.isatty() else "\n", flush=True)
        self.print_shares([shares for shares in found if shares], count)
        return self.report.failed > 0

    def print_shares(self, found: list, count: int) -> None:
        """How often each held, and between which values."""
        form, report = self.report.form, self.report
        print({"table": f"{'row':>3}  {'holds':<9} {'least':>11} {'most':>11}  {'bound':<18} {'time':>9}  statement",
               "tsv": "row\tstatement\tquantity\tbound\tleast\tmost\tholds",
               "markdown": "| row | statement | quantity | bound | values | holds |\n|---|---|---|---|---|---|"}[form])
        for shares in found:
            c, values, held = shares[0].claim, [f.value for f in shares], sum(f.verdict == "HOLDS" for f in shares)
            least, most = (math.nan, math.nan) if any(map(math.isnan, values)) else (min(values), max(values))
            seconds = sum(f.seconds for f in shares)
            print({"table": f"{c['row']:3}  {held:3} of {count:<2} {least:11.4g} {most:11.4g}  {c['bound']:<18} {seconds:7.2f} s  "
                            f"{c['statement']}",
                   "tsv": f"{c['row']}\t{c['statement']}\t{c['quantity']}\t{c['bound']}\t{least:.4g}\t{most:.4g}\t{held} of {count}",
                   "markdown": f"| {c['row']} | {cell(c['statement'])} | {cell(c['quantity'])} | {c['bound']} | {least:.3g} .. {most:.3g} | "
                               f"{held} of {count} |"}[form])
            report.tally(held < count, seconds)
        report.end("{holds} hold for every seed")

    def poisoned(self, what: str) -> int:
        """With kernels that compute nothing, each claim must fail, but for those that say why they need not: these must hold, so that
        no reason is left over."""
        wrong = 0
        self.report.begin()
        for where, claim in self.chosen:
            reason, f = claim[f"holds_on_{what}"], self.run(where, claim)
            self.report.add(f)
            if self.report.form == "table" and f.verdict == "HOLDS":
                print(f"     holds: {reason or 'WITHOUT A REASON'}")
            elif self.report.form == "table" and reason:
                print(f"     fails, although it lists a reason to hold: {reason}")
            wrong += (f.verdict == "HOLDS") != (reason != "")
        self.report.end()
        if wrong:
            print(f"lectures: kernels that return {what}: {wrong} claims hold without a reason, or fail with one", file=sys.stderr)
        return wrong > 0

    def tried(self) -> int:
        """The exercises as they are in the files, each in a process of its own: an error or an endless loop in one ends no other."""
        ended = 0
        self.report.begin()
        for where, claim in self.chosen:
            ended += try_one(self.report, self.program.path, where, claim, self.seed)
        r = self.report
        done = r.count - r.failed
        if r.form == "table":
            print(f"\n{r.count} exercise{'s' * (r.count != 1)}: {done} done, {r.failed - ended} not yet"
                  + (f", {ended} ended with an error" if ended else "")
                  + ("; --try ROW --explain ROW shows the numbers" if r.failed else ""))
        return r.failed > 0


def try_one(report: Report, path: str, where: str, claim: dict, seed: int, most: int = MOST) -> bool:
    """Runs an exercise. In a table follows what is known of a try that fails: how it ended, or the wrong solutions with which all
    numbers that the claim explains are the same; the value alone may be that of many mistakes ("5 of 5 are wrong"). Did it end with
    an error?"""
    program, notes, says, ended = Program(path, most), [], [], 0
    f = Finding(where, claim, "", math.nan, 0, "FAILS")
    try:
        f = run(program, where, claim, seed, show=notes.append)
        for fault in claim["faults"]:
            if report.form == "table" and f.verdict == "FAILS" and math.isfinite(f.value) and fault["name"] != "solved":
                other = []
                if run(program, where, claim, seed, fault["name"], other.append).value == f.value and other == notes:
                    says.append(f"the same numbers as with a known mistake: {fault['what']}")
        if math.isnan(f.value):
            says.append(f"a NaN, or a wrong shape, in: {claim['quantity']}")
    except EOFError:
        ended = program.process.wait()
        meaning = {-11: " (it used memory that is not its own)", -8: " (it divided a whole number by 0)",
                   -6: " (it ended itself: abort)"}.get(ended, "")
        says.append(f"it did not end within {most} s of processor time" if ended == -24 else
                    f"it ended with signal {-ended}{meaning}" if ended < 0 else "it ended with the error above")
    program.end()
    report.add(f)
    if report.form == "table":
        print(*(f"     {line}" for line in says), sep="\n", end="\n" if says else "", flush=True)
    return ended != 0


# ---- the command ---------------------------------------------------------------------------------------------------

def split_row(option: str, word: str, row: int) -> tuple:
    """ "21", "21:no-scaling", "all", "all:solved": the row, which "all" leaves as it is, and what follows the colon."""
    found = re.fullmatch(r"([1-9]\d?|all)(?::(.+))?", word)
    if not found:
        refuse(f"--{option}: found '{word}'; expected a row, ROW:NAME, or all")
    return row if found[1] == "all" else int(found[1]), found[2] or ""


def main(program: Program, words: list) -> int:
    options = Options("claims", "Measures what the slides say: each claim with its bound.")
    options.add_argument("chapter", nargs="?", help="by its number or its name; without one, all")
    options.number("row", "only this row; 0: all", 0, 0, 99, "ROW")
    options.text("format", "FORMAT", "table, tsv or markdown", "table", FORMATS)
    options.number("explain", "the row's claims in words, with the numbers", 0, 0, 99, "ROW")
    options.text("break", "ROW[:FAULT]", "its claims under their faults; all: of all")
    options.number("seeds", "run with K seeds: the share that holds", 0, 0, 10000, "K")
    options.text("try", "ROW", "the row's exercises; all: of all; ROW:solved: solved; ROW:wrong: with wrong solutions")
    options.text("poison", "WHAT", "with kernels that return nan, or zeros: each claim must fail", None, ("nan", "zeros"))
    options.number("seed", "of all random numbers", 1, 0, 10**9)
    options.threads()
    options.flag("quiet", "only the verdict, by the exit status")
    asked = options.read(words)
    chapter = program.chapter_named(asked.chapter)
    if asked.quiet:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    row, fault, broken, tried = asked.explain or asked.row, "", vars(asked)["break"], vars(asked)["try"]
    if broken:
        row, fault = split_row("break", broken, row)
    if tried:
        row, fault = split_row("try", tried, row)
        broken = broken or fault == "wrong"
    if asked.seeds and (broken or asked.explain or asked.poison):
        refuse("--seeds with --break, --explain, --poison or wrong solutions; expected claims as they are, or --try without wrong solutions")
    program.poison = asked.poison or ""
    ledger = Ledger(program, chapter, row, asked.seed, asked.format, bool(tried), fault)
    status = ledger.broken() if broken else ledger.explained() if asked.explain else ledger.seeds(asked.seeds) if asked.seeds \
        else ledger.poisoned(asked.poison) if asked.poison else ledger.tried() if tried and not fault else ledger.plain()
    if not ledger.report.count:
        refuse(f"row {row} has no fault \"{fault}\"" if fault else f"there is no claim of row {row}")
    return status
