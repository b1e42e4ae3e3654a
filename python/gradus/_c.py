"""The C library, called through ctypes.

Structures, enumerations and functions are read from the library's public headers, which are installed beside this file, so
that there is no second list of them. Every call raises gradus.Error where the library reports a failure. Arrays are read where
they lie; NumPy converts those that are not float32.
"""
import ctypes
import os
import pathlib
import re
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = ["tensor/tensor.h", "autograd/autograd.h", "autograd/inspect.h", "nn/nn.h", "nn/decode/decode.h", "nn/pretrained/pretrained.h",
           "data/data.h", "plot/plot.h", "plot/pages.h"]
ORDER = "<" if sys.byteorder == "little" else ">"
TYPES = {"void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "unsigned char": ctypes.c_ubyte, "int": ctypes.c_int,
         "unsigned": ctypes.c_uint, "float": ctypes.c_float, "double": ctypes.c_double, "real": ctypes.c_float,
         "size_t": ctypes.c_size_t, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64,
         "uint64_t": ctypes.c_uint64, "uint8_t": ctypes.c_uint8, "int8_t": ctypes.c_int8, "int16_t": ctypes.c_int16}


class Error(Exception):
    """What the library reports: "function: what was found; what was expected"."""


class LabelError(Error, ValueError):
    """Labels that are not as many as what they name."""


class Headers:
    """The types, constants and functions that the headers declare."""

    def __init__(self, text: str):
        self.types, self.constants, self.functions = dict(TYPES), {}, {}
        for left_out in (r"(?s)/\*.*?\*/", r"(?m)^[ \t]*#(?:.*\\\n)*.*$", r"(?ms)^static inline.*?^\}", r"GRADUS_PRINTF\([^)]*\)",
                         r"\b(const|extern|GRADUS_BEGIN|GRADUS_END)\b", r"\s+"):
            text = re.sub(left_out, " ", text)
        # The innermost structure or enumeration becomes a name, until none is left; the names before it are known by then.
        done = 0
        while block := re.search(r"\b(struct|enum) ?(\w*) ?\{([^{}]*)\}", text):
            kind, tag, body = block.groups()
            self.typedefs(text[done:block.start()])
            done = max(0, block.start() - len("typedef "))
            name = self.enumeration(body) if kind == "enum" else self.structure(tag or f"Anonymous{block.start()}", body)
            text = text[:block.start()] + name + text[block.end():]
        self.typedefs(text[done:])
        for result, name, arguments in re.findall(r"GRADUS_API ([^;()]+?)(\w+)\(([^;]*?)\) ?;", text):
            given = [a for a in arguments.split(",") if a.strip() not in ("void", "", "...")]
            self.functions[name] = (self.type_of(result), [self.declared(a)[1] for a in given])

    def enumeration(self, body: str) -> str:
        value = -1
        for name, _, given in (item.partition("=") for item in body.split(",") if item.strip()):
            value = int(eval(given, {}, self.constants)) if given else value + 1
            self.constants[name.strip()] = value
        return "int"

    def structure(self, tag: str, body: str) -> str:
        fields = []
        for member in filter(str.strip, body.split(";")):
            if "(" in member:  # a pointer to a function
                fields.append((re.search(r"\(\*(\w+)\)", member)[1], ctypes.c_void_p))
                continue
            first, *others = member.split(",")
            base = re.match(r"(.*?)[\s*]*\w+ ?(\[[^\]]*\] ?)*$", first.strip())[1]
            fields += [self.declared(d) for d in [first] + [f"{base} {o}" for o in others]]
        self.named(tag)._fields_ = fields
        return tag

    def typedefs(self, text: str) -> None:
        for known, name in re.findall(r"\btypedef (?:struct )?([\w ]+?) (\w+) ?;", text):
            self.types.setdefault(name, self.named(known))
        for name in re.findall(r"typedef [^;]*?\( ?\*(\w+)\)\([^;]*\);", text):  # pointers to functions
            self.types[name] = ctypes.c_void_p

    def named(self, name: str):
        """The type of this name; a structure without members while nothing is known of it."""
        name = name.replace("struct ", "").strip()
        return self.types[name] if name in self.types else self.types.setdefault(name, type(name, (ctypes.Structure,), {}))

    def type_of(self, words: str):
        stars, base = words.count("*"), self.named(words.replace("*", ""))
        if stars and base in (None, ctypes.c_char):
            base, stars = ctypes.c_char_p if base else ctypes.c_void_p, stars - 1
        for _ in range(stars):
            base = ctypes.POINTER(base)
        return base

    def declared(self, text: str):
        """Name and type of a member or an argument such as "real *x[4]"."""
        words, name, counts = re.match(r"(.*?[\s*])(\w+) ?((?:\[[^\]]*\] ?)*)$", text.strip()).groups()
        found = self.type_of(words)
        for count in reversed(re.findall(r"\[([^\]]*)\]", counts)):
            found = found * eval(count, {}, self.constants) if count.strip() else ctypes.POINTER(found)
        return name, found


class Library:
    """Functions, types and constants of the C library as attributes, under their names in C."""

    def __init__(self):
        path = os.environ.get("GRADUS_LIBRARY") or HERE / f"libgradus-notebook.{ {'darwin': 'dylib', 'win32': 'dll'}.get(sys.platform, 'so')}"
        if not os.path.exists(path):
            raise ImportError(f"gradus: found no library {path}; expected an installed package (pip install .), or its path in the "
                              "environment variable GRADUS_LIBRARY")
        root = HERE / "include" if (HERE / "include").exists() else HERE.parents[1]
        self.headers = Headers("\n".join((root / header).read_text("utf-8") for header in HEADERS))
        self.library = ctypes.CDLL(str(path))
        for name in ("tensor_failed", "tensor_error", "tensor_clear_error"):
            function = getattr(self.library, name)
            function.restype, function.argtypes = self.headers.functions[name]

    def check(self, result=None, *_):
        if self.library.tensor_failed():
            text = self.library.tensor_error().decode("utf-8", "replace")
            self.library.tensor_clear_error()
            raise Error(text)
        return result

    def __getattr__(self, name: str):
        headers = self.headers
        if name in headers.functions:
            value = getattr(self.library, name)
            value.restype, value.argtypes = headers.functions[name]
            value.errcheck = self.check
        elif name in headers.constants or name in headers.types:
            value = headers.constants.get(name, headers.types.get(name))
        else:
            raise AttributeError(f"the headers of gradus declare no {name}")
        setattr(self, name, value)
        return value


C = Library()


def text(value):
    """A text for C; None is NULL."""
    return None if value is None else str(value).encode("utf-8", "surrogateescape")


def texts(values):
    """(n) texts for C."""
    return (ctypes.c_char_p * len(values))(*map(text, values))


def ids(values):
    """(n) whole numbers for C; None is NULL."""
    values = values.tolist() if hasattr(values, "tolist") else values
    return None if values is None else (ctypes.c_int * len(values))(*values)


def _strided(x):
    """Address, shape and strides in bytes of float32 numbers, and the object that owns them."""
    if hasattr(x, "detach"):  # PyTorch; NumPy has no bfloat16
        x = x.detach().cpu()
        x = (x.float() if x.is_floating_point() else x).numpy()
    if not hasattr(x, "__array_interface__") and isinstance(x, (memoryview, ctypes.Array)):
        view = memoryview(x)
        if view.format in ("f", "<f", ">f") and view.c_contiguous:
            owner = (ctypes.c_char * view.nbytes).from_buffer(bytearray(view) if view.readonly else view)
            return ctypes.addressof(owner), view.shape, view.strides, owner
    if getattr(x, "__array_interface__", {"typestr": ""})["typestr"] != ORDER + "f4":
        import numpy
        x = numpy.asarray(x, dtype=numpy.float32)
    x = x.copy() if any(s < 0 or s % 4 for s in x.strides) else x
    return x.ctypes.data, x.shape, x.strides, x


def tensor(x):
    """A Tensor over the numbers of an array of NumPy, PyTorch or any other library that NumPy can read, or of a buffer of floats:
    float32 without a copy, other types converted. It keeps the array alive."""
    if isinstance(x, C.Tensor):
        return x
    address, shape, strides, owner = _strided(x)
    if len(shape) > C.TENSOR_MAX_RANK:
        raise Error(f"tensor: found an array of {len(shape)} axes; expected at most {C.TENSOR_MAX_RANK}")
    t = C.Tensor()
    t.shape.rank, t.owner = len(shape), owner
    t.shape.dim[:len(shape)], t.stride[:len(shape)] = shape, [s // 4 for s in strides]
    t.data = ctypes.cast(address, type(t.data))
    return t


def contiguous(x):
    """The same with its numbers row after row."""
    t = tensor(x)
    if not C.tensor_is_contiguous(ctypes.byref(t)):
        t.owner = (ctypes.c_float * C.tensor_size(ctypes.byref(t)))()
        C.tensor_read(ctypes.byref(t), t.owner)
        C.tensor_set_contiguous(ctypes.byref(t), t.shape)
        t.data = ctypes.cast(t.owner, type(t.data))
    return t


def array(pointer, owner, gradient: bool = False):
    """A C tensor, or its gradient, as a NumPy array of the same shape, without a copy; it cannot be written."""
    import numpy
    t = pointer.contents
    start = t.grad if gradient else t.data
    if not start:
        raise Error(f"gradient: {C.tensor_describe(pointer).decode()} has none; expected a backward pass that reached it")
    return numpy.asarray(types.SimpleNamespace(owner=owner, __array_interface__={
        "version": 3, "typestr": ORDER + "f4", "shape": tuple(t.shape.dim[:t.shape.rank]),
        "strides": tuple(4 * s for s in t.stride[:t.shape.rank]), "data": (ctypes.cast(start, ctypes.c_void_p).value, True)}))
