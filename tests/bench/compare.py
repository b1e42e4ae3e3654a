#!/usr/bin/env python3
"""gradus and PyTorch in turn, row by row, so that a machine whose speed drifts does not decide.

usage: compare.py PROGRAM [--only NAME,...] [--threads N] [--seconds S] [--rounds N] [--python PATH]

PROGRAM is the benchmark's (./gradus bench --compare gives it); the python at PATH has torch. First, both must
have the same losses before and after ten steps from the same weights, to 2e-3; otherwise it is not the same
work, and the row says so. Then each side runs a row alone in a process, --rounds times in turn. Printed, as a
table in Markdown, are each side's best median, their ratio, gradus' share of the machine's own peak just
before and after, and each side's peak memory less that of its process with nothing to do.
"""
import argparse
import os
import subprocess
import sys

TOLERANCE = 2e-3


def parse():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    p.add_argument("program")
    p.add_argument("--only", default="")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--python", default="python3")
    return p.parse_args()


def lines(side, *options):
    """What a side prints: name -> columns."""
    done = subprocess.run(side + list(options), stdout=subprocess.PIPE, text=True, check=True)
    return {f[0]: f[1:] for f in (line.split("\t") for line in done.stdout.splitlines())}


def same_work(ours, peer, name):
    if not name.startswith("train_"):
        return "-"
    a, b = (lines(side, "--check", "--only", name)[name] for side in (ours, peer))
    close = all(abs(float(x) - float(y)) <= TOLERANCE * max(1, abs(float(y))) for x, y in zip(a, b))
    return "yes" if close else f"no: {a}, {b}"


def best(rows, name):
    """The columns of the round with the least median, the memory without the idle process's."""
    least = min(rows, key=lambda r: float(r[name][0]))
    memory = float(least[name][3]) - float(least["import"][3])
    return float(least[name][0]), memory, least[name]


def main():
    a = parse()
    here = os.path.dirname(os.path.abspath(__file__))
    threads = ["--threads", str(a.threads)]
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
    different = 0
    for name in lines(peer, "--list", *(["--only", a.only] if a.only else [])):
        same = same_work(ours, peer, name)
        different += same.startswith("no")
        run = ["--only", name, "--seconds", str(a.seconds)]
        rounds = [(lines(ours, "--detail", *run), lines(peer, *run)) for _ in range(a.rounds)]
        ms, mb, columns = best([r[0] for r in rounds], name)
        peer_ms, peer_mb, _ = best([r[1] for r in rounds], name)
        print(f"| {name} | {ms:.3f} | {peer_ms:.3f} | {ms / peer_ms:.2f} | {columns[6]} | {mb:.0f} "
              f"| {peer_mb:.0f} | {same} |", flush=True)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
