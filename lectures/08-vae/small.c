/* small.c: the digits, the training and the likelihood of the small VAE. See small.h. */
#include "lectures/08-vae/small.h"

enum { STREAM = 5700 };

const VaeConfig small_config = {.pixels = SMALL_PIXELS,
                                .hidden = SMALL_HIDDEN,
                                .latent = SMALL_LATENT};

const double small_betas[SMALL_BETAS] = {0.25, 0.5, 1, 2, 4, 20};

/* ---- the digits ------------------------------------------------------------------------------ */

/* Half as wide and half as high: a pixel is 1 where the mean of its four is above a half. */
static void halve(Images *m)
{
    int64_t count = m->shape.dim[0];
    int wide = (int)m->shape.dim[2];
    for (int64_t i = 0; i < count * SMALL_PIXELS; i++) {
        int64_t image = i / SMALL_PIXELS, y = i % SMALL_PIXELS / SMALL_SIDE, x = i % SMALL_SIDE;
        const uint8_t *p = m->bytes + image * wide * wide + 2 * y * wide + 2 * x;
        m->bytes[i] = p[0] + p[1] + p[wide] + p[wide + 1] > 2 * 255 ? 255 : 0;
    }
    m->shape = shape3(count, SMALL_SIDE, SMALL_SIDE);
}

Pictures *small_digits(uint64_t seed)
{
    static Pictures digits;
    static Made made;
    if (made_for(&made, seed))
        return &digits;
    if (made.is)
        pictures_free(&digits);
    made.is = pictures_drawn(&digits, SMALL_TRAIN, SMALL_TEST, seed);
    if (!made.is)
        return NULL;
    halve(&digits.train);
    halve(&digits.test);
    digits.side = SMALL_SIDE;
    return &digits;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One step on a batch of digits x, of distortion + beta rate. */
static bool train_step(SmallVae *s, Adam *adam, Tape *tape, const real *x, Rng *rng)
{
    tape_reset(tape);
    Tensor *digits = tape_input(tape, x, shape2(SMALL_BATCH, SMALL_PIXELS)), *mean, *v;
    vae_encode(&s->vae, digits, &mean, &v); /* q(z | x); v is the logarithm of its variance */
    Tensor *e = values_normal(tape, rng, mean->shape, 1);
    Tensor *z = ag_add(mean, ag_mul(ag_exp(ag_scale(v, (real)0.5)), e)); /* mu + sigma e */
    Tensor *distortion = ag_neg(ag_mean(small_log_likelihood(&s->vae, digits, z)));
    Tensor *rate = ag_scale(ag_gaussian_kl(mean, v), (real)1 / SMALL_BATCH);
    return ag_backward(ag_add(distortion, ag_scale(rate, (real)s->beta))) &&
           adam_step(adam, s->params);
}

static bool train(SmallVae *s, uint64_t seed)
{
    static real x[SMALL_BATCH * SMALL_PIXELS];
    Pictures *digits = small_digits(seed);
    Rng rng = {.seed = seed, .stream = STREAM};
    Tape *tape = tape_new(seed);
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, s->params, 0.01);
    for (int step = 0; ok && step < SMALL_STEPS; step++) {
        adam.rate = nn_warmup_cosine(step, 20, SMALL_STEPS, 0.01, 0.0002);
        ok = pictures_batch(digits, step, SMALL_BATCH, x, NULL) &&
             train_step(s, &adam, tape, x, &rng);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

const SmallVae *small_vae(uint64_t seed, int which)
{
    static SmallVae models[SMALL_BETAS];
    static Made made[SMALL_BETAS];
    SmallVae *s = &models[which];
    if (made_for(&made[which], seed))
        return s;
    params_free(s->params);
    *s = (SmallVae){.params = params_new(seed), .beta = small_betas[which]};
    made[which].is = s->params && small_digits(seed) &&
                     vae_init(&s->vae, s->params, small_config) && train(s, seed);
    return made[which].is ? s : NULL;
}

RateDistortion small_rate_distortion(const SmallVae *s, uint64_t seed)
{
    static real x[SMALL_TRAIN * SMALL_PIXELS];
    const Pictures *digits = small_digits(seed);
    enum { N = SMALL_TRAIN };
    RateDistortion r = {(double)NAN, (double)NAN};
    Rng rng = {.seed = seed, .stream = STREAM + 1};
    Tape *tape = tape_new(seed);
    for (int i = 0; i < N * SMALL_PIXELS; i++)
        x[i] = digits->train.bytes[i] ? 1 : 0;
    tape->no_grad = true;
    Tensor *noise = values_normal(tape, &rng, shape2(N, SMALL_LATENT), 1);
    Pass pass = vae_pass(&s->vae, tape_input(tape, x, shape2(N, SMALL_PIXELS)), noise);
    if (!tensor_is_poison(pass.loss))
        r = (RateDistortion){(double)tensor_item(pass.kl),
                             (double)tensor_item(pass.reconstruction)};
    tape_free(tape);
    return r;
}

/* ---- densities ------------------------------------------------------------------------------- */

Tensor *small_log_normal(Tensor *z, Tensor *mean, Tensor *log_variance)
{
    Tensor *constant = tape_full(z->tape, (real)log(2 * M_PI), shape1(1));
    Tensor *d = mean ? ag_sub(z, mean) : z, *square = ag_mul(d, d), *each = square;
    if (mean)
        each = ag_add(ag_mul(square, ag_exp(ag_neg(log_variance))), log_variance);
    return ag_scale(ag_sum_axis(ag_add(each, constant), 1, false), (real)-0.5);
}

/* A pixel is 1 with the probability sigmoid(l): log p = x l - log(1 + e^l). */
Tensor *small_log_likelihood(const Vae *m, Tensor *x, Tensor *z)
{
    Tensor *l = vae_decode(m, z);
    return ag_sum_axis(ag_sub(ag_mul(x, l), ag_softplus(l)), 1, false);
}
