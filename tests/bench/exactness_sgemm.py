#!/usr/bin/env python3
"""Prints tests/kernels/exactness_sgemm.inc: the errors of PyTorch's float32 matrix products.

    mkdir out/products; build/tests/bench/bench --exactness --dump out/products
    python tests/bench/exactness_sgemm.py out/products >tests/kernels/exactness_sgemm.inc

The folder holds the matrices of tests/kernels/exactness.c, which also defines both errors. An error is the largest of ORDERS
products (a quarter of that for long sums) in which the k steps stand in another order: that of one order is partly luck.
"""
import pathlib
import sys

import numpy as np
import torch

ORDERS = 64
print(f"/* Made by tests/bench/exactness_sgemm.py with PyTorch {torch.__version__.split('+')[0]}, "
      f"{'MKL' if torch.backends.mkl.is_available() else 'no MKL'}, CPU: the largest error of {ORDERS} orders. */")
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    raw = path.read_bytes()
    m, n, k = np.frombuffer(raw, "<i8", 3)
    x = np.frombuffer(raw, "<f4", offset=24)
    a, b = x[: m * k].reshape(m, k), x[m * k :].reshape(k, n)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    weight = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    element = norm = 0.0
    for seed in range(ORDERS if k <= 384 else ORDERS // 4):
        order = np.random.default_rng(seed).permutation(k) if seed else np.arange(k)
        c = (torch.tensor(a[:, order].copy()) @ torch.tensor(b[order].copy())).double().numpy()
        error = np.abs(c - exact)
        ratio = np.divide(error, weight, out=np.zeros_like(error), where=error > 0).max()
        element = max(element, ratio)
        norm = max(norm, np.linalg.norm(error) / np.linalg.norm(exact) if error.any() else 0)
    name = path.name.split(".", 1)[1].replace("_", "/")
    print(f'    {{"{name}", {k}, {{{element * 2**24:.4g}, {norm * 2**24:.4g}}}}},')
