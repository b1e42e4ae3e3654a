/* write.c: continues a prompt with every decoding strategy.
 *
 * All strategies use the model's distribution over the next token; they differ in how they choose
 * from it (lecture Z, "Sampling strategies"). Keys and values of earlier tokens are kept in a KV
 * cache (lecture B, "Generation via Transformer-based LMs": only the last token is new). */
#include "examples/gpt/gpt.h"
#include "examples/common/shown.h"

#include <stdlib.h>
#include <string.h>

/* ---- the prompt ------------------------------------------------------------------------------ */

int read_prompt(const Settings *s, const Gpt *m, const TokenisedText *t, int32_t *ids)
{
    int T = m->config.longest, quarter = T < 4 ? 1 : T / 4;
    if (!s->prompt && s->data && t->text.ids) { /* the validation part */
        memcpy(ids, t->text.ids + t->text.train, (size_t)quarter * sizeof *ids);
        return quarter;
    }
    const char *text = s->prompt ? s->prompt : "One morning, a lazy ";
    int64_t n = tokens_encode(t, text, ids, T);
    if (n < 0)
        exit(2); /* an unknown character has been reported already */
    if (n == 0)
        options_refuse("--prompt: found an empty text; expected at least one character");
    if (n > T)
        options_refuse("--prompt: found %lld tokens; expected at most %d, the model's context",
                       (long long)n, T);
    return (int)n;
}

/* ---- generation ------------------------------------------------------------------------------ */

/* Appends `count` tokens to the `have` tokens of text. When the context is full, its second half
 * becomes the prompt of a new context, since the model has no later positions. */
static bool go_on(const Decoder *d, Tape *tape, int32_t *text, int have, int count)
{
    int T = (int)d->cache->capacity, keep = have, end = have + count;
    bool ok = true;
    while (ok && have < end) {
        int n = end - have < T - keep + 1 ? end - have : T - keep + 1;
        ok = nn_generate(tape, d, text + have - keep, NULL, keep, text + have, n);
        have += n;
        keep = (T + 1) / 2 < have ? (T + 1) / 2 : have;
    }
    return ok;
}

/* ---- one strategy ---------------------------------------------------------------------------- */

/* A decoding strategy. */
typedef struct {
    const char *name;
    enum { GREEDY, SAMPLE, BEAM } kind;
    double temperature;
    int64_t top_k;
    double top_p;
} Way;

static void print_name(const Settings *s, const Way *w)
{
    printf("\n--- %s", w->name);
    if (w->kind == BEAM)
        printf(", %d hypotheses, log p / length^%g", s->beam, s->alpha);
    if (w->kind == SAMPLE && w->temperature != 1)
        printf(", temperature %g", w->temperature);
    if (w->kind == SAMPLE && w->top_k < 65536)
        printf(", top-k %lld", (long long)w->top_k);
    if (w->kind == SAMPLE && w->top_p < 1)
        printf(", top-p %g", w->top_p);
    printf("\n");
}

static bool print_tokens(const TokenisedText *t, const int32_t *ids, int count)
{
    size_t size = tokens_decode(t, ids, count, NULL, 0) + 1;
    char *text = example_alloc(size);
    if (!text)
        return false;
    tokens_decode(t, ids, count, text, size);
    shown_text(stdout, text);
    putchar('\n');
    free(text);
    return true;
}

/* A beam search is limited to one context. */
static bool search(const Settings *s, const Gpt *m, Tape *tape, int32_t *text, int have, int *count)
{
    const int capacity = m->config.longest - have + 1;
    BeamTree tree = {0};
    KVCache cache = {0};
    const Decoder d = gpt_decoder(m, &cache);
    *count = *count < capacity ? *count : capacity;
    bool ok = nn_gpt_cache(m, &cache, s->beam) &&
              nn_beam(tape, &d, text, have, text + have, *count, s->alpha, &tree);
    if (ok)
        printf("(%d tokens, log p %.2f)\n", *count, tree.node[tree.best].log_p);
    nn_beam_free(&tree);
    nn_cache_free(&cache);
    return ok;
}

static bool write_one(const Settings *s, const Gpt *m, const TokenisedText *t, const Way *way)
{
    Candidates candidates = {0};
    KVCache cache = {0};
    Rng rng = {.seed = (uint64_t)s->common.seed, .stream = 2};
    Sampler sampler = {way->temperature, way->top_k, way->top_p, &candidates, &rng};
    Decoder d = gpt_decoder(m, &cache);
    if (way->kind == SAMPLE) {
        d.pick = nn_sample;
        d.picker = &sampler;
    }
    int T = m->config.longest, count = s->length;
    int32_t *text = example_alloc((size_t)(T + count) * sizeof *text);
    Tape *tape = tape_new(1);
    bool ok =
        text && tape && nn_candidates_init(&candidates, t->words) && nn_gpt_cache(m, &cache, 1);
    if (ok) {
        int have = read_prompt(s, m, t, text);
        print_name(s, way);
        ok = (way->kind == BEAM ? search(s, m, tape, text, have, &count)
                                : go_on(&d, tape, text, have, count)) &&
             print_tokens(t, text, have + count);
    }
    nn_candidates_free(&candidates);
    nn_cache_free(&cache);
    tape_free(tape);
    free(text);
    return ok;
}

/* ---- all strategies--------------------------------------------------------------------------- */

bool write_text(const Settings *s, const Gpt *m, const TokenisedText *t)
{
    const Way tour[] = {
        {"greedy", GREEDY, 1, 65536, 1}, {"beam search", BEAM, 1, 65536, 1},
        {"random", SAMPLE, 1, 65536, 1}, {"random", SAMPLE, 0.5, 65536, 1},
        {"random", SAMPLE, 1, 3, 1},     {"random", SAMPLE, 1, 65536, 0.9},
    };
    const Way asked = {"random", SAMPLE, s->temperature, s->top_k, s->top_p};
    if (strcmp(s->decode, "greedy") == 0)
        return write_one(s, m, t, &tour[0]);
    if (strcmp(s->decode, "beam") == 0)
        return write_one(s, m, t, &tour[1]);
    if (strcmp(s->decode, "sample") == 0)
        return write_one(s, m, t, &asked);
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof tour / sizeof *tour; i++)
        ok = write_one(s, m, t, &tour[i]);
    return ok;
}
