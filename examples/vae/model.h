/* model.h: a variational autoencoder. Kingma and Welling 2014; H "Training VAEs".
 *
 *   encoder  x (B, n) -> linear, relu -> mean m and log-variance v of q(z|x) = N(m, e^v)   (B, d) each
 *   sample   z = m + e^(v/2) e, e ~ N(0, 1): the noise is an input, so gradients reach m and v
 *   decoder  z -> linear, relu -> linear -> logits (B, n); a pixel is 1 with probability sigmoid(logit)
 *
 *   -ELBO = -log p(x|z) + KL(q(z|x) || N(0, 1)), in nats a picture */
#ifndef VAE_MODEL_H
#define VAE_MODEL_H

#include "gradus.h"

typedef struct {
    int pixels, hidden, latent;
} VaeConfig;

typedef struct {
    VaeConfig config;
    Linear encode, mean, log_variance;
    Linear decode, picture;
} Vae;

/* The results of one pass through encoder and decoder. */
typedef struct {
    Tensor *mean, *log_variance; /* (B, d)                                                 */
    Tensor *logits;              /* (B, n)                                                 */
    Tensor *reconstruction;      /* -log p(x|z), the mean over the batch, in nats a picture */
    Tensor *kl;                  /* the mean over the batch, in nats a picture              */
    Tensor *loss;                /* their sum: -ELBO                                        */
} Pass;

bool vae_init(Vae *m, Params *p, VaeConfig config);

/* Computes q(z|x) of images (B, n). */
void vae_encode(const Vae *m, Tensor *x, Tensor **mean, Tensor **log_variance);

/* Computes logits (B, n) of latents (B, d). */
Tensor *vae_decode(const Vae *m, Tensor *z);

/* Runs encoder, sampling and decoder. noise (B, d): standard normal numbers. */
Pass vae_pass(const Vae *m, Tensor *x, Tensor *noise);

#endif
