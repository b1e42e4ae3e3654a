"""gradus_debugger.py: what gdb and lldb show of tensors, ops and tapes, in the same words.

gradus-gdb.py and gradus_lldb.py load it, and give it `host`, which reads the program:

    host.read(address, size)    bytes of its memory
    host.unreadable             exceptions of memory that cannot be read
    host.most()                 how many numbers are shown of a tensor before its middle is left out
    host.size(pointer)          the bytes of one thing that it points to

A value is the debugger's: value["member"], value[i], int(value), value.dereference() and value.string(errors=). Nothing here calls a function of the program; it works on a core file, too.
"""

import math
import os
import struct

MAX_RANK = 6
EDGE = 3  # of a long axis, so many elements at each end are shown
LINE_WIDTH = 75
DECIMALS = 4

host = None  # set by the debugger's own file


# ---- a tensor's fields -------------------------------------------------------------------------


def shape_text(numbers):
    """The numbers as Python writes a tuple: (2, 3), (3,), ()."""
    return str(tuple(numbers))


def shape_of(value):
    """A Shape as a list. ValueError where memory holds none, as at a pointer that is not set yet."""
    rank = int(value["rank"])
    if not 0 <= rank <= MAX_RANK:
        raise ValueError("rank %d" % rank)
    dims = [int(value["dim"][i]) for i in range(rank)]
    if any(n < 0 for n in dims):
        raise ValueError("an axis of %d" % min(dims))
    return dims


def text_of(pointer):
    return pointer.string(errors="replace") if int(pointer) else ""


def name_of(t):
    name = t["name"].string(errors="replace")
    return "'%s'" % name if name else ""


def strides_of(t):
    return [int(t["stride"][i]) for i in range(len(shape_of(t["shape"])))]


def location_of(node):
    """The source line of the call, model.c:42; "" while the call has not returned."""
    path = text_of(node["out"]["file"])
    return "%s:%d" % (os.path.basename(path), int(node["out"]["line"])) if path else ""


def is_contiguous(dims, strides):
    step = 1
    for n, stride in reversed(list(zip(dims, strides))):
        if n != 1 and stride != step:
            return False
        step *= n
    return True


# ---- numbers, as tensor_print writes them --------------------------------------------------------


class Format:
    """The one format of all numbers that are shown, by the rules of tensor/print.c."""

    def __init__(self, numbers, single):
        self.single = single
        magnitudes = [abs(x) for x in numbers if math.isfinite(x) and x != 0]
        most, least = max(magnitudes, default=0), min(magnitudes, default=1)
        ratio = self.rounded(most / least)
        self.scientific = most >= 1e8 or (most > 0 and least < 1e-4) or ratio > 1000
        self.left = self.right = self.power = 0
        for x in numbers:
            if math.isfinite(x):
                self.widen(x)
        if not all(math.isfinite(x) for x in numbers):
            widest = 4 if -math.inf in numbers else 3
            self.left = max(self.left, widest - 1 - self.right - self.power_width())

    def rounded(self, x):
        """x rounded to the program's type real."""
        if not self.single:
            return x
        try:
            return struct.unpack("f", struct.pack("f", x))[0]
        except OverflowError:
            return math.inf

    def power_width(self):
        return self.power + 2 if self.scientific else 0

    def parts(self, x):
        """What is shown of x: before the decimal point, after it without zeros at the end, and the exponent."""
        if self.scientific:
            text, exponent = ("%.*e" % (DECIMALS, x)).split("e")
        else:  # the fewest decimals that read back as x
            texts, exponent = ["%.*f" % (n, x) for n in range(DECIMALS + 1)], 0
            text = next((text for text in texts if self.rounded(float(text)) == x), texts[-1])
        front, _, decimals = text.partition(".")
        return front, decimals.rstrip("0"), int(exponent)

    def widen(self, x):
        front, decimals, exponent = self.parts(x)
        self.left = max(self.left, len(front))
        self.right = max(self.right, len(decimals))
        if self.scientific:
            self.power = max(self.power, 3 if abs(exponent) > 99 else 2)

    def word(self, x):
        if not math.isfinite(x):
            width = self.left + 1 + self.right + self.power_width()
            return ("nan" if math.isnan(x) else "inf" if x > 0 else "-inf").rjust(width)
        front, decimals, exponent = self.parts(x)
        text = front.rjust(self.left) + "." + decimals.ljust(self.right, "0" if self.scientific else " ")
        if self.scientific:
            text += "e%s%0*d" % ("-" if exponent < 0 else "+", self.power, abs(exponent))
        return text


class Picture:
    """All elements; where they are more than `most`, those at the ends of each axis."""

    def __init__(self, address, kind, dims, strides, most):
        self.address, self.dims, self.strides = address, dims, strides
        self.code = {"ids": "i", 4: "f", 8: "d"}[kind]
        self.short = math.prod(dims) > most
        self.cache = {}
        self.visit(0, 0)
        numbers = list(self.cache.values())
        if kind == "ids":
            width = max((len(str(x)) for x in numbers), default=0)
            self.word = lambda x: str(x).rjust(width)
        else:
            self.word = Format(numbers, kind == 4).word

    def shown(self, n):
        if self.short and n > 2 * EDGE:
            return list(range(EDGE)) + list(range(n - EDGE, n))
        return list(range(n))

    def visit(self, axis, at):
        if axis == len(self.dims):
            size = struct.calcsize(self.code)
            self.cache[at] = struct.unpack(self.code, host.read(self.address + at * size, size))[0]
            return
        for i in self.shown(self.dims[axis]):
            self.visit(axis + 1, at + i * self.strides[axis])

    def row(self, words):
        """The words of a row, in lines that begin below the first."""
        rank, lines = len(self.dims), [""]
        for word in words:
            if lines[-1] and 2 * rank + len(lines[-1]) + 1 + len(word) > LINE_WIDTH:
                lines[-1] = lines[-1].rstrip()
                lines.append(word)
            else:
                lines[-1] += (" " if lines[-1] else "") + word
        return ("\n" + " " * rank).join(lines)

    def draw(self, axis, at):
        if axis == len(self.dims):
            return self.word(self.cache[at])
        shown, inside = self.shown(self.dims[axis]), len(self.dims) - 1 - axis
        parts = [self.draw(axis + 1, at + i * self.strides[axis]) for i in shown]
        if len(shown) < self.dims[axis]:
            parts.insert(EDGE, "...")
        return "[" + (("\n" * inside + " " * (axis + 1)).join(parts) if inside else self.row(parts)) + "]"

    def __str__(self):
        return self.draw(0, 0) if math.prod(self.dims) else "[]"


# ---- texts -------------------------------------------------------------------------------------


def origin(t):
    """Of ", from softmax at model.c:42, strides (1, 3), view of 'q', with gradient" the parts that apply."""
    words = []
    if int(t["node"]):
        node = t["node"].dereference()
        place = location_of(node)
        words.append("from " + text_of(node["op"]["name"]) + (" at " + place if place else ""))
    if not is_contiguous(shape_of(t["shape"]), strides_of(t)):
        words.append("strides " + shape_text(strides_of(t)))
    if int(t["base"]):
        base = name_of(t["base"].dereference())
        words.append("view of " + base if base else "a view")
    if int(t["grad"]):
        words.append("with gradient")
    elif int(t["needs_grad"]):
        words.append("needs a gradient")
    return "".join(", " + word for word in words)


def is_over(t):
    """Was the tensor made in a step that tape_reset has ended?"""
    return int(t["tape"]) != 0 and int(t["step"]) != int(t["tape"]["resets"])


def over_text(t):
    return "%s of step %d, which is over" % (summary(t), int(t["step"]))


def numbers_text(t, pointer):
    kind = "ids" if pointer == "ids" else host.size(t[pointer])
    return str(Picture(int(t[pointer]), kind, shape_of(t["shape"]), strides_of(t), host.most()))


def numbers_of(t):
    """The member that has the numbers: ids, data, or "" before there are any."""
    return "ids" if int(t["ids"]) else "data" if int(t["data"]) else ""


def opened(t):
    """What an editor shows below a tensor: pairs of a name and a member that is a struct, or of a name and ("data", "grad" or
    "ids"), whose numbers make an array of its axes."""
    found = [("shape", None)] + [("node", None)] * (int(t["node"]) != 0)
    if not is_over(t) and math.prod(shape_of(t["shape"])):
        found += [(name, member) for name, member in (("values", numbers_of(t)), ("gradient", "grad")) if member and int(t[member])]
    return found


def gathered(t, member):
    """The bytes of its numbers in the order of its axes."""
    dims, strides, size, at = shape_of(t["shape"]), strides_of(t), host.size(t[member]), int(t[member])

    def visit(axis, offset):
        if axis == len(dims):
            return host.read(at + offset * size, size)
        return b"".join(visit(axis + 1, offset + i * strides[axis]) for i in range(dims[axis]))
    if is_contiguous(dims, strides):
        return host.read(at, size * math.prod(dims))
    return visit(0, 0)


def summary(t):
    """Tensor 'x' (2, 3)"""
    if int(t["ids"]) and int(t["data"]):
        raise ValueError("ids and data")
    words = ["ids" if int(t["ids"]) else "Tensor", name_of(t), shape_text(shape_of(t["shape"]))]
    return " ".join(word for word in words if word)


def guarded(kind):
    """The text of a function, or that there is no such thing."""
    def wrap(function):
        def text(value, *more):
            try:
                return function(value, *more)
            except (*host.unreadable, ValueError, OverflowError):
                return "no %s (not set yet?)" % kind
        return text
    return wrap


@guarded("Tensor")
def tensor_line(t, with_origin):
    """One line: of an argument, or in the pane of an editor."""
    return over_text(t) if is_over(t) and with_origin else summary(t) + (origin(t) if with_origin else "")


@guarded("Tensor")
def tensor_text(t):
    if is_over(t):
        return over_text(t)
    pointer = numbers_of(t)
    return "%s%s\n%s" % (summary(t), origin(t), numbers_text(t, pointer) if pointer else "(no numbers)")


@guarded("Shape")
def shape_line(shape):
    return shape_text(shape_of(shape))


def operands(node):
    given = [node["in"][i] for i in range(int(node["inputs"]))]
    return [shape_text(shape_of(t["shape"])) if int(t) else "-" for t in given]


@guarded("Node")
def node_line(node):
    out = node["out"].dereference()
    made = ("%s %s" % (name_of(out), shape_text(shape_of(out["shape"])))).strip()
    place = location_of(node)
    return "%s: %s -> %s%s" % (text_of(node["op"]["name"]), " ".join(operands(node)), made, ", at " + place if place else "")


@guarded("Tape")
def tape_line(tape):
    words = ["Tape in step %d: %d ops, %d names, %d bytes" % (
        int(tape["resets"]), int(tape["nodes"]), int(tape["names"]), int(tape["bytes"]))]
    words += [what for what in ("training", "no_grad", "keep_maps", "watch", "failed") if int(tape[what])]
    return ", ".join(words)


TEXTS = {"Tensor": tensor_text, "Shape": shape_line, "Tape": tape_line, "Node": node_line}


# ---- what the commands print ----------------------------------------------------------------------


class Refused(Exception):
    """What a command says instead of an answer: what was found; what was expected."""


def expected(found, refusal):
    """What was found, or the refusal where that is nothing."""
    if found is None or (isinstance(found, (bool, str)) and not found):
        raise Refused(refusal)
    return found


def tape_of(value, name):
    """The tape of a pointer to a Tape, a Tensor or a Node; None where it leads to none."""
    if int(value) == 0 or name not in ("Tape", "Tensor", "Node"):
        return None
    tape = value if name == "Tape" else value["tape"] if name == "Tensor" else value["out"]["tape"]
    tape = tape.dereference()
    nodes = int(tape["nodes"])
    if not 0 <= nodes <= int(tape["inside"]["node_capacity"]):  # a variable that is not set yet
        return None
    for i in range(nodes):
        text_of(tape["node"][i]["op"]["name"])
    return tape


def tape_row(i, node):
    out = node["out"].dereference()
    shapes = " ".join(operands(node)) + " -> " + shape_text(shape_of(out["shape"]))
    return str(i), text_of(node["op"]["name"]), shapes, ("%s  %s" % (location_of(node), name_of(out))).strip()


def tape_table(tape):
    rows = [tape_row(i, tape["node"][i].dereference()) for i in range(int(tape["nodes"]))]
    widths = [max(len(row[k]) for row in rows) for k in range(3)] if rows else []
    lines = ["%s  %s  %s  %s" % (number.rjust(widths[0]), op.ljust(widths[1]), shapes.ljust(widths[2]), place)
             for number, op, shapes, place in rows]
    return "\n".join([tape_line(tape), *lines])


def gradient_text(t, name):
    try:
        if is_over(t):
            return over_text(t)
        if not int(t["grad"]):
            return "%s has no gradient: %s" % (summary(t), "backward has not reached it, or is done with it"
                                               if int(t["needs_grad"]) else "it needs none")
        return "gradient of %s\n%s" % (summary(t), numbers_text(t, "grad"))
    except (*host.unreadable, ValueError, OverflowError):
        raise Refused("grad: %s is no tensor (not set yet?)" % name)


def near(name, names):
    import difflib
    found = difflib.get_close_matches(name, names, 1)
    return '; did you mean "%s"?' % found[0] if found else ""


# What only counts sizes, strides and offsets, between an op and the loop that computes: `step` passes over it.
SKIPPED_FILES = ("tensor/shape.c", "tensor/strided_rows.c")
SKIPPED_FUNCTIONS = """tensor_size given tensor_is_contiguous axis_of gradient_is_unwritten gradient_clear tape_scratch
    scratch_grain parallel_grain parallel_threads memory_apart rows_apart strided_rows_count strided_rows
    broadcast_strides matrix rows_of transposed weight_matrix matrices matrices_apart each_transposed matrix_after batch_shape
    batch_grain strided_indices gemm_of attention_of mask_at mask_resolve targets_of reduce_sizes""".split()
