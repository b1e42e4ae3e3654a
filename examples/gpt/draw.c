/* draw.c: the speed-up of the KV cache, and the page of --html. */
#include "examples/common/html.h"
#include "examples/common/progress.h"
#include "examples/gpt/gpt.h"

#include <stdlib.h>

enum { ALL_FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF };

/* ---- the cache ------------------------------------------------------------------------------- */

/* The lengths at which times are measured, with a model of the same sizes and a longer context. */
enum { LENGTHS = 6, LONGEST = 256, TRIES = 2 };
static const int lengths[LENGTHS] = {8, 16, 32, 64, 128, 256};

/* Generates greedily without a cache: the model processes all tokens again for each new one.
 * took[i] gets the seconds after lengths[i] tokens if the text is that long. */
static bool write_in_full(const Gpt *m, Tape *tape, int32_t *text, int have, int count,
                          double took[LENGTHS])
{
    double began = seconds();
    tape->no_grad = true;
    for (int i = 0, at = 0; i < count; i++) {
        tape_reset(tape);
        int n = have + i;
        Tensor *y = nn_gpt(m, tape_ids(tape, text, shape2(1, n)));
        if (tensor_is_poison(y))
            return false;
        int64_t words = shape_last(y->shape);
        text[n] = nn_greedy(y->data + (n - 1) * words, words);
        double now = seconds() - began;
        if (took && at < LENGTHS && i + 1 == lengths[at]) {
            took[at] = now < took[at] ? now : took[at];
            at++;
        }
    }
    return true;
}

/* Does the trained model generate the same tokens with and without the cache? */
static bool compare(const Settings *s, const Gpt *m, const TokenisedText *t, Tape *tape)
{
    int T = m->config.longest, same = 0;
    int32_t *full = example_alloc(4 * (size_t)T * sizeof *full);
    KVCache cache = {0};
    bool ok = full && nn_gpt_cache(m, &cache, 1);
    if (ok) {
        Decoder d = gpt_decoder(m, &cache);
        int32_t *cached = full + 2 * T;
        int have = read_prompt(s, m, t, full), count = T - have + 1;
        ok = nn_generate(tape, &d, full, NULL, have, cached, count) &&
             write_in_full(m, tape, full, have, count, NULL);
        for (int i = 0; i < count; i++)
            same += cached[i] == full[have + i];
        printf("\nwith the cache and without it: the same %d of %d tokens\n", same, count);
    }
    nn_cache_free(&cache);
    free(full);
    return ok;
}

/* Fills took[0] with the seconds without the cache and took[1] with those with it. */
static bool measure(const Gpt *m, Tape *tape, double took[2][LENGTHS])
{
    int32_t text[LONGEST + 1] = {0}, out[LONGEST];
    KVCache cache = {0};
    bool ok = nn_gpt_cache(m, &cache, 1);
    Decoder d = gpt_decoder(m, &cache);
    for (int i = 0; i < LENGTHS; i++)
        took[0][i] = took[1][i] = 1e9;
    for (int k = 0; ok && k < TRIES; k++) {
        ok = write_in_full(m, tape, text, 1, LONGEST, took[0]);
        for (int i = 0; ok && i < LENGTHS; i++) {
            double began = seconds();
            ok = nn_generate(tape, &d, text, NULL, 1, out, lengths[i]);
            double now = seconds() - began;
            took[1][i] = now < took[1][i] ? now : took[1][i];
        }
    }
    nn_cache_free(&cache);
    return ok;
}

static bool draw_times(const Settings *s, double took[2][LENGTHS])
{
    double x[LENGTHS], faster[LENGTHS];
    char path[EXAMPLE_PATH];
    printf("\n%8s %14s %14s %10s\n", "tokens", "no cache, ms", "cached, ms", "speed-up");
    for (int i = 0; i < LENGTHS; i++) {
        x[i] = lengths[i];
        faster[i] = took[0][i] / took[1][i];
        printf("%8d %14.2f %14.2f %9.1fx\n", lengths[i], 1e3 * took[0][i], 1e3 * took[1][i],
               faster[i]);
    }
    PlotSeries series = {.x = x, .y = faster, .count = LENGTHS};
    PlotCurves curves = {.series = &series,
                         .count = 1,
                         .title = "generation with a KV cache",
                         .x_name = "generated tokens",
                         .y_name = "speed-up over no cache"};
    return plot_curves(example_path(&s->common, "cache", path), &curves, ALL_FORMATS);
}

bool draw_cache(const Settings *s, const Gpt *m, const TokenisedText *t)
{
    double took[2][LENGTHS];
    Gpt longer;
    GptConfig config = m->config;
    config.longest = LONGEST + 1;
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    bool ok = p && tape && nn_gpt_init(&longer, p, "", config) &&
              (!m->encoder.causal || compare(s, m, t, tape)) && measure(&longer, tape, took) &&
              draw_times(s, took);
    tape_free(tape);
    params_free(p);
    return ok;
}

/* ---- the page of --html ---------------------------------------------------------------------- */

enum { PAGE_TOKENS = 48 };

/* Forward over n tokens with maps kept, and backward from the loss of each token after the
 * first. */
static bool pass_over(const Gpt *m, Tape *tape, const int32_t *ids, int n)
{
    tape_reset(tape);
    tape->no_grad = false;
    tape->keep_maps = true;
    return ag_backward(ag_cross_entropy(nn_gpt(m, tape_ids(tape, ids, shape2(1, n - 1))),
                                        tape_ids(tape, ids + 1, shape2(1, n - 1))));
}

static bool write_page(const Settings *s, const Gpt *m, const TokenisedText *t, Tape *tape,
                       const int32_t *ids, int n)
{
    char text[PAGE_TOKENS][TOKEN_LABEL], title[PAGE_TOKENS * TOKEN_LABEL];
    const char *labels[PAGE_TOKENS];
    Html html = {.wanted = true, .loss = "the mean cross-entropy of the next tokens"};
    for (int i = 0; i < n - 1; i++)
        labels[i] = tokens_label(t, ids[i], text[i]);
    tokens_decode(t, ids, n - 1, title, sizeof title);
    const HtmlAttention all = {.path = "blocks.%d.attn",
                               .layers = m->config.layers,
                               .name = m->encoder.causal ? "causal self-attention" : NULL,
                               .rows = labels,
                               .columns = labels};
    bool ok = pass_over(m, tape, ids, n) && html_add(&html, tape, 0, title, &all, 1) &&
              html_write(&html, &s->common, "Attention of a GPT");
    html_free(&html);
    return ok;
}

bool draw_page(const Settings *s, const Gpt *m, const TokenisedText *t)
{
    KVCache cache = {0};
    int T = m->config.longest, most = T < PAGE_TOKENS ? T : PAGE_TOKENS;
    int32_t *ids = example_alloc(2 * (size_t)T * sizeof *ids);
    Tape *tape = tape_new(1);
    bool ok = ids && tape && nn_gpt_cache(m, &cache, 1);
    if (ok) {
        Decoder d = gpt_decoder(m, &cache);
        int n = read_prompt(s, m, t, ids);
        if (n < most && (ok = nn_generate(tape, &d, ids, NULL, n, ids + n, most - n)))
            n = most;
        ok = ok && write_page(s, m, t, tape, ids, n < most ? n : most);
    }
    nn_cache_free(&cache);
    tape_free(tape);
    free(ids);
    return ok;
}
