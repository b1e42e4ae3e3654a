#!/usr/bin/env python3
"""Compares gradus with PyTorch at its best, in turn and row by row, so that a drift of the machine's speed affects both.

usage: compare.py PROGRAM [--only NAME,...] [--threads N] [--seconds S] [--rounds N] [--python PATH] [--record FILE]
                  [--models DIR]

PROGRAM is the benchmark (./gradus bench --compare supplies it); the Python at PATH has torch. First, both sides
compute the loss before and after ten steps from the same weights. If the losses differ by more than 2e-3, the work is
not the same, and the row says so. Then gradus and PyTorch in each of its modes (torch_bench.py explains them) run the
row in processes of their own, --rounds times in turn. The fastest of PyTorch's modes counts.
Rows of pretrained models (encode_, write_, load_) are compared only with --models DIR, a folder that
torch_pretrained.py has made.

The table, in Markdown, has each side's best median, the ratio of gradus to PyTorch's fastest mode, the share of the
machine's own peak that gradus reaches (an asterisk: above the peak), and each side's peak memory minus that of an idle
process. --record FILE also puts the rows into a file of measurements, in place of earlier ones of the same row on the
same kind of processor; table.py prints a table from it. The kind is the set of kernels that gradus uses. With
GRADUS_KERNELS=avx2 PyTorch, too, is told to use no wider instructions than AVX2. torch.compile's cache of compiled code does
not know that limit: it gives a loop that was made for vectors of 16 floats to kernels of 8, which then compute half of the
elements. So each comparison has a cache of its own.
"""
import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile

import table

TOLERANCE = 2e-3
PRETRAINED = ("encode_", "write_", "load_")
AVX2_ALONE = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}


def parse():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    p.add_argument("program")
    p.add_argument("--only")
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--python", default="python3")
    p.add_argument("--record", metavar="FILE")
    p.add_argument("--models", metavar="DIR")
    arguments = p.parse_args()
    for name, value in vars(arguments).items():
        if value == "":
            p.error(f"--{name}: found an empty value; expected one")
    if arguments.record and not (os.path.isfile(arguments.record) and os.access(arguments.record, os.W_OK)):
        p.error(f"--record: {arguments.record} is no file that can be written; expected a file of measurements")
    return arguments


def printed(side, *options):
    return subprocess.run(side + list(options), stdout=subprocess.PIPE, text=True, check=True).stdout


def lines(side, *options):
    """What a side prints: name -> columns."""
    return {f[0]: f[1:] for f in (line.split("\t") for line in printed(side, *options).splitlines())}


def processor(kind):
    """The processor's name; with what it has, but this comparison does not use."""
    try:
        with open("/proc/cpuinfo") as f:
            text = f.read()
        name = next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
    limited = kind == "avx2" and " avx512f" in text
    return f"{name}, {os.cpu_count()} processors" + ", both sides limited to AVX2" * limited


class Peer:
    """PyTorch, and the rows that each of its modes runs."""

    def __init__(self, python, options, only):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_bench.py")
        probe = "import platform, torch; print(platform.python_version(), torch.__version__)"
        found = subprocess.run([python, "-c", probe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if found.returncode != 0:
            sys.exit(f"compare.py: {python} has no torch; --python PATH names one that has")
        self.python, self.torch = found.stdout.split()
        self.side = [python, script] + options
        # A mode without a row of --only has an empty list.
        named = ["--only", only] if only else []
        self.rows = {mode: printed(self.side, "--list", "--mode", mode, *named).split()
                     for mode in ("eager", "fused", "compile")}

    def modes(self, name):
        """The modes that run a row."""
        return [mode for mode, rows in self.rows.items() if name in rows]


def same_work(ours, peer, name, modes):
    """Whether the losses of each of PyTorch's modes are those of gradus."""
    if not name.startswith(("train_",) + PRETRAINED):
        return "-"
    a = lines(ours, "--check", "--only", name)[name]
    for mode in modes:
        b = lines(peer.side, "--check", "--mode", mode, "--only", name)[name]
        if not all(abs(float(x) - float(y)) <= TOLERANCE * max(1, abs(float(y))) for x, y in zip(a, b)):
            return f"no: {a}, {mode} {b}"
    return "yes"


def best(rounds, name):
    """Of the round with the least median: the milliseconds, the memory without the idle process's, the columns."""
    least = min(rounds, key=lambda r: float(r[name][0]))
    return float(least[name][0]), float(least[name][3]) - float(least["import"][3]), least[name]


def compare(a, ours, peer, name):
    """Measures one row; returns gradus' columns and, for each mode of PyTorch, milliseconds and memory."""
    modes, seconds = peer.modes(name), ["--seconds", str(a.seconds)]
    rounds, peer_rounds = [], {mode: [] for mode in modes}
    for _ in range(a.rounds):
        rounds.append(lines(ours, "--detail", "--only", name, *seconds))
        for mode in modes:
            peer_rounds[mode].append(lines(peer.side, "--mode", mode, "--only", name, *seconds))
    return best(rounds, name), {mode: best(rounds, name)[:2] for mode, rounds in peer_rounds.items()}


def measurement(a, kind, peer, name, ms, peer_ms, mode, share):
    return table.Measurement(kind=kind, row=name, ms=f"{ms:.3f}", peer_ms=f"{peer_ms:.3f}", mode=mode, share=share,
                             threads=str(a.threads), date=str(datetime.date.today()), torch=peer.torch,
                             processor=processor(kind))


def run(a):
    """Prints the table; returns how many rows do other work than PyTorch's."""
    measured = table.read(a.record) if a.record else {}
    options = ["--threads", str(a.threads)] + (["--models", a.models] if a.models else [])
    ours = [a.program] + options
    kind = printed([a.program], "--kernels").strip()
    os.environ.update(AVX2_ALONE if kind == "avx2" else {})
    peer = Peer(a.python, options, a.only)
    print(f"PyTorch {peer.torch} (Python {peer.python}), {a.threads} threads, kernels {kind}\n")
    print("| row | gradus ms | PyTorch ms | ratio to the best | % of peak | gradus MB | PyTorch MB | same work |")
    print("|---|---|---|---|---|---|---|---|")
    different = 0
    for name in printed([a.program], "--list", *(["--only", a.only] if a.only else [])).split():
        modes = peer.modes(name)
        if not modes or (name.startswith(PRETRAINED) and not a.models):
            continue
        same = same_work(ours, peer, name, modes)
        different += same.startswith("no")
        (ms, mb, columns), times = compare(a, ours, peer, name)
        fastest = min(times, key=lambda mode: times[mode][0])
        peer_ms, peer_mb = times[fastest]
        all_modes = ", ".join(f"{mode} {t[0]:.3f}" for mode, t in times.items())
        print(f"| {name} | {ms:.3f} | {all_modes} | {ms / peer_ms:.2f} | {columns[6]} | {mb:.0f} "
              f"| {peer_mb:.0f} | {same} |", flush=True)
        measured[kind, name] = measurement(a, kind, peer, name, ms, peer_ms, fastest, columns[6])
        if a.record:
            table.write(a.record, measured)
    return different


def main():
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        sys.exit(1 if run(parse()) else 0)


if __name__ == "__main__":
    main()
