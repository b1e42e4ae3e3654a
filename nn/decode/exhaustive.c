/* exhaustive.c: all V^n continuations: what the best one is, without any cleverness. The truth that a beam search,
 * which looks at a few, is measured by; for a tiny vocabulary and a few tokens.
 *                   Z "Sampling strategies": O(K^N) */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

typedef struct {
    Tape *tape;
    const Decoder *d;
    int64_t tokens, count, words;
    double alpha, best;
    double *log_p; /* (count, V): of each token behind those of `path`, all together */
    int *path;     /* (count): the tokens now tried   */
    int *out;      /* (count): the best ones so far   */
} Trial;

enum { MOST = 1000000 };

/* Runs the model over the first tokens of the path, of which only the last is new (at depth 0: the prompt), and
 * writes log p of each token behind them. */
static bool look(Trial *t, const int *ids, int depth, double before)
{
    int64_t n = depth == 0 ? t->tokens : 1;
    t->d->cache->length[0] = depth == 0 ? 0 : (int)t->tokens + depth - 1; /* the way back */
    const Tensor *y = decode_pass(t->tape, t->d, ids, NULL, n);
    if (!y)
        return false;
    const real *logits = y->data + (n - 1) * t->words;
    double sum = decode_log_sum(logits, t->words);
    for (int64_t v = 0; v < t->words; v++)
        t->log_p[depth * t->words + v] = before + logits[v] - sum;
    return !isnan(sum) || decode_no_numbers("exhaustive");
}

static void weigh(Trial *t, int64_t length, double log_p)
{
    double score = decode_score(log_p, length, t->alpha);
    if (!(score > t->best))
        return;
    t->best = score;
    memcpy(t->out, t->path, (size_t)length * sizeof *t->out);
    for (int64_t i = length; i < t->count; i++)
        t->out[i] = t->d->end;
}

/* All continuations of the first `depth` tokens of the path. */
static bool try_all(Trial *t, int depth)
{
    for (int v = 0; v < t->words; v++) {
        double log_p = t->log_p[depth * t->words + v];
        t->path[depth] = v;
        if (v == t->d->end || depth + 1 == t->count)
            weigh(t, depth + 1, log_p);
        else if (!look(t, &t->path[depth], depth + 1, log_p) || !try_all(t, depth + 1))
            return false;
    }
    return true;
}

/* The first pass tells V. */
static bool begin(Trial *t, const int *prompt)
{
    const Tensor *y = decode_pass(t->tape, t->d, prompt, NULL, t->tokens);
    if (!y)
        return false;
    t->words = shape_last(y->shape);
    if (pow((double)t->words, (double)t->count) > MOST)
        return tensor_fail("exhaustive: %lld tokens of %lld words; need at most %d continuations",
                           (long long)t->count, (long long)t->words, MOST);
    t->log_p = mem_alloc((size_t)t->count * ((size_t)t->words * sizeof *t->log_p + sizeof(int)));
    if (!t->log_p)
        return false;
    t->path = (int *)(t->log_p + t->count * t->words);
    return look(t, prompt, 0, 0);
}

bool nn_exhaustive(Tape *tape, const Decoder *d, const int *prompt, int64_t tokens, int *out,
                   int64_t count, double alpha, double *score)
{
    if (!decode_fits(tape, d, prompt, tokens, out, count, "exhaustive"))
        return false;
    if (count < 1 || d->cache->batch != 1)
        return tensor_fail("exhaustive: %lld tokens, a cache for %lld sequences; need 1 or more, "
                           "and a cache for 1",
                           (long long)count, (long long)d->cache->batch);
    Trial t = {.tape = tape, .d = d, .tokens = tokens, .count = count, .alpha = alpha};
    t.best = -INFINITY;
    t.out = out;
    TapeMode mode = decode_begin(tape, d);
    bool ok = begin(&t, prompt) && try_all(&t, 0);
    decode_end(tape, mode);
    mem_free(t.log_p);
    if (ok && score)
        *score = t.best;
    return ok;
}
