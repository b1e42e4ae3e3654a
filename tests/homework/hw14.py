"""What homework 14 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import math
import random

from definitions import attention, close, library, numbers, reals, rows

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
library.ring_attend.argtypes = [pointer] * 4 + [whole] * 4 + [real]
library.lora_forward.argtypes = [pointer] * 5 + [whole] * 4 + [real]
library.lora_merge.argtypes = [pointer] * 4 + [whole] * 3 + [real]
random.seed(14)
N, D, C = 3, 4, 2


def tiled(q, k, v, tiles):
    """Attention whose keys come in tiles of the given sizes: y and log_sum."""
    m, l, y, log_sum, at = reals([-math.inf] * N), reals([0.0] * N), reals([0.0] * N * C), reals([0.0] * N), 0
    for tile in tiles:
        keys, values = reals(k[at * D : (at + tile) * D]), reals(v[at * C : (at + tile) * C])
        library.add_tile(m, l, y, reals(q), keys, values, N, tile, D, C)
        at += tile
    library.finish(y, log_sum, m, l, N, C)
    return list(y), list(log_sum)


# Attention in tiles is attention, whatever the tiles are.
q, k, v = numbers(N * D), numbers(7 * D), numbers(7 * C)
expected = [x for row in rows(q, D) for x in attention(row, rows(k, D), rows(v, C), [True] * 7, D)[1]]
for tiles in ((7,), (1,) * 7, (3, 4), (2, 1, 4)):
    y, log_sum = tiled(q, k, v, tiles)
    close(y, expected, "tiles")
    scores = [[sum(a * b for a, b in zip(row, key)) / math.sqrt(D) for key in rows(k, D)] for row in rows(q, D)]
    close(log_sum, [math.log(math.fsum(map(math.exp, row))) for row in scores], "log_sum")
close(tiled([0, 0, 0, 0] * N, [0.0] * 8, [1.0, 0, 5, 0], (1, 1))[0], [3, 0] * N, "equal scores")

# A window is attention with a mask.
n, width = 6, reals([0.0] * 6 * C)
q, k, v = numbers(n * D), numbers(n * D), numbers(n * C)
for w in (1, 2, 4, 9):
    library.window(width, reals(q), reals(k), reals(v), n, D, C, w)
    for i, row in enumerate(rows(q, D)):
        allowed = [0 <= i - j < w for j in range(n)]
        close(rows(list(width), C)[i], attention(row, rows(k, D), rows(v, C), allowed, D)[1], "window")

# The ring against a list that only grows.
capacity, slope = 4, 0.37
keys, values, all_keys, all_values = reals([99.0] * capacity * D), reals([99.0] * capacity * C), [], []
for position in range(11):
    all_keys.append(numbers(D))
    all_values.append(numbers(C))
    library.ring_store(keys, reals(all_keys[-1]), position, capacity, D)
    library.ring_store(values, reals(all_values[-1]), position, capacity, C)
    held = [library.ring_position(slot, position, capacity) for slot in range(capacity)]
    newest = range(max(0, position - capacity + 1), position + 1)
    assert sorted(p for p in held if p >= 0) == list(newest) and held.count(-1) == capacity - len(newest), held
    for slot, p in enumerate(held):
        assert p < 0 or rows(list(keys), D)[slot] == all_keys[p]
    query, y = numbers(D), reals([0.0] * C)
    library.ring_attend(y, reals(query), keys, values, position, capacity, D, C, slope)
    parts = [math.exp(sum(a * b for a, b in zip(query, all_keys[p])) / math.sqrt(D) - slope * (position - p)) for p in newest]
    close(y, [sum(a * all_values[p][e] for a, p in zip(parts, newest)) / sum(parts) for e in range(C)], "ring")

# The merged matrix does what the layer does.
t, i, o, r = 3, 5, 4, 2
x, w, a, b = numbers(t * i), numbers(o * i), numbers(r * i), numbers(o * r)
y, merged = reals([0.0] * t * o), reals([0.0] * o * i)
library.lora_forward(y, reals(x), reals(w), reals(a), reals(b), t, i, o, r, 1.7)
library.lora_merge(merged, reals(w), reals(a), reals(b), i, o, r, 1.7)
want = [sum(p * q for p, q in zip(row, m)) for row in rows(x, i) for m in rows(list(merged), i)]
close(y, want, "merged")
change = [[m - p for m, p in zip(*pair)] for pair in zip(rows(list(merged), i), rows(w, i))]
product = [[1.7 * sum(b[u * r + s] * a[s * i + e] for s in range(r)) for e in range(i)] for u in range(o)]
close([x for row in change for x in row], [x for row in product for x in row], "the change", 1e-12)
