"""What homework 0 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import itertools
import math
import random

from definitions import close, ints, library, numbers, reals

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
Function = ctypes.CFUNCTYPE(real, ctypes.POINTER(real), whole, pointer)
library.differences.argtypes = [pointer, Function, pointer, whole, real, pointer]
library.wrong_gradient.argtypes = [pointer, Function, pointer, whole, pointer]
random.seed(0)

# In row-major order the indices come in the order of counting.
for shape in ((5,), (2, 3, 4), (3, 1, 2, 5)):
    for offset, at in enumerate(itertools.product(*map(range, shape))):
        found = ints([9] * len(shape))
        library.indices_of(found, ints(shape), len(shape), offset)
        assert tuple(found) == at and library.offset_of(ints(shape), ints(at), len(shape)) == offset
y = reals([9.0] * 6)
library.transpose(y, reals(range(6)), 2, 3)
assert list(y) == [0, 3, 1, 4, 2, 5]

# f = sum of sin(x_i) times the next: the error is at most h^2 / 6 times a third derivative, which is at most |x|.
def f(x, n, _):
    return sum(math.sin(x[i]) * x[(i + 1) % n] for i in range(n))


x, dx, h = numbers(4), reals([9.0] * 4), 1e-3
exact = [math.cos(x[i]) * x[(i + 1) % 4] + math.sin(x[i - 1]) for i in range(4)]
library.differences(dx, Function(f), reals(x), 4, h, None)
close(list(dx), exact, "differences", h * h / 6 * max(map(abs, x)) + 1e-12)
cube = reals([9.0])
library.differences(cube, Function(lambda v, n, _: v[0] ** 3), reals([1.0]), 1, 0.1, None)
close(list(cube), [3.01], "the README's example")
for wrong in range(4):
    gradients = exact * 4
    gradients[4 * wrong + random.randrange(4)] += 0.25
    assert library.wrong_gradient(reals(gradients), Function(f), reals(x), 4, None) == wrong
