/* rng.c: random numbers that are a function of their position in the sequence.
 *
 *   block b of a sequence = philox(counter = (b, stream), key = seed)      four 32-bit numbers
 *   number n              = word n mod 4 of block n / 4
 *
 * One round multiplies two of the four words and permutes all; ten rounds mix them:
 *   (c0, c1, c2, c3) -> (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0))
 *   (k0, k1)         -> (k0 + W0, k1 + W1)
 * J. Salmon, M. Moraes, R. Dror, D. Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011;
 * the multipliers and key increments are those of its table for Philox4x32. */
#include "tensor/memory.h"

#include <math.h>

void rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u; /* the golden ratio's fraction */
        k1 += 0xBB67AE85u; /* that of the root of 3       */
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

/* The next n numbers; false, with an error, where there is no generator. Each block is computed
 * once for those of them that it holds: four calls of rng_bits compute the same block four
 * times. */
static bool take(Rng *r, const char *function, int n, uint32_t *out)
{
    if (!r)
        return tensor_fail("%s: the generator is NULL; expected one", function);
    const uint32_t key[2] = {(uint32_t)r->seed, (uint32_t)(r->seed >> 32)};
    uint32_t counter[4] = {0, 0, (uint32_t)r->stream, (uint32_t)(r->stream >> 32)}, block[4];
    for (int i = 0; i < n; i++, r->position++) {
        counter[0] = (uint32_t)(r->position / 4);
        counter[1] = (uint32_t)(r->position / 4 >> 32);
        if (i == 0 || r->position % 4 == 0)
            rng_philox(counter, key, block);
        out[i] = block[r->position % 4];
    }
    return true;
}

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* The upper 53 bits as a fraction in [0, 1), exact in a double, so that none rounds up to 1. */
static double fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

uint32_t rng_bits(Rng *r)
{
    uint32_t bits;
    return take(r, "rng_bits", 1, &bits) ? bits : 0;
}

double rng_uniform(Rng *r)
{
    uint32_t w[2];
    return take(r, "rng_uniform", 2, w) ? fraction(join(w[0], w[1])) : 0;
}

/* z = sqrt(-2 ln u) cos(2 pi v), u in (0, 1], v in [0, 1). The sine would be a second normal
 * number; keeping it for the next call would make that call depend on more than the position. */
double rng_normal(Rng *r)
{
    const double two_pi = 6.283185307179586477;
    uint32_t w[4];
    if (!take(r, "rng_normal", 4, w))
        return 0;
    double u = 1.0 - fraction(join(w[0], w[1])), v = fraction(join(w[2], w[3]));
    return sqrt(-2.0 * log(u)) * cos(two_pi * v);
}

/* The remainder of a 64-bit number. Draws that would favour small remainders are rejected. */
int64_t rng_below(Rng *r, int64_t n)
{
    if (n < 1) {
        tensor_fail("rng_below: n is %lld; expected at least 1", (long long)n);
        return 0;
    }
    /* The lowest 2^64 mod n values favour some remainders; they are drawn again. */
    uint64_t range = (uint64_t)n, unfair = (0 - range) % range, x;
    do {
        uint32_t w[2];
        if (!take(r, "rng_below", 2, w))
            return 0;
        x = join(w[0], w[1]);
    } while (x < unfair);
    return (int64_t)(x % range);
}

/* Fisher and Yates: each of the n! orders is equally likely.
 * From the last item down, each is exchanged with one that is not fixed yet, or with itself. */
void rng_shuffle(Rng *r, int32_t *items, int64_t n)
{
    if (!r || n < 0 || (!items && n > 0)) {
        tensor_fail("rng_shuffle: %s; expected a generator and 0 or more items",
                    !r      ? "the generator is NULL"
                    : n < 0 ? "n is below 0"
                            : "items is NULL");
        return;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = rng_below(r, i + 1);
        int item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* A bijection of 64-bit numbers in which each input bit reaches all output bits: Stafford's mix 13,
 * as in SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA
 * 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* FNV-1a (Fowler, Noll, Vo) distinguishes texts by order and repetition; mixing before and after it
 * distinguishes seeds that differ in one bit. */
uint64_t rng_hash(uint64_t seed, const char *text)
{
    uint64_t hash = 0xCBF29CE484222325u ^ mix(seed);
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    return mix(hash);
}
