/* generated.c: see generated.h. */
#include "examples/common/generated.h"

#include "plot/html/own_pages.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_BYTES = 64 };

bool generated_begin(Generated *g, int most, int words, Rng rng)
{
    *g = (Generated){.rng = rng, .first = rng};
    g->most = most < PLOT_PAGE_TOKENS ? most : PLOT_PAGE_TOKENS;
    g->sampler = (Sampler){1, words, 1, &g->candidates, &g->rng};
    g->logits = tensor_new(shape2(g->most, words));
    g->tokens = example_alloc((size_t)g->most * sizeof *g->tokens);
    return nn_candidates_init(&g->candidates, words) && g->logits && g->tokens;
}

void generated_free(Generated *g)
{
    nn_beam_free(&g->tree);
    nn_candidates_free(&g->candidates);
    tensor_free(g->logits);
    free(g->tokens);
    *g = (Generated){0};
}

int generated_pick(void *generated, const real *logits, int64_t words)
{
    Generated *g = generated;
    if (g->steps == g->most) {
        tensor_fail("generated_pick: step %d; expected at most %d", g->steps + 1, g->most);
        return -1;
    }
    memcpy(g->logits->data + g->steps * words, logits, (size_t)words * sizeof *logits);
    return g->tokens[g->steps++] = nn_sample(&g->sampler, logits, words);
}

bool generated_run(Generated *g, Tape *tape, Decoder d, KVCache *one, KVCache *hypotheses,
                   const int32_t *prompt, int have, int count, int steps, double alpha)
{
    int32_t *out = example_alloc((size_t)(count + steps) * sizeof *out);
    d.cache = one, d.pick = generated_pick, d.picker = g;
    bool ok = out && nn_generate(tape, &d, prompt, NULL, have, out, count);
    d.cache = hypotheses, d.pick = NULL, d.picker = NULL;
    ok = ok && nn_beam(tape, &d, prompt, have, out + count, steps, alpha, &g->tree);
    free(out);
    return ok;
}

/* The texts of all tokens, in one block after their addresses. */
static const char **texts_of(const GeneratedText *t, int words)
{
    const char **texts = example_alloc((size_t)words * (sizeof *texts + TOKEN_BYTES));
    char *text = texts ? (char *)(texts + words) : NULL;
    for (int i = 0; texts && i < words; i++, text += TOKEN_BYTES) {
        t->token(t->vocabulary, i, text, TOKEN_BYTES);
        texts[i] = text;
    }
    return texts;
}

/* The steps that were recorded become *logits. */
static PlotPageGeneration page_of(const Generated *g, const GeneratedText *t, const char **texts,
                                  Tensor *logits)
{
    *logits = *g->logits;
    logits->shape.dim[0] = g->steps;
    return (PlotPageGeneration){.title = t->title,
                                .vocabulary = texts,
                                .words = (int)g->candidates.vocabulary,
                                .prompt = t->prompt,
                                .logits = logits,
                                .tokens = g->tokens,
                                .temperature = g->sampler.temperature,
                                .top_k = g->sampler.top_k,
                                .top_p = g->sampler.top_p,
                                .drawn = true,
                                .rng = g->first,
                                .beam = t->beam,
                                .end = t->end,
                                .live = t->live};
}

bool generated_write(const Generated *g, const Common *c, const char *file, const GeneratedText *t)
{
    char path[EXAMPLE_PATH];
    Tensor logits;
    const char **texts = texts_of(t, (int)g->candidates.vocabulary);
    const PlotPageGeneration page = page_of(g, t, texts, &logits);
    bool ok = texts && plot_page_generation(example_path(c, file, path), &page);
    if (ok)
        printf("page for a browser: %s\n", path);
    free(texts);
    return ok;
}

size_t generated_data(const Generated *g, const GeneratedText *t, char *text, size_t size)
{
    Tensor logits;
    const char **texts = texts_of(t, (int)g->candidates.vocabulary);
    const PlotPageGeneration page = page_of(g, t, texts, &logits);
    const size_t length = texts ? plot_page_generation_data(text, size, &page) : 0;
    free(texts);
    return length;
}
