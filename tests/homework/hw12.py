"""What homework 12 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import itertools
import random

from definitions import close, ints, library, numbers, reals, rows


class Picture(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in "channels height width side".split()]


pointer, whole = ctypes.c_void_p, ctypes.c_int
library.patchify.argtypes = library.unpatchify.argtypes = [pointer, pointer, Picture]
library.patch_embedding.argtypes = [pointer] * 4 + [Picture, whole]
random.seed(12)

# The README's example, then every pixel by its indices.
small = reals([0.0] * 8)
library.patchify(small, reals(range(8)), Picture(1, 2, 4, 2))
assert list(small) == [0, 1, 4, 5, 2, 3, 6, 7]
C, H, W, S, D = 2, 4, 6, 2, 3
picture, image = Picture(C, H, W, S), numbers(C * H * W)
at = {index: value for index, value in zip(itertools.product(range(C), range(H), range(W)), image)}
patches = [[at[c, R * S + r, Q * S + s] for c in range(C) for r in range(S) for s in range(S)]
           for R in range(H // S) for Q in range(W // S)]
got, back = reals([9.0] * len(image)), reals([9.0] * len(image))
library.patchify(got, reals(image), picture)
assert list(got) == [x for patch in patches for x in patch]
library.unpatchify(back, got, picture)
assert list(back) == image

# The embedding is a convolution with a stride: the kernel slides over the picture, S pixels a step.
kernel, bias, y = numbers(D * C * S * S), numbers(D), reals([9.0] * 6 * D)
library.patch_embedding(y, reals(image), reals(kernel), reals(bias), picture, D)
k = {index: value for index, value in zip(itertools.product(range(D), range(C), range(S), range(S)), kernel)}
expected = [bias[d] + sum(k[d, c, r, s] * at[c, top + r, left + s] for c in range(C) for r in range(S) for s in range(S))
            for top in range(0, H, S) for left in range(0, W, S) for d in range(D)]
close(list(y), expected, "convolution")

# Class token, positions and pooling.
B, N = 2, 3
x, token, positions, y = numbers(B * N * D), numbers(D), numbers((N + 1) * D), reals([9.0] * B * (N + 1) * D)
library.add_class(y, reals(x), reals(token), reals(positions), B, N, D)
want = [a + b for one in rows(x, N * D) for a, b in zip(token + one, positions)]
close(list(y), want, "class token")
pooled = reals([9.0] * B * D)
library.mean_pool(pooled, reals(x), B, N, D, 1)
close(list(pooled), [sum(v) / 2 for one in rows(x, N * D) for v in zip(*rows(one[D:], D))], "pool")

# Shifted windows: tokens that carry their own row and column say where they came from.
for R, Q, side, shift in ((4, 4, 2, 1), (6, 3, 3, 2), (3, 9, 3, 1), (4, 6, 2, 0)):
    grid = [float(v) for r in range(R) for q in range(Q) for v in (r, q)]
    rolled, cut, count = reals([9.0] * len(grid)), reals([9.0] * len(grid)), R * Q // side**2
    library.roll(rolled, reals(grid), R, Q, 2, shift)
    library.windows(cut, rolled, R, Q, 2, side)
    keep = ints([9] * count * side**4)
    library.shifted_mask(keep, R, Q, side, shift)
    origin = [(int(r), int(q)) for r, q in rows(list(cut), 2)]
    assert sorted(origin) == [(r, q) for r in range(R) for q in range(Q)]
    for window in range(count):
        inside = origin[window * side**2 : (window + 1) * side**2]
        for i, j in itertools.product(range(side**2), repeat=2):
            # They belong together if they are as far from each other in the picture as in the window.
            near = all(inside[i][a] - inside[j][a] == (i // side - j // side, i % side - j % side)[a] for a in (0, 1))
            assert keep[(window * side**2 + i) * side**2 + j] == near, (R, Q, side, shift, inside[i], inside[j])
