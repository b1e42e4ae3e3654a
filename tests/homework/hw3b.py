"""What homework 3b computes, by its definitions (definitions.py), and its solution."""
import ctypes
import random

from definitions import attention, close, library, numbers, reals, rows

random.seed(3)

POINTER, whole = ctypes.POINTER(ctypes.c_double), ctypes.c_int
FORWARD = ctypes.CFUNCTYPE(None, *[POINTER] * 5, *[whole] * 5)
BACKWARD = ctypes.CFUNCTYPE(None, *[POINTER] * 8, *[whole] * 4)


class Attention(ctypes.Structure):
    _fields_ = [("forward", FORWARD), ("backward", BACKWARD)]


def forward(y, a, q, k, v, batch, n, m, d, causal):
    """The attention that the library is given: by the definition, for each element of the batch."""
    for b in range(batch):
        keys = [[k[(b * m + j) * d + e] for e in range(d)] for j in range(m)]
        values = [[v[(b * m + j) * d + e] for e in range(d)] for j in range(m)]
        for i in range(n):
            query = [q[(b * n + i) * d + e] for e in range(d)]
            weights, out = attention(query, keys, values, [j <= i + m - n or not causal for j in range(m)], d)
            for j in range(m):
                a[(b * n + i) * m + j] = weights[j]
            for e in range(d):
                y[(b * n + i) * d + e] = out[e]


given = Attention(FORWARD(forward), BACKWARD(lambda *_: None))
n, m, c, heads = 4, 3, 6, 3
d = c // heads
w_in, w_out = numbers(3 * c * c), numbers(c * c)


def project(tokens, part):
    """Rows part c to part c + c - 1 of w_in."""
    weights = rows(w_in, c)[part * c : part * c + c]
    return [[sum(a * b for a, b in zip(row, w)) for w in weights] for row in tokens]


for own in (True, False):
    x = numbers(n * c)
    memory = x if own else numbers(m * c)
    count = n if own else m
    for causal in (0, 1) if own else (0,):
        y = reals([9.0] * (n * c))
        library.multi_head(
            y, reals(x), reals(memory), reals(w_in), reals(w_out), n, count, c, heads, causal, ctypes.byref(given)
        )
        q, k, v = project(rows(x, c), 0), project(rows(memory, c), 1), project(rows(memory, c), 2)
        for i in range(n):
            merged = []
            for h in range(heads):
                cut = slice(h * d, h * d + d)
                seen = [j <= i or not causal for j in range(count)]
                merged += attention(q[i][cut], [r[cut] for r in k], [r[cut] for r in v], seen, d)[1]
            close(rows(y, c)[i], [sum(a * b for a, b in zip(merged, w)) for w in rows(w_out, c)], "multi_head")

x, w, y = numbers(2 * 3), numbers(4 * 3), reals([9.0] * 8)
library.project(y, reals(x), reals(w), 2, 3, 4)
close(y, [sum(a * b for a, b in zip(row, weights)) for row in rows(x, 3) for weights in rows(w, 3)], "project")

x, y, z = reals(range(24)), reals([0.0] * 24), reals([0.0] * 24)
library.split_heads(y, x, 4, 3, 2)
assert list(y)[:8] == [0, 1, 6, 7, 12, 13, 18, 19], list(y)  # head 0 of each token
library.merge_heads(z, y, 4, 3, 2)
assert list(z) == list(x)
