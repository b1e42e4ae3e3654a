/* map_implicit.c: what can be said of models whose density is not computed (row 1). A GAN has none
 * that could be; of a diffusion model there is a bound (Ho, Jain, Abbeel 2020), and an exact one by
 * an ordinary differential equation (Song et al. 2021), and neither is computed here.
 *
 * Their points are blurred: normal noise of deviation BLUR is added to each. n points then have the
 * density
 *   q(x) = 1/n sum_i N(x; x_i, BLUR^2 I),
 * and the data, blurred in the same way, the known one of moons with noise of variance sigma^2 +
 * BLUR^2. KL(p || q) of the two is a number of nats, as for the other families; that of n points of
 * the data themselves says what n costs. */
#include "lectures/01-recurrence/map.h"

#define BLUR 0.15
enum { POINTS = 2000 };
static const Grid around = {.left = -2.4, .bottom = -1.9, .step = 0.1, .across = 48, .up = 38};
enum { AROUND_POINTS = 48 * 38 };

/* KL of the blurred data to the blurred points (n, 2). */
static double blurred_divergence(const real *points, int n)
{
    static real grid[AROUND_POINTS * 2];
    double sum = 0;
    grid_points(&around, grid);
    for (int i = 0; i < AROUND_POINTS; i++) {
        const double x[2] = {(double)grid[2 * i], (double)grid[2 * i + 1]};
        double q = 0,
               log_p = moons_log_density(x, 1, MOONS_NOISE * MOONS_NOISE + BLUR * BLUR, NULL);
        for (int k = 0; k < n; k++) {
            double a = x[0] - (double)points[2 * k], b = x[1] - (double)points[2 * k + 1];
            q += exp(-(a * a + b * b) / (2 * BLUR * BLUR)) / (2 * MOONS_PI * BLUR * BLUR * n);
        }
        sum += around.step * around.step * exp(log_p) * (log_p - log(q + 1e-30));
    }
    return sum;
}

/* Points of N(0, S), S the covariance of the data, whose mean is 0: what a linear model draws. */
static void draw_normal(uint64_t seed, real *xy, int n)
{
    Rng rng = {.seed = seed, .stream = 111};
    double s[3];
    moons_covariance(moons_training(seed), s);
    for (int i = 0; i < n; i++) {
        double u = rng_normal(&rng), v = rng_normal(&rng), root = sqrt(s[0]);
        xy[2 * i] = (real)(root * u);
        xy[2 * i + 1] = (real)(s[1] / root * u + sqrt(s[2] - s[1] * s[1] / s[0]) * v);
    }
}

static double implicit(Trial *t)
{
    static real data[2 * POINTS], normal[2 * POINTS], made[2 * POINTS];
    const Family *const family[] = {&family_diffusion, &family_gan};
    Rng *rng = trial_rng(t, 112);
    moons_draw(rng, data, POINTS);
    draw_normal(t->seed, normal, POINTS);
    double gaussian = blurred_divergence(normal, POINTS), worst = 0;
    explain(t, "%-20s KL of the blurred densities %.4f", "the data",
            blurred_divergence(data, POINTS));
    explain(t, "%-20s KL of the blurred densities %.4f", "a normal distribution", gaussian);
    for (int i = 0; i < 2; i++) {
        bool ok = family[i]->train(t->seed) && family[i]->sample(t->seed, made, POINTS);
        for (int k = 0; broken(t, "noise") && k < 2 * POINTS; k++)
            made[k] = (real)rng_normal(rng);
        double d = ok ? blurred_divergence(made, POINTS) : (double)NAN;
        explain(t, "%-20s KL of the blurred densities %.4f", family[i]->name, d);
        worst = values_worst(worst, d / gaussian);
    }
    return worst;
}

const Claim map_implicit_claims[] = {
    {1, implicit,
     "the points of a GAN and of a diffusion model, for which no density is computed here, are "
     "nearer to the data than a normal's",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "the worse KL of blurred densities, over that of the best normal distribution",
     AT_MOST(0.5, "1 would be no better than one normal distribution; less than half of its nats "
                  "is asked"),
     .faults = {{"noise", "the normal numbers from which both begin"}}},
    {0},
};
