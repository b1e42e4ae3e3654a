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
bool raster_init(Raster *r, uint64_t seed); /* with initial weights */
void raster_end(Raster *r);

/* Digits of a seed that no training has seen: 2,000 for the baselines, 500 for the test. Pixels
 * (count, N) and labels. Kept until another seed is asked for; NULL after an error. */
enum { RASTER_KNOWN = 2000, RASTER_TEST = 500 };
typedef struct {
    int known[RASTER_KNOWN * RASTER_PIXELS], test[RASTER_TEST * RASTER_PIXELS];
    int known_label[RASTER_KNOWN], test_label[RASTER_TEST];
} RasterDigits;
const RasterDigits *raster_digits(uint64_t seed);

/* ---- the trained model, and models that are no network: trained.c, baselines.c --------------- */

/* The trained weights, or first ones. */
bool raster_begin(Raster *r, bool trained);

/* log p of each pixel of count pictures x, given the pixels before it, into log_p (count, N). */
bool raster_log_p(bool trained, const int *x, int count, double *log_p);

/* Draws the lower half of count pictures pixel by pixel, given the upper, from the trained
 * model. */
bool raster_complete(Rng *rng, const int *upper, int count, int *whole);

/* The same log p of the test digits, (RASTER_TEST, N): each pixel with its own probability; a table
 * of the ten nearest pixels that come before. Both count in the known digits. */
void independent_log_p(const RasterDigits *d, double *log_p);
void neighbours_log_p(const RasterDigits *d, double *log_p);

/* The known digit whose upper half is nearest to that of x; and in how many pixels the nearest one
 * differs from x. */
int nearest_upper(const RasterDigits *d, const int *x);
int nearest_distance(const RasterDigits *d, const int *x);

/* How much the log-odds of a pixel change if the pixel k before it changes its value, for k = 1 to
 * GRID_REACH: grid.c. */
enum { GRID_REACH = 50 };
bool grid_influence(uint64_t seed, bool trained, double mean[GRID_REACH + 1]);

#endif
