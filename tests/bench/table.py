#!/usr/bin/env python3
"""Prints the comparison with PyTorch as a table in Markdown, with one column for each kind of processor measured.

usage: table.py [FILE] [--only NAME,...] [--write PAGE]

FILE is what compare.py --record keeps, measured.tsv beside this script if none is named. --only selects the rows
whose names begin with these words. --write PAGE puts the table into PAGE instead, between the lines BEGIN and END
(below), of which PAGE has one each. A cell is the ratio of gradus' time to that of PyTorch's fastest mode,
and gradus' share of the processor's peak; what is in bold misses its goal.
"""
import argparse
import collections
import os
import sys

BEGIN, END = "<!-- ./gradus bench --table --write: from here -->", "<!-- to here -->"
FIELDS = "kind row ms peer_ms mode share threads date torch processor".split()
Measurement = collections.namedtuple("Measurement", FIELDS)
KINDS = {"ref": "reference", "base": "no AVX2", "avx2": "AVX2", "avx512": "AVX-512"}

# By the longest beginning of a row's name: at least this share of the peak in percent, at most this ratio.
GOALS = {
    "": (None, 1.0), "gemm_256": (93, 1.0), "gemm_512": (93, 1.0), "gemm_1024": (93, 1.0), "gemm_2048": (93, 1.0),
    "bmm": (None, 0.8), "crossentropy": (None, 0.4), "attention_causal_fwdbwd_T64": (60, 0.45),
    "attention_causal_fwdbwd_T256": (78, 0.45), "attention_causal_fwdbwd_T1024": (82, 0.45),
    "attention_causal_fwdbwd_T4096": (84, 0.45), "train_tiny": (75, 1.0), "train_nanogptcpu": (80, 1.0),
    "train_bertmini": (87, 1.0), "train_babygpt": (87, 1.0), "train_vae": (None, 0.5),
}


def goal_of(row):
    return GOALS[max((k for k in GOALS if row.startswith(k)), key=len)]


def read(path):
    """(kind, row) -> Measurement, in the order of the file."""
    with open(path) as f:
        heading, *rest = (line.rstrip("\n").split("\t") for line in f)
    if heading != FIELDS or any(len(line) != len(FIELDS) for line in rest):
        sys.exit(f"{path}: found other columns; expected {' '.join(FIELDS)}, with tabs between them")
    return {(line[0], line[1]): Measurement(*line) for line in rest}


def write(path, measured):
    with open(path, "w") as f:
        for line in [FIELDS, *measured.values()]:
            f.write("\t".join(line) + "\n")


def cell(m):
    """Ratio and share, in bold where it misses its goal; an asterisk marks a share above the peak."""
    if m is None:
        return ""
    least, most = goal_of(m.row)
    ratio = float(m.ms) / float(m.peer_ms)
    parts = [(f"{ratio:.2f}", round(ratio, 2) > most)]
    if m.share != "-":
        parts.append((f"{m.share} %".replace("* %", " %\\*"), least and float(m.share.rstrip("*")) < least))
    return ", ".join(f"**{text}**" if missed else text for text, missed in parts)


def goal_text(row):
    share, ratio = goal_of(row)
    return f"{ratio:.2f}" + (f", {share} %" if share else "")


def machines(measured, kind):
    """How the rows of a kind were measured, one line for each way."""
    ways = {}
    for m in measured.values():
        if m.kind == kind:
            ways.setdefault((m.processor, m.threads, m.torch), set()).add(m.date)
    for (processor, threads, torch), dates in ways.items():
        when = min(dates) if len(dates) == 1 else f"{min(dates)} to {max(dates)}"
        yield f"{KINDS[kind]}: {processor}; {threads} thread{'s' * (threads != '1')}; PyTorch {torch}; {when}."


def table(measured, only):
    chosen = {k: m for k, m in measured.items() if not only or m.row.startswith(tuple(only.split(",")))}
    kinds = [k for k in KINDS if any(m.kind == k for m in chosen.values())]
    text = [paragraph for kind in kinds for line in machines(chosen, kind) for paragraph in (line, "")]
    text += ["| row | goal | " + " | ".join(KINDS[k] for k in kinds) + " |", "|---|---|" + "---|" * len(kinds)]
    for row in dict.fromkeys(m.row for m in chosen.values()):
        text.append(f"| {row} | {goal_text(row)} | " + " | ".join(cell(chosen.get((k, row))) for k in kinds) + " |")
    return "\n".join(text)


def cut(path):
    """What stands before and after the table in a page."""
    with open(path) as f:
        text = f.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        sys.exit(f"table.py: {path} has not one line {BEGIN} and, after it, one {END}")
    return text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    p.add_argument("file", nargs="?", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "measured.tsv"))
    p.add_argument("--only")
    p.add_argument("--write", metavar="PAGE")
    a = p.parse_args()
    for name, value in vars(a).items():
        if value == "":
            p.error(f"--{name}: found an empty value; expected one")
    if a.write and not (os.path.isfile(a.write) and os.access(a.write, os.W_OK)):
        p.error(f"--write: {a.write} is no file that can be written; expected a page in Markdown")
    text = table(read(a.file), a.only)
    if not a.write:
        print(text)
        return
    before, after = cut(a.write)
    with open(a.write, "w") as f:
        f.write(f"{before}\n{text}\n{after}")


if __name__ == "__main__":
    main()
