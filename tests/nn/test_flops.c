/* test_flops.c: the counts of parameters and of operations against counts by hand. */
#include "tests/autograd/on_tape.h"
#include "tests/nn/sequences.h"

#include "nn/nn.h"

enum { B = 2, T = 5, C = 6, H = 3, FF = 10 };

TEST_OF_WEIGHTS(trained_and_frozen_parameters)
{
    Linear low, high;
    CHECK(nn_linear_init(&low, p, "encoder.low", 3, 4, true) &&
              nn_linear_init(&high, p, "high", 4, 2, false),
          "%s", tensor_error());
    params_freeze(p, "high", true);
    CHECK(params_trained(p) == 16 && params_size(p) == 24, "%d of %d", (int)params_trained(p),
          (int)params_size(p));
    CHECK(params_trained(NULL) == 0, "of nothing");
    CHECK_ERROR("params_trained: params is NULL; expected params_new's result");
}

/* A block: projections B T C (3 C + C), the feed-forward 2 B T C FF, and scores and their sums 2 B
 * T T C; the same whether attention is one op or spelt out. */
TEST_OF_WEIGHTS(operations_of_a_block)
{
    TransformerBlock block;
    BlockConfig config = {.channels = C, .heads = H, .hidden = FF};
    CHECK(nn_transformer_block_init(&block, p, "block", config), "%s", tensor_error());
    int64_t products = B * T * C * 4 * C + 2 * B * T * C * FF + 2 * B * T * T * C;
    for (int maps = 0; maps < 2; maps++) {
        tape_reset(tape);
        tape->keep_maps = maps;
        nn_transformer_block(&block, sequence_leaf(tape, B, T, C, 0), (Mask){.causal = true});
        CHECK(nn_flops(tape) == 2 * products, "%s: %lld, not %lld", maps ? "maps" : "fused",
              (long long)nn_flops(tape), (long long)(2 * products));
    }
}

TEST_ON_TAPE(operations_of_single_ops)
{
    CHECK(nn_flops(tape) == 0 && nn_flops(NULL) == 0, "of nothing");
    CHECK_ERROR("nn_flops: the tape is NULL");
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
