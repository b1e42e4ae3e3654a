"""The solution of homework 10 against its definitions, computed here with Python's own arithmetic, and its
gradients against central differences of these.

    python3 hw10.py LIBRARY      a shared library of the solution, with real = double
"""

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


def gradients(function, arguments, upstream):
    """Of the sum of upstream times the result, by central differences: an error of h^2 times a third derivative."""
    result = []
    for at, values in enumerate(arguments):
        each = []
        for i in range(len(values)):
            sides = []
            for h in (1e-5, -1e-5):
                moved = [x + h * (j == i) for j, x in enumerate(values)]
                y = function(*arguments[:at], moved, *arguments[at + 1 :])
                sides.append(math.fsum(a * b for a, b in zip(upstream, y)))
            each.append((sides[0] - sides[1]) / 2e-5)
        result.append(each)
    return result


def check(name, function, arguments, upstream, forward, backward):
    """forward(inputs) returns the solution's result; backward(sums, inputs) adds to sums, which begin at 1."""
    inputs = [reals(a) for a in arguments]
    close(forward(inputs), function(*arguments), name)
    sums = [reals([1.0] * len(a)) for a in arguments]
    backward(sums, inputs)
    for got, want in zip(sums, gradients(function, arguments, upstream)):
        close(list(got), [1 + x for x in want], name + " backward", 1e-8)


def result(count, call):
    y = reals([9.0] * count)
    call(y)
    return list(y)


t, dy = 5, numbers(5 * N)
check("rnn", rnn, [numbers(t * C), numbers(N), numbers(N * C), numbers(N * N, 0.5), numbers(N)], dy,
      lambda i: result(t * N, lambda y: library.rnn(y, *i, t, C, N)),
      lambda s, i: library.rnn_backward(*s, reals(dy), reals(rnn(*map(list, i))), *i[:4], t, C, N))
check("gru", gru, [numbers(C), numbers(N), numbers(3 * N * C), numbers(3 * N * N), numbers(3 * N)], dy[:N],
      lambda i: result(N, lambda y: library.gru(y, *i, C, N)),
      lambda s, i: library.gru_backward(*s, reals(dy[:N]), *i, C, N))


def both(i):
    y, cell = reals([9.0] * N), reals([9.0] * N)
    library.lstm(y, cell, *i, C, N)
    return list(y) + list(cell)


check("lstm", lstm, [numbers(C), numbers(N), numbers(N), numbers(4 * N * C), numbers(4 * N * N), numbers(4 * N)], dy[: 2 * N],
      both, lambda s, i: library.lstm_backward(*s, reals(dy[:N]), reals(dy[N : 2 * N]), *i, C, N))


def mixed(i):
    y, alpha = reals([9.0] * N), reals([9.0] * 5)
    library.additive(y, alpha, *i, 5, C, N, 3)
    return list(y) + list(alpha)


check("additive", additive, [numbers(C), numbers(5 * N), numbers(3 * C), numbers(3 * N), numbers(3)], dy[:N],
      mixed, lambda s, i: library.additive_backward(*s, reals(dy[:N]), *i, 5, C, N, 3))
