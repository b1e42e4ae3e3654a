"""What homework 2 computes, by its definitions (definitions.py), and its solution."""
import math
import random

from definitions import close, ints, library, reals

random.seed(2)


# README: tanh(a b) + a, as nodes 0 a, 1 +, 2 b, 3 tanh, 4 *.
INPUT, ADD, SUB, MUL, TANH = range(5)
kind, left, right = ints([INPUT, ADD, INPUT, TANH, MUL]), ints([-1, 3, -1, 4, 0]), ints([-1, 0, -1, -1, 2])
order = ints([-1] * 5)
assert library.graph_order(order, left, right, 5, 1) == 5 and list(order) == [0, 2, 4, 3, 1], list(order)
a, b = 0.7, -1.3
value, grad = reals([0.0] * 5), reals([9.0] * 5)
library.graph_forward(value, reals([a, 0, b, 0, 0]), kind, left, right, order, 5)
library.graph_backward(grad, value, kind, left, right, 5, order, 5)
y = math.tanh(a * b)
close(value, [a, y + a, b, y, a * b], "graph_forward")
close(grad, [(1 - y * y) * b + 1, 1, (1 - y * y) * a, 1, 1 - y * y], "graph_backward")

# x * x - x: both inputs of a node are one node, which has a third use.
kind, left, right = ints([SUB, MUL, INPUT, INPUT]), ints([1, 2, -1, -1]), ints([2, 2, -1, -1])
order = ints([-1] * 4)
assert library.graph_order(order, left, right, 4, 0) == 3 and list(order)[:3] == [2, 1, 0]
value, grad = reals([0.0] * 4), reals([9.0] * 4)
library.graph_forward(value, reals([0, 0, 3, 5]), kind, left, right, order, 3)
library.graph_backward(grad, value, kind, left, right, 4, order, 3)
assert list(grad) == [1, 1, 5, 0], list(grad)

# a - b: left before right.
order, value = ints([-1] * 3), reals([0.0] * 3)
kind, left, right = ints([INPUT, SUB, INPUT]), ints([-1, 2, -1]), ints([-1, 0, -1])
assert library.graph_order(order, left, right, 3, 1) == 3 and list(order) == [2, 0, 1], list(order)
library.graph_forward(value, reals([3, 0, 10]), kind, left, right, order, 3)
assert list(value) == [3, 7, 10], list(value)

x = [random.gauss(0, 2) for _ in range(20)]
y = reals([0.0] * 20)
library.gelu(y, reals(x), 20)
close(y, [v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in x], "gelu")
