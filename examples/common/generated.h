/* generated.h: records the logits from which a text is drawn, and writes them as a page,
 * generation.html (--html).
 *
 *    Generated g;
 *    bool ok = generated_begin(&g, steps, words, (Rng){.seed = seed}) &&
 *              generated_run(&g, tape, decoder, ...) &&
 *              generated_write(&g, common, "generation.html", &text);
 *    generated_free(&g);
 *
 * The settings temperature, top_k and top_p are 1, all and 1; a program changes them in
 * g.sampler. */
#ifndef EXAMPLES_GENERATED_H
#define EXAMPLES_GENERATED_H

#include "examples/common/example.h"
#include "gradus.h"
#include "plot/pages.h"

typedef struct {
    Sampler sampler;
    Candidates candidates;
    Rng rng, first;  /* of the draws: as it is, and as it was before the first */
    Tensor *logits;  /* (most, words)                                          */
    int *tokens;     /* (most)                                                 */
    int steps, most; /* recorded so far                                        */
    BeamTree tree;   /* of generated_run                                       */
} Generated;

/* Memory for so many steps, at most PLOT_PAGE_TOKENS. g must not move until generated_free. */
bool generated_begin(Generated *g, int most, int words, Rng rng);
/* Draws a token and records the step, as a Decoder's pick. -1, with an error, beyond `most`
 * steps. */
int generated_pick(void *generated, const real *logits, int64_t words);
/* Draws `count` tokens after a prompt with the model of d and a cache for one sequence, which is
 * recorded; then searches from the prompt for `steps` tokens, with a cache for the hypotheses. */
bool generated_run(Generated *g, Tape *tape, Decoder d, KVCache *one, KVCache *hypotheses,
                   const int32_t *prompt, int have, int count, int steps, double alpha);
void generated_free(Generated *g);

/* What stands beside the numbers. */
typedef struct {
    const char *title, *prompt;
    /* Writes the text of a token, at most size bytes with the 0 at its end. */
    void (*token)(const void *vocabulary, int id, char *text, size_t size);
    const void *vocabulary;
    const BeamTree *beam;     /* from the same prompt, or NULL           */
    int end;                  /* the token that ends a text; -1: none */
    const PlotPageLive *live; /* of a page that computes, or NULL */
} GeneratedText;

/* Writes the page into --out, and says where. */
bool generated_write(const Generated *g, const Common *c, const char *file,
                     const GeneratedText *text);
/* The data of such a page, as plot_page_generation_data has them. */
size_t generated_data(const Generated *g, const GeneratedText *t, char *text, size_t size);

#endif
