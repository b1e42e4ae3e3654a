#!/usr/bin/env python3
"""Compares gradus with PyTorch at its best, in turn and row by row, so that a drift of the machine's speed affects both.

usage: compare.py PROGRAM [--only NAME,...] [--threads N] [--seconds S] [--rounds N] [--python PATH]

PROGRAM is the benchmark (./gradus bench --compare supplies it); the Python at PATH has torch. Both sides first compute the loss before
and after ten steps from the same weights; where they differ by more than 2e-3, the row says so. Then gradus and PyTorch in each of its
modes (torch_bench.py) run the row in processes of their own, --rounds times in turn; the fastest mode counts.

The table has each side's best median, the ratio of gradus to PyTorch's fastest mode, the share of the machine's own peak that gradus
reaches (an asterisk: above the peak), and each side's peak memory minus that of an idle process. With GRADUS_KERNELS=avx2 PyTorch is
told to use no wider instructions than AVX2 either, and its cache of compiled code, which does not know that limit, is a new one for each
comparison.
"""
import argparse
import os
import subprocess
import sys
import tempfile

TOLERANCE = 2e-3
AVX2_ALONE = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}


def parse():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    p.add_argument("program")
    for name, kind, default in (("only", str, None), ("threads", int, os.cpu_count()), ("seconds", float, 1), ("rounds", int, 3),
                                ("python", str, "python3")):
        p.add_argument(f"--{name}", type=kind, default=default)
    a = p.parse_args()
    for name, value in vars(a).items():
        if value == "":
            p.error(f"--{name}: found an empty value; expected one")
    return a


def printed(side, *options):
    return subprocess.run([*side, *options], stdout=subprocess.PIPE, text=True, check=True).stdout


def lines(side, *options):
    """What a side prints: name -> columns."""
    return {f[0]: f[1:] for f in (line.split("\t") for line in printed(side, *options).splitlines())}


def peer_of(a, options, names):
    """PyTorch's version, the command that runs it, and which of the rows each of its modes has."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_bench.py")
    probe = "import platform, torch; print(platform.python_version(), torch.__version__)"
    found = subprocess.run([a.python, "-c", probe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if found.returncode != 0:
        sys.exit(f"compare.py: {a.python} has no torch; --python PATH names one that has")
    side = [a.python, script, *options]
    return found.stdout.split(), side, {mode: printed(side, "--list", "--mode", mode, *names).split() for mode in ("eager", "fused", "compile")}


def same_work(ours, theirs, name, modes):
    """Whether the losses of each of PyTorch's modes are those of gradus."""
    if not name.startswith("train_"):
        return "-"
    a = lines(ours, "--check", "--only", name)[name]
    for mode in modes:
        b = lines(theirs, "--check", "--mode", mode, name)[name]
        if not all(abs(float(x) - float(y)) <= TOLERANCE * max(1, abs(float(y))) for x, y in zip(a, b)):
            return f"no: {a}, {mode} {b}"
    return "yes"


def best(rounds, name):
    """Of the round with the least median: the milliseconds, the memory without the idle process's, the columns."""
    least = min(rounds, key=lambda r: float(r[name][0]))
    return float(least[name][0]), float(least[name][3]) - float(least["import"][3]), least[name]


def run(a):
    """Prints the table; returns how many rows do other work than PyTorch's."""
    options, names = ["--threads", str(a.threads)], printed([a.program], "--list", *(["--only", a.only] if a.only else [])).split()
    ours, seconds = [a.program, *options], ["--seconds", str(a.seconds)]
    kind = printed([a.program], "--kernels").strip()
    os.environ.update(AVX2_ALONE if kind == "avx2" else {})
    (python, torch), theirs, rows = peer_of(a, options, names)
    print(f"PyTorch {torch} (Python {python}), {a.threads} threads, kernels {kind}\n")
    print("| row | gradus ms | PyTorch ms | ratio to the best | % of peak | gradus MB | PyTorch MB | same work |\n" + "|---" * 8 + "|")
    different = 0
    for name in names:
        modes = [mode for mode in rows if name in rows[mode]]
        same, rounds, peer = same_work(ours, theirs, name, modes), [], {mode: [] for mode in modes}
        different += same.startswith("no")
        for _ in range(a.rounds):
            rounds.append(lines(ours, "--detail", "--only", name, *seconds))
            for mode in modes:
                peer[mode].append(lines(theirs, "--mode", mode, name, *seconds))
        (ms, mb, columns), times = best(rounds, name), {mode: best(peer[mode], name) for mode in modes}
        peer_ms, peer_mb, _ = min(times.values())
        print(f"| {name} | {ms:.3f} | {', '.join(f'{mode} {t[0]:.3f}' for mode, t in times.items())} | {ms / peer_ms:.2f} | {columns[4]} "
              f"| {mb:.0f} | {peer_mb:.0f} | {same} |", flush=True)
    return different


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        sys.exit(1 if run(parse()) else 0)
