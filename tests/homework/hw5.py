"""The solution of homework 5 against its definitions, computed here with Python's own arithmetic.

    python3 hw5.py LIBRARY      a shared library of the solution, with real = double
"""

import ctypes
import math
import random

from definitions import close, library, numbers, reals

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
library.masked_loss.restype = library.gaussian_kl.restype = real
library.top_p.argtypes = [pointer, pointer, whole, real]
library.draw.argtypes = [pointer, whole, real]
random.seed(5)


def softmax(row):
    parts = [math.exp(x) for x in row]
    return [x / math.fsum(parts) for x in parts]


logits, labels = numbers(4 * 5), [3, -1, 0, -1]
got = library.masked_loss(reals(logits), (whole * 4)(3, -1, 0, -100), 4, 5)
want = -(math.log(softmax(logits[:5])[3]) + math.log(softmax(logits[10:15])[0])) / 2
close([got], [want], "masked_loss")
assert library.masked_loss(reals(logits), (whole * 4)(-1, -1, -1, -1), 4, 5) == 0

# KL as an integral: the mean of log q - log p under q, by the midpoint rule over 12 deviations to each side.
mean, logvar = [0.7, -1.2], [0.4, -0.9]
want = 0
for m, l in zip(mean, logvar):
    s, steps = math.exp(l / 2), 4000
    for k in range(steps):
        e = -12 + 24 * (k + 0.5) / steps
        x, q = m + s * e, math.exp(-e * e / 2) / math.sqrt(2 * math.pi)
        want += q * (24 / steps) * (-e * e / 2 - l / 2 + x * x / 2)
close([library.gaussian_kl(reals(mean), reals(logvar), 1, 2)], [want], "gaussian_kl", 1e-9)
close([library.gaussian_kl(reals(mean), reals(logvar), 2, 1)], [want / 2], "gaussian_kl, averaged", 1e-9)

z = reals([0.0] * 2)
library.reparameterise(z, reals(mean), reals(logvar), reals([1.5, -0.5]), 2)
close(z, [0.7 + 1.5 * math.sqrt(math.exp(0.4)), -1.2 - 0.5 * math.sqrt(math.exp(-0.9))], "reparameterise")

# The README's example.
prob = reals([9.0] * 4)
example = reals([math.log(x) for x in (0.15, 0.5, 0.05, 0.3)])
assert library.top_p(prob, example, 4, 0.7) == 2
close(prob, [0, 0.625, 0, 0.375], "top_p")
assert library.top_p(prob, example, 4, 0.9) == 3
large = reals([1000 + x for x in example])  # exp(1000) is beyond a double
assert library.top_p(prob, large, 4, 0.7) == 2
close(prob, [0, 0.625, 0, 0.375], "top_p of large logits")
assert library.top_p(prob, reals([1.0] * 4), 4, 0.6) == 3 and prob[3] == 0, "equal ones"
assert [library.draw(reals([0.25, 0, 0.5, 0.25]), 4, u) for u in (0, 0.2, 0.3, 0.7, 0.8)] == [0, 0, 2, 2, 3]
assert library.draw(reals([0.5, 0.4, 0]), 3, 0.95) == 1, "rounding leaves none"

# Word by word with the cache gives what attention to all words so far gives.
heads, capacity, d = 2, 5, 3
keys, values, y = reals([7.0] * (heads * capacity * d)), reals([7.0] * (heads * capacity * d)), reals([0.0] * (heads * d))
seen = []
for place in range(capacity):
    q, k, v = numbers(heads * d), numbers(heads * d), numbers(heads * d)
    seen.append((k, v))
    library.cache_append(keys, reals(k), heads, capacity, d, place)
    library.cache_append(values, reals(v), heads, capacity, d, place)
    library.cached_attention(y, reals(q), keys, values, heads, capacity, d, place + 1)
    for h in range(heads):
        part = slice(h * d, h * d + d)
        weights = softmax([sum(a * b for a, b in zip(q[part], k[part])) / math.sqrt(d) for k, _ in seen])
        want = [sum(w * v[part][e] for w, (_, v) in zip(weights, seen)) for e in range(d)]
        close(y[part], want, "cached_attention")
print("the definitions hold")
