/* test_nn.c: what attention and a block promise beside their numbers: maps that are kept, names,
 * dropout, an input without a batch. Their numbers and gradients: test_golden_nn.c (PyTorch) and
 * test_modules.c (finite differences). */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "autograd/tape.h"
#include "nn/nn.h"

#include <math.h>
#include <string.h>

enum { B = 2, T = 5, S = 4, C = 6, H = 3, D = C / H };

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

/* The scores are those of the queries and keys that the tape names: s_ij = q_i . k_j / sqrt(d). */
static void queries_and_keys_have_names(void)
{
    Setting s;
    if (!setting_open(&s, 0))
        return;
    s.tape->keep_maps = true;
    Tensor *x = sequence_leaf(s.tape, B, T, C, 0);
    nn_attention(&s.a, x, (Mask){0});
    const Tensor *q = tape_find(s.tape, "attn.q"), *k = tape_find(s.tape, "attn.k"),
                 *scores = tape_find(s.tape, "attn.scores");
    for (int n = 0; n < B * H * T * T; n++) {
        int64_t at[4] = {n / (H * T * T), n / (T * T) % H, n / T % T, n % T};
        double want = 0;
        for (int64_t c = 0; c < D; c++)
            want += (double)tensor_get(q, (int64_t[]){at[0], at[1], at[2], c}) *
                    (double)tensor_get(k, (int64_t[]){at[0], at[1], at[3], c}) / sqrt(D);
        CHECK_CLOSE(tensor_get(scores, at), want, SEQUENCE_CLOSE);
    }
    setting_close(&s);
}

static void maps_have_names_and_gradients(void)
{
    Setting s;
    if (!setting_open(&s, 0))
        return;
    s.tape->keep_maps = true;
    Tensor *x = sequence_leaf(s.tape, B, T, C, 0);
    CHECK(ag_backward(ag_sum(nn_attention(&s.a, x, (Mask){.causal = true}))), "%s", tensor_error());
    CHECK(tape_find(s.tape, "attn.scores")->grad != NULL, "the scores have no gradient");
    const Tensor *A = tape_find(s.tape, "attn.A");
    CHECK(A->grad != NULL, "A has no gradient");
    for (int row = 0; row < B * H * T; row++) {
        double sum = 0;
        for (int j = 0; j < T; j++)
            sum += A->data[row * T + j];
        CHECK_CLOSE(sum, 1, SEQUENCE_CLOSE);
    }
    tape_reset(s.tape);
    x = sequence_leaf(s.tape, B, T, C, 0);
    nn_attention(&s.a, nn_attention(&s.a, x, (Mask){0}), (Mask){0});
    CHECK(tape_find(s.tape, "attn.A#2") != tape_find(s.tape, "attn.A"), "the second call is lost");
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
    {"queries and keys have names", queries_and_keys_have_names},
    {"maps have names and gradients", maps_have_names_and_gradients},
    {"a block has three dropouts", block_has_three_dropouts},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("nn", cases, argc, argv);
}
