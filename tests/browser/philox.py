"""Random numbers as tensor/rng.c and decoding.js must compute them: Philox4x32-10 by the paper (Salmon, Moraes, Dror, Shaw,
"Parallel random numbers: as easy as 1, 2, 3", SC 2011)."""
import math


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


# the known answer that the authors publish with their code
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


class Rng:
    def __init__(self, seed, stream=0, position=0):
        self.key = [seed & 0xFFFFFFFF, seed >> 32]
        self.stream = [stream & 0xFFFFFFFF, stream >> 32]
        self.position = position

    def bits(self):
        block, word = divmod(self.position, 4)
        self.position += 1
        return philox([block & 0xFFFFFFFF, block >> 32, *self.stream], self.key)[word]

    def uniform(self):
        low, high = self.bits(), self.bits()
        return ((high << 32 | low) >> 11) * 2.0**-53

    def normal(self):
        u, v = 1 - self.uniform(), self.uniform()
        return math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
