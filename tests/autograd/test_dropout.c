/* test_dropout.c: dropout against its definition. What falls is our own choice, so no oracle knows
 * it:
 *
 *   element i of the d-th dropout of step s falls where word i mod 4 of
 *   philox(counter = (i / 4, s 2^20 + d), key = seed) is below p 2^32 */
#include "tensor/memory.h"
#include "tests/harness/test.h"
#include "autograd/autograd.h"

#include <stdlib.h>
#include <string.h>

static const real probabilities[] = {(real)0.1, (real)0.5, (real)0.9};

/* n numbers that are not 0, in training. */
static Tensor *numbers(Tape *tape, int64_t n)
{
    real *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)(1 + i % 7) / 4;
    tape->training = true;
    Tensor *t = tape_leaf(tape, x, shape1(n));
    free(x);
    return t;
}

static bool falls(uint64_t seed, uint64_t stream, uint64_t i, real p)
{
    uint32_t counter[4] = {(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), (uint32_t)stream,
                           (uint32_t)(stream >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, word[4];
    rng_philox(counter, key, word);
    return word[i % 4] < (double)p * 0x1p32;
}

TEST(follows_the_rule)
{
    const uint64_t seed = 0x123456789abcdefu, step = 5;
    Tape *tape = tape_new(seed);
    for (int k = 0; k < 3; k++) {
        real p = probabilities[k];
        tape_reset(tape);
        tape->step = step + (uint64_t)k;
        Tensor *x = numbers(tape, 1001);
        for (uint64_t d = 1; d <= 3; d++) {
            Tensor *y = ag_dropout(x, p);
            int wrong = 0;
            for (int64_t i = 0; i < 1001; i++) {
                bool fell = falls(seed, (tape->step << 20) + d, (uint64_t)i, p);
                wrong += y->data[i] != (fell ? 0 : x->data[i] / (1 - p));
            }
            CHECK(wrong == 0, "p %g, dropout %d: %d of 1001 elements", (double)p, (int)d, wrong);
        }
    }
    tape_free(tape);
}

TEST(rests_when_not_training)
{
    Tape *tape = tape_new(6);
    Tensor *x = numbers(tape, 10);
    CHECK(ag_dropout(x, 0) == x, "p = 0 is not x itself");
    tape->training = false;
    CHECK(ag_dropout(x, (real)0.5) == x, "without training it is not x itself");
    CHECK(tape->nodes == 0, "%d nodes were recorded", tape->nodes);
    ag_dropout(x, 1);
    CHECK_ERROR("0 <= p < 1");
    tape_free(tape);
}

/* Only what has dropped something counts as a step: neither further resets nor a validation pass
 * change what falls in the next. */
TEST(what_falls_does_not_depend_on_other_steps)
{
    real kept[2][64];
    for (int more = 0; more < 2; more++) {
        Tape *tape = tape_new(5);
        for (int step = 0; step < 3; step++) {
            for (int i = 0; i <= 2 * more; i++) {
                tape->training = i != 1;
                if (i == 1)
                    ag_dropout(tape_full(tape, 1, shape1(3)), (real)0.5);
                tape_reset(tape);
            }
            Tensor *ones = tape_full(tape, 1, shape1(64));
            ag_dropout(ones, (real)0.5);
            tensor_read(ag_dropout(ones, (real)0.5), kept[more]);
        }
        tape_free(tape);
    }
    CHECK(memcmp(kept[0], kept[1], sizeof *kept) == 0, "the same seed and step drop differently");
}
