"""What homework 4b computes, by its definitions (definitions.py), and its solution."""
import ctypes
import math
import random
import statistics

from definitions import close, library, numbers, reals

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
library.dropout.argtypes = [pointer] * 3 + [whole, real, whole]
library.count_parameters.restype = ctypes.c_long
random.seed(4)


def norm(row, gamma, beta, eps):
    mean, deviation = statistics.fmean(row), math.sqrt(statistics.pvariance(row) + eps)
    return [g * (x - mean) / deviation + b for x, g, b in zip(row, gamma, beta)]


c, eps = 5, 0.01
y = reals([9.0] * 4)
library.dropout(y, reals([1, 2, 3, 4]), reals([0.1, 0.9, 0.3, 0.2]), 4, 0.25, 1)
close(y, [0, 2 / 0.75, 3 / 0.75, 0], "dropout")
library.dropout(y, reals([1, 2, 3, 4]), reals([0.1, 0.9, 0.3, 0.2]), 4, 0.25, 0)
assert list(y) == [1, 2, 3, 4], "dropout, not training"

# One token, attention(x) = 2 x, feed(x) = x * x.
NORM = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(real)] * 4, whole, whole, real)
LAYER = ctypes.CFUNCTYPE(None, ctypes.POINTER(real), ctypes.POINTER(real), whole, whole, pointer)


class Block(ctypes.Structure):
    _fields_ = [("norm", NORM), ("attend", LAYER), ("w_attend", pointer), ("feed", LAYER), ("w_feed", pointer)]
    _fields_ += [(name, ctypes.POINTER(real)) for name in ("gamma1", "beta1", "gamma2", "beta2")] + [("eps", real)]


def norm_of(y, x, gamma, beta, t, n, eps):
    for i in range(t * n):
        y[i] = norm(x[i - i % n : i - i % n + n], gamma[:n], beta[:n], eps)[i % n]


def double(y, x, t, n, w):
    for i in range(t * n):
        y[i] = 2 * x[i]


def square(y, x, t, n, w):
    for i in range(t * n):
        y[i] = x[i] * x[i]


weights = [numbers(c) for _ in range(4)]
block = Block(NORM(norm_of), LAYER(double), None, LAYER(square), None, *(reals(w) for w in weights), eps)
x = numbers(c)
library.pre_norm_block(y := reals([9.0] * c), reals(x), ctypes.byref(block), 1, c)
h = [a + 2 * b for a, b in zip(x, norm(x, *weights[:2], eps))]
close(y, [a + b * b for a, b in zip(h, norm(h, *weights[2:], eps))], "pre_norm_block")
library.post_norm_block(y, reals(x), ctypes.byref(block), 1, c)
h = norm([3 * a for a in x], *weights[:2], eps)
close(y, norm([a + a * a for a in h], *weights[2:], eps), "post_norm_block")

# The published size of GPT-2's smallest model; untied, its table of words once more.
assert library.count_parameters(50257, 1024, 768, 12, 3072, 12, 1) == 124439808
assert library.count_parameters(50257, 1024, 768, 12, 3072, 12, 0) == 124439808 + 50257 * 768
