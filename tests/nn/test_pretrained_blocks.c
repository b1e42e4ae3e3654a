/* test_pretrained_blocks.c: what other people's models add to the block of the lectures. Their
 * numbers and gradients, against transformers: test_pretrained.c. Here: the ranges as PyTorch's
 * implementation of T5 gives them, and decoding with a cache, where the lengths of sequences
 * differ, against one pass. */
#include "tests/harness/test.h"
#include "tests/nn/sequences.h"

#include "nn/pretrained/inside.h"
#include "tensor/memory.h"

#include <math.h>
#include <string.h>

enum { C = 6, T = 7, H = 2, POSITIONS = 8 };

/* In double some thousand roundings; in float the same, of numbers around 1. */
#define CLOSE (sizeof(real) == 8 ? 1e-12 : 2e-5)

/* ---- a model of one block -------------------------------------------------------------------- */

static bool local[] = {true};

/* A bias of the scores, a scale, a window, norms of queries and keys, parallel branches. The
 * weights are those of sequence_weights. m stays where it is. */
static bool begin(Pretrained *m)
{
    const PretrainedConfig c = {.layers = 1,
                                .channels = C,
                                .hidden = 7,
                                .heads = H,
                                .kv_heads = H,
                                .head_size = C / H,
                                .positions = POSITIONS,
                                .ranges = 4,
                                .farthest = 9,
                                .query_scale = 0.7,
                                .qk_epsilon = 1e-3,
                                .parallel = true,
                                .local = local,
                                .window = 2};
    *m = (Pretrained){.config = c, .params = params_new(1)};
    m->encoder.distance_bias = params_add(m->params, "bias.weight", shape2(4, H), nn_constant(0));
    bool ok = m->encoder.distance_bias && pretrained_family(&m->config, "gpt_neox", "") &&
              pretrained_stack_init(m, false);
    m->encoder.blocks[0].attn.both_directions = false;
    if (ok)
        sequence_weights(m->params);
    return ok;
}

static void end(Pretrained *m)
{
    mem_free(m->encoder.blocks);
    params_free(m->params);
}

static Tensor *input(Tape *tape, int64_t B, int64_t tokens)
{
    Tensor *x = tape_full(tape, 0, shape3(B, tokens, C));
    for (int64_t i = 0; i < tensor_size(x); i++)
        x->data[i] = (real)sin(0.9 * (double)i + 1);
    return x;
}

static Tensor *run(const Pretrained *m, Tensor *x, bool causal, KVCache *cache)
{
    const PretrainedContext c = {.mask = {.causal = causal}, .cache = cache};
    return pretrained_blocks(&m->encoder, x, &c, NULL);
}

/* ---- the relative position bias -------------------------------------------------------------- */

/* transformers 5.23, T5Attention._relative_position_bucket with 32 buckets and distance 128. */
static const int distances[] = {-200, -128, -127, -64, -32, -20, -16, -12, -11, -9, -8,  -7,
                                -1,   0,    1,    7,   8,   15,  16,  23,  32,  91, 127, 128};
static const int both_ranges[] = {15, 15, 15, 14, 12, 10, 10, 9,  8,  8,  8,  7,
                                  1,  0,  17, 23, 24, 25, 26, 27, 28, 31, 31, 31};
static const int past_ranges[] = {31, 31, 31, 26, 21, 17, 16, 12, 11, 9, 8, 7,
                                  1,  0,  0,  0,  0,  0,  0,  0,  0,  0, 0, 0};

/* Head h of range r has the number 100 h + r, so that the bias says which was taken. */
TEST(ranges_are_those_of_t5)
{
    for (int both = 0; both < 2; both++) {
        Params *p = params_new(1);
        Tape *tape = tape_new(1);
        Tensor *weight = params_add(p, "bias.weight", shape2(32, H), nn_constant(0));
        PretrainedAttention b = {.distance_bias = weight, .farthest = 128, .both_directions = both};
        REQUIRE(weight, "%s", tensor_error());
        for (int i = 0; i < 32 * H; i++)
            weight->data[i] = (real)(100 * (i % H) + i / H);
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
            const int first = distances[i] < 0 ? -distances[i] : 0;
            int64_t keys = distances[i] < 0 ? 1 : distances[i] + 1;
            tape_reset(tape);
            Tensor *y = pretrained_relative(&b, tape, &first, 1, 1, keys); /* (1, H, 1, keys) */
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

/* ---- the block ------------------------------------------------------------------------------- */

/* Token by token through a cache, where the sequences' lengths differ, as all at once: bias,
 * window, scale and the norms of queries and keys are those of the tokens' own positions. Rotated
 * and grouped heads: test_rules.c. */
TEST(cached_as_uncached)
{
    enum { B = 2 };
    static const int counts[B] = {4, 2}, ones[B] = {1, 1};
    Tape *tape = tape_new(1);
    KVCache cache;
    Pretrained m;
    REQUIRE(begin(&m) && nn_cache_init(&cache, 1, B, T, H, C), "%s", tensor_error());
    tape->no_grad = true;
    Tensor *x = tensor_clone(input(tape, B, T));
    Tensor *whole = tensor_clone(run(&m, tape_input(tape, x->data, x->shape), true, NULL));
    for (int step = 0, at[B] = {0}; step < 4; step++) {
        int64_t tokens = step == 0 ? 4 : 1;
        const int *now = step == 0 ? counts : ones;
        tape_reset(tape);
        Tensor *in = tape_full(tape, 9, shape3(B, tokens, C));
        for (int s = 0; s < B; s++)
            memcpy(in->data + s * tokens * C, x->data + (s * T + at[s]) * C,
                   (size_t)(now[s] * C) * sizeof(real));
        Tensor *y = run(&m, in, true, &cache);
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
    end(&m);
}
