/* orders.c: the pixels of all pictures in another order (row 48). See digit_models.h.
 *
 *   patch i, pixel j of the new picture = patch pi(i), pixel sigma(j) of the old one
 *
 * A ViT undoes that by the names of its weights: E'_(c,j) = E_(c,sigma(j)) and p'_i = p_(pi(i))
 * give E' x'_i = E x_(pi(i)), so that the tokens are the old ones in another order, and attention
 * does not see the order of its tokens. */
#include "lectures/07-vision/digit_models.h"

#include <string.h>

enum { STREAM = 4810 };

static void draw(int *order, int n, Rng *rng)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    if (rng)
        rng_shuffle(rng, order, n);
}

/* Where pixel j of patch i is in the picture. */
static int pixel_at(int i, int j)
{
    int y = i / PATCH_GRID * PATCH_SIDE + j / PATCH_SIDE,
        x = i % PATCH_GRID * PATCH_SIDE + j % PATCH_SIDE;
    return y * DIGIT_SIDE + x;
}

void order_draw(PixelOrder *o, Arrangement a, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = STREAM};
    Rng *random = a == STRAIGHT ? NULL : &rng;
    draw(o->patch, PATCHES, random);
    if (a == PATCHES_ALONE)
        random = NULL;
    for (int i = 0; i < PATCHES; i++) {
        if (i == 0 || a == OWN_ORDERS)
            draw(o->within[i], PATCH_PIXELS, random);
        else
            memcpy(o->within[i], o->within[0], sizeof o->within[i]);
        for (int j = 0; j < PATCH_PIXELS; j++)
            o->pixel[pixel_at(i, j)] = pixel_at(o->patch[i], o->within[i][j]);
    }
    if (a == SCATTERED)
        draw(o->pixel, DIGIT_PIXELS, &rng);
}

void order_apply(const PixelOrder *o, real *x, int64_t n)
{
    real old[DIGIT_PIXELS];
    for (int64_t k = 0; k < n; k++, x += DIGIT_PIXELS) {
        memcpy(old, x, sizeof old);
        for (int i = 0; i < DIGIT_PIXELS; i++)
            x[i] = old[o->pixel[i]];
    }
}

void order_relabel(const PixelOrder *o, Model *m)
{
    enum { C = DIGIT_CHANNELS };
    real *E = m->embed.weight->data, row[PATCH_PIXELS], p[PATCHES][C];
    for (int c = 0; c < C; c++) {
        memcpy(row, E + c * PATCH_PIXELS, sizeof row);
        for (int j = 0; j < PATCH_PIXELS; j++)
            E[c * PATCH_PIXELS + j] = row[o->within[0][j]];
    }
    real *position = m->encoder.position.weight->data + C; /* after that of [CLASS] */
    memcpy(p, position, sizeof p);
    for (int i = 0; i < PATCHES; i++)
        memcpy(position + i * C, p[o->patch[i]], sizeof p[0]);
}
