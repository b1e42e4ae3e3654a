/* test_block_kinds.c: what blocks of other families differ in: grouped heads, a head size of its
 * own, rotary positions, RMSNorm, gated feed-forward, epsilon, absent biases; with a cache as
 * without; and weights for running only. Values against PyTorch: test_pretrained.c. Here: closed
 * forms, finite differences, and one way against another. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "nn/decode/decode.h"

#include <math.h>
#include <string.h>

enum { C = 6, T = 5 };

/* In double some thousand roundings; in float the same, of numbers around 1. */
#define CLOSE (sizeof(real) == 8 ? 1e-12 : 2e-5)

static BlockConfig llama(const Rotary *rotary)
{
    return (BlockConfig){.channels = C,
                         .heads = 4,
                         .hidden = 7,
                         .activation = ACTIVATION_SILU,
                         .epsilon = 1e-3,
                         .no_bias = NO_BIAS,
                         .kv_heads = 2,
                         .head_size = 4,
                         .rotary = rotary,
                         .rms_norm = true,
                         .gated = true};
}

static Tensor *input(Tape *tape, int64_t B, int64_t tokens)
{
    Tensor *x = tape_full(tape, 0, shape3(B, tokens, C));
    for (int64_t i = 0; i < tensor_size(x); i++)
        x->data[i] = (real)sin(0.9 * (double)i + 1);
    return x;
}

static void weights_are_those_of_llama(void)
{
    Params *p = params_new(1);
    Rotary r;
    TransformerBlock b;
    REQUIRE(nn_rotary_init(&r, p, 8, 4, 10000) && nn_transformer_block_init(&b, p, "b", llama(&r)),
            "%s", tensor_error());
    static const struct {
        const char *name;
        Shape shape;
    } want[] = {{"b.norm1.weight", SHAPE(C)},
                {"b.attn.in_proj_weight", SHAPE(32, C)},
                {"b.attn.out_proj.weight", SHAPE(C, 16)},
                {"b.norm2.weight", SHAPE(C)},
                {"b.ff.gate.weight", SHAPE(7, C)},
                {"b.ff.up.weight", SHAPE(7, C)},
                {"b.ff.down.weight", SHAPE(C, 7)}};
    CHECK(p->count == 7, "%d weights", p->count);
    for (int i = 0; i < 7; i++) {
        const Tensor *w = params_find(p, want[i].name);
        CHECK(w && shape_equal(w->shape, want[i].shape), "%s is %s", want[i].name,
              w ? shape_str(w->shape) : "missing");
    }
    CHECK_CLOSE(b.norm2.epsilon, 1e-3, 1e-9);
    params_free(p);
}

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

/* What rotary positions are for: a query at i and a key at j meet in a number that depends on i - j
 * alone. */
static void scores_depend_on_distance(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    Rotary r;
    REQUIRE(nn_rotary_init(&r, p, 40, 4, 10000), "%s", tensor_error());
    const real q[] = {1, 2, -1, 3}, k[] = {2, -1, 1, 1};
    double score[2];
    for (int far = 0; far < 2; far++) {
        int at_q = far ? 37 : 5, at_k = far ? 34 : 2;
        Tensor *a =
            ag_rotary(tape_input(tape, q, shape2(1, 4)), r.table, tape_ids(tape, &at_q, shape1(1)));
        Tensor *b =
            ag_rotary(tape_input(tape, k, shape2(1, 4)), r.table, tape_ids(tape, &at_k, shape1(1)));
        score[far] = (double)tensor_item(ag_sum(ag_mul(a, b)));
    }
    CHECK_CLOSE(score[0], score[1], CLOSE);
    CHECK(fabs(score[0] - 2) > 0.1, "the score is q . k = 2 - 2 - 1 + 3: nothing was rotated");
    tape_free(tape);
    params_free(p);
}

typedef struct {
    TransformerBlock block;
    Tape *tape;
} Checked;

static Tensor *block_of_leaves(Tensor **x, void *context)
{
    Checked *c = context;
    TransformerBlock *b = &c->block;
    Tensor **place[] = {&b->norm1.weight,  &b->attn.in_proj_weight, &b->attn.out_proj.weight,
                        &b->norm2.weight,  &b->ff.gate.weight,      &b->ff.up.weight,
                        &b->ff.down.weight};
    for (int i = 0; i < 7; i++)
        *place[i] = x[i + 1];
    return nn_transformer_block(b, x[0], (Mask){.causal = true});
}

static void gradients(void)
{
    if (sizeof(real) < 8)
        SKIP("finite differences of a whole block need doubles");
    Params *p = params_new(1);
    Checked c = {.tape = tape_new(1)};
    Rotary r;
    REQUIRE(nn_rotary_init(&r, p, 8, 4, 10000) &&
                nn_transformer_block_init(&c.block, p, "b", llama(&r)),
            "%s", tensor_error());
    sequence_weights(p);
    Tensor *x[8] = {tensor_new(shape3(1, T, C))};
    for (int i = 0; i < T * C; i++)
        x[0]->data[i] = (real)sin(0.9 * i + 1);
    memcpy(x + 1, p->weight, 7 * sizeof *x);
    CHECK(ag_gradcheck(c.tape, block_of_leaves, &c, x, 8, (GradCheck){0}), "%s", tensor_error());
    c.tape->keep_maps = true;
    CHECK(ag_gradcheck(c.tape, block_of_leaves, &c, x, 8, (GradCheck){0}), "%s", tensor_error());
    tensor_free(x[0]);
    tape_free(c.tape);
    params_free(p);
}

/* Token by token through a cache, also where the sequences' lengths differ, as all at once. */
static void cached_as_uncached(void)
{
    enum { B = 2 };
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    KVCache cache;
    Rotary r;
    TransformerBlock b;
    REQUIRE(nn_rotary_init(&r, p, 8, 4, 10000) &&
                nn_transformer_block_init(&b, p, "b", llama(&r)) &&
                nn_cache_init(&cache, 1, B, 8, 2, 2 * 4),
            "%s", tensor_error());
    sequence_weights(p);
    tape->no_grad = true;
    Tensor *x = tensor_clone(input(tape, B, T));
    tape_reset(tape);
    Tensor *whole = tensor_clone(
        nn_transformer_block(&b, tape_input(tape, x->data, x->shape), (Mask){.causal = true}));
    static const int counts[B] = {3, 2}, ones[B] = {1, 1};
    for (int step = 0, at[B] = {0}; step < 3; step++) {
        int64_t tokens = step == 0 ? 3 : 1;
        const int *real_ones = step == 0 ? counts : ones;
        tape_reset(tape);
        Tensor *now = tape_full(tape, 9, shape3(B, tokens, C));
        for (int s = 0; s < B; s++)
            memcpy(now->data + s * tokens * C, x->data + (s * T + at[s]) * C,
                   (size_t)(real_ones[s] * C) * sizeof(real));
        Tensor *y = nn_transformer_block_cached(&b, now, &cache, 0);
        REQUIRE(nn_cache_advance(&cache, real_ones, tokens), "%s", tensor_error());
        for (int s = 0; s < B; s++)
            for (int t = 0; t < real_ones[s]; t++, at[s]++)
                for (int c = 0; c < C; c++)
                    CHECK_CLOSE(y->data[(s * tokens + t) * C + c],
                                whole->data[(s * T + at[s]) * C + c], CLOSE);
    }
    tensor_free(x);
    tensor_free(whole);
    nn_cache_free(&cache);
    tape_free(tape);
    params_free(p);
}

/* SwiGLU of one channel: down (silu(gate x) up x), by hand. */
static void gated_by_hand(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    FeedForward f;
    REQUIRE(nn_gated_feedforward_init(&f, p, "ff", 1, 1, ACTIVATION_SILU, true, 0), "%s",
            tensor_error());
    f.gate.weight->data[0] = 2, f.gate.bias->data[0] = 1;
    f.up.weight->data[0] = 3, f.up.bias->data[0] = -1;
    f.down.weight->data[0] = 5, f.down.bias->data[0] = 7;
    Tensor *y = nn_feedforward(&f, tape_full(tape, (real)0.5, shape2(1, 1)));
    CHECK_CLOSE(tensor_item(y), 5 * (2 / (1 + exp(-2.0))) * 0.5 + 7, 1e-6); /* gate 2, up 0.5 */
    CHECK(!nn_gated_feedforward_init(&f, p, "g", 1, 1, ACTIVATION_SILU, true, 1), "p = 1");
    CHECK_ERROR("nn_gated_feedforward_init: ");
    CHECK(tensor_is_poison(nn_activation((Activation)99, y)), "activation 99");
    CHECK_ERROR("nn_activation: the activation is 99");
    tape_free(tape);
    params_free(p);
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

static void settings_that_cannot_be(void)
{
    Params *p = params_new(1);
    MultiHeadAttention a;
    CHECK(!nn_attention_init_with(&a, p, "a",
                                  (AttentionConfig){.channels = 8, .heads = 4, .kv_heads = 3}),
          "4 heads on 3");
    CHECK_ERROR("4 heads on 3 heads of keys");
    CHECK(!nn_attention_init_with(&a, p, "a",
                                  (AttentionConfig){.channels = 8, .heads = 2, .head_size = -1}),
          "a negative size");
    CHECK_ERROR("nn_attention_init_with: 2 heads on 0");
    CHECK(nn_attention_init_with(&a, p, "a",
                                 (AttentionConfig){.channels = 7, .heads = 2, .head_size = 5}),
          "%s", tensor_error());
    CHECK(a.in_proj_weight->shape.dim[0] == 30, "%s", shape_str(a.in_proj_weight->shape));
    params_free(p);
}

static const TestCase cases[] = {
    {"weights are those of Llama", weights_are_those_of_llama},
    {"rotary table", rotary_table},
    {"rotary: scores depend on distance", scores_depend_on_distance},
    {"gradients", gradients},
    {"cached as uncached", cached_as_uncached},
    {"gated feed-forward by hand", gated_by_hand},
    {"positions with an offset", positions_with_an_offset},
    {"weights for running only", weights_for_running_only},
    {"settings that cannot be", settings_that_cannot_be},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("block_kinds", cases, argc, argv);
}
