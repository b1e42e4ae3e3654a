"""What homework 7 computes, by its definitions (definitions.py), and its solution. Positions are complex numbers here: the pair
(cos a, sin a) is exp(ia), and a rotation is a product."""
import cmath
import ctypes
import random

from definitions import close, ints, library, numbers, reals, rows

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
library.sinusoids.argtypes = [pointer, whole, whole, real]
library.rotation.argtypes = [pointer, whole, whole, real]
library.shift_codes.argtypes = [pointer, pointer, whole, whole, whole, real]
library.rotary.argtypes = [pointer] * 3 + [whole] * 3 + [real]
library.equivariance_error.restype = real
random.seed(7)


def waves(position, d, base):
    """exp(i p omega) of each pair."""
    return [cmath.exp(1j * position * base ** (-channel / d)) for channel in range(0, d, 2)]


def code(position, d, base):
    return [x for wave in waves(position, d, base) for x in (wave.imag, wave.real)]


def rotated(row, position, d, base):
    turned = [complex(*row[2 * i : 2 * i + 2]) * w for i, w in enumerate(waves(position, d, base))]
    return [x for z in turned for x in (z.real, z.imag)]


# The lecture's own table, to the two digits that it prints: d = 4, base 100.
table = reals([9.0] * 16)
library.sinusoids(table, 4, 4, 100.0)
printed = [0, 1, 0, 1, 0.84, 0.54, 0.10, 1.0, 0.91, -0.42, 0.20, 0.98, 0.14, -0.99, 0.30, 0.96]
assert all(abs(got - want) <= 0.00501 for got, want in zip(table, printed)), list(table)

t, d, base = 5, 6, 50.0
table = reals([9.0] * (t * d))
library.sinusoids(table, t, d, base)
for p in range(t):
    close(rows(table, d)[p], code(p, d, base), "sinusoids")

# R_k is defined by what it does: PE(p + k) = R_k PE(p) for all p. The codes of 9 positions span all 6 channels, so
# only one matrix does it.
for k in (-7, 0, 3):
    r = reals([9.0] * (d * d))
    library.rotation(r, k, d, base)
    for p in range(9):
        moved = [sum(a * b for a, b in zip(row, code(p, d, base))) for row in rows(r, d)]
        close(moved, code(p + k, d, base), "rotation")
    assert all(r[i * d + j] == 0 for i in range(d) for j in range(d) if i // 2 != j // 2), "outside of the blocks"
    y = reals([9.0] * (t * d))
    library.shift_codes(y, table, k, t, d, base)
    for p in range(t):
        close(rows(y, d)[p], code(p + k, d, base), "shift_codes")

heads, positions = 2, [4, 0, 17, 4, 9]
x, y = numbers(heads * t * d), reals([9.0] * (heads * t * d))
library.rotary(y, reals(x), ints(positions), heads, t, d, base)
for row in range(heads * t):
    position = positions[row % t]
    close(rows(y, d)[row], rotated(rows(x, d)[row], position, d, base), "rotary")

batch, most = 3, 7
x, table, y = numbers(batch * t * d), numbers(most * d), reals([9.0] * (batch * t * d))
library.add_learned(y, reals(x), reals(table), batch, t, most, d)
close(y, [a + table[e % (t * d)] for e, a in enumerate(x)], "add_learned")

order = [3, 0, 4, 2, 1]
x = numbers(t * d)
library.permute_rows(y := reals([9.0] * (t * d)), reals(x), ints(order), t, d)
assert list(y) == [a for i in order for a in rows(x, d)[i]], "permute_rows"

# f(x)_p = x_p + p: (Px)_i + i against (x + position)_(order[i]) differ by i - order[i], at most 3. f(x) = 2 x: nothing.
LAYER = ctypes.CFUNCTYPE(None, ctypes.POINTER(real), ctypes.POINTER(real), whole, whole, pointer)


def add_index(y, x, t, d, w):
    for e in range(t * d):
        y[e] = x[e] + e // d


def double(y, x, t, d, w):
    for e in range(t * d):
        y[e] = 2 * x[e]


for layer, error in ((add_index, 3), (double, 0)):
    close([library.equivariance_error(LAYER(layer), None, reals(x), ints(order), t, d)], [error], layer.__name__)
