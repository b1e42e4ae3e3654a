/* internal.h: what all ways of writing with a decoder-only model share (internal). */
#ifndef GRADUS_NN_DECODE_STEPS_H
#define GRADUS_NN_DECODE_STEPS_H

#include "nn/decode/decode.h"

/* Is there all that it needs, and room for `count` tokens behind a prompt of `tokens`? Errors begin with `who`. */
bool decode_fits(const Tape *tape, const Decoder *d, const int *prompt, int64_t tokens,
                 const int *out, int64_t count, const char *who);

/* Sets what decoding wants of the tape, and gives back what the tape was. */
typedef struct {
    bool training, no_grad;
} TapeMode;
TapeMode decode_begin(Tape *tape, const Decoder *d);
void decode_end(Tape *tape, TapeMode mode);

/* One pass over `tokens` new tokens of each sequence, of which counts[b] (NULL: all) are no padding: logits
 * (B, tokens, V), checked, with the cache advanced. NULL, with an error, when the model gave no such. */
const Tensor *decode_pass(Tape *tape, const Decoder *d, const int *ids, const int *counts,
                          int64_t tokens);

/* log sum_j exp(a_j), so that log p_i = a_i - it. NaN, for decode_no_numbers to report, where a logit is NaN or
 * +infinity, or all are -infinity. */
double decode_log_sum(const real *logits, int64_t words);
bool decode_no_numbers(const char *who); /* false */

/* How good a continuation is: log p / length^alpha. */
double decode_score(double log_p, int64_t length, double alpha);

#endif
