/* page.c: --html: the text of --decode sample with its distributions, and the beam search, as a
 * page for a browser; --live: with the model in it. */
#include "examples/gpt/gpt.h"
#include "examples/gpt/recorder.h"
#include "plot/pages.h"

#include <stdlib.h>
#include <string.h>

/* The model as the module's live_begin reads it (examples/live/writer.c). NULL: no memory. */
static char *describe_model(const Gpt *m, const TokenisedText *t)
{
    static const char form[] = "gpt longest=%lld channels=%lld heads=%d layers=%d position=%d "
                               "unmasked=%d characters=%s";
    const GptConfig *c = &m->config;
    char *list = tokens_list(t), *text = NULL;
    const size_t size = sizeof form + 6 * 20 + (list ? strlen(list) : 0);
    if (list && (text = example_alloc(size)))
        snprintf(text, size, form, (long long)c->longest, (long long)c->channels, c->heads,
                 c->layers, c->position, !m->encoder.causal, list);
    free(list);
    return text;
}

static bool write_page(const Settings *s, const Recorder *r, const Gpt *m, const Params *p,
                       const TokenisedText *t)
{
    char *model = s->live ? describe_model(m, t) : NULL;
    const PlotPageLive live = {.module = GRADUS_LIVE, .model = model, .weights = p};
    GeneratedText text = r->text;
    text.live = model ? &live : NULL;
    bool ok =
        (model || !s->live) && generated_write(&r->generated, &s->common, "generation.html", &text);
    free(model);
    return ok;
}

/* One context, for the page shows each step of one cache; the random numbers are those of
 * write.c. */
bool write_generation(const Settings *s, const Gpt *m, const Params *p, const TokenisedText *t)
{
    const RecorderSettings settings = {.temperature = s->temperature,
                                       .top_p = s->top_p,
                                       .top_k = s->top_k,
                                       .rng = {.seed = (uint64_t)s->common.seed, .stream = 2},
                                       .count = s->length,
                                       .beam = s->beam,
                                       .alpha = s->alpha};
    Recorder r = {0};
    int32_t *text = example_alloc((2 * (size_t)m->config.longest + 1) * sizeof *text);
    Tape *tape = tape_new(1);
    bool ok = text && tape;
    ok = ok && recorder_run(&r, m, t, tape, &settings, text, read_prompt(s, m, t, text)) &&
         write_page(s, &r, m, p, t);
    recorder_free(&r);
    tape_free(tape);
    free(text);
    return ok;
}
