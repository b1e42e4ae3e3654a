/* draw.h: pictures of a trained variational autoencoder. */
#ifndef VAE_DRAW_H
#define VAE_DRAW_H

#include "examples/vae/train.h"

/* Draws into --out, in all formats: reconstructions (of test images), samples (of z from N(0, 1)),
 * with two latents also map (the codes of the test images) and manifold (digits decoded from a grid
 * of codes). */
bool draw_all(const Vae *m, const Pictures *pictures, const Common *c);

#endif
