/* codebook.h: a picture as ids, two for each of its 16 patches, and back.
 *
 *   x_n (16): patch n;   g_n = max_i x_ni;   s_n = x_n / g_n        how bright, and which pixels
 *   l_n = argmin_l |g_n - level_l|,          p_n = argmin_p |s_n - pattern_p|^2
 *   x_n is drawn as level_(l_n) pattern_(p_n)
 *
 * Levels and patterns are found by k-means, as the codes of a VQ autoencoder are by training (van
 * den Oord et al. 2017). */
#ifndef CAPTIONS_CODEBOOK_H
#define CAPTIONS_CODEBOOK_H

#include "examples/captions/shapes.h"

enum { PATCH_SIDE = 4, PATCH_PIXELS = PATCH_SIDE * PATCH_SIDE, GRID = SIDE / PATCH_SIDE };
enum { PATCHES = GRID * GRID, LEVELS = SHADES + 1, PATTERNS = 96, CODES = LEVELS + PATTERNS };
enum { PICTURE_CODES = 2 * PATCHES };

typedef struct {
    Tensor *level;   /* (LEVELS, 1), ascending; level 0 is an empty patch                   */
    Tensor *pattern; /* (PATTERNS, PATCH_PIXELS); pattern 0 is black and goes with level 0  */
} Codebook;

bool codebook_init(Codebook *book, Params *p);
/* Finds levels and patterns of pictures that training may show. False after an error. */
bool codebook_fit(Codebook *book, Rng *rng);

int patch_quadrant(int patch);

/* The ids of patch n are codes[2 n] = level and codes[2 n + 1] = LEVELS + pattern. */
void codebook_encode(const Codebook *book, const real pixels[PIXELS], int codes[PICTURE_CODES]);
/* False, and black, where the codes are no level and pattern in turn. */
bool codebook_decode(const Codebook *book, const int codes[PICTURE_CODES], real pixels[PIXELS]);

#endif
