"""The solution of homework 1 against its definitions, computed here with Python's own arithmetic.

    python3 hw1.py LIBRARY      a shared library of the solution, with real = double

The tests of a homework compare with the solution, and its gradients with differences of it: what the forward
functions compute has to be known from elsewhere.
"""

import ctypes
import math
import random
import sys

library = ctypes.CDLL(sys.argv[1])
random.seed(1)


def numbers(count):
    return [random.gauss(0, 2) for _ in range(count)]


def array(values):
    return (ctypes.c_double * len(values))(*values)


def close(got, want, what):
    for g, w in zip(got, want, strict=True):
        assert abs(g - w) <= 1e-13 * max(1, abs(w)), (what, g, w)  # a few roundings of 1e-16


for m, k, n in [(1, 1, 1), (2, 3, 4), (4, 1, 3), (5, 7, 2)]:
    a, b, c = numbers(m * k), numbers(k * n), array([9.0] * (m * n))
    library.matmul(c, array(a), array(b), m, k, n)
    want = [math.fsum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]
    close(c, want, "matmul")

for rows, cols in [(1, 1), (2, 3), (3, 2)]:
    for ar, ac, br, bc in [(rows, cols, rows, cols), (rows, cols, 1, cols), (rows, cols, rows, 1), (rows, 1, 1, cols), (1, 1, rows, cols)]:
        a, b, y = numbers(ar * ac), numbers(br * bc), array([0.0] * (rows * cols))
        library.add(y, array(a), ar, ac, array(b), br, bc)
        want = [a[i % ar * ac + j % ac] + b[i % br * bc + j % bc] for i in range(rows) for j in range(cols)]
        close(y, want, "add")

for rows, n, shift in [(1, 1, 0), (3, 4, 0), (2, 5, 800)]:  # exp(800) is beyond a double
    x = numbers(rows * n)
    y, z = array([0.0] * (rows * n)), array([0.0] * rows)
    library.softmax(y, array([v + shift for v in x]), rows, n)
    library.logsumexp(z, array([v + shift for v in x]), rows, n)
    for i in range(rows):
        row = [math.exp(v) for v in x[i * n : i * n + n]]
        total = math.fsum(row)
        # Adding 800 rounds x to 1e-13.
        assert all(abs(g - e / total) < 1e-12 for g, e in zip(y[i * n : i * n + n], row)), "softmax"
        assert abs(z[i] - shift - math.log(total)) < 1e-12, "logsumexp"
print("the definitions hold")
