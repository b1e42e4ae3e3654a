/* train.h: training a variational autoencoder, and testing it. */
#ifndef VAE_TRAIN_H
#define VAE_TRAIN_H

#include "examples/common/pictures.h"
#include "examples/common/run.h"
#include "examples/vae/model.h"

/* Means over the test pictures, in nats a picture. loss is -ELBO, the sum of the other two. */
typedef struct {
    double loss, reconstruction, kl;
} Elbo;

/* Trains a model that was just initialised, with a test after each epoch. False after an error. */
bool vae_train(const Model *m, Params *p, Pictures *pictures, const Common *c, int batch);

/* One sample of z for each test picture, from a seed of its own. */
bool vae_test(const Model *m, const Pictures *pictures, Elbo *elbo);

/* The KL of the test pictures' q(z|x) from N(0, 1), by its formula and as the mean of log q(z|x) - log p(z) over
 * samples z of q, with that mean's standard error. In nats a picture. */
typedef struct {
    double formula, samples, standard_error;
} KL;
bool vae_compare_kl(const Model *m, const Pictures *pictures, KL *kl);

#endif
