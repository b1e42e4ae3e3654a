/* test_position.c: the positional encoding against its formula. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "nn/nn.h"

#include <math.h>

enum { B = 2, T = 5, C = 6 };

static void sinusoids_are_their_formula(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    PositionalEncoding e;
    CHECK(nn_position_init(&e, p, "position", POSITION_SINUSOIDAL, 40, C), "%s", tensor_error());
    CHECK(p->count == 0, "the sinusoids are a weight");
    Tensor *x = sequence_leaf(tape, B, T, C, 0), *y = nn_position(&e, x);
    for (int k = 0; k < B * T * C; k++) {
        int t = k / C % T, i = k % C / 2;
        double angle = t / pow(10000, 2.0 * i / C);
        double want = x->data[k] + (k % 2 ? cos(angle) : sin(angle));
        CHECK_CLOSE(y->data[k], want, sizeof(real) == sizeof(double) ? 1e-14 : 1e-6);
    }
    CHECK(ag_backward(ag_sum(y)) && !e.weight->grad, "the sinusoids got a gradient");
    tape_reset(tape);
    CHECK(tensor_is_poison(nn_position(&e, tape_full(tape, 0, shape3(1, 41, C)))), "41 of 40");
    CHECK_ERROR("nn_position: x is (1, 41, 6); expected (B, T, 6) with T <= 40");
    CHECK(!nn_position_init(&e, p, "position", (PositionKind)9, 40, C), "the ninth kind");
    CHECK_ERROR("nn_position_init: the kind is 9; expected POSITION_SINUSOIDAL, POSITION_LEARNED "
                "or POSITION_NONE");
    tape_free(tape);
    params_free(p);
}

static void learned_positions_learn(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    PositionalEncoding e;
    CHECK(nn_position_init(&e, p, "position", POSITION_LEARNED, T + 1, C), "%s", tensor_error());
    Tensor *x = sequence_leaf(tape, B, T, C, 0), *y = nn_position(&e, x);
    CHECK_CLOSE(y->data[T * C + 1], x->data[T * C + 1] + e.weight->data[1], 1e-7);
    CHECK(ag_backward(ag_sum(y)), "%s", tensor_error());
    for (int i = 0; i < (T + 1) * C;
         i++) /* once for each sequence; the last position is not used */
        CHECK_CLOSE(e.weight->grad[i], i < T * C ? B : 0, 0);
    tape_free(tape);
    params_free(p);
}

static const TestCase cases[] = {
    {"sinusoids are their formula", sinusoids_are_their_formula},
    {"learned positions learn", learned_positions_learn},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("position", cases, argc, argv);
}
