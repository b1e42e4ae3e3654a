"""What homework 3 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import math
import random

from definitions import attention, close, ints, library, numbers, reals, rows

random.seed(3)


def keep_of(n, m, causal, length):
    keep = (ctypes.c_int * (n * m))()
    library.make_keep(keep, n, m, causal, length)
    return list(keep)


assert keep_of(2, 4, 1, 4) == [1, 1, 1, 0, 1, 1, 1, 1]
assert keep_of(3, 3, 1, 2) == [1, 0, 0, 1, 1, 0, 1, 1, 0]
assert keep_of(2, 3, 0, 2) == [1, 1, 0, 1, 1, 0]


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
