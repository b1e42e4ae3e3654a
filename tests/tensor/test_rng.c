/* test_rng.c: random numbers: the published ones, a function of their position, and fair.
 *
 * Statistical checks have a fixed seed, so that they pass or fail for good; each bound is a number
 * of standard errors that a fair generator exceeds with the probability stated. */
#include "tensor/memory.h"
#include "tests/harness/test.h"

#include <math.h>

/* Known answers of the Random123 library (kat_vectors, philox4x32 with 10 rounds). */
TEST(known_answers)
{
    static const uint32_t table[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        rng_philox(table[i], table[i] + 4, out);
        for (int k = 0; k < 4; k++)
            CHECK(out[k] == table[i][6 + k], "vector %d, word %d: %08x; expected %08x", i, k,
                  out[k], table[i][6 + k]);
    }
}

/* Number n is word n mod 4 of block n / 4, the stream in the counter's upper half, the seed the
 * key. */
TEST(layout_of_a_sequence)
{
    Rng r = {.seed = 0x1122334455667788,
             .stream = 0x99aabbccddeeff00,
             .position = 0x4000000000000 - 2};
    for (int i = 0; i < 6; i++) {
        uint64_t n = 0x4000000000000 - 2 + (uint64_t)i, block = n / 4;
        const uint32_t counter[] = {(uint32_t)block, (uint32_t)(block >> 32), 0xddeeff00,
                                    0x99aabbcc};
        const uint32_t key[] = {0x55667788, 0x11223344};
        uint32_t out[4], got = rng_bits(&r);
        rng_philox(counter, key, out);
        CHECK(got == out[n % 4], "number %d: %08x; expected %08x", i, got, out[n % 4]);
    }
}

/* From the known answer for counter 0 and key 0, by the formulas, computed with Python's floats. */
TEST(first_values)
{
    Rng r = {0}, s = {0};
    CHECK_CLOSE(rng_uniform(&r), 0.8805201978886142, 0);
    CHECK_CLOSE(rng_normal(&s), -1.62496344087104, 4e-15); /* log and cos differ by an ulp or so */
    CHECK(r.position == 2 && s.position == 4, "taken %d and %d", (int)r.position, (int)s.position);
}

/* A call that needs two words takes the next two, across the end of a block too. */
TEST(words_in_their_order)
{
    for (uint64_t at = 0; at < 8; at++) {
        Rng whole = {.seed = 9, .position = at}, words = whole;
        double low = rng_bits(&words) >> 11, high = rng_bits(&words);
        CHECK_CLOSE(rng_uniform(&whole), high * 0x1p-32 + low * 0x1p-53, 0);
    }
}

/* Any number can be made without those before it, wherever in a block it begins. */
TEST(function_of_position)
{
    Rng run = {.seed = 7, .stream = 1};
    rng_bits(&run); /* so that normals begin inside a block */
    for (int i = 0; i < 40; i++) {
        Rng jump = {.seed = 7, .stream = 1, .position = 1 + 6 * (uint64_t)i};
        double a = rng_normal(&run), b = rng_normal(&jump);
        CHECK(a == b, "normal %d: %.17g in the run, %.17g after a jump", i, a, b);
        a = rng_uniform(&run);
        b = rng_uniform(&jump);
        CHECK(a == b, "uniform %d: %.17g in the run, %.17g after a jump", i, a, b);
    }
}

/* 2^64 mod 3 2^61 is 2^62: without rejection the lower two thirds would come with probability
 * 3/4. */
TEST(below_has_no_favourites)
{
    enum { N = 20000 };
    const int64_t n = 3 * ((int64_t)1 << 61);
    Rng r = {.seed = 6};
    int low = 0;
    for (int i = 0; i < N; i++)
        low += rng_below(&r, n) < (int64_t)1 << 62;
    CHECK_CLOSE((double)low / N, 2.0 / 3, 4 * sqrt(2.0 / 9 / N));
    CHECK(r.position > 2 * N, "nothing was rejected");
}

TEST(below_nothing_is_an_error)
{
    Rng r = {0};
    CHECK(rng_below(&r, 0) == 0, "not 0");
    CHECK_ERROR("rng_below: n is 0; expected at least 1");
    CHECK(rng_below(&r, -3) == 0, "not 0");
    CHECK_ERROR("rng_below: n is -3");
}

/* Each of the 24 orders of 4 things, 1000 times expected; chi squared over 23 degrees, p = 1e-4. */
TEST(shuffles_are_fair)
{
    int count[256] = {0}, orders = 0;
    Rng r = {.seed = 8};
    for (int i = 0; i < 24000; i++) {
        int items[] = {0, 1, 2, 3};
        rng_shuffle(&r, items, 4);
        count[items[0] * 64 + items[1] * 16 + items[2] * 4 + items[3]]++;
    }
    double chi2 = 0;
    for (int i = 0; i < 256; i++)
        if (count[i] > 0) {
            orders++;
            chi2 += pow(count[i] - 1000, 2) / 1000;
        }
    CHECK(orders == 24, "%d different orders", orders);
    CHECK(chi2 < 56, "chi squared %g", chi2);
    int one = 42;
    rng_shuffle(&r, &one, 1);
    rng_shuffle(&r, NULL, 0);
    CHECK(one == 42, "%d", one);
}

/* Computed in Python from the formula in rng.c: a weight's seed must not change between
 * versions. */
TEST(hashes_are_fixed)
{
    static const struct {
        uint64_t seed;
        const char *text;
        uint64_t hash;
    } table[] = {
        {0, "", 0xf52a15e9a9b5e89b},
        {0, "a", 0x02c0bdbf481420f8},
        {42, "blocks.0.attn.in_proj_weight", 0x2a120fee2685a5d8},
        {UINT64_MAX, "\xc3\xa9", 0x3ae1e7e16f985a97},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint64_t hash = rng_hash(table[i].seed, table[i].text);
        CHECK(hash == table[i].hash, "\"%s\": %016llx", table[i].text, (unsigned long long)hash);
    }
    CHECK(rng_hash(0, NULL) == rng_hash(0, ""), "NULL is not nothing");
}
