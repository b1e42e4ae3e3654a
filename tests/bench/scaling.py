"""How long a training step takes on several processes: predicted, measured, and on a cluster.

    python3 tests/bench/scaling.py build/tests/bench/processes [--mpirun PATH] [--tsv FILE] [--tsv-1000 FILE] [--keep FILE]

The model of a step on P processes, for a batch of S slices:

    step     = S / P t_slice + t_update + exposed
    exposed  = max(t_last, t_comm - 2/3 t_slice)           backward is two thirds of a slice
    t_comm   = buckets 2 log2(P) latency + 2 (P - 1) / P bytes / bandwidth
    t_last   = 2 log2(P) latency + 2 (P - 1) / P 1 MB / bandwidth   the bucket that backward completes last

Between processes of one machine its processors move the numbers, so nothing is hidden behind backward and the processor
time of a step is t_apart + t_comm, which is compared with what was measured. t_apart is the step of a process that exchanges
nothing, while the others compute as much: processors share caches and frequency, so that a slice takes longer than that of a
process which runs alone. The comparison therefore tests the communication alone. Latency and bandwidth are those of two
processes. By the clock the prediction is compared only where no other program disturbs it: the program prints both.

On a cluster the batch stays the same, 1,024 slices, and the efficiency is t_1 / (P t_P).
"""

import argparse
import json
import math
import os
import subprocess

BUCKET, SLICES = 4 << 18, 1024
NETWORKS = [("10 Gbit/s", 25e-6, 10e9 / 8), ("100 Gbit/s", 2e-6, 100e9 / 8)]  # latency in s, bytes/s
NODES = [8, 16, 32, 64, 128, 256, 512, 1024]
STEPS = {"babygpt": 200, "gpt2": 1}
PROCESSES = {"babygpt": [1, 2, 4], "gpt2": [1]}  # one of GPT-2 takes 4 GB


def measure(options, processes, model):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    command = [options.mpirun, "-n", str(processes), options.program, model, str(STEPS[model])]
    line = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()
    names = "processes slice update apart step elapsed numbers buckets latency bandwidth peak".split()
    return {n: float(x) for n, x in zip(names, line)}


def communication(P, bytes_, buckets, latency, bandwidth):
    return buckets * 2 * math.log2(P) * latency + 2 * (P - 1) / P * bytes_ / bandwidth


def step(P, m, slices, latency, bandwidth):
    """Seconds of a step on P nodes."""
    if P == 1:
        return slices * m["slice"] + m["update"]
    bytes_ = 4 * m["numbers"]
    last = communication(P, min(BUCKET, bytes_), 1, latency, bandwidth)
    exposed = max(last, communication(P, bytes_, m["buckets"], latency, bandwidth) - 2 / 3 * m["slice"])
    return slices / P * m["slice"] + m["update"] + exposed


def compare(model, runs):
    one, link = runs["1"], runs.get("2")
    print(f"{model}: a slice {1e3 * one['slice']:.2f} ms, update {1e3 * one['update']:.2f} ms")
    if link:
        print(f"  latency {1e6 * link['latency']:.1f} us, bandwidth {link['bandwidth'] / 1e9:.2f} GB/s")
    for P in map(int, runs):
        moved = communication(P, 4 * one["numbers"], one["buckets"], link["latency"], link["bandwidth"]) if P > 1 else 0
        run = runs[str(P)]
        predicted = run["apart"] + moved
        print(f"  {P} processes: {1e3 * run['apart']:8.2f} ms apart; processor time predicted {1e3 * predicted:8.2f} ms, measured {1e3 * run['step']:8.2f} ms, "
              f"{100 * (run['step'] / predicted - 1):+.0f} %; by the clock {1e3 * run['elapsed']:8.2f} ms")


def table(models, faster):
    """Efficiencies in percent, on nodes so many times faster than a processor here."""
    rows = []
    print("\n| model, network | " + " | ".join(map(str, NODES)) + " | half at |\n|---" + "|---" * (len(NODES) + 1) + "|")
    for name, m in models.items():
        fast = dict(m, slice=m["slice"] / faster, update=m["update"] / faster)
        for network, latency, bandwidth in NETWORKS:
            efficiency = lambda P: step(1, fast, SLICES, 0, 1) / (P * step(P, fast, SLICES, latency, bandwidth))
            half = next((str(P) for P in [2**i for i in range(1, 11)] if efficiency(P) < 0.5), "-")
            rows.append((f"{name}, {network}", [efficiency(P) for P in NODES]))
            print(f"| {name}, {network} | " + " | ".join(f"{100 * x:.0f}" for x in rows[-1][1]) + f" | {half} |")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--tsv", help="also write the first table of a cluster for ./gradus plot curves")
    parser.add_argument("--tsv-1000", help="also write the second one")
    parser.add_argument("--keep", help="a file of the measurements: written, or read where it is there")
    options = parser.parse_args()
    if options.keep and os.path.exists(options.keep):
        with open(options.keep, encoding="utf-8") as f:
            runs = json.load(f)
    else:
        runs = {model: {str(P): measure(options, P, model) for P in PROCESSES[model]} for model in STEPS}
    if options.keep:
        with open(options.keep, "w", encoding="utf-8") as f:
            json.dump(runs, f, indent=1)
    for model in STEPS:
        compare(model, runs[model])
    small, gpt2 = runs["babygpt"]["1"], runs["gpt2"]["1"]
    numbers = 1.557e9  # GPT-2 1.5B: as many operations for a token as its weights are more
    big = {"slice": numbers / gpt2["numbers"] * gpt2["slice"], "update": numbers / gpt2["numbers"] * gpt2["update"],
           "numbers": numbers, "buckets": numbers / (1 << 18)}
    models = {"babygpt": small, "GPT-2 124M": gpt2, "GPT-2 1.5B": big}
    print(f"\nEfficiency in percent for a batch of {SLICES} slices, on nodes as fast as a processor here:")
    slow = table(models, 1)
    print("\nThe same on nodes that compute 1,000 times as fast:")
    fast = table(models, 1000)
    for rows, path in ((slow, options.tsv), (fast, options.tsv_1000)):
        if path:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write("nodes\t" + "\t".join(name for name, _ in rows) + "\n")
                for i, P in enumerate(NODES):
                    f.write(f"{P}\t" + "\t".join(f"{100 * shares[i]:.2f}" for _, shares in rows) + "\n")


if __name__ == "__main__":
    main()
