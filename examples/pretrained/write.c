/* write.c: a decoder goes on with the text, by every way to choose the next token (Z "Sampling
 * strategies"). */
#include "examples/pretrained/pretrained.h"
#include "examples/common/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Pretrained *m;
    const Sampler *sampler;
} Writer;

static Tensor *logits(void *writer, Tensor *ids, KVCache *cache)
{
    return nn_pretrained_logits_cached(((Writer *)writer)->m, ids, cache);
}

static int pick(void *writer, const real *numbers, int64_t words)
{
    (void)words;
    return nn_sample(((Writer *)writer)->sampler, numbers);
}

static void print_text(const Pretrained *m, const Tokeniser *t, const char *way, const int32_t *ids,
                       int n)
{
    char text[4096];
    data_tokens_text(t, ids, before_end(m, ids, n), false, text, sizeof text);
    printf("\n--- %s\n", way);
    shown_text(stdout, text);
    putchar('\n');
}

bool show_writing(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape)
{
    static const struct {
        const char *name;
        double temperature, top_p;
        int64_t top_k;
    } ways[] = {{"greedy", 0, 1, 0},
                {"temperature 0.8", 0.8, 1, 0},
                {"top-k 40", 1, 1, 40},
                {"top-p 0.9", 1, 0.9, 0}};
    Encoded e;
    KVCache cache;
    Candidates candidates = {0};
    Rng rng = {.seed = (uint64_t)s->common.seed};
    if (!sentence_open(&e, t, s->texts.text[0], 0))
        return false;
    int T = e.tokens.count, longest = (int)m->config.positions;
    if (T < 1 || T + s->tokens > longest)
        options_refuse("--text, --tokens: %d tokens and %d more; the model reads at most %d", T,
                       s->tokens, longest);
    int32_t *out = example_alloc((size_t)s->tokens * sizeof *out);
    bool ok = out && nn_pretrained_cache(m, &cache, 1, T + s->tokens) &&
              nn_candidates_init(&candidates, m->config.words);
    m->last_only = true;
    putchar('\n');
    shown_text(stdout, s->texts.text[0]);
    putchar('\n');
    for (size_t w = 0; ok && w < sizeof ways / sizeof *ways; w++) {
        Sampler sampler = {ways[w].temperature, ways[w].top_k ? ways[w].top_k : m->config.words,
                           ways[w].top_p, &candidates, &rng};
        Writer writer = {m, &sampler};
        Decoder d = {.logits = logits,
                     .model = &writer,
                     .cache = &cache,
                     .end = m->config.end,
                     .ends = m->config.ends,
                     .pick = w == 0 ? NULL : pick};
        ok = nn_generate(tape, &d, e.ids, NULL, T, out, s->tokens);
        if (ok)
            print_text(m, t, ways[w].name, out, s->tokens);
    }
    nn_cache_free(&cache);
    if (ok && nn_pretrained_cache(m, &cache, 4, T + s->tokens)) {
        BeamTree tree = {0};
        Writer writer = {m, NULL};
        Decoder d = {.logits = logits,
                     .model = &writer,
                     .cache = &cache,
                     .end = m->config.end,
                     .ends = m->config.ends};
        ok = nn_beam(tape, &d, e.ids, T, out, s->tokens, 1, &tree);
        if (ok)
            print_text(m, t, "beam of 4", out, s->tokens);
        nn_beam_free(&tree);
        nn_cache_free(&cache);
    }
    nn_candidates_free(&candidates);
    free(out);
    sentence_close(&e);
    tape->no_grad = true;
    return ok;
}
