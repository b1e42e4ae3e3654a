"""What the checks of the homeworks' solutions share: the solution itself, random numbers, comparison, attention.

    python3 hw10.py LIBRARY      a shared library of the solution of homework 10, with real = double

The tests of a homework compare with the solution, and its gradients with differences of it: what the forward functions compute has
to be known from elsewhere. Python's own arithmetic computes it here.
"""

import ctypes
import math
import random
import sys

library = ctypes.CDLL(sys.argv[1])


def numbers(count, deviation=1):
    """Normal numbers; the caller has set the seed."""
    return [random.gauss(0, deviation) for _ in range(count)]


def reals(values):
    return (ctypes.c_double * len(values))(*values)


def ints(values):
    return (ctypes.c_int * len(values))(*values)


def close(got, want, what, most=1e-13):
    """most: some hundred roundings of 1e-16, or what the caller derives."""
    for g, w in zip(got, want, strict=True):
        assert abs(g - w) <= most * max(1, abs(w)), (what, g, w)


def rows(values, width):
    return [values[i : i + width] for i in range(0, len(values), width)]


def attention(q, k, v, allowed, d):
    """Of one query: its weights and its output; keys and values are lists of rows."""
    scores = [sum(x * y for x, y in zip(q, key)) / math.sqrt(d) for key in k]
    parts = [math.exp(s) if a else 0 for s, a in zip(scores, allowed)]
    whole = math.fsum(parts)
    weights = [x / whole if whole else 0 for x in parts]
    return weights, [sum(w * value[e] for w, value in zip(weights, v)) for e in range(len(v[0]))]
