"""How long a training step takes on several processes: predicted, measured, and on a cluster.

    python3 tests/bench/scaling.py build/tests/bench/processes [--mpirun PATH] [--tsv FILE]

The model of a step on P processes, each with 8 / P slices:

    step     = slices t_slice f + t_update f + exposed
    exposed  = max(t_last, t_comm - 2/3 t_slice f)         backward is two thirds of a slice
    t_comm   = buckets 2 log2(P) latency + 2 (P - 1) / P bytes / bandwidth
    t_last   = 2 log2(P) latency + 2 (P - 1) / P 1 MB / bandwidth   the bucket that backward completes last
    f        = max(1, P / cores)                           where processes share cores

t_slice and t_update are measured with one process, latency and bandwidth between two. A cluster's nodes have one process
and a whole batch of eight slices each (weak scaling), so that the efficiency is t_1 / (t_1 + exposed).
"""

import argparse
import math
import os
import subprocess

BUCKET = 4 << 18
NETWORKS = [("10 Gbit/s", 25e-6, 10e9 / 8), ("100 Gbit/s", 2e-6, 100e9 / 8)]  # latency in s, bytes/s


def measure(program, mpirun, processes, model):
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    command = [mpirun, "-n", str(processes), program, model]
    line = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()
    names = "processes slice update step waited numbers buckets latency bandwidth".split()
    return {n: float(x) for n, x in zip(names, line)}


def exposed(P, numbers, buckets, latency, bandwidth, overlap):
    if P == 1:
        return 0.0
    rounds, share = 2 * math.log2(P), 2 * (P - 1) / P
    last = rounds * latency + share * min(BUCKET, 4 * numbers) / bandwidth
    return max(last, buckets * rounds * latency + share * 4 * numbers / bandwidth - overlap)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--tsv", help="also write the efficiencies for ./gradus plot curves")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    rows, alone = [], {}
    for model in ["babygpt", "gpt2"]:
        one = alone[model] = measure(options.program, options.mpirun, 1, model)
        link = measure(options.program, options.mpirun, 2, model)
        print(f"{model}: a slice {1e3 * one['slice']:.2f} ms, update {1e3 * one['update']:.2f} ms, "
              f"latency {1e6 * link['latency']:.1f} us, bandwidth {link['bandwidth'] / 1e9:.2f} GB/s")
        for P in [2, 4]:
            run = link if P == 2 else measure(options.program, options.mpirun, P, model)
            f = max(1, P / cores)
            wait = exposed(P, one["numbers"], one["buckets"], link["latency"], link["bandwidth"], 2 / 3 * one["slice"] * f)
            predicted = 8 / P * one["slice"] * f + one["update"] * f + wait
            print(f"  {P} processes: predicted {1e3 * predicted:8.2f} ms, measured {1e3 * run['step']:8.2f} ms, "
                  f"{100 * (run['step'] / predicted - 1):+.0f} %")
    # 1.5 billion weights: 12.5 times the operations of 124 million for a token.
    big = {"slice": 12.5 * alone["gpt2"]["slice"], "numbers": 1.557e9, "buckets": 1.557e9 / (1 << 18), "update": 0}
    big["update"] = alone["gpt2"]["update"] * big["numbers"] / alone["gpt2"]["numbers"]
    models = {"babygpt": alone["babygpt"], "GPT-2 124M": alone["gpt2"], "GPT-2 1.5B": big}
    print("\nefficiency on nodes like this one, in percent: t_1 / (t_1 + exposed)\n")
    nodes = [8, 16, 32, 64, 128, 256, 512, 1024]
    print("| model, network | " + " | ".join(map(str, nodes)) + " |\n|---" * 1 + "|---" * len(nodes) + "|")
    for name, m in models.items():
        step = 8 * m["slice"] + m["update"]
        for network, latency, bandwidth in NETWORKS:
            shares = [step / (step + exposed(P, m["numbers"], m["buckets"], latency, bandwidth, 2 / 3 * m["slice"])) for P in nodes]
            rows.append((f"{name}, {network}", shares))
            print(f"| {name}, {network} | " + " | ".join(f"{100 * s:.0f}" for s in shares) + " |")
    if options.tsv:
        with open(options.tsv, "w", encoding="utf-8") as f:
            f.write("nodes\t" + "\t".join(name for name, _ in rows) + "\n")
            for i, P in enumerate(nodes):
                f.write(f"{P}\t" + "\t".join(f"{shares[i]:.4f}" for _, shares in rows) + "\n")


if __name__ == "__main__":
    main()
