/* exhaustive.c: exhaustive search over all V^n continuations: the optimum with which beam search,
 * which computes a few of them, is compared. It is feasible for a small vocabulary and a few
 * tokens.
 *                   Z "Sampling strategies": O(K^N) (lectures/README.md) */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* A depth-first walk over all continuations; each depth has a row of log_p and a token of path. */
typedef struct {
    Tape *tape;
    const Decoder *d;
    int64_t tokens, count, V;
    double alpha, best; /* the largest score so far */
    double *log_p; /* (count, V): of the first tokens of `path` together with each next token */
    int *path;     /* (count): the continuation that is being computed                        */
    int32_t *out;  /* (count): the best one so far                                            */
} Enumeration;

enum { CONTINUATIONS_MAX = 1000000 };

/* Runs the model over the first `depth` tokens of the path, of which only the last is new (at depth
 * 0: the prompt), and writes log p of each next token. */
static bool extend(Enumeration *t, const int *ids, int depth, double before)
{
    int64_t n = depth == 0 ? t->tokens : 1;
    t->d->cache->length[0] = depth == 0 ? 0 : (int)t->tokens + depth - 1; /* backtracks */
    const Tensor *y = decode_pass(t->tape, t->d, ids, NULL, n, "nn_exhaustive");
    if (!y)
        return false;
    const real *logits = y->data + (y->shape.dim[1] - 1) * t->V;
    double sum = decode_log_sum(logits, t->V);
    for (int64_t v = 0; v < t->V; v++)
        t->log_p[depth * t->V + v] = before + logits[v] - sum;
    return !isnan(sum) || decode_fail_undefined("nn_exhaustive");
}

/* Compares a complete continuation with the best so far. An impossible one scores -infinity and is
 * not taken; one with a finite score exists, because the tokens of largest probability follow each
 * other in one of them. */
static void compare(Enumeration *t, int64_t length, double log_p)
{
    double score = decode_score(log_p, length, t->alpha);
    if (!(score > t->best))
        return;
    t->best = score;
    memcpy(t->out, t->path, (size_t)length * sizeof *t->out);
    for (int64_t i = length; i < t->count; i++)
        t->out[i] = t->d->end;
}

/* Computes all continuations, depth first. A continuation ends with the end token or with its last
 * allowed token. A loop, not a recursion: with a vocabulary of 1 a tree of few continuations is as
 * deep as `count`. Invariant: path[depth] is the token that was tried last after the first `depth`
 * tokens; -1: none yet. */
static bool try_all(Enumeration *t)
{
    t->path[0] = -1;
    for (int depth = 0; depth >= 0;) {
        int v = ++t->path[depth];
        if (v == t->V) {
            depth--;
            continue;
        }
        double log_p = t->log_p[depth * t->V + v];
        if (decode_ends(t->d, v) || depth + 1 == t->count)
            compare(t, depth + 1, log_p);
        else if (extend(t, &t->path[depth], depth + 1, log_p))
            t->path[++depth] = -1;
        else
            return false;
    }
    return true;
}

/* The pass over the prompt, from which V is known.
 * The number of continuations is checked before memory for them is taken. */
static bool begin(Enumeration *t, const int32_t *prompt)
{
    const Tensor *y = decode_pass(t->tape, t->d, prompt, NULL, t->tokens, "nn_exhaustive");
    if (!y)
        return false;
    t->V = shape_last(y->shape);
    if (pow((double)t->V, (double)t->count) > CONTINUATIONS_MAX)
        return tensor_fail(
            "nn_exhaustive: %lld tokens of a vocabulary of %lld; expected at most %d "
            "continuations",
            (long long)t->count, (long long)t->V, CONTINUATIONS_MAX);
    t->log_p = mem_alloc((size_t)t->count * ((size_t)t->V * sizeof *t->log_p + sizeof(int)));
    if (!t->log_p)
        return false;
    t->path = (int *)(t->log_p + t->count * t->V);
    return extend(t, prompt, 0, 0);
}

bool nn_exhaustive(Tape *tape, const Decoder *d, const int32_t *prompt, int64_t tokens,
                   int32_t *out, int64_t count, double alpha, double *score)
{
    if (!decode_check(tape, d, prompt, tokens, out, count, "nn_exhaustive"))
        return false;
    if (count < 1 || d->cache->batch != 1)
        return tensor_fail("nn_exhaustive: %lld tokens, a cache for %lld sequences; expected 1 "
                           "token or more and a cache for 1",
                           (long long)count, (long long)d->cache->batch);
    if (!decode_check_alpha(alpha, count, "nn_exhaustive"))
        return false;
    if (d->rules || d->stop)
        return tensor_fail("nn_exhaustive: the decoder has rules or a stop; expected neither");
    Enumeration t = {.tape = tape, .d = d, .tokens = tokens, .count = count, .alpha = alpha};
    t.best = -INFINITY;
    t.out = out;
    TapeMode mode = decode_begin(tape, d);
    bool ok = begin(&t, prompt) && try_all(&t);
    decode_end(tape, mode);
    mem_free(t.log_p);
    if (ok && score)
        *score = t.best;
    return ok;
}
