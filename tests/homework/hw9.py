"""What homework 9 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import math
import random

from definitions import close, ints, library, numbers, reals, rows

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
Gradient = ctypes.CFUNCTYPE(real, ctypes.POINTER(real), ctypes.POINTER(real), whole, pointer)


class Settings(ctypes.Structure):
    _fields_ = [(name, real) for name in "beta1 beta2 eps decay peak lowest most".split()] + [("warmup", whole)]


library.cross_entropy.restype = library.clip.restype = library.learning_rate.restype = library.train.restype = real
library.cross_entropy.argtypes = [pointer, pointer, whole, whole, real]
library.clip.argtypes = [pointer, whole, real]
library.learning_rate.argtypes = [whole, whole, whole, real, real]
library.adamw.argtypes = [pointer] * 4 + [whole, whole, real, pointer]
random.seed(9)

inputs = ints([0] * 3)
library.shift_right(inputs, ints([5, 7, 2]), 3, 9)
assert list(inputs) == [9, 5, 7]


# The loss, as the cross-entropy of two distributions.
def loss_of(logits, labels, v, smoothing):
    each = []
    for row, label in zip(rows(logits, v), labels):
        if label >= 0:
            log_p = [x - math.log(math.fsum(map(math.exp, row))) for x in row]
            target = [smoothing / v + (1 - smoothing) * (j == label) for j in range(v)]
            each.append(-math.fsum(a * b for a, b in zip(target, log_p)))
    return math.fsum(each) / len(each) if each else 0


def loss(logits, labels, v, smoothing):
    return library.cross_entropy(reals(logits), ints(labels), len(labels), v, smoothing)


logits, labels = numbers(20), [3, -1, 0, -100, 2]
for smoothing in (0, 0.1, 0.7):
    close([loss(logits, labels, 4, smoothing)], [loss_of(logits, labels, 4, smoothing)], "loss")
close([loss([x + 5000 for x in logits], labels, 4, 0)], [loss_of(logits, labels, 4, 0)], "large logits", 1e-11)
assert loss(logits, [-1] * 5, 4, 0) == 0
close([loss([0.0] * 4, [1], 4, 0)], [math.log(4)], "a guess")

# Clipping keeps the direction.
g = reals([3.0, 4.0])
assert library.clip(g, 2, 5.5) == 5 and list(g) == [3, 4]
close([library.clip(g, 2, 2.0)] + list(g), [5, 1.2, 1.6], "clip")

# The schedule's corners, and the middle of its cosine.
for step, expected in ((1, 0.25), (4, 1), (9, 0.55), (14, 0.1), (15, 0.1), (99, 0.1)):
    close([library.learning_rate(step, 4, 14, 1, 0.1)], [expected], "learning rate")
assert library.learning_rate(1, 0, 1, 1, 0.1) == 0.1
falls = [library.learning_rate(step, 4, 14, 1, 0.1) for step in range(4, 15)]
assert falls == sorted(falls, reverse=True)


# AdamW by its sums: m = (1 - b1) sum of b1^(t - i) g_i, so that the corrected mean is a weighted mean.
def adamw_of(w, gradients, rates, s):
    for t in range(1, len(gradients) + 1):
        mean = [0.0, 0.0]
        for k, (beta, power) in enumerate(((s.beta1, 1), (s.beta2, 2))):
            weights = [beta ** (t - i) for i in range(1, t + 1)]
            mean[k] = sum(a * g**power for a, g in zip(weights, gradients)) / sum(weights)
        w -= rates[t - 1] * (mean[0] / (math.sqrt(mean[1]) + s.eps) + s.decay * w)
    return w


s = Settings(0.9, 0.95, 1e-3, 0.1, 0.5, 0.05, 0.4, 2)
gradients, rates, w, m, v = numbers(6), [0.1, 0.2, 0.3, 0.2, 0.1, 0.05], reals([0.7]), reals([0.0]), reals([0.0])
for step, (g, rate) in enumerate(zip(gradients, rates), 1):
    library.adamw(w, m, v, reals([g]), 1, step, rate, ctypes.byref(s))
close(w, [adamw_of(0.7, gradients, rates, s)], "AdamW", 1e-12)

# Small batches of 2 and 6 labels give the gradient of the batch of 8.
sums = reals([1.0])
library.accumulate(sums, reals([4.0]), 1, 2, 8)
library.accumulate(sums, reals([8.0]), 1, 6, 8)
close(sums, [1 + (2 * 4 + 6 * 8) / 8], "accumulate")

# The loop: batch b pulls the one weight to its own target; what is asked for is noted.
targets, count, asked = numbers(8), [1, 3, 2, 2, 1, 1, 4, 2], []


def pull(g, w, batch, _):
    asked.append(batch)
    g[0] = w[0] - targets[batch]
    return (w[0] - targets[batch]) ** 2 / 2


w, position, gradients, rates = reals([0.3]), 0.3, [], []
got = library.train(w, 1, 4, 2, ints(count), Gradient(pull), None, ctypes.byref(s))
assert asked == list(range(8)), asked
for step in range(1, 5):
    parts = [(count[b] / (count[2 * step - 2] + count[2 * step - 1]), targets[b]) for b in (2 * step - 2, 2 * step - 1)]
    g = sum(share * (position - target) for share, target in parts)
    last = sum(share * (position - target) ** 2 / 2 for share, target in parts)
    gradients.append(math.copysign(min(abs(g), s.most), g))
    rates.append(library.learning_rate(step, s.warmup, 4, s.peak, s.lowest))
    position = adamw_of(0.3, gradients, rates, s)
close([got, w[0]], [last, position], "the loop", 1e-12)
