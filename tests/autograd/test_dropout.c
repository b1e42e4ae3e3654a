/* test_dropout.c: dropout against its definition. What falls is our own choice, so no oracle knows
 * it:
 *
 *   element i of the d-th dropout of step s falls where word i mod 4 of
 *   philox(counter = (i / 4, s 2^20 + d), key = seed) is below p 2^32 */
#include "tensor/memory.h"
#include "tests/harness/runner.h"
#include "autograd/autograd.h"

#include <stdlib.h>

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

static void follows_the_rule(void)
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

static void backward_uses_the_same_mask(void)
{
    enum { N = 501 };
    real upstream[N];
    Tape *tape = tape_new(4);
    Tensor *x = numbers(tape, N), *y = ag_dropout(x, (real)0.3);
    for (int i = 0; i < N; i++)
        upstream[i] = (real)(i % 5 - 2);
    CHECK(ag_backward_from(y, upstream), "%s", tensor_error());
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += x->grad[i] != (y->data[i] != 0 ? upstream[i] / (1 - (real)0.3) : 0);
    CHECK(wrong == 0, "%d of %d gradients", wrong, N);
    tape_free(tape);
}

static void rests_when_not_training(void)
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

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"what falls follows the rule", follows_the_rule},
        {"backward uses the same mask", backward_uses_the_same_mask},
        {"without training it is the identity", rests_when_not_training},
        {NULL, NULL},
    };
    return run_tests("dropout", cases, argc, argv);
}
