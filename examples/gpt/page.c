/* page.c: --html: the text of --decode sample with its distributions, and the beam search, as a
 * page for a browser. */
#include "examples/common/generated.h"
#include "examples/gpt/gpt.h"

#include <stdlib.h>

/* The argument of the Decoder's functions. */
typedef struct {
    Gpt gpt;
    Generated generated;
} Recorder;

static Tensor *recorder_logits(void *recorder, Tensor *ids, KVCache *cache)
{
    return nn_gpt_cached(&((Recorder *)recorder)->gpt, ids, cache);
}

static int recorder_pick(void *recorder, const real *logits, int64_t words)
{
    return generated_pick(&((Recorder *)recorder)->generated, logits, words);
}

static void token_text(const void *tokens, int id, char *text, size_t size)
{
    const int32_t one = id;
    tokens_decode(tokens, &one, 1, text, size);
}

/* Draws `count` tokens after the `have` of text, with the settings of the command line and the
 * random numbers of write.c. */
static bool draw_text(const Settings *s, Recorder *r, Tape *tape, int32_t *text, int have,
                      int count)
{
    KVCache cache = {0};
    Decoder d = {recorder_logits, r, &cache, -1, recorder_pick};
    bool ok = nn_gpt_cache(&r->gpt, &cache, 1) &&
              generated_begin(&r->generated, count, r->gpt.config.words,
                              (Rng){.seed = (uint64_t)s->common.seed, .stream = 2});
    r->generated.sampler.temperature = s->temperature;
    r->generated.sampler.top_k = s->top_k;
    r->generated.sampler.top_p = s->top_p;
    ok = ok && nn_generate(tape, &d, text, NULL, have, text + have, count);
    nn_cache_free(&cache);
    return ok;
}

static bool search(const Settings *s, Recorder *r, Tape *tape, int32_t *text, int have, int count,
                   BeamTree *tree)
{
    KVCache cache = {0};
    Decoder d = {.logits = recorder_logits, .model = r, .cache = &cache, .end = -1};
    bool ok = nn_gpt_cache(&r->gpt, &cache, s->beam) &&
              nn_beam(tape, &d, text, have, text + have, count < s->tree ? count : s->tree,
                      s->alpha, tree);
    nn_cache_free(&cache);
    return ok;
}

/* One context, for the page shows each step of one cache. */
bool write_generation(const Settings *s, const Gpt *m, const Params *p, const TokenisedText *t)
{
    QuantisedWeights *copy = s->bits < 32 ? nn_quantise_weights(p, s->bits) : NULL;
    Recorder r = {.gpt = *m};
    BeamTree tree = {0};
    int T = m->config.longest;
    int32_t *text = example_alloc(2 * (size_t)T * sizeof *text + sizeof *text);
    char *prompt = NULL;
    Tape *tape = example_tape(1);
    bool ok = text && tape && (copy || s->bits == 32);
    if (ok) {
        tape->quantised_weights = copy;
        int have = read_prompt(s, m, t, text), most = T - have + 1;
        int count = s->length < most ? s->length : most;
        size_t size = tokens_decode(t, text, have, NULL, 0) + 1;
        prompt = example_alloc(size);
        ok = prompt && draw_text(s, &r, tape, text, have, count) &&
             search(s, &r, tape, text, have, count, &tree);
        if (ok)
            tokens_decode(t, text, have, prompt, size);
    }
    const GeneratedText page = {.title = "A GPT continues a text",
                                .prompt = prompt,
                                .token = token_text,
                                .vocabulary = t,
                                .beam = &tree,
                                .end = -1};
    ok = ok && generated_write(&r.generated, &s->common, "generation.html", &page);
    nn_beam_free(&tree);
    generated_free(&r.generated);
    tape_free(tape);
    nn_quantised_weights_free(copy);
    free(prompt);
    free(text);
    return ok;
}
