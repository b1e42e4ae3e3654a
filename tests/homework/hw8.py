"""What homework 8 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import itertools
import math
import random

from definitions import close, ints, library, numbers, reals, rows

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
library.perplexity.restype = real
library.temperature.argtypes = [pointer, pointer, whole, real]
library.top_p.argtypes = [pointer, pointer, whole, real]
library.draw.argtypes = [pointer, whole, real]
random.seed(8)


def shares(parts):
    return [x / math.fsum(parts) for x in parts]


# Perplexity: 1 over the geometric mean of the probabilities.
p = [random.uniform(0.1, 1) for _ in range(12)]
used = [x for row, n in zip(rows(p, 4), (4, 1, 3)) for x in row[:n]]
got = library.perplexity(reals([math.log(x) for x in p]), ints([4, 1, 3]), 3, 4)
close([got], [math.prod(used) ** (-1 / 8)], "perplexity")
close([library.perplexity(reals([math.log(1 / 7)] * 5), ints([5]), 1, 5)], [7], "perplexity of seven alike")


# Temperature: p^(1 / t), renormalised; the limits are close to what a t near them gives.
def tempered(logits, t):
    prob = reals([9.0] * len(logits))
    library.temperature(prob, reals(logits), len(logits), t)
    return list(prob)


logits = numbers(6)
power = shares([math.exp(x) ** (1 / 0.7) for x in logits])
close(tempered(logits, 0.7), power, "temperature")
close(tempered([x + 5000 for x in logits], 0.7), power, "temperature, large logits", 1e-11)  # 5000 rounds to 5e-13
close(tempered([2, 2, 0], 0), [0.5, 0.5, 0], "temperature 0")
close(tempered([2, 2, 0], 0), tempered([2, 2, 0], 1e-3), "temperature near 0")
close(tempered(logits, math.inf), [1 / 6] * 6, "temperature infinity")
close(tempered(logits, math.inf), tempered(logits, 1e9), "a large temperature", 1e-8)  # 1 / t


# Top-k and top-p, by sorting: a stable order of -p has the lower number first.
def kept_of(prob, count):
    best = sorted(range(len(prob)), key=lambda i: -prob[i])[:count]
    return shares([x if i in best else 0 for i, x in enumerate(prob)])


for _ in range(200):
    drawn = [min(random.randrange(7), random.randrange(7)) for _ in range(57)]
    prob = [(drawn.count(i) + 1) / 64 for i in range(7)]
    kept, k = reals([9.0] * 7), random.randrange(1, 10)
    library.top_k(kept, reals(prob), 7, k)
    close(kept, kept_of(prob, k), "top_k")
    limit = random.randrange(1, 128) / 128  # every second one may be a sum
    count = 1 + [x >= limit for x in itertools.accumulate(sorted(prob, reverse=True))].index(True)
    assert library.top_p(kept, reals(prob), 7, limit) == count
    close(kept, kept_of(prob, count), "top_p")

assert [library.draw(reals([0.25, 0, 0.5, 0.25]), 4, u) for u in (0, 0.2, 0.3, 0.7, 0.8)] == [0, 0, 2, 2, 3]
assert library.draw(reals([0.5, 0.4, 0]), 3, 0.95) == 1, "rounding leaves none"
