"""gradus-gdb.py: how gdb shows tensors, ops and tapes.

    (gdb) print x                 a tensor as NumPy prints it, and where it comes from; print/r: the struct
    (gdb) print x->shape          (2, 3)
    (gdb) print *tape->node[4]    one op: its operands, its result, the line that asked for it
    (gdb) tape                    all ops that were recorded, in order
    (gdb) break-op softmax        stops in softmax_forward and softmax_backward
    (gdb) keep-maps               attention op by op, so that break-op masked_softmax stops in it
    (gdb) grad x                  the gradient of a tensor, as print prints its numbers
    (gdb) step                    passes over what only counts sizes, strides and offsets: info skip lists it,
                                  skip disable enters it again

./gradus gdb NAME loads this file; by hand: gdb -x tensor/gradus-gdb.py PROGRAM. It calls none of the program's functions
and, but for keep-maps, only reads its memory, so it works on a core file, too.

It is a single long file, because gdb loads one file beside a library.
"""

import math
import os
import struct

import gdb
import gdb.printing

MAX_RANK = 6
EDGE = 3  # of a long axis, so many elements at each end are shown
LINE_WIDTH = 75
DECIMALS = 4


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

    def digits(self, x):
        """The digits that are shown of x, without zeros at the end, and the exponent of the first."""
        exact = abs(x)

        def decimal(count):
            text = "%.*e" % (count - 1, exact)
            mantissa, exponent = text.split("e")
            return mantissa.replace(".", ""), int(exponent), self.rounded(float(text)) == exact

        if self.scientific:
            digits, exponent, _ = decimal(1 + DECIMALS)
        else:
            for count in range(1, 18):  # the fewest digits that read back as x
                digits, exponent, same = decimal(count)
                if same:
                    break
            units = exponent + 1
            if len(digits) < units:
                digits, exponent, _ = decimal(units)
            elif len(digits) > units + DECIMALS:
                digits, exponent, _ = decimal(max(units + DECIMALS, 1))
        return digits.rstrip("0") or "0", exponent

    def widen(self, x):
        digits, exponent = self.digits(x)
        point = exponent if self.scientific else 0
        minus = math.copysign(1, x) < 0
        self.left = max(self.left, minus + max(exponent - point + 1, 1))
        self.right = max(self.right, len(digits) - 1 - exponent + point)
        if self.scientific:
            self.power = max(self.power, 3 if abs(exponent) > 99 else 2)

    def word(self, x):
        if not math.isfinite(x):
            width = self.left + 1 + self.right + self.power_width()
            return ("nan" if math.isnan(x) else "inf" if x > 0 else "-inf").rjust(width)
        digits, exponent = self.digits(x)
        point = exponent if self.scientific else 0
        front = max(exponent - point + 1, 1)

        def digit(power):
            i = exponent - power
            return digits[i] if 0 <= i < len(digits) else "0"

        text = "-" if math.copysign(1, x) < 0 else ""
        text = text.rjust(self.left - front)
        text += "".join(digit(point + i) for i in range(front - 1, -1, -1)) + "."
        for i in range(1, self.right + 1):
            behind_the_last = point - i <= exponent - len(digits)
            text += " " if behind_the_last and not self.scientific else digit(point - i)
        if self.scientific:
            text += "e%s%0*d" % ("-" if exponent < 0 else "+", self.power, abs(exponent))
        return text


class Page:
    """Text and its present column; a line break drops the spaces before it."""

    def __init__(self):
        self.text, self.column, self.spaces = "", 0, 0

    def say(self, text):
        for c in text:
            self.column += 1
            if c == " ":
                self.spaces += 1
            else:
                self.text += " " * self.spaces + c
                self.spaces = 0

    def new_line(self, indent):
        self.text += "\n"
        self.column = self.spaces = indent


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
            memory = gdb.selected_inferior().read_memory(self.address + at * size, size)
            self.cache[at] = struct.unpack(self.code, bytes(memory))[0]
            return
        for i in self.shown(self.dims[axis]):
            self.visit(axis + 1, at + i * self.strides[axis])

    def row_word(self, page, word):
        if page.column + len(word) > LINE_WIDTH - len(self.dims):
            page.new_line(len(self.dims))
        page.say(word)

    def draw(self, page, axis, at):
        if axis == len(self.dims):
            self.row_word(page, self.word(self.cache[at]))
            return
        last = axis == len(self.dims) - 1
        shown = self.shown(self.dims[axis])
        page.say("[")
        for k, i in enumerate(shown):
            self.draw(page, axis + 1, at + i * self.strides[axis])
            if k + 1 == len(shown):
                break
            self.between(page, axis, last)
            if shown[k + 1] > i + 1:
                self.row_word(page, "...") if last else page.say("...")
                self.between(page, axis, last)
        page.say("]")

    def between(self, page, axis, last):
        """A space between numbers; between rows a line feed, and one more for each axis outside."""
        if last:
            page.say(" ")
        for _ in range(axis, len(self.dims) - 1):
            page.new_line(axis + 1)

    def __str__(self):
        if math.prod(self.dims) == 0:
            return "[]"
        page = Page()
        self.draw(page, 0, 0)
        return page.text


# ---- printers ----------------------------------------------------------------------------------------


def print_option(name, otherwise):
    options = getattr(gdb, "print_options", None)  # since gdb 13
    return options()[name] if options else otherwise


def origin(t):
    """Of ", from softmax at model.c:42, strides (1, 3), view of 'q', with gradient" the parts that apply."""
    words = []
    if int(t["node"]):
        node = t["node"].dereference()
        place = location_of(node)
        words.append("from " + text_of(node["op"]["name"]) + (" at " + place if place else ""))
    dims = shape_of(t["shape"])
    strides = [int(t["stride"][i]) for i in range(len(dims))]
    if not is_contiguous(dims, strides):
        words.append("strides " + shape_text(strides))
    if int(t["base"]):
        base = name_of(t["base"].dereference())
        words.append("view of " + base if base else "a view")
    if int(t["grad"]):
        words.append("with gradient")
    elif bool(t["needs_grad"]):
        words.append("needs a gradient")
    return "".join(", " + word for word in words)


def is_over(t):
    """Was the tensor made in a step that tape_reset has ended?"""
    return int(t["tape"]) != 0 and int(t["step"]) != int(t["tape"]["resets"])


def numbers_text(t):
    dims = shape_of(t["shape"])
    strides = [int(t["stride"][i]) for i in range(len(dims))]
    kind = "ids" if int(t["ids"]) else t["data"].type.target().sizeof
    address = int(t["ids"]) or int(t["data"])
    if not address:
        return "(no numbers)"
    most = print_option("max_elements", 200) or math.inf  # set print elements
    return str(Picture(address, kind, dims, strides, most))


def summary(t):
    """Tensor 'x' (2, 3)"""
    if int(t["ids"]) and int(t["data"]):
        raise ValueError("ids and data")
    words = ["ids" if int(t["ids"]) else "Tensor", name_of(t), shape_text(shape_of(t["shape"]))]
    return " ".join(word for word in words if word)


class TensorPrinter:
    def __init__(self, t):
        self.t = t

    def to_string(self):
        try:
            if print_option("summary", False):  # an argument in a backtrace
                return summary(self.t)
            if is_over(self.t):
                return "%s of step %d, which is over" % (summary(self.t), int(self.t["step"]))
            return "%s%s\n%s" % (summary(self.t), origin(self.t), numbers_text(self.t))
        except (gdb.MemoryError, ValueError, OverflowError):
            return "no Tensor (not set yet?)"


class ShapePrinter:
    def __init__(self, shape):
        self.shape = shape

    def to_string(self):
        try:
            return shape_text(shape_of(self.shape))
        except (gdb.MemoryError, ValueError):
            return "no Shape (not set yet?)"


def operands(node):
    given = [node["in"][i] for i in range(int(node["inputs"]))]
    return [shape_text(shape_of(t["shape"])) if int(t) else "-" for t in given]


class NodePrinter:
    def __init__(self, node):
        self.node = node

    def to_string(self):
        try:
            node, out = self.node, self.node["out"].dereference()
            made = ("%s %s" % (name_of(out), shape_text(shape_of(out["shape"])))).strip()
            place = location_of(node)
            return "%s: %s -> %s%s" % (text_of(node["op"]["name"]), " ".join(operands(node)), made,
                                       ", at " + place if place else "")
        except (gdb.MemoryError, ValueError):
            return "no Node (not set yet?)"


class TapePrinter:
    def __init__(self, tape):
        self.tape = tape

    def to_string(self):
        try:
            tape = self.tape
            words = ["Tape in step %d: %d ops, %d names, %d bytes" % (
                int(tape["resets"]), int(tape["nodes"]), int(tape["names"]), int(tape["arena"]["used"]))]
            words += [what for what in ("training", "no_grad", "keep_maps", "watch", "failed")
                      if bool(tape[what])]
            return ", ".join(words)
        except gdb.MemoryError:
            return "no Tape (not set yet?)"


PRINTERS = {"Tensor": TensorPrinter, "Shape": ShapePrinter, "Tape": TapePrinter, "Node": NodePrinter}


def type_name(kind):
    kind = kind.unqualified()
    return kind.name or kind.strip_typedefs().unqualified().tag


def printer_of(value):
    """The printer for a struct of this library, or for a pointer to one; NULL stays 0x0."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        name = type_name(kind.target())
        return PRINTERS[name](value.dereference()) if name in PRINTERS and int(value) else None
    return PRINTERS[type_name(value.type)](value) if type_name(value.type) in PRINTERS else None


printer_of.name, printer_of.enabled = "gradus", True


# ---- commands ------------------------------------------------------------------------------------


def tape_behind(value):
    """The tape that a variable leads to, or None."""
    name = type_name(value.type.strip_typedefs().target())
    if int(value) == 0 or name not in ("Tape", "Tensor", "Node"):
        return None
    if name == "Tape":
        tape = value
    else:
        tape = value["tape"] if name == "Tensor" else value["out"]["tape"]
    tape = tape.dereference()
    nodes = int(tape["nodes"])
    if not 0 <= nodes <= int(tape["inside"]["node_capacity"]):  # a variable that is not set yet
        return None
    for i in range(nodes):
        text_of(tape["node"][i]["op"]["name"])
    return tape


def variables(frame):
    try:
        block = frame.block()
    except RuntimeError:  # no debugging information here
        return
    while block and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                yield symbol.value(frame)
        block = block.superblock


def nearest_tape():
    """The first tape that a variable leads to, from the selected frame outwards."""
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        raise gdb.GdbError("tape: no program is running; expected one that has a tape")
    while frame:
        for value in variables(frame):
            try:
                if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
                    tape = tape_behind(value)
                    if tape is not None:
                        return tape
            except (gdb.error, ValueError):
                pass  # optimised out, or not set yet
        frame = frame.older()
    raise gdb.GdbError("tape: no variable here leads to one; expected tape EXPRESSION")


class TapeCommand(gdb.Command):
    """List the ops on a tape: number, op, shapes, and the line that asked for it.

    tape               the tape that the variables here lead to
    tape EXPRESSION    that of a Tape *, a Tensor * or a Node *"""

    def __init__(self):
        super().__init__("tape", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        tape = self.find(argument)
        rows = [self.row(i, tape["node"][i].dereference()) for i in range(int(tape["nodes"]))]
        widths = [max(len(row[k]) for row in rows) for k in range(3)] if rows else []
        print(TapePrinter(tape).to_string())
        for number, op, shapes, place in rows:
            print("%s  %s  %s  %s" % (number.rjust(widths[0]), op.ljust(widths[1]),
                                      shapes.ljust(widths[2]), place))

    def find(self, argument):
        if not argument:
            return nearest_tape()
        value = gdb.parse_and_eval(argument)
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            value = value.address
        tape = None
        if value is not None and value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            tape = tape_behind(value)
        if tape is None:
            raise gdb.GdbError("tape: %s leads to no tape; expected a Tape *, a Tensor * or a Node *" % argument)
        return tape

    def row(self, i, node):
        out = node["out"].dereference()
        shapes = " ".join(operands(node)) + " -> " + shape_text(shape_of(out["shape"]))
        return str(i), text_of(node["op"]["name"]), shapes, ("%s  %s" % (location_of(node), name_of(out))).strip()


def function_exists(name):
    try:
        return bool(gdb.decode_line(name)[1])
    except gdb.error:
        return False


def own_functions(name):
    """The op's forward and backward by their names, as places: in the op's file, ops/NAME.c, or, of an op from outside of
    the library, wherever they are. Kernels have functions of such names, too."""
    own = [name + "_forward", name + "_backward"]
    in_file = [function for function in own if function_exists("ops/%s.c:%s" % (name, function))]
    if in_file:
        return {function: "-source ops/%s.c -function %s" % (name, function) for function in in_file}
    return {function: function for function in own if function_exists(function)}


def op_functions(name):
    """The op's forward and backward by its row in the table, as places; its pointers are set once the program runs. None
    without a row."""
    symbol = gdb.lookup_global_symbol("op_" + name)
    if symbol is None or type_name(symbol.type) != "Op":
        return None
    op = symbol.value()
    found = [gdb.block_for_pc(int(op[field])).function for field in ("forward", "backward") if int(op[field])]
    return {f.name: "-source %s -function %s" % (f.symtab.filename, f.name) for f in found}


class BreakOp(gdb.Command):
    """Stop where an op computes, and where its backward runs: break-op softmax"""

    def __init__(self):
        super().__init__("break-op", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        name = argument.strip()
        if not name:
            raise gdb.GdbError("break-op: found no name; expected that of an op: break-op softmax")
        own = own_functions(name)
        shared = op_functions(name)
        if not own and shared is None:
            raise gdb.GdbError('break-op: there is no op "%s"%s' % (name, self.near(name)))
        if not own and not shared:
            raise gdb.GdbError("break-op: %s shares its functions with other ops, which are known once"
                               " the program runs: start, then break-op %s" % (name, name))
        for place in own.values():
            gdb.Breakpoint(place)
        for function, place in (shared or {}).items():
            if function not in own:
                gdb.Breakpoint(place).condition = '$_streq(n->op->name, "%s")' % name
        if len(own) == 1 and not shared:
            print("break-op: a backward that %s shares with other ops is known once the program runs:"
                  " start, then break-op %s" % (name, name))

    def near(self, name):
        import difflib
        found = difflib.get_close_matches(name, self.ops(), 1)
        return '; did you mean "%s"?' % found[0] if found else ""

    def ops(self):
        """The names of all functions NAME_forward."""
        lines = gdb.execute("info functions _forward$", to_string=True).replace("(", " ").split()
        words = [word.lstrip("*").rstrip(";") for word in lines]
        return sorted({word[:-len("_forward")] for word in words if word.endswith("_forward")})

    def complete(self, text, word):
        return [op for op in self.ops() if op.startswith(word)]


class MapsKept(gdb.FinishBreakpoint):
    """Where tape_new returns."""

    def stop(self):
        tape = self.return_value
        if tape is not None and int(tape):
            gdb.execute("set var ((Tape *) %d)->keep_maps = 1" % int(tape), to_string=True)
        return False


class NewTape(gdb.Breakpoint):
    def stop(self):
        MapsKept(gdb.newest_frame(), internal=True)
        return False


class KeepMaps(gdb.Command):
    """Make each new tape keep its attention maps, so that attention is computed op by op: scores, masked_softmax, A"""

    def __init__(self):
        super().__init__("keep-maps", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        NewTape("tape_new", internal=True)


class Grad(gdb.Command):
    """Print the gradient of a Tensor * or a Tensor, as print prints its numbers: grad x"""

    def __init__(self):
        super().__init__("grad", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument:
            raise gdb.GdbError("grad: found no name; expected that of a tensor: grad x")
        try:
            value = gdb.parse_and_eval(argument)
        except gdb.error as error:
            raise gdb.GdbError("grad: %s" % error)
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR and int(value):
            value = value.dereference()
        if type_name(value.type) != "Tensor":
            raise gdb.GdbError("grad: %s is no tensor; expected a Tensor * or a Tensor" % argument)
        try:
            print(self.text(value))
        except (gdb.MemoryError, ValueError, OverflowError):
            raise gdb.GdbError("grad: %s is no tensor (not set yet?)" % argument)

    def text(self, t):
        if is_over(t):
            return "%s of step %d, which is over" % (summary(t), int(t["step"]))
        if not int(t["grad"]):
            return "%s has no gradient: %s" % (summary(t), "backward has not reached it, or is done with it"
                                               if bool(t["needs_grad"]) else "it needs none")
        dims = shape_of(t["shape"])
        strides = [int(t["stride"][i]) for i in range(len(dims))]
        most = print_option("max_elements", 200) or math.inf
        kind = t["grad"].type.target().sizeof
        return "gradient of %s\n%s" % (summary(t), Picture(int(t["grad"]), kind, dims, strides, most))


# What only counts sizes, strides and offsets, between an op and the loop that computes: `step` passes over it.
SKIPPED_FILES = ("tensor/shape.c", "tensor/strided_rows.c")
SKIPPED_FUNCTIONS = """tensor_size given tensor_is_contiguous axis_of gradient_is_unwritten gradient_clear tape_scratch
    scratch_grain parallel_grain parallel_threads memory_apart rows_apart strided_rows_count strided_rows
    broadcast_strides matrix rows_of transposed weight_matrix matrices matrices_apart each_transposed matrix_after batch_shape
    batch_grain strided_indices gemm_of attention_of mask_at mask_resolve targets_of reduce_sizes""".split()


def skip_helpers():
    for file in SKIPPED_FILES:
        gdb.execute("skip -gfi *%s" % file, to_string=True)
    for function in SKIPPED_FUNCTIONS:
        gdb.execute("skip -fu %s" % function, to_string=True)


gdb.printing.register_pretty_printer(None, printer_of, replace=True)
TapeCommand()
BreakOp()
KeepMaps()
Grad()
skip_helpers()
