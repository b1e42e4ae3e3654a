"""gradus-gdb.py: how gdb shows tensors, ops and tapes; gradus_debugger.py has what it says, and gradus_lldb.py is the same for lldb.

    (gdb) print x                 a tensor as NumPy prints it, and where it comes from; print/r: the struct
    (gdb) print x->shape          (2, 3)
    (gdb) print *tape->node[4]    one op: its operands, its result, the line that asked for it
    (gdb) tape                    all ops that were recorded, in order
    (gdb) break-op softmax        stops in softmax_forward and softmax_backward
    (gdb) keep-maps               attention op by op, so that break-op masked_softmax stops in it
    (gdb) grad x                  the gradient of a tensor, as print prints its numbers
    (gdb) step                    passes over what only counts sizes, strides and offsets: info skip lists it,
                                  skip disable enters it again
    (gdb) set print tensor-children on    an editor opens a tensor as its shape, values and gradient

./gradus debug NAME loads this file; by hand: gdb -x tensor/gradus-gdb.py PROGRAM. It calls none of the program's functions
and, but for keep-maps, only reads its memory, so it works on a core file, too.
"""

import math
import os
import sys

import gdb
import gdb.printing

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import gradus_debugger as shown  # noqa: E402
from gradus_debugger import Refused  # noqa: E402


# ---- printers ----------------------------------------------------------------------------------------


def print_option(name, otherwise):
    options = getattr(gdb, "print_options", None)  # since gdb 13
    return options()[name] if options else otherwise


class Host:
    unreadable = (gdb.MemoryError,)

    def read(self, address, size):
        return bytes(gdb.selected_inferior().read_memory(address, size))

    def size(self, pointer):
        return pointer.type.target().sizeof

    def most(self):
        return print_option("max_elements", 200) or math.inf  # set print elements


shown.host = Host()


class Children(gdb.Parameter):
    """Show a tensor to an editor as one line that opens: its shape, values and gradient."""

    set_doc = show_doc = "Whether a tensor has its shape, values and gradient as children"

    def __init__(self):
        super().__init__("print tensor-children", gdb.COMMAND_DATA, gdb.PARAM_BOOLEAN)
        self.value = False

    def get_set_string(self):
        return ""


children = Children()


class TextPrinter:
    def __init__(self, text, value):
        self.text, self.value = text, value

    def to_string(self):
        return self.text(self.value)


class TensorPrinter:
    def __init__(self, t):
        self.t = t

    def to_string(self):
        if print_option("summary", False):  # an argument in a backtrace
            return shown.tensor_line(self.t, False)
        return shown.tensor_line(self.t, True) if children.value else shown.tensor_text(self.t)


class OpenedTensor(TensorPrinter):
    def children(self):
        try:
            for name, member in shown.opened(self.t):
                yield name, self.array(member) if member else self.t[name]
        except (gdb.MemoryError, ValueError, OverflowError):
            return

    def array(self, member):
        kind = self.t[member].type.target().unqualified()
        for n in reversed(shown.shape_of(self.t["shape"])):
            kind = kind.array(n - 1)
        return gdb.Value(shown.gathered(self.t, member), kind)


def printer_for(name, value):
    if name == "Tensor":
        return (OpenedTensor if children.value else TensorPrinter)(value)
    return TextPrinter(shown.TEXTS[name], value)


def type_name(kind):
    kind = kind.unqualified()
    return kind.name or kind.strip_typedefs().unqualified().tag


def printer_of(value):
    """The printer for a struct of this library, or for a pointer to one; NULL stays 0x0."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        name = type_name(kind.target())
        return printer_for(name, value.dereference()) if name in shown.TEXTS and int(value) else None
    return printer_for(type_name(value.type), value) if type_name(value.type) in shown.TEXTS else None


printer_of.name, printer_of.enabled = "gradus", True


# ---- commands ------------------------------------------------------------------------------------


def is_pointer(value):
    return value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR


def tape_behind(value):
    """The tape that a pointer leads to, or None."""
    return shown.tape_of(value, type_name(value.type.strip_typedefs().target()))


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
        raise Refused("tape: no program is running; expected one that has a tape")
    while frame:
        for value in variables(frame):
            try:
                found = tape_behind(value) if is_pointer(value) else None
                if found is not None:
                    return found
            except (gdb.error, ValueError):
                pass  # optimised out, or not set yet
        frame = frame.older()
    raise Refused("tape: no variable here leads to one; expected tape EXPRESSION")


def tape(argument):
    """List the ops on a tape: number, op, shapes, and the line that asked for it.

    tape               the tape that the variables here lead to
    tape EXPRESSION    that of a Tape *, a Tensor * or a Node *"""
    if not argument:
        return shown.tape_table(nearest_tape())
    value = gdb.parse_and_eval(argument)
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        value = value.address
    found = tape_behind(value) if value is not None and is_pointer(value) else None
    return shown.tape_table(shown.expected(found, "tape: %s leads to no tape; expected a Tape *, a Tensor * or a Node *" % argument))


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


def break_op(name):
    """Stop where an op computes, and where its backward runs: break-op softmax"""
    own = own_functions(shown.expected(name, "break-op: found no name; expected that of an op: break-op softmax"))
    shared = op_functions(name)
    if not own and shared is None:
        raise Refused('break-op: there is no op "%s"%s' % (name, shown.near(name, ops())))
    if not own and not shared:
        raise Refused("break-op: %s shares its functions with other ops, which are known once"
                      " the program runs: start, then break-op %s" % (name, name))
    for place in own.values():
        gdb.Breakpoint(place)
    for function, place in (shared or {}).items():
        if function not in own:
            gdb.Breakpoint(place).condition = '$_streq(n->op->name, "%s")' % name
    if len(own) == 1 and not shared:
        return ("break-op: a backward that %s shares with other ops is known once the program runs:"
                " start, then break-op %s" % (name, name))


def ops():
    """The names of all functions NAME_forward."""
    lines = gdb.execute("info functions _forward$", to_string=True).replace("(", " ").split()
    words = [word.lstrip("*").rstrip(";") for word in lines]
    return sorted({word[:-len("_forward")] for word in words if word.endswith("_forward")})


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


def keep_maps(_):
    """Make each new tape keep its attention maps, so that attention is computed op by op: scores, masked_softmax, A"""
    NewTape("tape_new", internal=True)


def grad(argument):
    """Print the gradient of a Tensor * or a Tensor, as print prints its numbers: grad x"""
    value = gdb.parse_and_eval(shown.expected(argument, "grad: found no name; expected that of a tensor: grad x"))
    if is_pointer(value) and int(value):
        value = value.dereference()
    is_tensor = type_name(value.type) == "Tensor"
    shown.expected(is_tensor, "grad: %s is no tensor; expected a Tensor * or a Tensor" % argument)
    return shown.gradient_text(value, argument)


class Command(gdb.Command):
    """A command that prints what a function returns; the function's text is its help."""

    def __init__(self, name, run, kind, *completion):
        self.name, self.run, self.__doc__ = name, run, run.__doc__
        super().__init__(name, kind, *completion)

    def invoke(self, argument, from_tty):
        try:
            said = self.run(argument.strip())
        except Refused as refused:
            raise gdb.GdbError(str(refused))
        except gdb.error as error:
            raise gdb.GdbError("%s: %s" % (self.name, error))
        if said:
            print(said)


class BreakOp(Command):
    def complete(self, text, word):
        return [op for op in ops() if op.startswith(word)]


def skip_helpers():
    for file in shown.SKIPPED_FILES:
        gdb.execute("skip -gfi *%s" % file, to_string=True)
    for function in shown.SKIPPED_FUNCTIONS:
        gdb.execute("skip -fu %s" % function, to_string=True)


gdb.printing.register_pretty_printer(None, printer_of, replace=True)
Command("tape", tape, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)
BreakOp("break-op", break_op, gdb.COMMAND_BREAKPOINTS)
Command("keep-maps", keep_maps, gdb.COMMAND_RUNNING)
Command("grad", grad, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)
skip_helpers()
