"""Arrays and texts that both tests of the package show, and files of weights."""
import array
import json
import pathlib
import struct

WORDS = ["the", "<b>&\"", "\u00e9t\u00e9 \u732b", "x"]


def floats(shape, first=0.0):
    """Numbers first, first + 1/64, ... of that shape, as a buffer."""
    count = 1
    for n in shape:
        count *= n
    return as_shape(array.array("f", (first + i / 64 for i in range(count))), shape)


def as_shape(flat, shape):
    return memoryview(flat).cast("B").cast("f", list(shape))


def safetensors(path):
    """Shape and numbers of each tensor of a file, by name."""
    raw = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    found = {}
    for name, entry in json.loads(raw[8:8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + at for at in entry["data_offsets"])
            size, letter = {"F64": (8, "d"), "F32": (4, "f"), "I32": (4, "i")}[entry["dtype"]]
            found[name] = entry["shape"], list(struct.unpack(f"<{(end - begin) // size}{letter}", raw[begin:end]))
    return found
