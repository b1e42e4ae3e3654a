/* mosaic.h: many small images in one picture, given or decoded. */
#ifndef VAE_MOSAIC_H
#define VAE_MOSAIC_H

#include "examples/vae/model.h"

/* down x across images of side x side, with lines between them. */
typedef struct {
    int down, across, side;
    Tensor *pixels;
} Mosaic;

/* Begins an empty mosaic; mosaic_draw or mosaic_free releases it. False with an error. */
bool mosaic_init(Mosaic *s, int down, int across, int side);
void mosaic_free(Mosaic *s);

/* Copies an image (side * side numbers from 0 to 1) to a cell. */
void mosaic_put(Mosaic *s, int row, int column, const real *picture);

/* Decodes a latent for each cell, row by row: z (down * across, d). */
bool mosaic_decode(Mosaic *s, const Vae *m, Tape *tape, const real *z);

/* The same for two latents on a grid of cells that all have the same probability under p(z): z1
 * grows to the right and z2 upwards. Both are quantiles of N(0, 1) at the centres of equal
 * shares. */
bool mosaic_manifold(Mosaic *s, const Vae *m, Tape *tape);

/* Draws it in greys as STEM.png and so on, and releases it. rows, columns: the names of the
 * axes. */
bool mosaic_draw(Mosaic *s, const char *stem, const char *title, const char *rows,
                 const char *columns, unsigned formats);

/* Decodes n latents to images (n, pixels) of probabilities, valid until the tape's reset; NULL
 * after an error. */
const real *vae_pictures(const Vae *m, Tape *tape, const real *z, int n);

#endif
