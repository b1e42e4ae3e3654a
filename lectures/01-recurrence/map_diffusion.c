/* map_diffusion.c: diffusion: a network that estimates noise, and points drawn by removing it (row
 * 1).
 *
 *   x_t = a_t x_0 + b_t e,  e ~ N(0, I),  a_t = cos(pi t / 2), b_t = sin(pi t / 2), 0 < t < 1
 *   network(x_t, t) is trained on |network - e|^2, which is least at the mean of e given x_t:
 *   E[e | x_t] = -b_t grad log p_t(x_t)                          (Tweedie's formula; Ho et al. 2020)
 *                                                               V "Taxonomy of Generative Models"
 * p_t is known here: a_t times the moons, with noise of variance a_t^2 sigma^2 + b_t^2. */
#include "lectures/01-recurrence/map.h"

#include <string.h>

enum { BATCH = 256, STEPS = 4000, LEVELS = 40, TESTED = MOONS_TEST };
static Kept kept;
static Net denoiser;

/* x (N, 2), a and b (N, 1) -> the estimated noise, (N, 2). */
static Tensor *estimate(Tensor *x, Tensor *a, Tensor *b)
{
    return net(&denoiser, ag_concat((Tensor *[]){x, a, b}, 3, 1));
}

/* Points with noise of a level drawn for each: x_t (N, 2), its a and b (N, 1), its noise (N, 2). */
typedef struct {
    Tensor *x, *a, *b, *noise;
} Noised;

static Noised add_noise(Tensor *x0, Rng *rng)
{
    real a[TESTED], b[TESTED];
    Noised y = {0};
    int N = (int)x0->shape.dim[0];
    for (int i = 0; i < N && i < TESTED; i++) {
        double t = 0.02 + 0.96 * rng_uniform(rng);
        a[i] = (real)cos(MOONS_PI / 2 * t);
        b[i] = (real)sin(MOONS_PI / 2 * t);
    }
    y.a = tape_input(x0->tape, a, shape2(N, 1));
    y.b = tape_input(x0->tape, b, shape2(N, 1));
    y.noise = values_normal(x0->tape, rng, x0->shape, 1);
    y.x = ag_add(ag_mul(y.a, x0), ag_mul(y.b, y.noise));
    return y;
}

static bool train_denoiser(uint64_t seed)
{
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 109};
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, kept.params, 1e-2);
    for (int step = 0; ok && step < STEPS; step++) {
        adam.rate = nn_warmup_cosine(step, 10, STEPS, 1e-2, 0);
        tape_reset(tape);
        Noised y = add_noise(map_batch(tape, &rng, seed, BATCH), &rng);
        ok = ag_backward(ag_mse(estimate(y.x, y.a, y.b), y.noise)) && adam_step(&adam, kept.params);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

static bool train_diffusion(uint64_t seed)
{
    if (!map_kept(&kept, seed))
        kept.trained =
            net_init(&denoiser, kept.params, "denoiser", 4, 64, 2) && train_denoiser(seed);
    return kept.trained;
}

/* From x ~ N(0, I) at t = 0.98 to t = 0.02 in LEVELS steps (Song, Meng, Ermon 2021): with the
 * estimated noise e,
 *   x_0 = (x - b e) / a,   then   x = a' x_0 + b' e   at the next level. */
static bool sample_diffusion(uint64_t seed, real *xy, int n)
{
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 110};
    bool ok = tape && train_diffusion(seed);
    for (int i = 0; i < 2 * n; i++)
        xy[i] = (real)rng_normal(&rng);
    for (int level = 0; ok && level <= LEVELS; level++) {
        double t = 0.98 - 0.96 * level / LEVELS, next = t - 0.96 / LEVELS;
        double a = cos(MOONS_PI / 2 * t), b = sin(MOONS_PI / 2 * t);
        double a_next = level == LEVELS ? 1 : cos(MOONS_PI / 2 * next);
        double b_next = level == LEVELS ? 0 : sin(MOONS_PI / 2 * next);
        tape_reset(tape);
        tape->no_grad = true;
        Tensor *x = tape_input(tape, xy, shape2(n, 2));
        Tensor *e = estimate(x, tape_full(tape, (real)a, shape2(n, 1)),
                             tape_full(tape, (real)b, shape2(n, 1)));
        Tensor *x0 = ag_scale(ag_sub(x, ag_scale(e, (real)b)), (real)(1 / a));
        x = ag_add(ag_scale(x0, (real)a_next), ag_scale(e, (real)b_next));
        ok = !tensor_is_poison(x);
        if (ok)
            memcpy(xy, x->data, (size_t)n * 2 * sizeof(real));
    }
    tape_free(tape);
    return ok;
}

const Family family_diffusion = {
    .branch = "diffusion",
    .name = "diffusion",
    .train = train_diffusion,
    .sample = sample_diffusion,
};

/* ---- claims ---------------------------------------------------------------------------------- */

/* E[e | x_t] = -b grad log p_t(x_t), from the known density of the noised moons. clean: of the
 * moons themselves. */
static void known_noise(const Noised *y, int i, bool clean, double e[2])
{
    double a = (double)y->a->data[i], b = (double)y->b->data[i];
    const double x[2] = {(double)y->x->data[2 * i], (double)y->x->data[2 * i + 1]};
    double variance = clean ? MOONS_NOISE * MOONS_NOISE : a * a * MOONS_NOISE * MOONS_NOISE + b * b;
    moons_log_density(x, clean ? 1 : a, variance, e);
    e[0] *= -b;
    e[1] *= -b;
}

/* The same where the data are N(0, S), S their covariance: b (a^2 S + b^2 I)^-1 x. The best linear
 * estimate. */
static void linear_noise(const Noised *y, int i, const double s[3], double e[2])
{
    double a = (double)y->a->data[i], b = (double)y->b->data[i];
    double x1 = (double)y->x->data[2 * i], x2 = (double)y->x->data[2 * i + 1];
    double p = a * a * s[0] + b * b, q = a * a * s[1], r = a * a * s[2] + b * b,
           det = p * r - q * q;
    e[0] = b * (r * x1 - q * x2) / det;
    e[1] = b * (p * x2 - q * x1) / det;
}

/* Test points with noise, and the network's estimate of it. */
static bool noised_test(Tape *tape, uint64_t seed, Noised *y, Tensor **e)
{
    Rng rng = {.seed = seed, .stream = 116};
    if (!train_diffusion(seed))
        return false;
    *y = add_noise(tape_input(tape, moons_testing(seed), shape2(TESTED, 2)), &rng);
    *e = estimate(y->x, y->a, y->b);
    return !tensor_is_poison(*e);
}

/* What is left of the noise, e - E[e | x_t], has the mean 0 whatever x_t is: so has its product
 * with any function of x_t and t. Here the function is the network's estimate. Returns |mean| in
 * standard errors. */
static double tweedie(Trial *t)
{
    Noised y;
    Tensor *e;
    double mean = 0, square = 0, loss = 0, least = 0;
    bool ok = noised_test(trial_tape(t), t->seed, &y, &e);
    for (int i = 0; ok && i < TESTED; i++) {
        double known[2], product = 0;
        known_noise(&y, i, broken(t, "clean"), known);
        for (int k = 0; k < 2; k++) {
            double noise = (double)y.noise->data[2 * i + k], guess = (double)e->data[2 * i + k];
            product += (noise - known[k]) * guess;
            loss += (noise - guess) * (noise - guess) / TESTED;
            least += (noise - known[k]) * (noise - known[k]) / TESTED;
        }
        mean += product / TESTED;
        square += product * product / TESTED;
    }
    double error = sqrt((square - mean * mean) / TESTED);
    explain(t, "mean of (e - E[e | x_t]) . network: %.4f +- %.4f", mean, error);
    explain(t,
            "|e - E[e | x_t]|^2 = %.4f on average: no network has a lower loss; this one's: %.4f",
            least, loss);
    return ok && square > 0 ? fabs(mean) / error : (double)NAN;
}

static double score(Trial *t)
{
    Noised y;
    Tensor *e;
    double s[3], off = 0, off_linear = 0;
    bool ok = noised_test(trial_tape(t), t->seed, &y, &e);
    moons_covariance(moons_training(t->seed), s);
    for (int i = 0; ok && i < TESTED; i++) {
        double known[2], linear[2];
        known_noise(&y, i, false, known);
        linear_noise(&y, i, s, linear);
        for (int k = 0; k < 2; k++) {
            double guess = broken(t, "linear") ? linear[k] : (double)e->data[2 * i + k];
            off += (guess - known[k]) * (guess - known[k]) / TESTED;
            off_linear += (linear[k] - known[k]) * (linear[k] - known[k]) / TESTED;
        }
    }
    explain(t, "mean |estimate - E[e | x_t]|^2: network %.4f, best linear estimate %.4f", off,
            off_linear);
    return ok ? off / off_linear : (double)NAN;
}

const Claim map_diffusion_claims[] = {
    {1, tweedie,
     "the mean of the noise given x_t is -b grad log p_t, so that a denoiser knows the score",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "|mean of (e + b grad log p_t) . network| in standard errors, 4,000 points",
     AT_MOST(4, "beyond 4 standard errors once in 16,000 draws"),
     .faults = {{"clean", "the gradient of the data's own density, without noise"}}},
    {1, score, "trained to estimate noise, a network learns grad log p_t, which is known here",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "its mean square error over that of the best linear estimate",
     AT_MOST(0.5, "1 is what one normal distribution leaves; half of it is no linear function's"),
     .faults = {{"linear", "the best linear estimate"}}},
    {0},
};
