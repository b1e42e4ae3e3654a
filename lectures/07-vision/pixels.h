/* pixels.h: a causal transformer writes pictures pixel by pixel (row 49).
 *
 *   p(x) = p(x_1) p(x_2 | x_1) ... p(x_N | x_1 ... x_(N-1))  pixels in raster order: row by row from the upper left
 *
 * The model is the GPT of nn.h: its words are the two values of a pixel, and <bos> in front
 * of the first. It is told nothing of rows and columns: the pixel above is a token like any other.
 * ImageGPT (Chen et al. 2020) is this model with 512 words, the clusters that k-means finds among
 * the colours of its pixels. */
#ifndef LECTURES_PIXELS_H
#define LECTURES_PIXELS_H

#include "gradus.h"
#include "lectures/07-vision/vision.h"

enum { BLACK, WHITE, VALUES, BOS = VALUES, TOKENS };

/* What the factor of pixel i sees: x_1 ... x_(i-1); also x_i, as if the mask were shifted by one;
 * all pixels; <bos> alone. */
typedef enum { SEES_EARLIER, SEES_ITSELF, SEES_ALL, SEES_KINDS } Sees;

/* Two layers. The first matrices have the deviation 1 / sqrt(channels): nn_gpt_init's 0.02 suits
 * hundreds of channels, not 16. */
bool pixels_init(Gpt *m, Params *p, int pixels, int channels, int heads);

/* n pictures x (n, N), their pixels in the model's order -> logits (n, N, 2) of each pixel. */
Tensor *pixels_logits(const Gpt *m, Tape *tape, Sees sees, const int *x, int n);

/* log p of each pixel given what its factor sees, into log_p (n, N). Resets the tape, which must be
 * without gradients. False after an error, and where the probabilities of a pixel's two values do
 * not sum to 1. */
bool pixels_log_p(const Gpt *m, Tape *tape, Sees sees, const int *x, int n, double *log_p);

/* Draws the next `count` pixels of n pictures, one after another, each given those before it:
 * `before` (n, known) begins with <bos>; the pixels go into out (n, count). Needs a tape without
 * gradients. */
bool pixels_write(const Gpt *m, Tape *tape, Rng *rng, double temperature, const int *before, int n,
                  int known, int *out, int count);

/* ---- binary digits of 14 x 14 pixels: pixels.c ----------------------------------------------- */

enum { RASTER_SIDE = 14, RASTER_PIXELS = RASTER_SIDE * RASTER_SIDE };

/* The model that train_raster.c trains. */
typedef struct {
    Params *params;
    Gpt model;
} Raster;
bool raster_init(Raster *r, uint64_t seed); /* with initial weights       */
bool raster_begin(Raster *r, bool trained); /* trained, or with first ones */
void raster_end(Raster *r);

/* Digits of a seed that no training has seen: 2,000 for the baselines, 500 for the test. Pixels
 * (count, N). Kept until another seed is asked for; NULL after an error. */
enum { RASTER_KNOWN = 2000, RASTER_TEST = 500 };
typedef struct {
    int known[RASTER_KNOWN * RASTER_PIXELS], test[RASTER_TEST * RASTER_PIXELS];
} RasterDigits;
const RasterDigits *raster_digits(uint64_t seed);

#endif
