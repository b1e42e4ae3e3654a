/* test_position.c: attention is equivariant to permutations of its tokens; positions and the causal
 * mask break that. The positional encoding against its formula and against a lecture's printed
 * table. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "nn/nn.h"

#include <math.h>

enum { B = 2, T = 5, C = 6, H = 3 };

/* ---- order ----------------------------------------------------------------------------------- */

static const int order[T] = {3, 0, 4, 1, 2};

/* P x: token i of the result is token order[i] of x (1, T, C). */
static Tensor *permuted(Tensor *x)
{
    Tensor *token[T];
    for (int i = 0; i < T; i++)
        token[i] = ag_slice(x, 1, order[i], order[i] + 1);
    return ag_concat(token, T, 1);
}

static double equivariance(const TransformerBlock *b, const PositionalEncoding *e, Tape *tape,
                           Mask mask)
{
    Tensor *x = sequence_leaf(tape, 1, T, C, 0);
    Tensor *f_of_p = nn_transformer_block(b, nn_position(e, permuted(x)), mask);
    Tensor *p_of_f = permuted(nn_transformer_block(b, nn_position(e, x), mask));
    return sequence_difference(f_of_p, p_of_f);
}

/* A set goes in, a set comes out: f(P x) = P f(x), until positions or a causal mask make order
 * visible. */
static void attention_is_blind_to_order(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    TransformerBlock b;
    PositionalEncoding none, sinusoidal, learned;
    CHECK(nn_transformer_block_init(&b, p, "block", (BlockConfig){.channels = C, .heads = H}) &&
              nn_position_init(&none, p, "none", POSITION_NONE, T, C) &&
              nn_position_init(&sinusoidal, p, "sin", POSITION_SINUSOIDAL, T, C) &&
              nn_position_init(&learned, p, "learned", POSITION_LEARNED, T, C),
          "%s", tensor_error());
    double still = equivariance(&b, &none, tape, (Mask){0});
    CHECK(still <= SEQUENCE_CLOSE, "a block without positions sees the order, by %g", still);
    CHECK(equivariance(&b, &sinusoidal, tape, (Mask){0}) > 0.01, "sinusoids do not show the order");
    CHECK(equivariance(&b, &learned, tape, (Mask){0}) > 1e-3, "learned positions do not show it");
    CHECK(equivariance(&b, &none, tape, (Mask){.causal = true}) > 0.01, "the causal mask does not");
    tape_free(tape);
    params_free(p);
}

static void causal_means_no_look_ahead(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    TransformerBlock b;
    CHECK(nn_transformer_block_init(&b, p, "block", (BlockConfig){.channels = C, .heads = H}), "%s",
          tensor_error());
    Tensor *x = sequence_leaf(tape, 1, T, C, 0);
    Tensor *y = nn_transformer_block(&b, x, (Mask){.causal = true});
    CHECK(ag_backward(ag_sum(ag_slice(y, 1, 0, 3))), "%s", tensor_error());
    for (int i = 0; i < T * C; i++)
        CHECK((x->grad[i] != 0) == (i < 3 * C), "dL/dx of token %d is %g", i / C,
              (double)x->grad[i]);
    tape_free(tape);
    params_free(p);
}

/* ---- positions ------------------------------------------------------------------------------- */

/* Vidal, "Positional Encoding": the table printed for "I am a robot", d = 4, n = 100, two
 * decimals. */
static void the_table_of_the_slide(void)
{
    const double slide[] = {0,    1,     0,    1,    0.84, 0.54,  0.10, 1.0,
                            0.91, -0.42, 0.20, 0.98, 0.14, -0.99, 0.30, 0.96};
    real table[16];
    nn_sinusoids(table, 4, 4, 100);
    for (int i = 0; i < 16; i++)
        CHECK_CLOSE(table[i], slide[i], 0.005);
}

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
    {"attention is blind to order", attention_is_blind_to_order},
    {"causal means no look ahead", causal_means_no_look_ahead},
    {"the positional table of the slide", the_table_of_the_slide},
    {"sinusoids are their formula", sinusoids_are_their_formula},
    {"learned positions learn", learned_positions_learn},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("position", cases, argc, argv);
}
