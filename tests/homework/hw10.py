"""What homework 10 computes, by its definitions (definitions.py), and its solution."""
import math
import random

from definitions import close, library, numbers, reals, rows

random.seed(10)
C, N = 3, 4


def times(matrix, x):
    return [sum(a * b for a, b in zip(row, x)) for row in rows(matrix, len(x))]


def add(*vectors):
    return [math.fsum(parts) for parts in zip(*vectors)]


def logistic(x):
    return [1 / (1 + math.exp(-y)) for y in x]


def tanh(x):
    return [math.tanh(y) for y in x]


def rnn(x, h, w, u, b):
    states = []
    for token in rows(x, C):
        h = tanh(add(times(w, token), times(u, h), b))
        states += h
    return states


def gru(x, h, w, u, b):
    a, c = rows(add(times(w, x), b), N), rows(times(u, h), N)
    r, z = logistic(add(a[0], c[0])), logistic(add(a[1], c[1]))
    s = tanh(add(a[2], [p * q for p, q in zip(r, c[2])]))
    return [(1 - k) * new + k * old for k, new, old in zip(z, s, h)]


def lstm(x, h, cell, w, u, b):
    a = rows(add(times(w, x), times(u, h), b), N)
    i, f, g, o = logistic(a[0]), logistic(a[1]), tanh(a[2]), logistic(a[3])
    cell = [p * q + r * s for p, q, r, s in zip(f, cell, i, g)]
    return [p * q for p, q in zip(o, tanh(cell))] + cell


def additive(q, k, w, u, v):
    scores = [sum(a * b for a, b in zip(v, tanh(add(times(w, q), times(u, key))))) for key in rows(k, N)]
    parts = [math.exp(s) for s in scores]
    return add(*[[p / sum(parts) * x for x in key] for p, key in zip(parts, rows(k, N))]) + [p / sum(parts) for p in parts]


def check(name, function, arguments, *sizes, results=(N,)):
    """The solution's function writes results of the given sizes, one after the other in the definition's."""
    got = [reals([9.0] * count) for count in results]
    getattr(library, name)(*got, *map(reals, arguments), *sizes)
    close([x for one in got for x in one], function(*arguments), name)


t = 5
check("rnn", rnn, [numbers(t * C), numbers(N), numbers(N * C), numbers(N * N, 0.5), numbers(N)], t, C, N, results=(t * N,))
check("gru", gru, [numbers(C), numbers(N), numbers(3 * N * C), numbers(3 * N * N), numbers(3 * N)], C, N)
check("lstm", lstm, [numbers(C), numbers(N), numbers(N), numbers(4 * N * C), numbers(4 * N * N), numbers(4 * N)], C, N, results=(N, N))
check("additive", additive, [numbers(C), numbers(5 * N), numbers(3 * C), numbers(3 * N), numbers(3)], 5, C, N, 3, results=(N, 5))
