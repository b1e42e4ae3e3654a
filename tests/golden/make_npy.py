#!/usr/bin/env python3
"""make_npy.py: small arrays as NumPy itself writes them, for test_arrays.c and test_npy.c. Run by hand.

    python3 tests/golden/make_npy.py

Element i of an array, counted in C order, is what test_arrays.c computes again: i - 2 for real numbers and
signed integers, 40 i for bytes, i % 2 for truth values.
"""
import pathlib

import numpy as np
from numpy.lib import format as npy

here = pathlib.Path(__file__).parent / "npy"
here.mkdir(exist_ok=True)


def save(name, array, version=(1, 0)):
    with open(here / (name + ".npy"), "wb") as out:
        npy.write_array(out, array, version=version)


count = np.arange(6) - 2
for name in ("f4", "f8", "f2", "i4", "i8", "i2", "i1"):
    save(name, count.astype("<" + name).reshape(2, 3))
save("u1", (np.arange(6) * 40).astype("u1").reshape(3, 2))
for name in ("u2", "u4", "u8"):
    save(name, (np.arange(6) * 40).astype("<" + name).reshape(3, 2))
save("b1", (np.arange(5) % 2).astype(bool))
save("fortran", np.asfortranarray((np.arange(24) - 2).astype("<f4").reshape(2, 3, 4)))
save("fortran_ids", np.asfortranarray(count.astype("<i4").reshape(3, 2)))
save("version2", count.astype("<f4"), version=(2, 0))
save("scalar", np.array(-2, dtype="<f4"))
save("empty", np.zeros((0, 3), dtype="<f8"))
save("big", count.astype(">f4"))
for name in ("f8", "f2", "i8"):
    save("big_" + name, count.astype(">" + name).reshape(2, 3))
save("big_i2", np.asfortranarray(count.astype(">i2").reshape(3, 2)))
save("big_u4", (np.arange(6) * 40).astype(">u4").reshape(2, 3))
save("object", np.array([None, {}], dtype=object))
save("record", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
save("complex", np.zeros(2, dtype="<c8"))
save("text", np.array(["ab"]))
arrays = {"A": count.astype("<f4").reshape(2, 3), "k": (np.arange(300) % 7).astype("<i8").reshape(2, 150), "half": count.astype("<f2")}
np.savez(here / "stored.npz", **arrays)
np.savez_compressed(here / "deflated.npz", **arrays)
np.save(here / "large.npy", np.array([2**40, -(2**40)]))
