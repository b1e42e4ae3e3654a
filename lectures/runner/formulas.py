"""Each chapter's main formula in NumPy, the last cell of its notebook: a student changes it, and the assertion says what must hold."""
FORMULAS = {
    0: """# The chain rule, by hand and by a central difference: L = relu(w x + b)^2.
import numpy as np
w, x, b, h = 2.0, 3.0, 1.0, 1e-6
L = lambda w: max(0, w * x + b) ** 2
by_hand = 2 * max(0, w * x + b) * x
assert np.isclose(by_hand, (L(w + h) - L(w - h)) / (2 * h)), by_hand
print(by_hand)""",
    1: """# A recurrent network's gradient through T steps is a product of T Jacobians: change the factor 0.9.
import numpy as np
W, T = 0.9 * np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0], 20
J = np.linalg.matrix_power(W, T)
assert np.isclose(np.linalg.norm(J, 2), 0.9 ** T)
print(np.linalg.norm(J, 2))""",
    2: """# An embedding is a row of a matrix, and the same as a one-hot vector times it.
import numpy as np
E, ids = np.random.default_rng(1).normal(size=(10, 4)), np.array([3, 1, 3])
assert np.allclose(E[ids], np.eye(10)[ids] @ E)
print(E[ids])""",
    3: """# Sinusoids: a step of k positions is a rotation of each pair, whatever the position p.
import numpy as np
C, k = 8, 5
omega = 10000.0 ** (-np.arange(0, C, 2) / C)
code = lambda p: np.stack([np.sin(omega * p), np.cos(omega * p)])
c, s = np.cos(omega * k), np.sin(omega * k)
for p in (0, 7, 100):
    sin, cos = code(p)
    assert np.allclose(code(p + k), [c * sin + s * cos, c * cos - s * sin])
print(code(k))""",
    4: """# Scaled dot-product attention: leave out the square root, add a mask, or multiply the scores.
import numpy as np
rng = np.random.default_rng(1)
Q, K, V = (rng.normal(size=(6, 64)) for _ in range(3))
scores = Q @ K.T / np.sqrt(Q.shape[1])
A = np.exp(scores - scores.max(1, keepdims=True))
A /= A.sum(1, keepdims=True)
assert np.allclose(A.sum(1), 1) and (A @ V).shape == V.shape
gradus.attention(A.astype("float32"), list("abcdef"))""",
    5: """# LayerNorm: mean 0 and variance 1 of each token, whatever the scale and the shift of x.
import numpy as np
norm = lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
x = np.random.default_rng(1).normal(size=(3, 16))
assert np.allclose(norm(x), norm(5 * x + 2))
print(norm(x).mean(-1), norm(x).std(-1))""",
    6: """# Temperature: softmax(logits / T) is the argmax for T -> 0 and uniform for T -> infinity.
import numpy as np
def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()
logits = np.log([5, 3, 2])
assert np.allclose(softmax(logits), [0.5, 0.3, 0.2]) and softmax(logits / 0.01).argmax() == 0
print({T: softmax(logits / T).round(3) for T in (0.1, 1, 10)})""",
    7: """# Patches: cutting a picture into patches and a linear layer are one convolution with that stride.
import numpy as np
P, rng = 4, np.random.default_rng(1)
image, W = rng.normal(size=(8, 8)), rng.normal(size=(P * P, 5))
patches = image.reshape(2, P, 2, P).swapaxes(1, 2).reshape(4, P * P)
kernel = W.reshape(P, P, 5)
conv = [np.einsum("ij,ijc", image[y:y + P, x:x + P], kernel) for y in (0, P) for x in (0, P)]
assert np.allclose(patches @ W, conv)
print((patches @ W).shape)""",
    8: """# The KL divergence of N(m, s^2) from N(0, 1), against a mean over samples.
import numpy as np
m, s, n = 0.5, 0.8, 1_000_000
z = m + s * np.random.default_rng(1).normal(size=n)
log_ratio = -np.log(s) - (z - m) ** 2 / (2 * s * s) + z * z / 2
exact = (m * m + s * s - 1) / 2 - np.log(s)
assert abs(log_ratio.mean() - exact) < 5 * log_ratio.std() / np.sqrt(n)
print(exact, log_ratio.mean())""",
}
