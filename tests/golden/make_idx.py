#!/usr/bin/env python3
"""make_idx.py: small IDX files compressed by Python's gzip, for test_idx.c. Run by hand.

    python3 tests/golden/make_idx.py

Byte i of a picture file is 20 i. `bomb` declares 4 bytes and holds 4,000,000; `hungry` declares a billion
and holds 4; `greedy` declares 3,000,000, which 3 kB of gzip could hold, and holds 2,999,999.
"""
import gzip
import pathlib
import struct

here = pathlib.Path(__file__).parent / "idx"
here.mkdir(exist_ok=True)


def save(name, dims, data):
    header = bytes([0, 0, 8, len(dims)]) + b"".join(struct.pack(">I", n) for n in dims)
    (here / (name + ".gz")).write_bytes(gzip.compress(header + data, mtime=0))


save("images", (3, 2, 2), bytes(20 * i for i in range(12)))
save("labels", (3,), bytes([7, 0, 9]))
save("bomb", (4,), bytes(4000000))
save("hungry", (1000, 1000, 1000), bytes(4))
save("greedy", (3000000,), bytes(2999999))
