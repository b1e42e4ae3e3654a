/* beam.c: beam search for a continuation of high probability.
 *
 * A step extends each of B hypotheses by every token and keeps the B most likely results. A
 * hypothesis that has ended remains one of the B. With alpha = 0 every further token lowers the
 * score log p(y_1 ... y_n) / n^alpha; with alpha = 1 it is the mean log-probability of a token.
 *             Z "Sampling strategies" (lectures/README.md); alpha: Wu et al. 2016, "Google's neural
 *             machine translation system", eq. 14 */
#include "nn/decode/internal.h"

#include "nn/internal.h"
#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* length^alpha divides a negative number: a larger alpha favours longer continuations. */
static double score(const BeamTree *t, int node)
{
    return t->node[node].log_p / pow((double)t->node[node].length, t->alpha);
}

void nn_beam_free(BeamTree *t)
{
    if (!t)
        return;
    mem_free(t->node);
    *t = (BeamTree){0};
}

/* The state of a search. Invariant: after a step, each row of the cache that is not FREE holds the
 * prompt and the path to row[b] but for its last token, which is the model's next input. */
typedef struct {
    const Decoder *d;
    BeamTree *tree;
    int64_t count;  /* the number of tokens to generate                                           */
    int *row;       /* (B): the node of the last token of the sequence in each row of the cache   */
    int32_t *next;  /* (B): the same after this step                                              */
    int32_t *ids;   /* (B, tokens): the input of the model                                        */
    BeamNode *best; /* (B): the most likely extensions of this step, in descending order; here
                     * `parent` is a row of the cache                                             */
    int found;      /* their number                                                               */
    int64_t tokens; /* of the prompt, `prompt`                                                    */
    const int32_t *prompt;
    int32_t *text; /* (tokens + count): for the rules, the prompt and a hypothesis               */
    real *scores;  /* (V): its log-probabilities after the rules; NULL until V is known          */
    int ended;     /* the number of hypotheses that have ended                                   */
} Search;
enum { FREE = -2, ROOT = -1 }; /* in row and next: an unused row; a row that ends with the prompt */

/* Inserts a token into the list of the most likely ones, of at most `most`; among equals the first
 * found is first. An insertion sort: B is small, and most tokens fail at the last position of the
 * list. */
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

/* Writes the prompt and the hypothesis that ends with the node into s->text, for the rules; its
 * length. */
static int64_t text_of(const Search *s, int node)
{
    const BeamNode *all = s->tree->node;
    memcpy(s->text, s->prompt, (size_t)s->tokens * sizeof *s->text);
    for (int i = node; i >= 0; i = all[i].parent)
        s->text[s->tokens + all[i].length - 1] = all[i].token;
    return s->tokens + (node >= 0 ? all[node].length : 0);
}

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
        double sum;
        if (!decode_log_sum(logits, V, &sum, "nn_beam"))
            return false;
        if (s->d->rules) { /* of log-probabilities */
            logits =
                decode_scores(s->d, s->text, text_of(s, s->row[b]), logits, sum, V, &s->scores);
            sum = 0;
        }
        if (!logits)
            return false;
        for (int v = 0; v < V; v++)
            consider(s, (BeamNode){b, v, from.length + 1, from.log_p + logits[v] - sum},
                     B - s->ended);
    }
    return true;
}

/* Adds the extensions to the tree and assigns the rows of the cache: the first child of a row stays
 * in it; each further one gets a row without a child, into which the cache of its parent is copied.
 * Rows are copied before any is overwritten that another extension still needs, because a row with
 * children is never a target. */
static void grow(Search *s)
{
    int first = s->tree->nodes, B = (int)s->d->cache->batch, to = 0;
    for (int b = 0; b < B; b++)
        s->next[b] = FREE;
    for (int i = 0; i < s->found; i++) {
        BeamNode *n = &s->tree->node[s->tree->nodes++];
        *n = s->best[i];
        n->parent = s->row[s->best[i].parent];
        if (decode_ends(s->d, n->token))
            s->ended++;
        else if (s->next[s->best[i].parent] == FREE)
            s->next[s->best[i].parent] = first + i;
    }
    for (int i = 0; i < s->found; i++) {
        int from = s->best[i].parent;
        if (decode_ends(s->d, s->best[i].token) || s->next[from] == first + i)
            continue;
        while (s->next[to] != FREE)
            to++;
        s->next[to] = first + i;
        cache_copy(s->d->cache, from, to);
    }
    memcpy(s->row, s->next, (size_t)B * sizeof *s->row);
}

/* Every step feeds all rows, FREE ones too: a cache has a fixed batch. Their logits are ignored. */
static bool search(Search *s, Tape *tape, const int32_t *prompt, int64_t tokens)
{
    int64_t B = s->d->cache->batch;
    for (int64_t b = 0; b < B; b++) {
        s->row[b] = b == 0 ? ROOT : FREE;
        memcpy(s->ids + b * tokens, prompt, (size_t)tokens * sizeof *prompt);
    }
    for (int64_t i = 0; i < s->count && s->ended < B; i++) {
        const Tensor *y = decode_pass(tape, s->d, s->ids, NULL, i == 0 ? tokens : 1, "nn_beam");
        if (!y || !expand(s, y))
            return false;
        grow(s);
        for (int64_t b = 0; b < B; b++)
            s->ids[b] = s->row[b] >= 0 ? s->tree->node[s->row[b]].token : 0;
    }
    return true;
}

/* A hypothesis is complete when it has ended or has `count` tokens; among complete ones the largest
 * score wins. What is left of out is filled with `end`. */
static void choose(const Search *s, int32_t *out)
{
    BeamTree *t = s->tree;
    for (int i = 0; i < t->nodes; i++) {
        bool complete = decode_ends(s->d, t->node[i].token) || t->node[i].length == s->count;
        if (complete && (t->best < 0 || score(t, i) > score(t, t->best)))
            t->best = i;
    }
    for (int64_t i = t->best < 0 ? 0 : t->node[t->best].length; i < s->count; i++)
        out[i] = s->d->end;
    for (int i = t->best; i >= 0; i = t->node[i].parent)
        out[t->node[i].length - 1] = t->node[i].token;
}

/* The tree has space for B nodes a step. The five arrays of the search share one block. */
bool nn_beam(Tape *tape, const Decoder *d, const int32_t *prompt, int64_t tokens, int32_t *out,
             int64_t count, double alpha, BeamTree *tree)
{
    if (!tree)
        return tensor_fail("nn_beam: the tree is NULL; expected a BeamTree");
    *tree = (BeamTree){.alpha = alpha, .best = -1};
    if (!decode_check(tape, d, prompt, tokens, out, count, "nn_beam"))
        return false;
    if (!(fabs(alpha) <= 10)) /* length^alpha neither overflows nor underflows */
        return tensor_fail("nn_beam: alpha is %g; expected -10 to 10", alpha);
    if (d->stop)
        return tensor_fail("nn_beam: the decoder has a stop; expected none, since hypotheses of a "
                           "search end with a token alone");
    int64_t B = d->cache->batch;
    Search s = {.d = d, .tree = tree, .count = count, .tokens = tokens, .prompt = prompt};
    size_t nodes = (size_t)B * sizeof *s.best, ids = (size_t)B * sizeof(int);
    tree->node = mem_alloc(nodes * (size_t)count);
    s.best =
        tree->node
            ? mem_alloc(nodes + ids * (2 + (size_t)tokens) + (size_t)(tokens + count) * sizeof(int))
            : NULL;
    if (!s.best)
        return false;
    s.row = (int *)(s.best + B);
    s.next = s.row + B;
    s.ids = s.next + B;
    s.text = s.ids + B * tokens;
    TapeMode mode = decode_begin(tape, d);
    bool ok = search(&s, tape, prompt, tokens);
    decode_end(tape, mode);
    mem_free(s.best);
    mem_free(s.scores);
    if (ok)
        choose(&s, out);
    return ok;
}
