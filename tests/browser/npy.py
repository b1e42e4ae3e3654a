"""Reads and writes the .npy files (numpy.lib.format) of numbers in the forms that gradus uses."""
import pathlib
import struct

LETTERS = {"<f4": "f", "<f8": "d", "<i4": "i", "|u1": "B"}


def read_npy(path):
    """Shape and numbers, row after row."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + length].decode(), {"__builtins__": {}})  # a dict of literals
    assert data[:6] == b"\x93NUMPY" and not header["fortran_order"], path
    letter = LETTERS[header["descr"]]
    return header["shape"], struct.unpack(f"<{(len(data) - 10 - length) // struct.calcsize(letter)}{letter}", data[10 + length:])


def write_npy(path, kind, shape, numbers):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                                   struct.pack(f"<{len(numbers)}{LETTERS[kind]}", *numbers))
