/* map_gan.c: a generative adversarial network (row 1).
 *
 *   x = G(z),  z ~ N(0, I);    D(x): the logit of "x is data"                V "Taxonomy of Generative Models"
 *   D is trained to tell data from G's points, G to be taken for data (Goodfellow et al. 2014)
 *
 * G is an implicit model: points can be drawn, and no density can be computed. */
#include "lectures/01-recurrence/map.h"

#include <string.h>

enum { LATENT = 4, BATCH = 256, STEPS = 2500 };
static Kept kept, kept_critic;
static Net generator, critic;

static Tensor *generate(Tape *tape, Rng *rng, int n)
{
    return net(&generator, values_normal(tape, rng, shape2(n, LATENT), 1));
}

/* mean log(1 + exp(-D(data))) + mean log(1 + exp(D(generated))): minus the log-likelihood of the
 * right answers. */
static Tensor *critic_loss(const Net *d, Tensor *data, Tensor *generated)
{
    return ag_add(ag_mean(ag_softplus(ag_neg(net(d, data)))),
                  ag_mean(ag_softplus(net(d, generated))));
}

/* Both are given points with normal noise, so that their distributions overlap from the first step
 * on. */
static Tensor *blurred(Tensor *x, Rng *rng)
{
    return ag_add(x, values_normal(x->tape, rng, x->shape, 0.1));
}

static bool step_critic(Tape *tape, Rng *rng, Adam *adam, uint64_t seed)
{
    tape_reset(tape);
    Tensor *x = blurred(map_batch(tape, rng, seed, BATCH), rng);
    Tensor *y = ag_detach(blurred(generate(tape, rng, BATCH), rng));
    return ag_backward(critic_loss(&critic, x, y)) && adam_step(adam, kept_critic.params);
}

static bool step_generator(Tape *tape, Rng *rng, Adam *adam)
{
    tape_reset(tape);
    Tensor *y = blurred(generate(tape, rng, BATCH), rng);
    bool ok =
        ag_backward(ag_mean(ag_softplus(ag_neg(net(&critic, y))))) && adam_step(adam, kept.params);
    params_zero_grad(kept_critic.params);
    return ok;
}

static bool train_both(uint64_t seed)
{
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 107};
    Adam of_generator = {0}, of_critic = {0};
    bool ok = tape && adam_init(&of_generator, kept.params, 5e-3) &&
              adam_init(&of_critic, kept_critic.params, 5e-3);
    of_generator.beta1 = of_critic.beta1 = 0.5;
    for (int step = 0; ok && step < STEPS; step++) {
        of_generator.rate = nn_warmup_cosine(step, 10, STEPS, 5e-3, 0);
        ok = step_critic(tape, &rng, &of_critic, seed) && step_generator(tape, &rng, &of_generator);
    }
    adam_free(&of_generator);
    adam_free(&of_critic);
    tape_free(tape);
    return ok;
}

static bool train_gan(uint64_t seed)
{
    if (map_kept(&kept, seed))
        return true;
    map_kept(&kept_critic, seed);
    kept.trained = net_init(&generator, kept.params, "generator", LATENT, 64, 2) &&
                   net_init(&critic, kept_critic.params, "critic", 2, 64, 1) && train_both(seed);
    return kept.trained;
}

static bool sample_gan(uint64_t seed, real *xy, int n)
{
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 108};
    bool ok = tape && train_gan(seed);
    Tensor *x = ok ? generate(tape, &rng, n) : tensor_poison();
    ok = ok && !tensor_is_poison(x);
    if (ok)
        memcpy(xy, x->data, (size_t)n * 2 * sizeof(real));
    tape_free(tape);
    return ok;
}

const Family family_gan = {
    .branch = "latent variables, implicit",
    .name = "GAN",
    .train = train_gan,
    .sample = sample_gan,
};

/* ---- what the critic converges to ------------------------------------------------------------ */

/* Against a generator whose density q is known: normal numbers of deviation WIDE and HIGH.
 *   1  the loss is the integral of p log(1 + e^-D) + q log(1 + e^D)
 *   2  at each x its derivative is -p (1 - s) + q s, s = sigmoid(D): 0 at s = p / (p + q), D = log p - log q
 *   3  there it is 2 log 2 - 2 JSD(p, q), the Jensen-Shannon divergence: never less for any D */
#define WIDE 0.9
#define HIGH 0.5

static double log_q(const real *point)
{
    double a = (double)point[0] / WIDE, b = (double)point[1] / HIGH;
    return -0.5 * (a * a + b * b) - log(2 * MOONS_PI * WIDE * HIGH);
}

static Tensor *draw_q(Tape *tape, Rng *rng, int n)
{
    static const real deviation[] = {(real)WIDE, (real)HIGH};
    Tensor *x = values_normal(tape, rng, shape2(n, 2), 1);
    return ag_mul(x, tape_input(tape, deviation, shape2(1, 2)));
}

/* A critic of its own; `weight`: how much more often it is shown data than generated points. */
static bool train_alone(Net *d, Params *p, uint64_t seed, real weight)
{
    enum { ALONE = 800 };
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 117};
    Adam adam = {0};
    bool ok = tape && net_init(d, p, "critic", 2, 48, 1) && adam_init(&adam, p, 1e-2);
    for (int step = 0; ok && step < ALONE; step++) {
        real points[2 * BATCH];
        adam.rate = nn_warmup_cosine(step, 10, ALONE, 1e-2, 0);
        tape_reset(tape);
        moons_draw(&rng, points, BATCH);
        Tensor *data = tape_input(tape, points, shape2(BATCH, 2));
        Tensor *loss = ag_add(ag_scale(ag_mean(ag_softplus(ag_neg(net(d, data)))), weight),
                              ag_mean(ag_softplus(net(d, draw_q(tape, &rng, BATCH)))));
        ok = ag_backward(loss) && adam_step(&adam, p);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

static Net alone;
static Tensor *logit(Tensor *x)
{
    return net(&alone, x);
}

/* log(1 + e^x), for large |x| as well. */
static double softplus(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double optimal_critic(Trial *t)
{
    static real points[2 * PLANE_POINTS];
    static double d[PLANE_POINTS];
    Params *p = trial_params(t);
    double loss = 0, least = 0, cell = plane.step * plane.step;
    grid_points(&plane, points);
    bool ok = train_alone(&alone, p, t->seed, broken(t, "unbalanced") ? 3 : 1) &&
              map_log_density(logit, points, PLANE_POINTS, d);
    for (int i = 0; ok && i < PLANE_POINTS; i++) {
        double log_p = moons_log_p(points + 2 * i), best = log_p - log_q(points + 2 * i);
        double of_p = cell * exp(log_p), of_q = cell * exp(log_q(points + 2 * i));
        loss += of_p * softplus(-d[i]) + of_q * softplus(d[i]);
        least += of_p * softplus(-best) + of_q * softplus(best);
    }
    explain(t, "JSD(p, q) = %.4f by quadrature, so that no critic has a loss below %.4f",
            log(2) - least / 2, least);
    explain(t, "the trained critic's loss: %.4f", loss);
    return ok ? loss - least : (double)NAN;
}

const Claim map_gan_claims[] = {
    {1, optimal_critic,
     "a GAN's critic, trained against a fixed q, learns log p - log q: its loss falls to 2 log 2 - "
     "2 JSD(p, q)",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "its loss by quadrature, less 2 log 2 - 2 JSD, against a normal q",
     BETWEEN(-1e-5, 0.03,
             "0 is the least for any critic; 0.03 is a tenth of what one that knows "
             "p and q gains"),
     .faults = {{"unbalanced", "it is shown three times as much data as generated points"}}},
    {0},
};
