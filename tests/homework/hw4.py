"""The solution of homework 4 against its definitions, computed here with Python's own arithmetic.

    python3 hw4.py LIBRARY      a shared library of the solution, with real = double
"""

import ctypes
import math
import random
import statistics

from definitions import close, ints, library, numbers, reals

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
library.layernorm.argtypes = [pointer] * 4 + [whole, whole, real]
random.seed(4)


def norm(row, gamma, beta, eps):
    mean, deviation = statistics.fmean(row), math.sqrt(statistics.pvariance(row) + eps)
    return [g * (x - mean) / deviation + b for x, g, b in zip(row, gamma, beta)]


c, eps = 5, 0.01
x, gamma, beta = numbers(3 * c), numbers(c), numbers(c)
y = reals([9.0] * (3 * c))
library.layernorm(y, reals(x), reals(gamma), reals(beta), 3, c, eps)
for i in range(3):
    close(y[i * c : i * c + c], norm(x[i * c : i * c + c], gamma, beta, eps), "layernorm")

# dL/dmean and dL/dvariance by hand: x = (1, 3), gamma = 1, eps = 0: mean 2, variance 1, y = (-1, 1), dy = (1, 2).
dmean, dvariance = reals([10.0]), reals([20.0])
library.layernorm_statistics_backward.argtypes = [pointer] * 5 + [whole, whole, real]
library.layernorm_statistics_backward(dmean, dvariance, reals([1, 2]), reals([1, 3]), reals([1, 1]), 1, 2, 0.0)
assert [dmean[0], dvariance[0]] == [10 - 3, 20 - 0.5 * (-1 + 2)], (dmean[0], dvariance[0])

table = [random.gauss(0, 1) for _ in range(12)]
y, de = reals([0.0] * 12), reals([0.0] * 12)
library.embed(y, reals(table), ints([2, 0, 2, 3]), 4, 3)
assert list(y) == table[6:9] + table[0:3] + table[6:9] + table[9:12]
library.embed_backward(de, reals(range(12)), ints([2, 0, 2, 3]), 4, 3)
assert list(de) == [3, 4, 5, 0, 0, 0, 0 + 6, 1 + 7, 2 + 8, 9, 10, 11], list(de)
print("the definitions hold")
