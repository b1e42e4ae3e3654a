"""Align & Translate (examples/translate/aligner.h) in Python's doubles, so that one attention weight can be changed while all
others stay: the derivative of the loss by it, as a difference quotient."""
import json
import math
import struct


def read_weights(path):
    """The real tensors of a safetensors file: those of rank 1 as lists, others as lists of rows."""
    with open(path, "rb") as file:
        data = file.read()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    weights = {}
    for name, entry in json.loads(data[8:end]).items():
        letter, size = {"F32": ("f", 4), "F64": ("d", 8)}.get(entry.get("dtype"), (None, 0))
        if not letter:
            continue
        begin, over = entry["data_offsets"]
        numbers = struct.unpack(f"<{(over - begin) // size}{letter}", data[end + begin:end + over])
        columns = entry["shape"][-1]
        rows = [numbers[at:at + columns] for at in range(0, len(numbers), columns)]
        weights[name] = rows[0] if len(entry["shape"]) == 1 else rows
    return weights


def product(matrix, x):
    return [sum(a * b for a, b in zip(row, x, strict=True)) for row in matrix]


def plus(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softmax(scores):
    exps = [math.exp(x - max(scores)) for x in scores]
    return [x / sum(exps) for x in exps]


class Aligner:
    """A model with GRUs."""

    def __init__(self, path):
        self.weights = read_weights(path)

    def gru(self, name, end, x, h):
        """r, z = s(a + b);  n = tanh(a + r b);  h' = (1 - z) n + z h, as nn/rnn.c says."""
        w, n = self.weights, len(h)
        a = plus(product(w[f"{name}.weight_ih{end}"], x), w[f"{name}.bias_ih{end}"])
        b = plus(product(w[f"{name}.weight_hh{end}"], h), w[f"{name}.bias_hh{end}"])
        new = []
        for c in range(n):
            r, z = sigmoid(a[c] + b[c]), sigmoid(a[n + c] + b[n + c])
            new.append((1 - z) * math.tanh(a[2 * n + c] + r * b[2 * n + c]) + z * h[c])
        return new

    def states(self, name, xs):
        h, out = [0.0] * len(self.weights[f"{name}.weight_hh_l0"][0]), []
        for x in xs:
            h = self.gru(name, "_l0", x, h)
            out.append(h)
        return out

    def run(self, source, inputs, outputs, change=None):
        """The mean loss of the outputs, and the weights A; change: (t, i, by), added to A_ti after the softmax."""
        w = self.weights
        xs = [w["from.weight"][word] for word in source]
        back = self.states("backward", xs[::-1])[::-1]
        z = [a + b for a, b in zip(self.states("forward", xs), back, strict=True)]
        keys = [product(w["align.key.weight"], row) for row in z]
        s = [math.tanh(x) for x in plus(product(w["start.weight"], back[0]), w["start.bias"])]
        loss, maps = 0.0, []
        for t, (word, wanted) in enumerate(zip(inputs, outputs, strict=True)):
            query, y = product(w["align.query.weight"], s), list(w["to.weight"][word])
            A = softmax([product(w["align.score.weight"], [math.tanh(x) for x in plus(query, key)])[0] for key in keys])
            if change and change[0] == t:
                A[change[1]] += change[2]
            maps.append(A)
            context = [sum(a * row[c] for a, row in zip(A, z, strict=True)) for c in range(len(z[0]))]
            s = self.gru("decoder", "", y + context, s)
            hidden = [math.tanh(x) for x in plus(product(w["out.weight"], s + context + y), w["out.bias"])]
            loss -= math.log(softmax(product(w["to.weight"], hidden))[wanted]) / len(inputs)
        return loss, maps

    def derivative(self, source, inputs, outputs, t, i, step=1e-4):
        """dL/dA_ti, off by about step^2 = 1e-8 and the rounding 1e-16 / step = 1e-12."""
        return (self.run(source, inputs, outputs, (t, i, step))[0] -
                self.run(source, inputs, outputs, (t, i, -step))[0]) / (2 * step)
