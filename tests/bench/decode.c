/* decode.c: generate_*: 255 greedy tokens after one given token, with a fresh KV cache each
 * time. */
#include "tests/bench/bench.h"

enum { WRITTEN = 255, WORDS = 65, CHANNELS = 384, HEADS = 6, LAYERS = 6 }; /* of train_babygpt */

typedef struct {
    Gpt model;
    Params *params;
    Tape *tape;
    KVCache cache;
} Writer;

static void generate_step(void *context)
{
    Writer *w = context;
    Decoder decoder = {.logits = nn_gpt_cached, .model = &w->model, .cache = &w->cache, .end = -1};
    int first = 0, written[WRITTEN];
    nn_generate(w->tape, &decoder, &first, NULL, 1, written, WRITTEN);
}

/* Bytes read: every weight for each token, and the cache, which is half full on average. */
void run_generate(const char *name)
{
    Writer w = {.params = params_new(1), .tape = tape_new(1)};
    w.tape->no_grad = true;
    nn_gpt_init(&w.model, w.params, "",
                (GptConfig){WORDS, WRITTEN + 1, CHANNELS, HEADS, LAYERS, POSITION_LEARNED, 0});
    nn_gpt_cache(&w.model, &w.cache, 1);
    double weights = (double)params_size(w.params) * sizeof(real);
    double kept = 2.0 * LAYERS * CHANNELS * WRITTEN / 2 * sizeof(real);
    measure(name, generate_step, &w, (Work){BOUND_READ, WRITTEN * (weights + kept), weights});
    nn_cache_free(&w.cache);
    tape_free(w.tape);
    params_free(w.params);
}
