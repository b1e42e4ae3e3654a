/* test_nn.c: what attention and a block promise beside their numbers: an input without a batch,
 * dropout, positional encodings, settings, weights for running only, counts of operations. Numbers
 * and gradients: test_golden_nn.c; names and what they mean: test_names.c. */
#include "tests/autograd/on_tape.h"
#include "tests/nn/sequences.h"

#include "autograd/tape.h"
#include "nn/nn.h"
#include "nn/internal.h"

#include <math.h>

enum { B = 2, T = 5, C = 6, H = 3 };

TEST_OF_WEIGHTS(one_sequence_without_batch)
{
    MultiHeadAttention a;
    REQUIRE(nn_attention_init(&a, p, "attn", C, H, 0), "%s", tensor_error());
    sequence_weights(p);
    Tensor *x = sequence_leaf(tape, 1, T, C, 0), *flat = ag_reshape(x, shape2(T, C));
    Tensor *y = nn_attention(&a, flat, (Mask){.causal = true});
    Tensor *want = ag_reshape(nn_attention(&a, x, (Mask){.causal = true}), shape2(T, C));
    CHECK(sequence_difference(y, want) == 0, "(T, C) and (1, T, C) differ");
}

/* ---- the block ------------------------------------------------------------------------------- */

/* Dropout falls on the attention's weights and on both branches: at this step, in this order. */
TEST_OF_WEIGHTS(block_has_three_dropouts)
{
    TransformerBlock b;
    BlockConfig c = {.channels = C, .heads = H, .dropout = 0.5};
    CHECK(nn_transformer_block_init(&b, p, "block", c), "%s", tensor_error());
    Tensor *still = nn_transformer_block(&b, sequence_leaf(tape, B, T, C, 0), (Mask){0});
    CHECK(tape->inside->dropouts == 0, "outside of training, dropout fell %d times",
          (int)tape->inside->dropouts);
    tape->training = true;
    Tensor *y = nn_transformer_block(&b, sequence_leaf(tape, B, T, C, 0), (Mask){0});
    CHECK(tape->inside->dropouts == 3, "dropout fell %d times", (int)tape->inside->dropouts);
    CHECK(sequence_difference(y, still) > 0.01, "training changed nothing");
}

/* ---- positions ------------------------------------------------------------------------------- */

TEST_OF_WEIGHTS(sinusoids_are_their_formula)
{
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
    REFUSES_ON(tape, nn_position, "x is (1, 41, 6); expected (B, T, 6) with T <= 40", &e,
               tape_full(tape, 0, shape3(1, 41, C)));
    REFUSES(nn_position_init, "the kind is 9; expected POSITION_SINUSOIDAL, POSITION_LEARNED or",
            &e, p, "position", (PositionKind)9, 40, C);
}

TEST_OF_WEIGHTS(learned_positions_learn)
{
    PositionalEncoding e;
    CHECK(nn_position_init(&e, p, "position", POSITION_LEARNED, T + 1, C), "%s", tensor_error());
    Tensor *x = sequence_leaf(tape, B, T, C, 0), *y = nn_position(&e, x);
    CHECK_CLOSE(y->data[T * C + 1], x->data[T * C + 1] + e.weight->data[1], 1e-7);
    CHECK(ag_backward(ag_sum(y)), "%s", tensor_error());
    for (int i = 0; i < (T + 1) * C;
         i++) /* once for each sequence; the last position is not used */
        CHECK_CLOSE(e.weight->grad[i], i < T * C ? B : 0, 0);
}

/* ---- kinds of blocks ------------------------------------------------------------------------- */

/* A new block with these settings, on three tokens; NULL where it could not be made. */
static Tensor *block_of(BlockConfig c, bool decoder, Tape *tape)
{
    Params *p = params_new(1);
    TransformerBlock block;
    DecoderBlock with_source;
    Tensor *x = sequence_leaf(tape, 1, 3, 8, 0), *y = NULL;
    c.channels = 8, c.heads = 2;
    if (decoder && nn_decoder_block_init(&with_source, p, "b", c))
        y = tensor_clone(nn_decoder_block(&with_source, x, x, (Mask){0}, (Mask){0}));
    if (!decoder && nn_transformer_block_init(&block, p, "b", c))
        y = tensor_clone(nn_transformer_block(&block, x, (Mask){0}));
    tape_reset(tape);
    params_free(p);
    return y;
}

/* Those of which the blocks of test_golden_nn.c and test_decoder.c show nothing: each changes what
 * an encoder's and a decoder's block compute. */
TEST_ON_TAPE(settings_of_blocks)
{
    Params *constants = params_new(1);
    Rotary r;
    tape->training = true; /* so that dropout shows */
    REQUIRE(nn_rotary_init(&r, constants, 3, 4, 100), "%s", tensor_error());
    const BlockConfig changed[] = {{.activation = ACTIVATION_RELU},
                                   {.rotary = &r},
                                   {.dropout = 0.5}};
    for (int k = 0; k < 6; k++) {
        Tensor *usual = block_of((BlockConfig){0}, k % 2, tape);
        Tensor *other = block_of(changed[k / 2], k % 2, tape);
        CHECK(usual && other && tensor_difference(other, usual, 0, 1e-3), "setting %d of block %d",
              k / 2, k % 2);
        tensor_free(usual);
        tensor_free(other);
    }
    params_free(constants);
}

TEST_OF_WEIGHTS(positions_with_an_offset)
{
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
    REFUSES(nn_position, "with T <= 4", &e, tape_full(tape, 1, shape3(1, 5, 1)));
}

TEST_OF_WEIGHTS(weights_for_running_only)
{
    Linear l, trained;
    p->only_run = true;
    REQUIRE(nn_linear_init(&l, p, "l", 3, 2, true), "%s", tensor_error());
    p->only_run = false;
    REQUIRE(nn_linear_init(&trained, p, "t", 2, 2, false), "%s", tensor_error());
    CHECK(!l.weight->grad && !l.weight->needs_grad, "a gradient");
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
}

/* ---- counts of operations -------------------------------------------------------------------- */

TEST_ON_TAPE(operations_of_single_ops)
{
    CHECK(nn_flops(tape) == 0, "of nothing");
    Tensor *a = tape_full(tape, 1, shape3(2, 3, 4)), *b = tape_full(tape, 1, shape2(4, 5));
    ag_matmul(a, b);
    CHECK(nn_flops(tape) == 2 * 2 * 3 * 4 * 5, "matmul: %d", (int)nn_flops(tape));
    tape_reset(tape); /* attention with fewer queries than keys and wider values: T S (d + e) */
    ag_attention(tape_full(tape, 1, shape2(3, 2)), tape_full(tape, 1, shape2(5, 2)),
                 tape_full(tape, 1, shape2(5, 7)), (Mask){0}, 0);
    CHECK(nn_flops(tape) == 2 * 3 * 5 * (2 + 7), "attention: %d", (int)nn_flops(tape));
    tape_reset(tape); /* 4 positions of 3 channels, each of 2 times 5 products */
    ag_conv1d(tape_full(tape, 1, shape3(1, 2, 8)), tape_full(tape, 1, shape3(3, 2, 5)), NULL, 1, 0);
    CHECK(nn_flops(tape) == 2 * 4 * 3 * 2 * 5, "conv1d: %d", (int)nn_flops(tape));
    tape_reset(tape); /* 2 by 3 positions of 3 channels, each of 2 times 2 times 2 */
    ag_conv2d(tape_full(tape, 1, shape4(1, 2, 4, 6)), tape_full(tape, 1, shape4(3, 2, 2, 2)), NULL,
              2, 0);
    CHECK(nn_flops(tape) == 2 * 6 * 3 * 8, "conv2d: %d", (int)nn_flops(tape));
    tape_reset(tape);
    ag_tanh(tape_full(tape, 1, shape2(3, 4)));
    CHECK(nn_flops(tape) == 0, "tanh has no products");
}
