"""What homework 8b computes, by its definitions (definitions.py), and its solution."""
import ctypes
import itertools
import math
import random

from definitions import close, ints, library, reals

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
Next = ctypes.CFUNCTYPE(None, ctypes.POINTER(real), ctypes.POINTER(whole), whole, pointer)
library.log_probability.restype = library.greedy.restype = library.exhaustive.restype = library.beam_search.restype = real
library.may_stop.argtypes = [real, real, whole, whole, real]
library.beam_search.argtypes = [pointer, pointer, whole, whole, real, whole, whole, Next, pointer]
random.seed(8)


def shares(parts):
    return [x / math.fsum(parts) for x in parts]


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
