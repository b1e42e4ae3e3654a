/* test_relative.c: the relative position bias, and blocks with what T5, GPT-NeoX, Qwen 3, Gemma and
 * ModernBERT add. Whole models against transformers: test_pretrained.c. Here: the ranges as
 * PyTorch's implementation of T5 gives them, closed forms, and one way against another. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "nn/nn.h"

#include <math.h>
#include <string.h>

enum { C = 6, T = 7, H = 2 };

/* In double some thousand roundings; in float the same, of numbers around 1. */
#define CLOSE (sizeof(real) == 8 ? 1e-12 : 2e-5)

/* transformers 5.23, T5Attention._relative_position_bucket with 32 buckets and distance 128. */
static const int distances[] = {-200, -128, -127, -64, -32, -20, -16, -12, -11, -9, -8,  -7,
                                -1,   0,    1,    7,   8,   15,  16,  23,  32,  91, 127, 128};
static const int both_ranges[] = {15, 15, 15, 14, 12, 10, 10, 9,  8,  8,  8,  7,
                                  1,  0,  17, 23, 24, 25, 26, 27, 28, 31, 31, 31};
static const int past_ranges[] = {31, 31, 31, 26, 21, 17, 16, 12, 11, 9, 8, 7,
                                  1,  0,  0,  0,  0,  0,  0,  0,  0,  0, 0, 0};

/* Head h of range r has the number 100 h + r, so that the bias says which was taken. */
static void ranges_are_those_of_t5(void)
{
    for (int both = 0; both < 2; both++) {
        Params *p = params_new(1);
        Tape *tape = tape_new(1);
        RelativeBias b;
        REQUIRE(nn_relative_bias_init(&b, p, "bias", H, 32, 128, both), "%s", tensor_error());
        for (int i = 0; i < 32 * H; i++)
            b.weight->data[i] = (real)(100 * (i % H) + i / H);
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
            const int first = distances[i] < 0 ? -distances[i] : 0;
            int64_t keys = distances[i] < 0 ? 1 : distances[i] + 1;
            tape_reset(tape);
            Tensor *y = nn_relative_bias(&b, tape, &first, 1, 1, keys); /* (1, H, 1, keys) */
            Tensor *last = tensor_clone(y);
            int want = both ? both_ranges[i] : past_ranges[i];
            REQUIRE(last && shape_equal(last->shape, shape4(1, H, 1, keys)), "%s", tensor_error());
            for (int h = 0; h < H; h++)
                CHECK(last->data[(h + 1) * keys - 1] == (real)(100 * h + want),
                      "distance %d, head %d, both %d: %g, not %d", distances[i], h, both,
                      (double)last->data[(h + 1) * keys - 1], 100 * h + want);
            tensor_free(last);
        }
        tape_free(tape);
        params_free(p);
    }
}

/* Queries and keys of 0 leave the bias alone: A is its softmax, and a bias moves the scores by
 * itself, not by itself / sqrt(d). */
static void bias_is_added_to_the_scores(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    RelativeBias b;
    MultiHeadAttention a;
    REQUIRE(nn_relative_bias_init(&b, p, "bias", 1, 8, 20, true) &&
                nn_attention_init_with(
                    &a, p, "a",
                    (AttentionConfig){.channels = C, .heads = 1, .bias = &b, .scale = 1}),
            "%s", tensor_error());
    memset(a.in_proj_weight->data, 0, (size_t)tensor_size(a.in_proj_weight) * sizeof(real));
    for (int i = 0; i < 8; i++)
        b.weight->data[i] = (real)(0.3 * i);
    tape->keep_maps = true;
    Tensor *x = tape_full(tape, 1, shape3(1, 2, C));
    CHECK(!tensor_is_poison(nn_attention(&a, x, (Mask){0})), "%s", tensor_error());
    const Tensor *map = tape_find(tape, "a.A");
    /* Distance 0 has range 0, the next key 5, the one before 1. */
    CHECK_CLOSE(map->data[0], 1 / (1 + exp(1.5)), 1e-6);
    CHECK_CLOSE(map->data[2], exp(0.3) / (1 + exp(0.3)), 1e-6);
    tape_free(tape);
    params_free(p);
}

static Tensor *whole_input(Tape *tape, int64_t B)
{
    Tensor *x = tape_full(tape, 0, shape3(B, T, C));
    for (int64_t i = 0; i < tensor_size(x); i++)
        x->data[i] = (real)sin(0.9 * (double)i + 1);
    return x;
}

/* Token by token through a cache, where the sequences' lengths differ, as all at once: the bias,
 * the window, the scale and the norms of queries and keys are those of the tokens' own
 * positions. */
static void cached_as_uncached(void)
{
    enum { B = 2 };
    static const int counts[B] = {4, 2}, ones[B] = {1, 1};
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    KVCache cache;
    RelativeBias bias;
    TransformerBlock b;
    BlockConfig c = {.channels = C,
                     .heads = H,
                     .bias = &bias,
                     .scale = 0.7,
                     .window = 2,
                     .qk_epsilon = 1e-3,
                     .parallel = true};
    REQUIRE(nn_relative_bias_init(&bias, p, "bias", H, 4, 9, false) &&
                nn_transformer_block_init(&b, p, "b", c) && nn_cache_init(&cache, 1, B, T, H, C),
            "%s", tensor_error());
    sequence_weights(p);
    tape->no_grad = true;
    Tensor *x = tensor_clone(whole_input(tape, B));
    Tensor *whole = tensor_clone(
        nn_transformer_block(&b, tape_input(tape, x->data, x->shape), (Mask){.causal = true}));
    for (int step = 0, at[B] = {0}; step < 4; step++) {
        int64_t tokens = step == 0 ? 4 : 1;
        const int *now = step == 0 ? counts : ones;
        tape_reset(tape);
        Tensor *in = tape_full(tape, 9, shape3(B, tokens, C));
        for (int s = 0; s < B; s++)
            memcpy(in->data + s * tokens * C, x->data + (s * T + at[s]) * C,
                   (size_t)(now[s] * C) * sizeof(real));
        Tensor *y = nn_transformer_block_cached(&b, in, &cache, 0);
        REQUIRE(nn_cache_advance(&cache, now, tokens), "%s", tensor_error());
        for (int s = 0; s < B; s++)
            for (int t = 0; t < now[s]; t++, at[s]++)
                for (int i = 0; i < C; i++)
                    CHECK_CLOSE(y->data[(s * tokens + t) * C + i],
                                whole->data[(s * T + at[s]) * C + i], CLOSE);
    }
    tensor_free(x);
    tensor_free(whole);
    nn_cache_free(&cache);
    tape_free(tape);
    params_free(p);
}

/* The kinds of the block, put together from its parts. */
static void kinds_of_blocks(void)
{
    for (int kind = 0; kind < 4; kind++) {
        Params *p = params_new(1);
        Tape *tape = tape_new(1);
        TransformerBlock b;
        BlockConfig c = {.channels = C,
                         .heads = H,
                         .parallel = kind == 0,
                         .branch_norms = kind == 1,
                         .no_first_norm = kind == 2,
                         .no_bias = kind == 2 ? NO_BIAS_NORM : 0};
        REQUIRE(nn_transformer_block_init(&b, p, "b", c), "%s", tensor_error());
        sequence_weights(p);
        if (kind == 3) /* the program leaves the second norm out */
            b.norm2 = (Norm){0};
        Tensor *x = whole_input(tape, 1);
        Tensor *a = nn_attention(&b.attn, kind == 2 ? x : nn_norm(&b.norm1, x), (Mask){0});
        Tensor *mid = ag_add(x, kind == 1 ? nn_norm(&b.after1, a) : a);
        Tensor *f = nn_feedforward(&b.ff, kind == 3 ? mid : nn_norm(&b.norm2, kind == 0 ? x : mid));
        Tensor *want = ag_add(mid, kind == 1 ? nn_norm(&b.after2, f) : f);
        double off = sequence_difference(nn_transformer_block(&b, x, (Mask){0}), want);
        CHECK(off <= CLOSE, "kind %d: off by %g", kind, off);
        CHECK((params_find(p, "b.norm2.bias") == NULL) == (kind == 2), "kind %d: the bias", kind);
        tape_free(tape);
        params_free(p);
    }
}

static void settings_that_cannot_be(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    RelativeBias b;
    TransformerBlock block;
    DecoderBlock decoder;
    MultiHeadAttention a;
    CHECK(!nn_relative_bias_init(&b, p, "b", 2, 6, 20, true), "6 ranges in two directions");
    CHECK_ERROR("nn_relative_bias_init: 2 heads, 6 ranges");
    CHECK(!nn_relative_bias_init(&b, p, "b", 2, 8, 4, false), "no distance beyond the single ones");
    CHECK_ERROR(
        "expected 1 head or more, a multiple of 2 up to 2^20 as ranges, and a distance above 4");
    CHECK(tensor_is_poison(nn_relative_bias(&b, tape, NULL, 1, 2, 2)), "an init that failed");
    CHECK_ERROR("nn_relative_bias: ");
    BlockConfig c = {.channels = C, .heads = H, .post_norm = true, .parallel = true};
    CHECK(!nn_transformer_block_init(&block, p, "t", c), "parallel in post-norm form");
    CHECK_ERROR("parallel, branch_norms or no_first_norm in post-norm form");
    c.post_norm = false;
    CHECK(!nn_decoder_block_init(&decoder, p, "d", c), "a parallel decoder");
    CHECK_ERROR("nn_decoder_block_init: parallel");
    AttentionConfig negative = {.channels = C, .heads = H, .window = -1};
    CHECK(!nn_attention_init_with(&a, p, "a", negative), "a window of -1");
    CHECK_ERROR("nn_attention_init_with: scale 0, window -1");
    tape_free(tape);
    params_free(p);
}

static const TestCase cases[] = {
    {"ranges are those of T5", ranges_are_those_of_t5},
    {"the bias is added to the scores", bias_is_added_to_the_scores},
    {"cached as uncached", cached_as_uncached},
    {"kinds of blocks", kinds_of_blocks},
    {"settings that cannot be", settings_that_cannot_be},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("relative", cases, argc, argv);
}
