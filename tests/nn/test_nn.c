/* test_nn.c: what attention and a block promise beside their numbers: maps that are kept, names,
 * dropout, an input without a batch. Their numbers and gradients: test_golden_nn.c; the names and
 * what they mean: test_names.c. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "autograd/tape.h"
#include "nn/nn.h"

enum { B = 2, T = 5, C = 6, H = 3 };

typedef struct {
    Params *params;
    MultiHeadAttention a;
    Tape *tape;
} Setting;

static bool setting_open(Setting *s, double dropout)
{
    *s = (Setting){.params = params_new(1), .tape = tape_new(1)};
    bool ok = nn_attention_init(&s->a, s->params, "attn", C, H, dropout);
    sequence_weights(s->params);
    return CHECK(ok, "%s", tensor_error());
}

static void setting_close(Setting *s)
{
    CHECK_NO_ERROR();
    tape_free(s->tape);
    params_free(s->params);
}

static void one_sequence_without_batch(void)
{
    Setting s;
    if (!setting_open(&s, 0))
        return;
    Tensor *x = sequence_leaf(s.tape, 1, T, C, 0), *flat = ag_reshape(x, shape2(T, C));
    Tensor *y = nn_attention(&s.a, flat, (Mask){.causal = true});
    Tensor *want = ag_reshape(nn_attention(&s.a, x, (Mask){.causal = true}), shape2(T, C));
    CHECK(sequence_difference(y, want) == 0, "(T, C) and (1, T, C) differ");
    setting_close(&s);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static void maps_change_nothing(void)
{
    Setting s;
    if (!setting_open(&s, 0.3))
        return;
    for (int training = 0; training < 2; training++) {
        Tensor *y[2];
        s.tape->training = training;
        for (int maps = 0; maps < 2; maps++) {
            tape_reset(s.tape);
            s.tape->step = 7; /* the same dropout both times */
            s.tape->keep_maps = maps;
            Tensor *x = sequence_leaf(s.tape, B, T, C, 0);
            y[maps] = tensor_clone(nn_attention(&s.a, x, (Mask){.causal = true}));
        }
        CHECK_TENSOR(y[1], y[0], 0, SEQUENCE_CLOSE);
        tensor_free(y[0]);
        tensor_free(y[1]);
    }
    setting_close(&s);
}

/* ---- the block ------------------------------------------------------------------------------- */

/* Dropout falls on the attention's weights and on both branches: at this step, in this order. */
static void block_has_three_dropouts(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
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
    tape_free(tape);
    params_free(p);
}

static const TestCase cases[] = {
    {"attention on one sequence without a batch", one_sequence_without_batch},
    {"keeping maps changes no result", maps_change_nothing},
    {"a block has three dropouts", block_has_three_dropouts},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("nn", cases, argc, argv);
}
