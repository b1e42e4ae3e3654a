"""What homework 13 computes, by its definitions (definitions.py), and its solution."""
import ctypes
import math
import random
import statistics

from definitions import close, library, numbers, reals, rows

real, pointer, whole = ctypes.c_double, ctypes.c_void_p, ctypes.c_int
for name in "e_step discrete_elbo gaussian_kl gaussian_elbo weighted_bound".split():
    getattr(library, name).restype = real
library.gaussian_elbo.argtypes = [pointer, pointer, real, whole, pointer, pointer, whole]
library.score_gradient.argtypes = [pointer] * 3 + [real] + [pointer] * 3 + [whole] * 2
random.seed(13)


def normal(x, mean, variance):
    return statistics.NormalDist(mean, math.sqrt(variance)).pdf(x)


# EM on a mixture: Bayes' rule, weighted moments, and a likelihood that never falls.
x = numbers(40) + numbers(20, 0.5)
weight, mean, variance = reals([0.5, 0.3, 0.2]), reals([-1.0, 0.2, 2]), reals([0.5, 1, 2])
before = -math.inf
for _ in range(20):
    parts = [[w * normal(one, m, v) for w, m, v in zip(weight, mean, variance)] for one in x]
    r = reals([9.0] * 180)
    got = library.e_step(r, reals(x), weight, mean, variance, 60, 3)
    close([got], [math.fsum(math.log(sum(p)) for p in parts) / 60], "log p(x)")
    close(list(r), [one / sum(p) for p in parts for one in p], "responsibilities", 1e-12)
    assert got > before, "EM lowered the likelihood"
    before = got
    library.m_step(weight, mean, variance, reals(x), r, 60, 3)
    for j in range(3):
        share = [row[j] for row in rows(list(r), 3)]
        centre = sum(a * b for a, b in zip(share, x)) / sum(share)
        spread = sum(a * b * b for a, b in zip(share, x)) / sum(share) - centre * centre
        close([weight[j], mean[j], variance[j]], [sum(share) / 60, centre, spread], "M step", 1e-11)
far = reals([9.0] * 3)  # at 1000, the widest component alone
library.e_step(far, reals([1000.0]), reals([0.5, 0.3, 0.2]), reals([0.0] * 3), reals([1.0, 2, 3]), 1, 3)
close(list(far), [0, 0, 1], "far away")

# ELBO + KL = log p(x), with the KL divergence from its definition.
for q in ([0.2, 0.5, 0.3], [0.0, 0.25, 0.75], [1.0, 0, 0]):
    prior, likelihood, kl = [0.5, 0.25, 0.25], numbers(3), reals([9.0])
    evidence = sum(p * math.exp(one) for p, one in zip(prior, likelihood))
    posterior = [p * math.exp(one) / evidence for p, one in zip(prior, likelihood)]
    elbo = library.discrete_elbo(kl, reals(q), reals(prior), reals(likelihood), 3)
    close(list(kl), [sum(a * math.log(a / b) for a, b in zip(q, posterior) if a)], "KL", 1e-12)
    close([elbo], [math.log(evidence) - kl[0]], "ELBO")


# Gaussians: the divergence by the trapezoid rule, whose error at 20 deviations and 1e-3 steps is below 1e-12.
def divergence(m, v):
    deviation, total = math.exp(v / 2), 0
    for i in range(-10000, 10001):
        z = m + deviation * i / 1000
        log_q = -(math.log(2 * math.pi) + v + (i / 1000) ** 2) / 2
        total += math.exp(log_q) * (log_q + (math.log(2 * math.pi) + z * z) / 2) * deviation / 1000
    return total


mean, logvar = numbers(6), numbers(6)
expected = sum(map(divergence, mean, logvar)) / 2
close([library.gaussian_kl(reals(mean), reals(logvar), 2, 3)], [expected], "KL of Gaussians", 1e-9)
z, eps = reals([9.0] * 6), numbers(6)
library.reparameterise(z, reals(mean), reals(logvar), reals(eps), 6)
close(list(z), [statistics.NormalDist(m, math.sqrt(math.exp(v))).mean + math.sqrt(math.exp(v)) * e for m, v, e in zip(mean, logvar, eps)], "z")
x, y = numbers(4), numbers(4)
elbo = sum(math.log(normal(a, b, 0.7)) for a, b in zip(x, y)) - sum(map(divergence, mean[:2], logvar[:2]))
close([library.gaussian_elbo(reals(x), reals(y), 0.7, 4, reals(mean), reals(logvar), 2)], [elbo], "ELBO", 1e-9)

# Both gradients of E[f(z)], f(z) = z^2: 2 mean and the variance. The standard errors come from the draws.
draws, m, v = 40000, 0.6, -0.4
eps = numbers(draws)
z = [m + math.exp(v / 2) * e for e in eps]
truth = (2 * m, math.exp(v))
for name in ("score", "path"):
    got, each = [reals([0.0]), reals([0.0])], []
    if name == "score":
        f = [one * one for one in z]
        library.score_gradient(*got, reals(f), 1.1, reals(z), reals([m]), reals([v]), draws, 1)
        each.append([(a - 1.1) * (b - m) / math.exp(v) for a, b in zip(f, z)])
        each.append([(a - 1.1) * ((b - m) ** 2 / math.exp(v) - 1) / 2 for a, b in zip(f, z)])
    else:
        library.path_gradient(*got, reals([2 * one for one in z]), reals(eps), reals([v]), draws, 1)
        each.append([2 * one for one in z])
        each.append([2 * one * math.exp(v / 2) * e / 2 for one, e in zip(z, eps)])
    for value, want, one in zip(got, truth, each):
        close([value[0]], [math.fsum(one) / draws], name, 1e-11)
        assert abs(value[0] - want) < 5 * statistics.stdev(one) / math.sqrt(draws), (name, value[0], want)

# The bound: the logarithm of a mean; more draws give more.
log_w = numbers(6)
expected = sum(math.log(sum(map(math.exp, row)) / 3) for row in rows(log_w, 3)) / 2
close([library.weighted_bound(reals(log_w), 2, 3)], [expected], "bound")
close([library.weighted_bound(reals([one - 2000 for one in log_w]), 2, 3)], [expected - 2000], "small weights")
close([library.weighted_bound(reals([0, math.log(3)]), 1, 2)], [math.log(2)], "weights 1 and 3")
