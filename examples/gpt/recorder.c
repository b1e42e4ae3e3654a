/* recorder.c: see recorder.h. */
#include "examples/gpt/recorder.h"

#include <stdlib.h>

static void token_text(const void *tokens, int id, char *text, size_t size)
{
    const int32_t one = id;
    tokens_decode(tokens, &one, 1, text, size);
}

static bool draw_text(Recorder *r, Tape *tape, const RecorderSettings *s, int32_t *text, int have,
                      int count)
{
    KVCache cache = {0};
    Decoder d = {.logits = nn_gpt_cached,
                 .model = &r->gpt,
                 .cache = &cache,
                 .end = -1,
                 .pick = generated_pick,
                 .picker = &r->generated};
    bool ok = nn_gpt_cache(&r->gpt, &cache, 1) &&
              generated_begin(&r->generated, count, r->gpt.config.words, s->rng);
    r->generated.sampler.temperature = s->temperature;
    r->generated.sampler.top_k = s->top_k;
    r->generated.sampler.top_p = s->top_p;
    ok = ok && nn_generate(tape, &d, text, NULL, have, text + have, count);
    nn_cache_free(&cache);
    return ok;
}

/* The beam search's tree has at most so many steps, which one can follow. */
enum { BEAM_STEPS = 10 };

static bool search(Recorder *r, Tape *tape, const RecorderSettings *s, int32_t *text, int have,
                   int count)
{
    KVCache cache = {0};
    Decoder d = {.logits = nn_gpt_cached, .model = &r->gpt, .cache = &cache, .end = -1};
    int32_t *out = example_alloc((size_t)count * sizeof *out);
    bool ok = out && nn_gpt_cache(&r->gpt, &cache, s->beam) &&
              nn_beam(tape, &d, text, have, out, count < BEAM_STEPS ? count : BEAM_STEPS, s->alpha,
                      &r->tree);
    nn_cache_free(&cache);
    free(out);
    return ok;
}

bool recorder_run(Recorder *r, const Gpt *m, const TokenisedText *t, Tape *tape,
                  const RecorderSettings *s, int32_t *text, int have)
{
    const int most = m->config.longest - have + 1, count = s->count < most ? s->count : most;
    const size_t size = tokens_decode(t, text, have, NULL, 0) + 1;
    *r = (Recorder){.gpt = *m, .prompt = example_alloc(size)};
    r->text = (GeneratedText){.title = "A GPT continues a text",
                              .prompt = r->prompt,
                              .token = token_text,
                              .vocabulary = t,
                              .beam = &r->tree,
                              .end = -1};
    if (!r->prompt || !draw_text(r, tape, s, text, have, count) ||
        !search(r, tape, s, text, have, count))
        return false;
    tokens_decode(t, text, have, r->prompt, size);
    return true;
}

void recorder_free(Recorder *r)
{
    nn_beam_free(&r->tree);
    generated_free(&r->generated);
    free(r->prompt);
}
