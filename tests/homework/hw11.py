"""What homework 11 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import math
import random

from definitions import close, ints, library, numbers, reals, rows

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
library.masked_loss.restype = real
library.mask_tokens.argtypes = [pointer] * 3 + [whole] * 4 + [real] + [pointer] * 3
random.seed(11)

# Packing, with the sentences cut by hand.
for a, b, longest, expected in (([7, 8], [9], 9, [1, 7, 8, 2, 9, 2]), ([7, 8], [9], 5, [1, 7, 2, 9, 2]),
                                ([7, 8], [5, 9], 6, [1, 7, 8, 2, 5, 2]), ([], [5, 9], 9, [1, 2, 5, 9, 2]),
                                ([7, 8, 3], [5], 3, [1, 2, 2]), ([7], [5, 6, 9, 4], 6, [1, 7, 2, 5, 6, 2])):
    ids, segments = ints([9] * longest), ints([9] * longest)
    n = library.pack(ids, segments, ints(a), len(a), ints(b), len(b), longest, 1, 2)
    first = expected.index(2) + 1
    assert list(ids)[:n] == expected and list(segments)[:n] == [0] * first + [1] * (n - first), (a, b, longest)
padded = ints([9] * 8)
library.pad_batch(padded, ints([4, 5, 6, 7]), ints([3, 1]), 2, 4, 0)
assert list(padded) == [4, 5, 6, 0, 7, 0, 0, 0]

# What stands in the padding has no effect, and the other weights are those without padding.
T, length, scores, y = 4, [3, 4, 0], numbers(48), reals([9.0] * 48)
library.padded_softmax(y, reals(scores), ints(length), 3, T)
for i, row in enumerate(rows(list(y), T)):
    n = length[i // T]
    parts = [math.exp(s) for s in scores[i * T : i * T + n]] if i % T < n else []
    close(row, [p / sum(parts) for p in parts] + [0] * (T - len(parts)), "padded softmax")

# Masks: the shares over many draws, within five standard errors, and no special token.
N, V = 40000, 30
tokens, uniform = [random.randrange(V) for _ in range(N)], lambda: reals([random.random() for _ in range(N)])
ids, labels = ints([9] * N), ints([9] * N)
library.mask_tokens(ids, labels, ints(tokens), N, V, 4, 3, 0.15, uniform(), uniform(), uniform())
words = [i for i in range(N) if tokens[i] >= 4]
chosen = [i for i in words if labels[i] == tokens[i]]
assert all(labels[i] == -1 and ids[i] == tokens[i] for i in set(range(N)) - set(chosen))
near = lambda count, of, p: abs(count / of - p) < 5 * math.sqrt(p * (1 - p) / of)
assert near(len(chosen), len(words), 0.15)
assert near(sum(ids[i] == 3 for i in chosen), len(chosen), 0.8)
assert near(sum(ids[i] == tokens[i] for i in chosen), len(chosen), 0.1 + 0.1 / 26)
assert all(ids[i] >= 3 for i in chosen)


def loss_of(hidden, embedding, bias, labels, c):
    each = []
    for state, label in zip(rows(hidden, c), labels):
        if label >= 0:
            logits = [sum(a * b for a, b in zip(state, word)) + one for word, one in zip(rows(embedding, c), bias)]
            each.append(math.log(math.fsum(map(math.exp, logits))) - logits[label])
    return math.fsum(each) / len(each) if each else 0


def logits_of(hidden, w, b, u, d, c, t):
    result = []
    for sentence in rows(hidden, t * c):
        pooled = [math.tanh(sum(x * y for x, y in zip(row, sentence)) + one) for row, one in zip(rows(w, c), b)]
        result += [sum(x * y for x, y in zip(row, pooled)) + one for row, one in zip(rows(u, c), d)]
    return result


C, V = 3, 5
for labels in ([2, -1, 0, 4], [-1] * 4):
    arrays = [numbers(4 * C), numbers(V * C), numbers(V)]
    got = library.masked_loss(*map(reals, arrays), ints(labels), 4, C, V)
    close([got], [loss_of(*arrays, labels, C)], "loss")
T, K = 2, 2
arrays, logits = [numbers(3 * T * C), numbers(C * C), numbers(C), numbers(K * C), numbers(K)], reals([9.0] * 3 * K)
library.classify(logits, *map(reals, arrays), 3, T, C, K)
close(list(logits), logits_of(*arrays, C, T), "classes")
