/* test_decoder_cache.c: the decoder blocks of an encoder-decoder model with the caches of target
 * and source, against the full forward pass: outputs within 1e-4, batched, for sources of one and
 * of several lengths, one token a step or several, with maps and without. Errors. */
#include "tests/harness/test.h"

#include "nn/decode/decode.h"

enum { B = 3, S = 5, LONGEST = 9, C = 12, H = 3, LAYERS = 2 };

/* The bound of cached against full numbers; in double, a few hundred roundings. */
#define CLOSE (sizeof(real) == sizeof(double) ? 1e-12 : 1e-4)

typedef struct {
    Params *params;
    Tape *tape;
    DecoderBlock block[LAYERS];
    KVCache written, source;
    real x[B * LONGEST * C], memory[B * S * C]; /* what is written, what is read */
} Model;

static bool model_make(Model *m, bool post_norm)
{
    BlockConfig config = {.channels = C, .heads = H, .hidden = 20, .post_norm = post_norm};
    Rng rng = {.seed = 4};
    *m = (Model){.params = params_new(3), .tape = tape_new(1)};
    config.dropout = 0.1; /* which decoding leaves out */
    bool ok = m->params && m->tape;
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_decoder_block_init(&m->block[i], m->params, params_path(m->params, "blocks.%d", i),
                                   config);
    ok = ok && nn_cache_init(&m->written, LAYERS, B, LONGEST, H, C) &&
         nn_cache_init(&m->source, LAYERS, B, S, H, C);
    for (int i = 0; i < B * LONGEST * C; i++)
        m->x[i] = (real)rng_normal(&rng);
    for (int i = 0; i < B * S * C; i++)
        m->memory[i] = (real)rng_normal(&rng);
    if (m->tape)
        m->tape->no_grad = true;
    return ok;
}

static void model_free(Model *m)
{
    nn_cache_free(&m->written);
    nn_cache_free(&m->source);
    tape_free(m->tape);
    params_free(m->params);
}

/* All of it at once: (B, LONGEST, C), a clone. */
static Tensor *full(Model *m, const int *lengths)
{
    tape_reset(m->tape);
    Tensor *x = tape_input(m->tape, m->x, shape3(B, LONGEST, C));
    Tensor *memory = tape_input(m->tape, m->memory, shape3(B, S, C));
    Mask mask = {.lengths = tape_ids(m->tape, lengths, shape1(B))};
    for (int i = 0; i < LAYERS; i++)
        x = nn_decoder_block(&m->block[i], x, memory, (Mask){0}, mask);
    return tensor_clone(x);
}

/* The source's tokens from..to-1 of all sequences. */
static bool read_part(Model *m, int from, int to, const int *lengths)
{
    tape_reset(m->tape);
    Tensor *memory = tape_input(m->tape, m->memory, shape3(B, S, C));
    bool ok = true;
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_decoder_block_fill(&m->block[i], ag_slice(memory, 1, from, to), &m->source, i);
    return ok && nn_cache_advance(&m->source, lengths, to - from);
}

/* Tokens from..to-1 of all sequences, after those that are cached: (B, to - from, C). */
static Tensor *write_part(Model *m, int from, int to)
{
    tape_reset(m->tape);
    Tensor *x = tape_input(m->tape, m->x, shape3(B, LONGEST, C));
    x = ag_slice(x, 1, from, to);
    for (int i = 0; i < LAYERS; i++)
        x = nn_decoder_block_cached(&m->block[i], x, &m->written, &m->source, i);
    return CHECK(nn_cache_advance(&m->written, NULL, to - from), "%s", tensor_error()) ? x : NULL;
}

/* Writes in steps of so many tokens; what comes is what the full pass has there. */
static void check_steps(Model *m, int step, const Tensor *want)
{
    nn_cache_reset(&m->written);
    for (int from = 0; from < LONGEST; from += step) {
        int to = from + step < LONGEST ? from + step : LONGEST;
        const Tensor *y = write_part(m, from, to);
        REQUIRE(!tensor_is_poison(y) && y->shape.dim[1] == to - from, "%s", tensor_error());
        for (int b = 0; b < B; b++)
            for (int t = from; t < to; t++)
                for (int c = 0; c < C; c++)
                    CHECK_CLOSE(tensor_get(y, (int64_t[]){b, t - from, c}),
                                tensor_get(want, (int64_t[]){b, t, c}), CLOSE);
    }
}

static void check_full(Model *m, int step, const int *lengths)
{
    Tensor *want = full(m, lengths);
    check_steps(m, step, want);
    tensor_free(want);
}

TEST(steps_are_the_full_pass)
{
    static const int lengths[][B] = {{S, S, S}, {5, 2, 3}, {1, 4, 4}, {3, 0, 5}};
    for (int post = 0; post < 2; post++) {
        Model m;
        REQUIRE(model_make(&m, post), "%s", tensor_error());
        m.tape->keep_maps = post;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            nn_cache_reset(&m.source);
            CHECK(read_part(&m, 0, S, lengths[i]), "%s", tensor_error());
            check_full(&m, 1, lengths[i]);
            check_full(&m, 4, lengths[i]);
        }
        CHECK_NO_ERROR();
        model_free(&m);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(refusals)
{
    Model m;
    REQUIRE(model_make(&m, true), "%s", tensor_error());
    const DecoderBlock *b = &m.block[0];
    Tensor *x = tape_full(m.tape, 1, shape3(B, S, C));
    REFUSES(nn_decoder_block_fill, "blocks.0.cross_attn: layer 2 of the cache; expected 0 to 1", b,
            x, &m.source, LAYERS);
    CHECK(m.tape->failed, "the tape goes on");
    REFUSES_ON(m.tape, nn_decoder_block_fill,
               "blocks.0.cross_attn: memory is (3, 5, 15); expected (B, T, C) with 12", b,
               tape_full(m.tape, 1, shape3(B, S, C + 3)), &m.source, 0);
    REFUSES(nn_decoder_block_fill, "memory is NULL", b, NULL, &m.source, 0);
    CHECK_NO_ERROR();
    model_free(&m);
}

TEST_OUT_OF_MEMORY(out_of_memory)
{
    static const int lengths[B] = {5, 2, 3};
    Model m;
    bool ok = model_make(&m, true) && read_part(&m, 0, S, lengths);
    if (ok) {
        Tensor *x = tape_input(m.tape, m.x, shape3(B, LONGEST, C));
        ok = !tensor_is_poison(nn_decoder_block_cached(&m.block[0], x, &m.written, &m.source, 0));
    }
    model_free(&m);
    return ok;
}
