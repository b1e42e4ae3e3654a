/* internal.h: what the decoding strategies share. In every function, `who` is the name of the
 * public function that was called, with which the error begins. */
#ifndef GRADUS_NN_DECODE_INTERNAL_H
#define GRADUS_NN_DECODE_INTERNAL_H

#include "nn/decode/decode.h"

/* Is nothing NULL, and do a prompt of `tokens` and `count` new tokens fit the cache? */
bool decode_check(const Tape *tape, const Decoder *d, const int *prompt, int64_t tokens,
                  const int *out, int64_t count, const char *who);

/* Prepares for decoding (no dropout, no gradients, an empty cache), and restores the tape. */
typedef struct {
    bool training, no_grad;
} TapeMode;
TapeMode decode_begin(Tape *tape, const Decoder *d);
void decode_end(Tape *tape, TapeMode mode);

/* A forward pass over `tokens` new tokens of each sequence, of which counts[b] (NULL: all) are not
 * padding. Returns the logits (B, tokens, V), with their shape checked and the cache advanced; NULL
 * after an error. */
const Tensor *decode_pass(Tape *tape, const Decoder *d, const int *ids, const int *counts,
                          int64_t tokens, const char *who);

/* *sum = log sum_j exp(a_j), so that log p_i = a_i - *sum. False, with an error, where the softmax
 * is not defined: a logit is NaN or +infinity, or all are -infinity. */
bool decode_log_sum(const real *logits, int64_t vocabulary, double *sum, const char *who);
/* The logits less `sum`, changed by d's rules for the token after ids (n), in *scores (V), which
 * the caller frees. Without rules the logits themselves; NULL after an error. */
const real *decode_scores(const Decoder *d, const int32_t *ids, int64_t n, const real *logits,
                          double sum, int64_t vocabulary, real **scores);

/* Does this token end a sequence? */
static inline bool decode_ends(const Decoder *d, int token)
{
    for (const int *e = d->ends; e && *e >= 0; e++)
        if (*e == token)
            return true;
    return d->end >= 0 && token == d->end;
}

#endif
