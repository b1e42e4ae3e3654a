/* test_block_kinds.c: parts of blocks of which the lectures speak in passing: rotary positions, a
 * gated feed-forward layer, positions with an offset; and weights for running only. Closed
 * forms. */
#include "tests/harness/runner.h"
#include "nn/internal.h"

#include <math.h>
#include <string.h>

/* In double some thousand roundings; in float the same, of numbers around 1. */
#define CLOSE (sizeof(real) == 8 ? 1e-12 : 2e-5)

/* Row p of the table: cos and sin of p base^(-2i/n). */
static void rotary_table(void)
{
    Params *p = params_new(1);
    Rotary r;
    REQUIRE(nn_rotary_init(&r, p, 4, 6, 100), "%s", tensor_error());
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 3; i++) {
            double angle = t / pow(100, i / 3.0);
            CHECK_CLOSE(r.table->data[t * 6 + i], cos(angle), 1e-7);
            CHECK_CLOSE(r.table->data[t * 6 + 3 + i], sin(angle), 1e-7);
        }
    CHECK(p->count == 0, "the table is a weight");
    CHECK(!nn_rotary_init(&r, p, 4, 5, 100), "five channels");
    CHECK_ERROR("nn_rotary_init: 5 channels, base 100; expected an even number");
    CHECK(!nn_rotary_init(&r, p, 0, 4, 100), "no positions");
    CHECK_ERROR("nn_rotary_init: the longest text has 0 tokens; expected 1 or more");
    params_free(p);
}

/* SwiGLU of one channel: down (silu(gate x) up x), by hand. */
static void gated_by_hand(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    FeedForward f;
    REQUIRE(nn_feedforward_init(&f, p, "ff", 1, 1, ACTIVATION_SILU, 0) &&
                nn_linear_init(&f.gate, p, "ff.gate", 1, 1, true),
            "%s", tensor_error());
    f.gate.weight->data[0] = 2, f.gate.bias->data[0] = 1;
    f.up.weight->data[0] = 3, f.up.bias->data[0] = -1;
    f.down.weight->data[0] = 5, f.down.bias->data[0] = 7;
    Tensor *y = nn_feedforward(&f, tape_full(tape, (real)0.5, shape2(1, 1)));
    CHECK_CLOSE(tensor_item(y), 5 * (2 / (1 + exp(-2.0))) * 0.5 + 7, 1e-6); /* gate 2, up 0.5 */
    CHECK(tensor_is_poison(nn_activation((Activation)99, y)), "activation 99");
    CHECK_ERROR("nn_activation: the activation is 99");
    tape_free(tape);
    params_free(p);
}

/* A new block with these settings, on three tokens. */
static Tensor *block_of(BlockConfig c, bool decoder, Tape *tape)
{
    Params *p = params_new(1);
    TransformerBlock encoder_block;
    DecoderBlock decoder_block;
    const Mask all = {0};
    Tensor *x = tape_full(tape, 0, shape3(1, 3, 8)), *y;
    for (int i = 0; i < 24; i++)
        x->data[i] = (real)sin(1.7 * i);
    bool ok = decoder ? nn_decoder_block_init(&decoder_block, p, "b", c)
                      : nn_transformer_block_init(&encoder_block, p, "b", c);
    CHECK(ok, "%s", tensor_error());
    y = decoder ? nn_decoder_block(&decoder_block, x, x, all, all)
                : nn_transformer_block(&encoder_block, x, all);
    y = tensor_clone(y);
    tape_reset(tape);
    params_free(p);
    return y;
}

/* Those of which the blocks of test_golden_nn.c and test_decoder.c show nothing: each changes what
 * an encoder's and a decoder's block compute. */
static void settings_of_blocks(void)
{
    Params *constants = params_new(1);
    Tape *tape = tape_new(1);
    Rotary r;
    tape->training = true; /* so that dropout shows */
    REQUIRE(nn_rotary_init(&r, constants, 3, 4, 100), "%s", tensor_error());
    const BlockConfig changed[] = {{.activation = ACTIVATION_RELU},
                                   {.rotary = &r},
                                   {.dropout = 0.5}};
    for (int k = 0; k < 6; k++) {
        BlockConfig c = changed[k / 2];
        c.channels = 8, c.heads = 2;
        Tensor *usual = block_of((BlockConfig){.channels = 8, .heads = 2}, k % 2, tape),
               *other = block_of(c, k % 2, tape);
        CHECK(usual && other && tensor_difference(other, usual, 0, 1e-3), "setting %d of block %d",
              k / 2, k % 2);
        tensor_free(usual);
        tensor_free(other);
    }
    tape_free(tape);
    params_free(constants);
}

static void positions_with_an_offset(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    PositionalEncoding e;
    REQUIRE(nn_position_init(&e, p, "pos", POSITION_LEARNED, 6, 1), "%s", tensor_error());
    for (int i = 0; i < 6; i++)
        e.weight->data[i] = (real)(10 * i);
    e.offset = 2;
    Tensor *y = nn_position(&e, tape_full(tape, 1, shape3(1, 4, 1)));
    const int where[] = {3, 0};
    Tensor *z = nn_position_at(&e, tape_full(tape, 1, shape3(1, 2, 1)),
                               tape_ids(tape, where, shape2(1, 2)));
    for (int t = 0; t < 4; t++)
        CHECK_CLOSE(y->data[t], 1 + 10 * (t + 2), 0);
    CHECK_CLOSE(z->data[0], 51, 0);
    CHECK_CLOSE(z->data[1], 21, 0);
    CHECK(tensor_is_poison(nn_position(&e, tape_full(tape, 1, shape3(1, 5, 1)))), "five tokens");
    CHECK_ERROR("with T <= 4");
    tape_free(tape);
    params_free(p);
}

static void weights_for_running_only(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    Linear l, trained;
    p->only_run = true;
    REQUIRE(nn_linear_init(&l, p, "l", 3, 2, true), "%s", tensor_error());
    p->only_run = false;
    REQUIRE(nn_linear_init(&trained, p, "t", 2, 2, false), "%s", tensor_error());
    CHECK(!l.weight->grad && !l.weight->needs_grad && !p->grad[0], "a gradient");
    CHECK(params_trained(p) == 4, "%d numbers are trained", (int)params_trained(p));
    for (int i = 0; i < 6; i++)
        l.weight->data[i] = (real)i;
    l.bias->data[0] = l.bias->data[1] = 0;
    for (int again = 0; again < 2; again++) { /* frozen, then not */
        params_zero_grad(p);
        tape_reset(tape);
        Tensor *x = tape_full(tape, 1, shape2(1, 3));
        CHECK(ag_backward(ag_sum(nn_linear(&trained, nn_linear(&l, x)))), "%s", tensor_error());
        CHECK_CLOSE(trained.weight->grad[1], 3 + 4 + 5, 1e-5);
        CHECK((l.weight->grad != NULL) == (again == 1), "gradient of the frozen weight");
        if (!again)
            CHECK(params_freeze(p, "l", false) == 2, "%s", tensor_error());
    }
    real sum = trained.weight->data[0] + trained.weight->data[2];
    CHECK_CLOSE(l.weight->grad[0], sum, 1e-6);
    tape_free(tape);
    params_free(p);
}

static const TestCase cases[] = {
    {"rotary table", rotary_table},
    {"gated feed-forward by hand", gated_by_hand},
    {"settings of blocks", settings_of_blocks},
    {"positions with an offset", positions_with_an_offset},
    {"weights for running only", weights_for_running_only},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("block_kinds", cases, argc, argv);
}
