"""What homework 1 computes, by its definitions (definitions.py), and its solution."""
import math
import random

from definitions import close, library, numbers, reals

random.seed(1)

for m, k, n in [(1, 1, 1), (2, 3, 4), (4, 1, 3), (5, 7, 2)]:
    a, b, c = numbers(m * k, 2), numbers(k * n, 2), reals([9.0] * (m * n))
    library.matmul(c, reals(a), reals(b), m, k, n)
    want = [math.fsum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]
    close(c, want, "matmul")

for rows, cols in [(1, 1), (2, 3), (3, 2)]:
    for ar, ac, br, bc in [(rows, cols, rows, cols), (rows, cols, 1, cols), (rows, cols, rows, 1), (rows, 1, 1, cols), (1, 1, rows, cols)]:
        a, b, y = numbers(ar * ac, 2), numbers(br * bc, 2), reals([0.0] * (rows * cols))
        library.add(y, reals(a), ar, ac, reals(b), br, bc)
        want = [a[i % ar * ac + j % ac] + b[i % br * bc + j % bc] for i in range(rows) for j in range(cols)]
        close(y, want, "add")

for rows, n, shift in [(1, 1, 0), (3, 4, 0), (2, 5, 800)]:  # exp(800) is beyond a double
    x = numbers(rows * n, 2)
    y, z = reals([0.0] * (rows * n)), reals([0.0] * rows)
    library.softmax(y, reals([v + shift for v in x]), rows, n)
    library.logsumexp(z, reals([v + shift for v in x]), rows, n)
    for i in range(rows):
        row = [math.exp(v) for v in x[i * n : i * n + n]]
        total = math.fsum(row)
        # Adding 800 rounds x to 1e-13.
        assert all(abs(g - e / total) < 1e-12 for g, e in zip(y[i * n : i * n + n], row)), "softmax"
        assert abs(z[i] - shift - math.log(total)) < 1e-12, "logsumexp"
