/* recorder.c: see recorder.h. */
#include "examples/gpt/recorder.h"

#include <stdlib.h>
#include <string.h>

static void token_text(const void *tokens, int id, char *text, size_t size)
{
    const int32_t one = id;
    tokens_decode(tokens, &one, 1, text, size);
}

Decoder gpt_decoder(const Gpt *m, KVCache *cache)
{
    void *model = (void *)(uintptr_t)m; /* which nn_gpt_cached only reads */
    return (Decoder){.logits = nn_gpt_cached, .model = model, .cache = cache, .end = -1};
}

/* The beam search's tree has at most so many steps, which one can follow. */
enum { BEAM_STEPS = 10 };

bool recorder_run(Recorder *r, const Gpt *m, const TokenisedText *t, Tape *tape,
                  const RecorderSettings *s, int32_t *text, int have)
{
    const int most = m->config.longest - have + 1, count = s->count < most ? s->count : most;
    const size_t size = tokens_decode(t, text, have, NULL, 0) + 1;
    KVCache one = {0}, hypotheses = {0};
    Generated *g = &r->generated;
    *r = (Recorder){.prompt = example_alloc(size)};
    r->text = (GeneratedText){.title = "A GPT continues a text",
                              .prompt = r->prompt,
                              .token = token_text,
                              .vocabulary = t,
                              .beam = &g->tree,
                              .end = -1};
    bool ok = r->prompt && nn_gpt_cache(m, &one, 1) && nn_gpt_cache(m, &hypotheses, s->beam) &&
              generated_begin(g, count, m->config.words, s->rng);
    g->sampler.temperature = s->temperature;
    g->sampler.top_k = s->top_k;
    g->sampler.top_p = s->top_p;
    ok = ok && generated_run(g, tape, gpt_decoder(m, NULL), &one, &hypotheses, text, have, count,
                             count < BEAM_STEPS ? count : BEAM_STEPS, s->alpha);
    if (ok) {
        memcpy(text + have, g->tokens, (size_t)count * sizeof *text);
        tokens_decode(t, text, have, r->prompt, size);
    }
    nn_cache_free(&one);
    nn_cache_free(&hypotheses);
    return ok;
}

void recorder_free(Recorder *r)
{
    generated_free(&r->generated);
    free(r->prompt);
}
