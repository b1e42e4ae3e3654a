"""The solution of homework 8 against its definitions, computed here with Python's own arithmetic.

    python3 hw8.py LIBRARY      a shared library of the solution, with real = double
"""

import ctypes
import itertools
import math
import random

from definitions import close, ints, library, numbers, reals, rows

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
Next = ctypes.CFUNCTYPE(None, ctypes.POINTER(real), ctypes.POINTER(whole), whole, pointer)
library.perplexity.restype = library.log_probability.restype = real
library.greedy.restype = library.exhaustive.restype = library.beam_search.restype = real
library.temperature.argtypes = [pointer, pointer, whole, real]
library.top_p.argtypes = [pointer, pointer, whole, real]
library.draw.argtypes = [pointer, whole, real]
library.may_stop.argtypes = [real, real, whole, whole, real]
library.beam_search.argtypes = [pointer, pointer, whole, whole, real, whole, whole, Next, pointer]
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


# A model with a row of its own for every beginning.
def model_of(v, n):
    after = {}
    for length in range(n):
        for start in itertools.product(range(v), repeat=length):
            after[start] = [math.log(x) for x in shares([random.expovariate(1) for _ in range(v)])]

    def fill(row, words, count, _):
        for w, x in enumerate(after[tuple(words[i] for i in range(count))]):
            row[w] = x

    return after, Next(fill)


def log_p(after, words):
    return sum(after[words[:i]][w] for i, w in enumerate(words))


def beam(after, width, n, alpha, end):
    """Each step's candidates are sorted; no early stop: everything runs to the end."""
    alive, done = [()], []
    while alive:
        longer = [h + (w,) for h in alive for w in range(len(after[()]))]
        longer = sorted(longer, key=lambda h: -log_p(after, h))[:width]
        done += [h for h in longer if h[-1] == end or len(h) == n]
        alive = [h for h in longer if not (h[-1] == end or len(h) == n)]
    return max(done, key=lambda h: log_p(after, h) / len(h) ** alpha)


v, n, lost, cut = 3, 4, 0, 0
words, length = ints([9] * n), whole(9)
for _ in range(60):
    after, following = model_of(v, n)
    sequences = list(itertools.product(range(v), repeat=n))
    some = random.choice(sequences)
    close([library.log_probability(ints(some), n, v, following, None)], [log_p(after, some)], "log_probability")
    best = max(sequences, key=lambda s: log_p(after, s))
    close([library.exhaustive(words, n, v, following, None)], [log_p(after, best)], "exhaustive")
    assert tuple(words) == best
    first = ()
    for _ in range(n):
        first += (after[first].index(max(after[first])),)
    close([library.greedy(words, n, v, following, None)], [log_p(after, first)], "greedy")
    assert tuple(words) == first
    lost += first != best
    for width, alpha, end in itertools.product((1, 2, 3, 8), (0, 0.5, 1, 1.5), (-1, 2)):
        got = library.beam_search(words, ctypes.byref(length), width, n, alpha, v, end, following, None)
        want = beam(after, width, n, alpha, end)
        close([got], [log_p(after, want) / len(want) ** alpha], "beam_search")
        assert length.value == len(want) and tuple(words) == want + (-1,) * (n - len(want)), (tuple(words), want)
        assert width > 1 or end >= 0 or want == first, "a beam of one is greedy search"
        cut += len(want) < n
assert lost > 10 and cut > 100, (lost, cut)  # the comparisons above saw what they are for

# The README's model.
table = [[0.6, 0.3, 0.1], [1 / 3, 1 / 3, 1 / 3], [0.05, 0.05, 0.9], [0.45, 0.35, 0.2]]


@Next
def example(row, words, count, _):
    for w, x in enumerate(table[1 + words[count - 1] if count else 0]):
        row[w] = math.log(x)


close([math.exp(library.greedy(words, 2, 3, example, None))], [0.2], "greedy loses")
close([math.exp(library.exhaustive(words, 2, 3, example, None))], [0.27], "exhaustive")
assert tuple(words)[:2] == (1, 2)

# It may stop where no way on, not even with words that are certain, gets a higher score.
for _ in range(500):
    now, alpha = -random.expovariate(1) - 0.1, random.choice([0, 0.5, 1, 2])
    n, longest = 2, random.randrange(3, 8)
    top = now * random.uniform(0, 1.5)
    reachable = max(now / k**alpha for k in range(n + 1, longest + 1))
    assert library.may_stop(top, now, n, longest, alpha) == (top >= reachable)
assert library.may_stop(-2, -2, 1, 3, 0) == 1, "equal"
print("the definitions hold")
