/* generation.c: the data of a page on generated text, which generation.js and decoding.js draw.
 *
 *   {"vocabulary", "prompt", "tokens", "logits", "temperature", "topK", "topP", "drawn", "seed", "stream", "position",
 *    "beam": {"width", "end", "alpha", "parent", "token", "length", "log_p"}}
 *
 * logits is an array with an array a step: of numbers with 9 digits, which are enough for a float,
 * or, where there are many, packed in 16 bits, each step with a range of its own. seed and stream
 * are texts, since a number of JSON is a double. */
#include "plot/html/page.h"
#include "plot/pages.h"
#include "tensor/memory.h"

#include <math.h>

static const char who[] = "plot_page_generation";

/* Up to so many logits are written with all their digits: at most 1.3 MB. */
enum { EXACT_LOGITS = 120000 };

/* ---- checks ---------------------------------------------------------------------------------- */

static bool logits_fit(const PlotPageGeneration *g)
{
    const Tensor *l = g->logits;
    if (tensor_is_poison(l) || !l->data || l->shape.rank != 2 || l->shape.dim[0] < 1 ||
        !tensor_is_contiguous(l))
        return tensor_fail("%s: the logits are %s; expected (steps, V), contiguous, with at least "
                           "one step",
                           who, l ? tensor_describe(l) : "NULL");
    if (!tensor_is_current(l, who))
        return false;
    int64_t steps = l->shape.dim[0], words = l->shape.dim[1];
    if (words != g->words || words < 1 || steps > PLOT_PAGE_TOKENS ||
        steps * words > PLOT_PAGE_NUMBERS)
        return tensor_fail(
            "%s: logits %s of %lld words; expected as many columns as words, at most "
            "%d steps and %d numbers",
            who, shape_str(l->shape), (long long)g->words, PLOT_PAGE_TOKENS, PLOT_PAGE_NUMBERS);
    for (int64_t i = 0; i < steps * words; i++) {
        const real *row = l->data + i / words * words;
        if (!(l->data[i] < INFINITY) || (i % words == 0 && isinf(row[nn_greedy(row, words)])))
            return tensor_fail("%s: logit %lld of step %lld is %g; expected finite numbers, or "
                               "-infinity for some of a step",
                               who, (long long)(i % words), (long long)(i / words),
                               (double)l->data[i]);
    }
    return true;
}

static bool settings_fit(const PlotPageGeneration *g)
{
    if (!(g->temperature >= 0) || isinf(g->temperature) || g->top_k < 1 ||
        !(g->top_p > 0 && g->top_p <= 1))
        return tensor_fail(
            "%s: temperature %g, top-k %lld, top-p %g; expected a finite temperature "
            "of 0 or more, k of 1 or more, 0 < p <= 1",
            who, g->temperature, (long long)g->top_k, g->top_p);
    for (int64_t i = 0; i < g->logits->shape.dim[0]; i++)
        if (g->tokens[i] < 0 || g->tokens[i] >= g->words)
            return tensor_fail("%s: token %d at step %lld; expected 0 to %lld", who, g->tokens[i],
                               (long long)i, (long long)g->words - 1);
    return true;
}

static bool beam_fits(const PlotPageGeneration *g)
{
    const BeamTree *b = g->beam;
    if (!b)
        return true;
    if (!b->node || b->nodes < 1 || b->nodes > PLOT_LONGEST)
        return tensor_fail("%s: a beam of %d nodes; expected 1 to %d", who, b->nodes, PLOT_LONGEST);
    for (int i = 0; i < b->nodes; i++) {
        const BeamNode *n = &b->node[i];
        int before = n->parent >= 0 && n->parent < i ? b->node[n->parent].length : 0;
        if (n->parent < -1 || n->parent >= i || n->length != before + 1 || n->token < 0 ||
            n->token >= g->words)
            return tensor_fail("%s: node %d of the beam has parent %d, token %d and length %d; "
                               "expected an earlier node, a token below %lld and one more than its "
                               "parent's length",
                               who, i, n->parent, n->token, n->length, (long long)g->words);
    }
    return true;
}

static bool generation_fits(const PlotPageGeneration *g)
{
    if (!g || !g->vocabulary || !g->tokens)
        return tensor_fail("%s: %s is NULL; expected the vocabulary, the logits and the tokens",
                           who,
                           !g               ? "the generation"
                           : !g->vocabulary ? "the vocabulary"
                                            : "tokens");
    return logits_fit(g) && settings_fit(g) && beam_fits(g);
}

/* ---- the data -------------------------------------------------------------------------------- */

/* A token that a rule forbids, whose logit is -infinity, is written with one that is 100 less than
 * the largest: its probability is below 1e-43. */
static bool put_logits(Page *p, const Tensor *logits)
{
    enum { LESS = 100 };
    int64_t steps = logits->shape.dim[0], words = logits->shape.dim[1];
    real *shown = mem_alloc((size_t)words * sizeof *shown);
    page_key_array(p, "logits");
    for (int64_t i = 0; shown && i < steps; i++) {
        const real *row = logits->data + i * words;
        const real least = row[nn_greedy(row, words)] - LESS;
        for (int64_t v = 0; v < words; v++)
            shown[v] = isinf(row[v]) ? least : row[v];
        if (steps * words > EXACT_LOGITS) {
            page_packed(p, shown, shape1(words), 16, false);
            continue;
        }
        page_array(p);
        for (int64_t v = 0; v < words; v++)
            page_number(p, (double)shown[v]);
        page_end(p);
    }
    page_end(p);
    mem_free(shown);
    return shown != NULL;
}

static void put_whole(Page *p, const char *key, uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    page_key_text(p, key, text);
}

/* One array of each field. `which` is 0 for parent, 1 for token, 2 for length. */
static void put_field(Page *p, const char *key, const BeamTree *b, int which)
{
    page_key_array(p, key);
    for (int i = 0; i < b->nodes; i++)
        page_count(p, which == 0   ? b->node[i].parent
                      : which == 1 ? b->node[i].token
                                   : b->node[i].length);
    page_end(p);
}

static void put_beam(Page *p, const BeamTree *b, int end)
{
    int width = 0, widest = 0;
    for (int i = 0; i < b->nodes; i++) {
        width = i > 0 && b->node[i].length == b->node[i - 1].length ? width + 1 : 1;
        widest = width > widest ? width : widest;
    }
    page_key(p, "beam");
    page_object(p);
    page_key_count(p, "width", widest);
    page_key_count(p, "end", end);
    page_key_number(p, "alpha", b->alpha);
    put_field(p, "parent", b, 0);
    put_field(p, "token", b, 1);
    put_field(p, "length", b, 2);
    page_key_array(p, "log_p");
    for (int i = 0; i < b->nodes; i++)
        page_number(p, b->node[i].log_p);
    page_end(p);
    page_end(p);
}

static bool put_generation(Page *p, const PlotPageGeneration *g)
{
    page_texts(p, "vocabulary", g->vocabulary, g->words);
    page_key_text(p, "prompt", g->prompt ? g->prompt : "");
    page_key_array(p, "tokens");
    for (int64_t i = 0; i < g->logits->shape.dim[0]; i++)
        page_count(p, g->tokens[i]);
    page_end(p);
    bool ok = put_logits(p, g->logits);
    page_key_exact(p, "temperature", g->temperature);
    page_key_count(p, "topK", g->top_k < g->words ? g->top_k : g->words);
    page_key_exact(p, "topP", g->top_p);
    page_key_bool(p, "drawn", g->drawn);
    put_whole(p, "seed", g->rng.seed);
    put_whole(p, "stream", g->rng.stream);
    put_whole(p, "position", g->rng.position);
    if (g->beam)
        put_beam(p, g->beam, g->end);
    return ok;
}

bool plot_page_generation(const char *path, const PlotPageGeneration *g)
{
    if (!generation_fits(g))
        return false;
    Page *p = page_new("generation", g->title ? g->title : "Generation", who);
    if (put_generation(p, g) && page_live(p, g->live, who))
        return page_write(p, path);
    page_free(p);
    return false;
}

size_t plot_page_generation_data(char *text, size_t size, const PlotPageGeneration *g)
{
    if (!generation_fits(g))
        return 0;
    Page *p = page_data_new(who);
    size_t length = put_generation(p, g) ? page_data(p, text, size) : 0;
    page_free(p);
    return length;
}
