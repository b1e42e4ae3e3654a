/* vae.c: your sampling and your KL divergence (homework 13) in the VAE of the vae example, with its
 * weights: digits are encoded, and decoded from a sample; others are drawn. */
#include "library.h"

#include "hw13.h"

#include "examples/common/pictures.h"
#include "examples/vae/model.h"

enum { SIDE = 28, PIXELS = SIDE * SIDE, LATENT = 20, SHOWN = 4, CODES = SHOWN * LATENT };

bool milestone(Params *p, Tape *tape, const char *weights)
{
    static float images[SHOWN * PIXELS], noise[CODES], zeros[CODES], z[CODES];
    Rng rng = {.seed = 1};
    Pictures digits;
    Vae m;
    vae_init(&m, p, (VaeConfig){PIXELS, 400, LATENT});
    params_load(weights, p);
    pictures_drawn(&digits, 1, SHOWN, 7);
    pictures_test(&digits, 0, SHOWN, images, NULL);
    pictures_free(&digits);
    for (int i = 0; i < CODES; i++)
        noise[i] = (float)rng_normal(&rng);
    const Pass right = vae_pass(&m, tape_input(tape, images, shape2(SHOWN, PIXELS)),
                                tape_input(tape, noise, shape2(SHOWN, LATENT)));
    const float *mean = right.mean->data, *log_variance = right.log_variance->data;
    const float kl = gaussian_kl(mean, log_variance, SHOWN, LATENT);
    reparameterise(z, mean, log_variance, noise, CODES);
    Tensor *logits = vae_decode(&m, tape_input(tape, z, shape2(SHOWN, LATENT)));
    printf("digits, and below each one decoded from a sample that you drew of q(z | x):\n");
    print_pictures(images, SHOWN, SIDE);
    print_pictures(ag_sigmoid(logits)->data, SHOWN, SIDE);
    reparameterise(z, zeros, zeros, noise, CODES);
    printf("your VAE draws, from z of N(0, 1):\n");
    print_pictures(ag_sigmoid(vae_decode(&m, tape_input(tape, z, shape2(SHOWN, LATENT))))->data,
                   SHOWN, SIDE);
    bool ok = agrees(logits->data, right.logits, 1e-3);
    return agrees(&kl, right.kl, 1e-3) && ok;
}
