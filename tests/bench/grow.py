#!/usr/bin/env python3
"""How the cost of a training step grows, of gradus and PyTorch, as a table and a picture.

usage: grow.py PROGRAM PICTURE.png [--python PATH] [--threads N] [--seconds S]

PROGRAM is the benchmark; `./gradus bench --grow PICTURE.png` supplies it. The Python at PATH has torch; without one the table has gradus
alone. A row train_grow_... runs in a process of its own for each point, both sides in turn: 64 to 8,192 tokens, batches of 1 to 64, and 32
to 1,024 channels where the batch makes the operations about equal. A row has the operations of the least time (GFLOP/s), and the memory
beyond that of an idle process (MB). gnuplot draws.
"""
import argparse
import os
import subprocess

from compare import lines

SWEEPS = {  # what grows: tokens, channels, batch of each point
    "tokens": [(2**k, 128, 1) for k in range(6, 14)],
    "batch": [(64, 128, 2**k) for k in range(7)],
    "channels": [(64, 2**k, 4 ** (10 - k)) for k in range(5, 11)],
}


def point(side, size, *options):
    """GFLOP/s in the least time, and MB."""
    name = "train_grow_V65_T{}_d{}_h4_L2_B{}".format(*size)
    try:
        found = lines(side, name, *options)
    except (OSError, subprocess.CalledProcessError):
        return "NaN", "NaN"
    median, least, rate, memory = map(float, found[name])
    return f"{rate * median / least:.1f}", f"{memory - float(found['import'][3]):.0f}"


def draw(picture, table):
    """Rates above, memory below; a column for each of SWEEPS."""
    script = [f"set terminal pngcairo size 960,560; set output '{picture}'; set multiplot layout 2,3", "set logscale x 2; set xtics 1,4; set key bottom right"]
    for column, unit in ((3, "GFLOP/s"), (4, "MB")):
        script.append(f"set ylabel '{unit}'; set yrange [{0 if column == 3 else 1}:*]" + ("; set logscale y" * (column == 4)))
        for i, name in enumerate(SWEEPS):
            parts = (f"$t index {i} using 2:{at} with linespoints title '{side}'" for at, side in ((column, "gradus"), (column + 2, "PyTorch")))
            script.append(f"set xlabel '{name}'; plot {', '.join(parts)}")
    subprocess.run(["gnuplot"], input="$t << END\n" + table + "END\n" + "\n".join(script), text=True, check=True)


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    p.add_argument("program")
    p.add_argument("picture")
    p.add_argument("--python", default="python3")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--seconds", default="0.5")
    a = p.parse_args()
    options = ["--threads", str(a.threads), "--seconds", a.seconds]
    peer = [a.python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_bench.py"), "--mode", "fused"]
    table = ""
    for i, (name, sizes) in enumerate(SWEEPS.items()):
        for size in sizes:
            grows = size[{"tokens": 0, "channels": 1, "batch": 2}[name]]
            row = "\t".join([name, str(grows), *point([a.program, "--only"], size, *options), *point(peer, size, *options)])
            print(row, flush=True)
            table += row + "\n"
        table += "\n\n"
    draw(a.picture, table)


if __name__ == "__main__":
    main()
