"""gradus_lldb.py: how lldb shows tensors, ops and tapes; gradus_debugger.py has what it says, and gradus-gdb.py is the same for gdb.

    (lldb) print x                a tensor as NumPy prints it, and where it comes from; print *x, print x->shape
    (lldb) tape, break-op softmax, keep-maps, grad x      as in gdb
    (lldb) step                   passes over what only counts sizes, strides and offsets
    (lldb) break f, next 3, finish, delete, backtrace, printf "%.4f\\n", y, print *ids@7      gdb's words, which the guides use

In an editor's list of variables a tensor is one line that opens: its shape, its values and its gradient.

./gradus debug NAME loads this file; by hand: lldb -o 'command script import tensor/gradus_lldb.py' PROGRAM. It calls none of the
program's functions, unless an expression of yours does, and, but for keep-maps, only reads its memory.
"""

import os
import re
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import gradus_debugger as shown  # noqa: E402
from gradus_debugger import Refused  # noqa: E402



class Unreadable(Exception):
    """Memory, or a value, that cannot be read."""


class Value:
    """An SBValue with the operations that gradus_debugger.py uses."""

    def __init__(self, sb):
        self.sb = sb.GetNonSyntheticValue()
        if not self.sb.IsValid() or self.sb.GetError().Fail():
            raise Unreadable(str(self.sb.GetError()))

    def __getitem__(self, key):
        if isinstance(key, str):
            return Value(self.sb.GetChildMemberWithName(key))
        return Value(self.sb.GetValueForExpressionPath("[%d]" % key))

    def __int__(self):
        error = lldb.SBError()
        number = self.sb.GetValueAsSigned(error, 0)
        if self.sb.GetType().GetCanonicalType().IsPointerType():
            number = self.sb.GetValueAsUnsigned(error, 0)
        if error.Fail():
            raise Unreadable(str(error))
        return number

    def dereference(self):
        return Value(self.sb.Dereference())

    def string(self, errors=""):
        pointer = self.sb.GetType().GetCanonicalType().IsPointerType()
        address = int(self) if pointer else self.sb.GetLoadAddress()
        error = lldb.SBError()
        text = self.sb.GetProcess().ReadCStringFromMemory(address, 1024, error)
        if error.Fail():
            raise Unreadable(str(error))
        return text


class Host:
    unreadable = (Unreadable,)
    process = None

    def read(self, address, size):
        error = lldb.SBError()
        data = self.process.ReadMemory(address, size, error)
        if error.Fail():
            raise Unreadable(str(error))
        return data

    def size(self, pointer):
        return pointer.sb.GetType().GetPointeeType().GetByteSize()

    def most(self):
        return 200


shown.host = Host()


def type_name(kind):
    """Tensor, of Tensor and const Tensor."""
    return kind.GetUnqualifiedType().GetName().replace("struct ", "").replace("const ", "")


def of_library(sb):
    """The value of one of the library's structs, or of what a pointer to one points to, and its name; else None."""
    kind = sb.GetType()
    pointer = kind.IsPointerType()
    name = type_name(kind.GetPointeeType() if pointer else kind)
    if name not in shown.TEXTS or (pointer and not sb.GetValueAsUnsigned()):
        return None, name
    Host.process = sb.GetProcess()
    return Value(sb.Dereference() if pointer else sb), name


# ---- what an editor shows, and a backtrace --------------------------------------------------------


def one_line(sb, _):
    sb = sb.GetNonSyntheticValue()
    value, name = of_library(sb)
    if value is None:  # NULL, or a pointer to a pointer
        return ""
    return shown.tensor_line(value, True) if name == "Tensor" else shown.TEXTS[name](value)


class OpenedTensor:
    """The children of a tensor: its shape, the op that made it, and its values and gradient as arrays of their axes."""

    def __init__(self, sb, _):
        self.sb, self.found = sb, []

    def update(self):
        self.found = []
        try:
            t, _ = of_library(self.sb)
            if t is not None:
                self.found = [self.array(t, name, member) if member else t[name].sb for name, member in shown.opened(t)]
        except (Unreadable, ValueError, OverflowError):
            pass

    def array(self, t, name, member):
        kind = t[member].sb.GetType().GetPointeeType().GetUnqualifiedType()
        for n in reversed(shown.shape_of(t["shape"])):
            kind = kind.GetArrayType(n)
        process, error, data = self.sb.GetProcess(), lldb.SBError(), lldb.SBData()
        data.SetData(error, shown.gathered(t, member), process.GetByteOrder(), process.GetAddressByteSize())
        return self.sb.CreateValueFromData(name, data, kind)

    def num_children(self):
        return len(self.found)

    def has_children(self):
        return True

    def get_child_index(self, name):
        names = [child.GetName() for child in self.found]
        return names.index(name) if name in names else -1

    def get_child_at_index(self, i):
        return self.found[i] if 0 <= i < len(self.found) else None


# ---- expressions -----------------------------------------------------------------------------------


def evaluate(context, expression):
    frame = context.GetFrame()
    if not frame.IsValid():
        raise Refused("found no program that runs; expected one: run")
    value = frame.GetValueForVariablePath(expression)
    if not value.IsValid() or value.GetError().Fail():
        value = frame.EvaluateExpression(expression)
    if value.GetError().Fail():
        raise Refused(str(value.GetError()).replace("error: ", "", 1).strip())
    return value


def is_float(sb):
    return sb.GetType().GetCanonicalType().GetBasicType() in (lldb.eBasicTypeFloat, lldb.eBasicTypeDouble)


def plain(sb):
    """A value as gdb writes it: {left = 112, right = 101}, {1, 2}, 9, 0.25."""
    sb = sb.GetNonSyntheticValue()
    kind = sb.GetType().GetCanonicalType()
    if kind.IsArrayType() and not sb.GetSummary():
        return "{" + ", ".join(plain(sb.GetChildAtIndex(i)) for i in range(sb.GetNumChildren())) + "}"
    if kind.GetTypeClass() == lldb.eTypeClassStruct:
        members = [sb.GetChildAtIndex(i) for i in range(sb.GetNumChildren())]
        return "{" + ", ".join("%s = %s" % (m.GetName(), plain(m)) for m in members) + "}"
    text = sb.GetValue() or ""
    if is_float(sb):
        text = "%.9g" % float(text)
    return (text + " " + (sb.GetSummary() or "")).strip()


def elements(context, expression, count):
    """print *ids@7: so many elements from where the expression stands."""
    first = evaluate(context, "&(%s)" % expression)
    kind = first.GetType().GetPointeeType()
    found = [first.CreateValueFromAddress("x", first.GetValueAsUnsigned() + i * kind.GetByteSize(), kind) for i in range(count)]
    return "{" + ", ".join(map(plain, found)) + "}"


def print_text(context, expression):
    expression = re.sub(r"^/\w+\s+", "", expression.strip())
    if not expression:
        raise Refused("print: found no expression; expected one: print x")
    array = re.fullmatch(r"(.*)@(\w+)", expression)
    if array:
        return elements(context, array[1], evaluate(context, array[2]).GetValueAsSigned())
    return value_text(returned if returned and expression in ("$", "*$") else evaluate(context, expression))


def value_text(sb):
    found, name = of_library(sb)
    return shown.TEXTS[name](found) if found else "= " + plain(sb)


def split_arguments(text):
    """At the commas outside of brackets and quotes."""
    parts, depth, quoted = [""], 0, False
    for c in text:
        quoted ^= c == '"'
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def number_of(context, expression):
    value = evaluate(context, expression)
    return float(value.GetValue()) if is_float(value) else value.GetValueAsSigned()


def printf_text(context, text):
    form, *arguments = split_arguments(text)
    form = form.strip('"').encode().decode("unicode_escape").replace("%ld", "%d")
    return (form % tuple(number_of(context, a) for a in arguments)).rstrip("\n")


# ---- commands ------------------------------------------------------------------------------------


def nearest_tape(frame):
    """The first tape that a variable leads to, from the selected frame outwards."""
    while frame.IsValid():
        for sb in frame.GetVariables(True, True, False, True):
            if sb.GetType().GetCanonicalType().IsPointerType():
                try:
                    tape = tape_behind(sb)
                    if tape is not None:
                        return tape
                except (Unreadable, ValueError):
                    pass  # not set yet
        frame = frame.GetThread().GetFrameAtIndex(frame.GetFrameID() + 1)
    raise Refused("tape: no variable here leads to one; expected tape EXPRESSION")


def tape_behind(sb):
    Host.process = sb.GetProcess()
    return shown.tape_of(Value(sb), type_name(sb.GetType().GetPointeeType()))


def tape_text(context, expression):
    shown.expected(context.GetFrame().IsValid(), "tape: no program is running; expected one that has a tape")
    if not expression:
        return shown.tape_table(nearest_tape(context.GetFrame()))
    value = evaluate(context, expression)
    value = value if value.GetType().IsPointerType() else value.AddressOf()
    tape = tape_behind(value) if value.IsValid() else None
    return shown.tape_table(shown.expected(tape, "tape: %s leads to no tape; expected a Tape *, a Tensor * or a Node *" % expression))


def grad_text(context, expression):
    shown.expected(expression, "grad: found no name; expected that of a tensor: grad x")
    found, name = of_library(evaluate(context, expression))
    if found is None or name != "Tensor":
        raise Refused("grad: %s is no tensor; expected a Tensor * or a Tensor" % expression)
    return shown.gradient_text(found, expression)


def ops(target):
    """The ops' rows by their names: the variables op_NAME."""
    found = target.FindGlobalVariables("^op_[a-z0-9_]+$", 1000, lldb.eMatchTypeRegex)
    return {v.GetName()[3:]: v for v in found if type_name(v.GetType()) == "Op"}


def stop_in(target, function, file):
    files = lldb.SBFileSpecList()
    files.Append(file)
    return target.BreakpointCreateByName(function, lldb.eFunctionNameTypeAuto, lldb.SBFileSpecList(), files)


def break_op(context, name):
    """Stops in the op's forward and backward: by their names in the op's file, or, once the program runs, by the op's row in the
    table, since ops share functions; then for this op alone."""
    target = context.GetTarget()
    shown.expected(name, "break-op: found no name; expected that of an op: break-op softmax")
    known = ops(target)
    if name not in known:
        raise Refused('break-op: there is no op "%s"%s' % (name, shown.near(name, sorted(known))))
    lines, runs = [], context.GetFrame().IsValid()
    for member in "forward", "backward":
        own = "%s_%s" % (name, member)
        function, file = own, lldb.SBFileSpec(name + ".c")
        if runs:
            address = target.ResolveLoadAddress(known[name].GetChildMemberWithName(member).GetValueAsUnsigned())
            if not address.GetFunction().IsValid():
                continue
            function, file = address.GetFunction().GetName(), address.GetCompileUnit().GetFileSpec()
        stop = stop_in(target, function, file)
        if stop.GetNumLocations() == 0:
            target.BreakpointDelete(stop.GetID())
            lines.append("break-op: which function has the %s of %s is known once the program runs: then break-op %s" % (member, name, name))
            continue
        if function != own:
            stop.SetScriptCallbackBody("import gradus_lldb; return gradus_lldb.is_op(frame, %r)" % name)
        lines.append("Breakpoint %d: %s in %s" % (stop.GetID(), function, file.GetFilename()))
    return "\n".join(lines)


def is_op(frame, name):
    Host.process = frame.GetThread().GetProcess()
    return shown.text_of(Value(frame.FindVariable("n"))["op"]["name"]) == name


def keep_maps(context, _):
    stop = context.GetTarget().BreakpointCreateByName("tape_new")
    stop.SetScriptCallbackBody("import gradus_lldb; return gradus_lldb.tape_begins(frame)")
    stop.SetAutoContinue(True)


def tape_begins(frame):
    """In tape_new: stops once more where it returns, to set keep_maps."""
    thread = frame.GetThread()
    caller = thread.GetFrameAtIndex(1)
    stop = thread.GetProcess().GetTarget().BreakpointCreateByAddress(caller.GetPC())
    stop.SetOneShot(True)
    stop.SetAutoContinue(True)
    stop.SetScriptCallbackBody("import gradus_lldb; return gradus_lldb.tape_returned(frame)")
    return False


def tape_returned(frame):
    process = frame.GetThread().GetProcess()
    returned = next(r for r in map(frame.FindRegister, ("rax", "x0")) if r.IsValid()).GetValueAsUnsigned()
    kind = process.GetTarget().FindFirstType("Tape")
    if returned:
        tape = process.GetTarget().CreateValueFromAddress("tape", lldb.SBAddress(returned, process.GetTarget()), kind)
        tape.GetNonSyntheticValue().GetChildMemberWithName("keep_maps").SetValueFromCString("1")
    return False


def moved(context, move):
    """The thread after it has moved; the debugger waits for it."""
    if not context.GetFrame().IsValid():
        raise Refused("found no program that runs; expected one: run")
    debugger, thread = context.GetTarget().GetDebugger(), context.GetProcess().GetSelectedThread()
    waits = debugger.GetAsync()
    debugger.SetAsync(False)
    move(thread)
    debugger.SetAsync(waits)
    debugger.HandleCommand("frame select")
    return thread


def next_lines(context, count):
    moved(context, lambda thread: [thread.StepOver() for _ in range(int(count or 1))])


returned = None  # by the last finish: $


def finish(context, _):
    global returned
    returned = moved(context, lambda thread: thread.StepOutOfFrame(thread.GetSelectedFrame())).GetStopReturnValue()
    return "Value returned " + value_text(returned) if returned.IsValid() else ""


COMMANDS = {"print": print_text, "p": print_text, "printf": printf_text, "tape": tape_text, "grad": grad_text, "break-op": break_op,
            "keep-maps": keep_maps, "next": next_lines, "n": next_lines, "finish": finish}
OF_LLDB = ("print", "p", "next", "n", "finish")  # its aliases, which make room for ours


def answer(name, context, text, result):
    try:
        said = COMMANDS[name](context, text.strip())
        if said:
            result.AppendMessage(said)
    except (Refused, Unreadable, ValueError, TypeError) as refused:
        result.SetError(str(refused))


def __lldb_init_module(debugger, _):
    for name in COMMANDS:
        function = "command_" + name.replace("-", "_")
        globals()[function] = lambda _debugger, text, context, result, _dict, name=name: answer(name, context, text, result)
        if name in OF_LLDB:
            debugger.HandleCommand("command unalias " + name)
        debugger.HandleCommand("command script add -f %s.%s %s" % (__name__, function, name))
    for alias in "break _regexp-break", "delete breakpoint delete --force", "backtrace _regexp-bt":
        debugger.HandleCommand("command alias " + alias)
    for name in shown.TEXTS:
        debugger.HandleCommand("type summary add -F %s.one_line %s" % (__name__, name))
    debugger.HandleCommand("type synthetic add -l %s.OpenedTensor Tensor" % __name__)
    skipped = ["shape_.*", "strided_rows.*", "strided_elements", "strides_in_bounds", *shown.SKIPPED_FUNCTIONS]
    debugger.HandleCommand("settings set target.process.thread.step-avoid-regexp ^(%s)$" % "|".join(skipped))
