"""The solution of homework 3 against its definitions, computed here with Python's own arithmetic.

    python3 hw3.py LIBRARY      a shared library of the solution, with real = double
"""

import ctypes
import math
import random
import sys

library = ctypes.CDLL(sys.argv[1])
random.seed(3)


def numbers(count):
    return [random.gauss(0, 1) for _ in range(count)]


def reals(values):
    return (ctypes.c_double * len(values))(*values)


def close(got, want, what, most=1e-12):
    for g, w in zip(got, want, strict=True):
        assert abs(g - w) <= most * max(1, abs(w)), (what, g, w)  # some dozens of roundings of 1e-16



def keep_of(n, m, causal, length):
    keep = (ctypes.c_int * (n * m))()
    library.make_keep(keep, n, m, causal, length)
    return list(keep)


assert keep_of(2, 4, 1, 4) == [1, 1, 1, 0, 1, 1, 1, 1]
assert keep_of(3, 3, 1, 2) == [1, 0, 0, 1, 1, 0, 1, 1, 0]
assert keep_of(2, 3, 0, 2) == [1, 1, 0, 1, 1, 0]


def attention(q, k, v, allowed, d):
    """Of one query: its weights and what it gets; keys and values are lists of rows."""
    scores = [sum(x * y for x, y in zip(q, key)) / math.sqrt(d) for key in k]
    parts = [math.exp(s) if a else 0 for s, a in zip(scores, allowed)]
    whole = math.fsum(parts)
    weights = [x / whole if whole else 0 for x in parts]
    return weights, [sum(w * value[e] for w, value in zip(weights, v)) for e in range(len(v[0]))]


def rows(values, width):
    return [values[i : i + width] for i in range(0, len(values), width)]


batch, n, m, d = 2, 3, 5, 4
q, k, v = numbers(batch * n * d), numbers(batch * m * d), numbers(batch * m * d)
keep = [random.randint(0, 1) for _ in range(n * m)]
keep[:m] = [0] * m  # the first query looks at nothing
a, y = reals([9.0] * (batch * n * m)), reals([9.0] * (batch * n * d))
library.attention_weights(a, reals(q), reals(k), (ctypes.c_int * (n * m))(*keep), batch, n, m, d)
library.attend(y, a, reals(v), batch, n, m, d)
for b in range(batch):
    keys, values = rows(k, d)[b * m : b * m + m], rows(v, d)[b * m : b * m + m]
    for i in range(n):
        weights, out = attention(rows(q, d)[b * n + i], keys, values, keep[i * m : i * m + m], d)
        close(rows(a, m)[b * n + i], weights, "attention_weights")
        close(rows(y, d)[b * n + i], out, "attend")
library.attention_weights(a, reals([1e4 * x for x in q]), reals(k), None, batch, n, m, d)
for row in rows(a, m):
    assert abs(math.fsum(row) - 1) < 1e-12 and all(0 <= x <= 1 for x in row), "large scores"
print("the definitions hold")
