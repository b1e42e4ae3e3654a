/* beam.c: the likeliest continuation as a whole, looked for among more than one at a time.
 *
 * From each of B hypotheses all tokens further; the B likeliest of those are the next. One that has ended keeps
 * its place among the B. At last the best is that with the largest log p(y_1 ... y_n) / n^alpha: with alpha = 0 each
 * token more makes a hypothesis worse, with 1 the mean over its tokens counts.
 *                   Z "Sampling strategies"; alpha: Wu et al. 2016, "Google's neural machine translation
 *                   system", eq. 14 */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

double nn_beam_score(const BeamTree *t, int node)
{
    return decode_score(t->node[node].log_p, t->node[node].length, t->alpha);
}

int nn_beam_path(const BeamTree *t, int node, int *tokens)
{
    int length = t->node[node].length;
    for (; node >= 0; node = t->node[node].parent)
        tokens[t->node[node].length - 1] = t->node[node].token;
    return length;
}

void nn_beam_free(BeamTree *t)
{
    mem_free(t->node);
    *t = (BeamTree){0};
}

/* ---- a search under way --------------------------------------------------------------------------------- */

typedef struct {
    const Decoder *d;
    BeamTree *tree;
    int64_t count;  /* tokens to write                                                           */
    int *row;       /* (B): the node that the sequence in this row of the cache ends with        */
    int *next;      /* (B): the same after this step                                             */
    int *ids;       /* (B, tokens): what is fed                                                  */
    BeamNode *best; /* (B): the likeliest tokens of this step, in order; `parent` is a row       */
    int found;      /* of them                                                                   */
    int ended;      /* hypotheses                                                                */
} Search;
enum { FREE = -2, ROOT = -1 }; /* a row of nobody; of the prompt */

/* Puts a token among the likeliest `most`; of equals the first one found stays in front. */
static void consider(Search *s, BeamNode token, int most)
{
    int at = s->found;
    while (at > 0 && token.log_p > s->best[at - 1].log_p)
        at--;
    if (at == most)
        return;
    s->found += s->found < most;
    for (int i = s->found - 1; i > at; i--)
        s->best[i] = s->best[i - 1];
    s->best[at] = token;
}

/* All tokens behind all hypotheses that have not ended. */
static bool expand(Search *s, const Tensor *y)
{
    int64_t T = y->shape.dim[1], V = shape_last(y->shape);
    int B = (int)s->d->cache->batch;
    s->found = 0;
    for (int b = 0; b < B; b++) {
        if (s->row[b] == FREE)
            continue;
        const real *logits = y->data + (b * T + T - 1) * V;
        BeamNode from = s->row[b] >= 0 ? s->tree->node[s->row[b]] : (BeamNode){0};
        double sum = decode_log_sum(logits, V);
        if (isnan(sum))
            return decode_no_numbers("beam");
        for (int v = 0; v < V; v++)
            consider(s, (BeamNode){b, v, from.length + 1, from.log_p + logits[v] - sum},
                     B - s->ended);
    }
    return true;
}

/* What was found becomes nodes of the tree. A row's first child that goes on stays in it; each further one gets a
 * row without a child, with a copy of what the cache holds of its parent. */
static bool grow(Search *s)
{
    int first = s->tree->nodes, B = (int)s->d->cache->batch, to = 0;
    for (int b = 0; b < B; b++)
        s->next[b] = FREE;
    for (int i = 0; i < s->found; i++) {
        BeamNode *n = &s->tree->node[s->tree->nodes++];
        *n = s->best[i];
        n->parent = s->row[s->best[i].parent];
        if (n->token == s->d->end)
            s->ended++;
        else if (s->next[s->best[i].parent] == FREE)
            s->next[s->best[i].parent] = first + i;
    }
    for (int i = 0; i < s->found; i++) {
        int from = s->best[i].parent;
        if (s->best[i].token == s->d->end || s->next[from] == first + i)
            continue;
        while (s->next[to] != FREE)
            to++;
        s->next[to] = first + i;
        if (!nn_cache_copy(s->d->cache, from, to))
            return false;
    }
    memcpy(s->row, s->next, (size_t)B * sizeof *s->row);
    return true;
}

static bool search(Search *s, Tape *tape, const int *prompt, int64_t tokens)
{
    int64_t B = s->d->cache->batch;
    for (int64_t b = 0; b < B; b++) {
        s->row[b] = b == 0 ? ROOT : FREE;
        memcpy(s->ids + b * tokens, prompt, (size_t)tokens * sizeof *prompt);
    }
    for (int64_t i = 0; i < s->count && s->ended < B; i++) {
        const Tensor *y = decode_pass(tape, s->d, s->ids, NULL, i == 0 ? tokens : 1);
        if (!y || !expand(s, y) || !grow(s))
            return false;
        for (int64_t b = 0; b < B; b++)
            s->ids[b] = s->row[b] >= 0 ? s->tree->node[s->row[b]].token : 0;
    }
    return true;
}

/* ---- the result ----------------------------------------------------------------------------------------- */

static void choose(const Search *s, int *out)
{
    BeamTree *t = s->tree;
    for (int i = 0; i < t->nodes; i++) {
        bool complete = t->node[i].token == s->d->end || t->node[i].length == s->count;
        if (complete && (t->best < 0 || nn_beam_score(t, i) > nn_beam_score(t, t->best)))
            t->best = i;
    }
    for (int64_t i = t->best < 0 ? 0 : nn_beam_path(t, t->best, out); i < s->count; i++)
        out[i] = s->d->end;
}

bool nn_beam(Tape *tape, const Decoder *d, const int *prompt, int64_t tokens, int *out,
             int64_t count, double alpha, BeamTree *tree)
{
    *tree = (BeamTree){.alpha = alpha, .best = -1};
    if (!decode_fits(tape, d, prompt, tokens, out, count, "beam"))
        return false;
    int64_t B = d->cache->batch;
    Search s = {.d = d, .tree = tree, .count = count};
    size_t nodes = (size_t)B * sizeof *s.best, ids = (size_t)B * sizeof(int);
    tree->node = mem_alloc(nodes * (size_t)count);
    s.best = tree->node ? mem_alloc(nodes + ids * (2 + (size_t)tokens)) : NULL;
    if (!s.best)
        return false;
    s.row = (int *)(s.best + B);
    s.next = s.row + B;
    s.ids = s.next + B;
    TapeMode mode = decode_begin(tape, d);
    bool ok = search(&s, tape, prompt, tokens);
    decode_end(tape, mode);
    mem_free(s.best);
    if (ok)
        choose(&s, out);
    return ok;
}
