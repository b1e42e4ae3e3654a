"""Arithmetic on small matrices, as questions.txt has it (README.md): [a, b; c, d] is a matrix, x[i, j] an element, ^ a power."""
import math
import operator
import re


class Matrix:
    """Rows of numbers; a number is 1 x 1. Signs work on each pair of elements; a number goes with each element of the other."""

    def __init__(self, rows: list, tokens: bool = False):
        self.rows, self.tokens = rows, tokens  # tokens: its rows are tokens, columns where a course writes tokens so
        if any(len(row) != len(rows[0]) for row in rows):
            raise ValueError("expected as many numbers in each row")

    @property
    def numbers(self) -> list:
        return [x for row in self.rows for x in row]

    def number(self) -> float:
        if len(self.numbers) != 1:
            raise ValueError("found a matrix; expected a number")
        return self.numbers[0]

    def map(self, function) -> "Matrix":
        return Matrix([[float(function(x)) for x in row] for row in self.rows])

    def pairs(self, sign, other: "Matrix") -> "Matrix":
        one, two = self.shape, other.shape
        if one == (1, 1):
            return other.map(lambda y: sign(self.numbers[0], y))
        if two == (1, 1):
            return self.map(lambda x: sign(x, other.numbers[0]))
        if one != two:
            raise ValueError("expected two matrices of one shape")
        return Matrix([[float(sign(x, y)) for x, y in zip(*rows)] for rows in zip(self.rows, other.rows)])

    @property
    def shape(self) -> tuple:
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, place) -> "Matrix":
        """x[i, j], or x[i]: the elements in their order, row by row, from 1."""
        i, *j = (int(of(p).number()) for p in (place if isinstance(place, tuple) else (place,)))
        if not (1 <= i <= (len(self.rows) if j else len(self.numbers)) and all(1 <= k <= len(self.rows[0]) for k in j)):
            raise ValueError("expected an index within the matrix")
        return Matrix([[self.rows[i - 1][j[0] - 1] if j else self.numbers[i - 1]]])

    def __neg__(self) -> "Matrix":
        return self.map(operator.neg)


def of(value) -> Matrix:
    return value if isinstance(value, Matrix) else Matrix([[float(value)]])


def equal(x: float, y: float) -> bool:
    return abs(x - y) < 1e-9


for name, sign in {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "pow": operator.pow,
                   "lt": operator.lt, "eq": equal, "ne": lambda x, y: not equal(x, y)}.items():
    setattr(Matrix, f"__{name}__", lambda a, b, sign=sign: a.pairs(sign, of(b)))
    setattr(Matrix, "__gt__" if name == "lt" else f"__r{name}__", lambda a, b, sign=sign: of(b).pairs(sign, a))


def matrix(rows: list) -> Matrix:
    return Matrix([[of(x).number() for x in row] for row in rows])


ARITHMETIC = {"sqrt": math.sqrt, "ln": math.log, "floor": math.floor, "abs": abs, "cos": math.cos, "asin": math.asin}


def python_of(text: str) -> str:
    """The expression in Python: a bracket that follows no operand begins a matrix."""
    out, closing = "", []
    for c in text:
        if c == "[":
            literal = not re.search(r"[\w)\]]\s*$", out)
            closing.append("]])" if literal else "]")
            out += "matrix([[" if literal else "["
        else:
            out += closing.pop() if c == "]" and closing else {";": "], [", "^": "**"}.get(c, c)
    return out


def evaluate(text: str, names: dict, library=None) -> Matrix:
    """The value; names: what was drawn or computed before. library(name, arguments) computes any other call; None: there is none."""
    def call(name: str):
        if name in ARITHMETIC:
            return lambda x: of(x).map(ARITHMETIC[name])
        if not library:
            raise ValueError(f"found {name}(...); expected a function of arithmetic")
        return lambda *arguments: library(name, [of(x) for x in arguments])
    try:
        code = compile(python_of(text).strip(), "questions.txt", "eval")
        known = {"matrix": matrix, "__builtins__": {}, **names}
        for name in code.co_names:
            if name not in known:
                if not re.search(rf"\b{name}\s*\(", text):
                    raise ValueError(f"found '{name}'; expected a number, (, [, or a name that was drawn or computed before")
                known[name] = call(name)
        value = of(eval(code, known))
    except (SyntaxError, TypeError) as error:
        raise ValueError(f"found '{text[:60]}'; expected an expression ({error})") from None
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, ArithmeticError) or "domain" in str(error):
            raise ValueError(f"'{text[:60]}' is not finite") from None
        raise
    if not all(map(math.isfinite, value.numbers)):
        raise ValueError(f"'{text[:60]}' is not finite")
    return value
