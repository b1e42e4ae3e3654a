/* draw.h: what a trained variational autoencoder sees and makes. */
#ifndef VAE_DRAW_H
#define VAE_DRAW_H

#include "examples/vae/train.h"

/* Into --out, in all formats: reconstructions (test pictures, and what comes back of them), samples (of z from
 * N(0, 1)), walk (along lines between the codes of two test pictures); with two latents also map (where the test
 * pictures' codes lie) and manifold (what is decoded there). */
bool draw_all(const Model *m, const Pictures *pictures, const Common *c);

#endif
