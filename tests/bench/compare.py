#!/usr/bin/env python3
"""Compares gradus with PyTorch, in turn and row by row, so that a drift of the machine's speed affects both.

usage: compare.py PROGRAM [--only NAME,...] [--threads N] [--seconds S] [--rounds N] [--python PATH] [--write FILE]
                  [--models DIR]

PROGRAM is the benchmark (./gradus bench --compare supplies it); the Python at PATH has torch. First, both sides
compute the loss before and after ten steps from the same weights. If the losses differ by more than 2e-3, the work is
not the same, and the row says so. Then each side runs the row in a process of its own, --rounds times in turn. Rows
of pretrained models (encode_, write_, load_) are compared only with --models DIR, a folder that torch_pretrained.py
has made. The table, in Markdown, has each side's best median, their ratio, the share of the machine's own peak that
gradus reaches, and each side's peak memory minus that of an idle process.

--write FILE also writes a short table, with the machine, the date and the goal of each row, between the lines BEGIN
and END (below) of FILE; the README.md beside this file has them.
"""
import argparse
import datetime
import os
import platform
import subprocess
import sys

TOLERANCE = 2e-3
PRETRAINED = ("encode_", "write_", "load_")
BEGIN, END = "<!-- ./gradus bench --compare --write: from here -->", "<!-- to here -->"

# By the longest beginning of a row's name: at most this ratio, or at least this share of the machine's peak.
GOALS = {
    "gemm_64": "45 %", "gemm_256": "75 %", "gemm_512": "85 %", "gemm_1024": "85 %", "gemm_2048": "85 %",
    "gemm_512x256x1024": "", "bmm": "0.6", "softmax": "0.8", "layernorm": "0.8", "gelu": "0.8",
    "crossentropy": "0.4", "attention": "0.4", "train_tiny": "0.3", "train_mlp": "0.15", "train_": "0.5",
    "train_gpt2": "", "generate": "0.15", "encode": "0.5", "write": "0.5", "load": "0.5",
}


def parse():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    p.add_argument("program")
    p.add_argument("--only")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--python", default="python3")
    p.add_argument("--write", metavar="FILE")
    p.add_argument("--models", metavar="DIR")
    arguments = p.parse_args()
    for name, value in vars(arguments).items():
        if value == "":
            p.error(f"--{name}: found an empty value; expected one")
    if arguments.write and not (os.path.isfile(arguments.write) and os.access(arguments.write, os.W_OK)):
        p.error(f"--write: {arguments.write} is no file that can be written; expected a table in Markdown")
    return arguments


def lines(side, *options):
    """What a side prints: name -> columns."""
    done = subprocess.run(side + list(options), stdout=subprocess.PIPE, text=True, check=True)
    return {f[0]: f[1:] for f in (line.split("\t") for line in done.stdout.splitlines())}


def same_work(ours, peer, name):
    if not name.startswith(("train_",) + PRETRAINED):
        return "-"
    a, b = (lines(side, "--check", "--only", name)[name] for side in (ours, peer))
    close = all(abs(float(x) - float(y)) <= TOLERANCE * max(1, abs(float(y))) for x, y in zip(a, b))
    return "yes" if close else f"no: {a}, {b}"


def best(rows, name):
    """The columns of the round with the least median, the memory without the idle process's."""
    least = min(rows, key=lambda r: float(r[name][0]))
    memory = float(least[name][3]) - float(least["import"][3])
    return float(least[name][0]), memory, least[name]


# Rows that PyTorch has not, beside the one that does the same otherwise.
VARIANTS = {"generate_babygpt_255tok_kvcache": ["generate_babygpt_255tok_16bit", "generate_babygpt_255tok_8bit"]}


def pairs(names):
    """Our rows and PyTorch's beside them."""
    for name in names:
        yield name, name
        for variant in VARIANTS.get(name, []):
            yield variant, name


def goal_of(name):
    return GOALS[max((k for k in GOALS if name.startswith(k)), key=len, default="train_gpt2")]


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def cut(path):
    """What stands before and after the table in a file."""
    with open(path) as f:
        text = f.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        sys.exit(f"compare.py: {path} has not one line {BEGIN} and, after it, one {END}")
    return text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]


def short_table(a, torch, rows):
    machine = f"{processor()}, {os.cpu_count()} processors, {datetime.date.today()}"
    lines = [f"{machine}; {a.threads} threads; PyTorch {torch}; the best median of {a.rounds} rounds.", "",
             "| row | gradus ms | PyTorch ms | ratio | of the machine's peak | goal |", "|---|---|---|---|---|---|"]
    for name, ms, peer_ms, percent in rows:
        share = "" if percent == "-" else f"{percent} %"
        lines.append(f"| {name} | {ms:.3f} | {peer_ms:.3f} | {ms / peer_ms:.2f} | {share} | {goal_of(name)} |")
    return "\n".join(lines)


def main():
    a = parse()
    around = cut(a.write) if a.write else None
    here = os.path.dirname(os.path.abspath(__file__))
    threads = ["--threads", str(a.threads)] + (["--models", a.models] if a.models else [])
    ours = [a.program] + threads
    peer = [a.python, os.path.join(here, "torch_bench.py")] + threads
    probe = "import platform, torch; print(platform.python_version(), torch.__version__)"
    found = subprocess.run([a.python, "-c", probe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if found.returncode != 0:
        sys.exit(f"compare.py: {a.python} has no torch; --python PATH names one that has")
    python, torch = found.stdout.split()
    print(f"PyTorch {torch} (Python {python}), {a.threads} threads\n")
    print("| row | gradus ms | PyTorch ms | ratio | % of peak | gradus MB | PyTorch MB | same work |")
    print("|---|---|---|---|---|---|---|---|")
    different, short = 0, []
    for name, other in pairs(lines(peer, "--list", *(["--only", a.only] if a.only else []))):
        if name.startswith(PRETRAINED) and not a.models:
            continue
        same = same_work(ours, peer, name)
        different += same.startswith("no")
        run, peer_run = (["--only", n, "--seconds", str(a.seconds)] for n in (name, other))
        rounds = [(lines(ours, "--detail", *run), lines(peer, *peer_run)) for _ in range(a.rounds)]
        ms, mb, columns = best([r[0] for r in rounds], name)
        peer_ms, peer_mb, _ = best([r[1] for r in rounds], other)
        short.append((name, ms, peer_ms, columns[6]))
        print(f"| {name} | {ms:.3f} | {peer_ms:.3f} | {ms / peer_ms:.2f} | {columns[6]} | {mb:.0f} "
              f"| {peer_mb:.0f} | {same} |", flush=True)
    if around:
        with open(a.write, "w") as f:
            f.write(f"{around[0]}\n{short_table(a, torch, short)}\n{around[1]}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
