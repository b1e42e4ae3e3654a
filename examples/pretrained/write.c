/* write.c: a decoder goes on with the texts, by every way to choose the next token (Z "Sampling
 * strategies"). */
#include "examples/pretrained/pretrained.h"
#include "examples/common/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEAM = 4 };

/* The texts that are continued together. */
typedef struct {
    Tokens rows[TEXTS_MAX];
    int count;
    TokenBatch batch;
    int32_t *out; /* (count, tokens) */
} Prompts;

static void prompts_close(Prompts *p)
{
    for (int b = 0; b < p->count; b++)
        data_tokens_free(&p->rows[b]);
    data_token_batch_free(&p->batch);
    free(p->out);
}

/* The lecture's texts are no beginnings of one: of them the first is enough. */
static bool prompts_open(Prompts *p, const Settings *s, const Pretrained *m, const Tokeniser *t)
{
    const int given = options_given("text") || options_given("ids") ? s->texts.count : 1;
    for (; p->count < given; p->count++) {
        Tokens *row = &p->rows[p->count];
        if (!data_tokens(t, (TokenInput){.text = s->texts.text[p->count]}, row))
            return false;
        if (row->count < 1 || row->count + s->tokens > m->config.positions)
            options_refuse("--text, --tokens: %d tokens and %d more; the model reads 1 to %lld",
                           row->count, s->tokens, (long long)m->config.positions);
    }
    p->out = example_alloc((size_t)(p->count * s->tokens) * sizeof *p->out);
    return p->out && data_token_batch(&p->batch, p->rows, p->count, 0);
}

/* For a Decoder's stop. */
typedef struct {
    const Tokeniser *tokeniser;
    const TextList *texts;
} Stopper;

static void print_texts(const Settings *s, const Pretrained *m, const Tokeniser *t, const char *way,
                        const Prompts *p)
{
    printf("\n--- %s\n", way);
    for (int b = 0; b < p->count; b++)
        print_written(m, t, p->out + b * s->tokens, s->tokens);
}

static bool stops(void *stopper, const int *ids, int64_t n)
{
    const Stopper *stop = stopper;
    for (int i = 0; i < stop->texts->count; i++)
        if (data_tokens_stop(stop->tokeniser, ids, n, stop->texts->text[i]) > 0)
            return true;
    return false;
}

/* A beam search for each text by itself. */
static bool search(const Settings *s, Pretrained *m, Tape *tape, Prompts *p)
{
    KVCache cache;
    BeamTree tree = {0};
    bool ok = nn_pretrained_cache(m, &cache, BEAM, p->batch.T + s->tokens);
    const Decoder d = nn_pretrained_decoder(m, &cache);
    for (int b = 0; ok && b < p->count; b++) {
        ok = nn_beam(tape, &d, p->batch.ids + b * p->batch.T, p->batch.lengths[b],
                     p->out + b * s->tokens, s->tokens, 1, &tree);
        nn_beam_free(&tree);
    }
    nn_cache_free(&cache);
    return ok;
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
    Prompts p = {0};
    KVCache cache = {0};
    Candidates candidates = {0};
    Rng rng = {.seed = (uint64_t)s->common.seed};
    bool ok = prompts_open(&p, s, m, t) &&
              nn_pretrained_cache(m, &cache, p.count, p.batch.T + s->tokens) &&
              nn_candidates_init(&candidates, m->config.words);
    m->last_only = p.count == 1;
    putchar('\n');
    for (int b = 0; ok && b < p.count; b++) {
        shown_text(stdout, s->texts.text[b]);
        putchar('\n');
    }
    for (size_t w = 0; ok && w < sizeof ways / sizeof *ways; w++) {
        Sampler sampler = {ways[w].temperature, ways[w].top_k ? ways[w].top_k : m->config.words,
                           ways[w].top_p, &candidates, &rng};
        Decoder d = nn_pretrained_decoder(m, &cache);
        d.pick = w == 0 ? NULL : nn_sample;
        d.picker = &sampler;
        d.stop = s->stop.count > 0 ? stops : NULL;
        d.stopper = &(Stopper){t, &s->stop};
        ok = nn_generate(tape, &d, p.batch.ids, p.count > 1 ? p.batch.lengths : NULL, p.batch.T,
                         p.out, s->tokens);
        if (ok)
            print_texts(s, m, t, ways[w].name, &p);
    }
    nn_cache_free(&cache);
    m->last_only = true;
    if (ok && s->stop.count == 0 && (ok = search(s, m, tape, &p)))
        print_texts(s, m, t, "beam of 4", &p);
    nn_candidates_free(&candidates);
    prompts_close(&p);
    tape->no_grad = true;
    return ok;
}
