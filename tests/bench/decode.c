/* decode.c: rows of text generation, token by token, with a KV cache.
 *
 * generate_*: 255 greedy tokens after one given token, with a fresh cache each time. decode_*: one
 * token after that many, in ms a token; its lower bound is the time to read every weight and the
 * cache once. */
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { WRITTEN = 255 };

typedef struct {
    Gpt model;
    Params *params;
    Tape *tape;
    KVCache cache;
    int context; /* tokens in the cache before the step          */
} Writer;

/* size: V, longest sequence, C, H, L, tokens in the cache */
static void writer_init(Writer *w, const int *size)
{
    *w = (Writer){.params = params_new(1), .tape = tape_new(1), .context = size[5]};
    w->tape->no_grad = true;
    nn_gpt_init(&w->model, w->params, "",
                (GptConfig){size[0], size[1], size[2], size[3], size[4], POSITION_LEARNED, 0});
    nn_gpt_cache(&w->model, &w->cache, 1);
}

static void writer_free(Writer *w)
{
    nn_cache_free(&w->cache);
    tape_free(w->tape);
    params_free(w->params);
}

static void generate_step(void *context)
{
    Writer *w = context;
    Decoder decoder = {.logits = nn_gpt_cached, .model = &w->model, .cache = &w->cache, .end = -1};
    int first = 0, written[WRITTEN];
    nn_generate(w->tape, &decoder, &first, NULL, 1, written, WRITTEN);
}

/* Bytes read: every weight for each token, and the cache, which is half full on average. */
static void run_generate(const Row *r)
{
    Writer w;
    writer_init(&w, r->size);
    double weights = (double)params_size(w.params) * sizeof(real);
    double kept = 2.0 * r->size[4] * (double)r->size[2] * WRITTEN / 2 * sizeof(real);
    measure(r->name, generate_step, &w, (Work){BOUND_READ, WRITTEN * (weights + kept), weights});
    writer_free(&w);
}

/* The cache is not advanced, so that each step writes the same position again. */
static void decode_step(void *context)
{
    Writer *w = context;
    int token = 0;
    tape_reset(w->tape);
    nn_gpt_cached(&w->model, tape_ids(w->tape, &token, shape2(1, 1)), &w->cache);
}

static void run_decode(const Row *r)
{
    Writer w;
    writer_init(&w, r->size);
    nn_cache_advance(&w.cache, NULL, w.context);
    double numbers =
        (double)params_size(w.params) + 2.0 * r->size[4] * (double)r->size[5] * (double)r->size[2];
    measure(r->name, decode_step, &w, (Work){BOUND_READ, numbers * sizeof(real), 0});
    writer_free(&w);
}

const Row decode_rows[] = {
    {"generate_babygpt_255tok_kvcache", run_generate, {65, 256, 384, 6, 6}, false},
    {"decode_babygpt_at16", run_decode, {65, 1024, 384, 6, 6, 16}, true},
    {"decode_babygpt_at512", run_decode, {65, 1024, 384, 6, 6, 512}, true},
    {"decode_babygpt_at1000", run_decode, {65, 1024, 384, 6, 6, 1000}, true},
    {"decode_gpt2_124M_at16", run_decode, {50257, 1024, 768, 12, 12, 16}, true},
    {"decode_gpt2_124M_at512", run_decode, {50257, 1024, 768, 12, 12, 512}, true},
    {"decode_gpt2_124M_at1000", run_decode, {50257, 1024, 768, 12, 12, 1000}, true},
    {0},
};
