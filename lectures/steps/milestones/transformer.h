/* transformer.h: the blocks of an example, computed by the functions of homeworks 2, 3,
 * 3b, 4 and 4b. */
#ifndef MILESTONES_TRANSFORMER_H
#define MILESTONES_TRANSFORMER_H

enum { TOKENS_MOST = 128, CHANNELS_MOST = 64, ALL = TOKENS_MOST * CHANNELS_MOST };

typedef struct {
    int channels, heads, layers, causal;
    int window; /* tokens to each side that the first block sees; 0: all */
} Transformer;

/* x (t, c) becomes the hidden states after all blocks and the last norm. */
void transformer_run(const Transformer *m, float *x, int t);

/* y = x W^T + b of t tokens; b may be NULL. */
void transformer_linear(float *y, const float *x, const float *w, const float *b, int t, int in,
                        int out);

/* library.c: the numbers of a weight, printf-style: given("blocks.%d.norm1.weight", 0). */
const float *given(const char *format, ...);

#endif
