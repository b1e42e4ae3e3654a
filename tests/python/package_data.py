"""Arrays and texts that tests of the package and of pages show; files of weights; what a page holds."""
import array
import base64
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


def page_data(text):
    """What a page holds: the JSON in its element data."""
    return json.loads(text.split('id="data">')[1].split("</script>")[0])


def unpacked(numbers):
    """The numbers of a packed array, by page.h: code / last of the way from low to high."""
    raw, (letter, last) = base64.b64decode(numbers["base64"]), {8: ("B", 252), 16: ("H", 65532)}[numbers["bits"]]
    codes = struct.unpack(f"<{len(raw) * 8 // numbers['bits']}{letter}", raw)
    return [numbers["low"] + code / last * (numbers["high"] - numbers["low"]) for code in codes]
