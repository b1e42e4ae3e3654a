"""What homework 6 computes, by its definitions (definitions.py), and its solution."""
import collections
import ctypes
import math
import random

from definitions import close, ints, library, numbers, reals, rows


class Merge(ctypes.Structure):
    _fields_ = [("left", ctypes.c_int), ("right", ctypes.c_int)]


library.merge.argtypes = [ctypes.c_void_p, ctypes.c_int, Merge, ctypes.c_int]
library.skip_gram.restype = library.cbow.restype = ctypes.c_double
random.seed(6)


# Byte pairs over strings: each token is the text that it stands for.
def replaced(tokens, left, right):
    result = []
    for token in tokens:
        if result and result[-1] == (left,) and token == right:
            result[-1] = left + right
        else:
            result.append((token,) if token == left else token)
    return [t[0] if isinstance(t, tuple) else t for t in result]


def learned(text):
    tokens, ids, merges = [bytes([b]) for b in text], {bytes([b]): b for b in range(256)}, []
    while True:
        counts = collections.Counter()
        for pair in set(zip(tokens, tokens[1:])):
            counts[pair] = len(tokens) - len(replaced(tokens, *pair))
        best = sorted(counts, key=lambda p: (-counts[p], ids[p[0]], ids[p[1]]))
        if not best or counts[best[0]] < 2:
            return merges, [ids[t] for t in tokens]
        left, right = best[0]
        merges.append((ids[left], ids[right]))
        tokens = replaced(tokens, left, right)
        if left + right in ids:
            return None  # two tokens stand for the same text: strings do not tell them apart
        ids[left + right] = 255 + len(merges)


def trained(text, most=60):
    merges = (Merge * most)()
    return merges, library.train(merges, most, text, len(text))


def encoded(text, merges, count):
    ids = ints([-1] * max(1, len(text)))
    tokens = library.encode(ids, text, len(text), merges, count)
    return list(ids)[:tokens]


merges, count = trained(b"abababab")
assert [(m.left, m.right) for m in merges[:count]] == [(97, 98), (256, 256)]
assert encoded(b"ababx", merges, count) == [257, 120]
for _ in range(300):
    text = bytes(random.choice(b"aab bcd") for _ in range(random.randrange(1, 60)))
    merges, count = trained(text)
    if expected := learned(text):
        assert [(m.left, m.right) for m in merges[:count]] == expected[0], text
        assert encoded(text, merges, count) == expected[1], text
    for other in (text, bytes(random.randrange(256) for _ in range(30)), b"a" * 31):
        ids = encoded(other, merges, count)
        back = (ctypes.c_ubyte * 64)()
        assert bytes(back[: library.decode(back, ints(ids), len(ids), merges)]) == other
ids = ints([7] * 5)
assert library.merge(ids, 5, Merge(7, 7), 300) == 3 and list(ids)[:3] == [300, 300, 7]


# Losses by their definition.
def loss(h, right, wrong, d):
    sigma = lambda z: 1 / (1 + math.exp(-z))
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    return -math.log(sigma(dot(h, right))) - sum(math.log(sigma(-dot(h, w))) for w in rows(wrong, d))


def skip_gram(word, context, negatives):
    return loss(word, context, negatives, 3)


def cbow(contexts, word, negatives):
    return loss([sum(c) / 4 for c in zip(*rows(contexts, 3))], word, negatives, 3)


for name, function, first, sizes in (("skip_gram", skip_gram, 3, (2, 3)), ("cbow", cbow, 12, (4, 2, 3))):
    arrays = [numbers(first), numbers(3), numbers(6)]
    close([getattr(library, name)(*map(reals, arrays), *sizes)], [function(*arrays)], name)
close([library.skip_gram(reals([3000.0]), reals([-1.0]), reals([0.0]), 1, 1)], [3000 + math.log(2)], "large products")

for _ in range(200):
    v, d = 9, 3
    vectors = numbers(v * d)
    words = rows(vectors, d)
    a, b, c, answer = random.sample(range(v), 4)
    aim = [y - x + z for x, y, z in zip(words[a], words[b], words[c])]
    cosine = lambda w: sum(p * q for p, q in zip(words[w], aim)) / math.hypot(*words[w])
    order = sorted(set(range(v)) - {a, b, c}, key=cosine, reverse=True)
    assert library.analogy_rank(reals(vectors), v, d, a, b, c, answer) == order.index(answer) + 1
