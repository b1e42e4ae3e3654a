/* train.h: training a variational autoencoder, and testing it. */
#ifndef VAE_TRAIN_H
#define VAE_TRAIN_H

#include "examples/common/pictures.h"
#include "examples/common/run.h"
#include "examples/vae/model.h"

/* Means over the test images, in nats an image. loss is -ELBO, the sum of the other two. */
typedef struct {
    double loss, reconstruction, kl;
} Elbo;

/* Trains a newly initialised model and tests it after each epoch. Returns false after an error. */
bool vae_train(const Vae *m, Params *p, Pictures *pictures, const Common *c, int batch);

/* Tests the model with one sample of z for each test image, with a fixed seed. */
bool vae_test(const Vae *m, const Pictures *pictures, Elbo *elbo);

#endif
