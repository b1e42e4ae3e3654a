/* map_moons.c: the data of row 1, two moons, and their density by quadrature. See map.h. */
#include "lectures/01-recurrence/map.h"

const Grid plane = {.left = -5, .bottom = -4, .step = 1.0 / 24, .across = 240, .up = 192};
const Grid view = {.left = -1.9, .bottom = -1.4, .step = 0.05, .across = 76, .up = 56};

/* The point at a position: the upper moon below pi, the lower one from there on. */
static void moon(double position, double c[2])
{
    bool upper = position < MOONS_PI;
    double angle = upper ? position : position - MOONS_PI;
    c[0] = (upper ? cos(angle) : 1 - cos(angle)) - 0.5;
    c[1] = (upper ? sin(angle) : 0.5 - sin(angle)) - 0.25;
}

/* Points (n, 2), drawn independently. */
static void moons_draw(Rng *rng, real *points, int n)
{
    for (int i = 0; i < n; i++) {
        double c[2];
        moon(2 * MOONS_PI * rng_uniform(rng), c);
        for (int k = 0; k < 2; k++)
            points[2 * i + k] = (real)(c[k] + MOONS_NOISE * rng_normal(rng));
    }
}

/* ---- the density ----------------------------------------------------------------------------- */

/* Simpson's rule with HALF intervals for each moon: its positions, and weights that add up to 1.
 * The error of the density is at most (b - a) h^4 / 180 max|f''''| with h = pi / 128 and f'''' up
 * to 3 / noise^4 times the density: 4e-5 of the largest one. */
enum { HALF = 128, NODES = 2 * (HALF + 1) };

static void quadrature(double (*c)[2], double *weight)
{
    for (int moon_ = 0; moon_ < 2; moon_++)
        for (int i = 0; i <= HALF; i++) {
            int k = moon_ * (HALF + 1) + i;
            /* The end of the upper moon is a little before pi, where the lower one begins. */
            double angle = MOONS_PI * i / HALF - (i == HALF ? 1e-12 : 0);
            moon(moon_ * MOONS_PI + angle, c[k]);
            weight[k] = (i == 0 || i == HALF ? 1 : i % 2 ? 4 : 2) / (6.0 * HALF);
        }
}

double moons_log_p(const real *point)
{
    static double c[NODES][2], weight[NODES];
    double exponent[NODES], most = -INFINITY, sum = 0;
    const double variance = MOONS_NOISE * MOONS_NOISE;
    if (weight[0] == 0)
        quadrature(c, weight);
    for (int k = 0; k < NODES; k++) {
        double off[2] = {(double)point[0] - c[k][0], (double)point[1] - c[k][1]};
        exponent[k] = -(off[0] * off[0] + off[1] * off[1]) / (2 * variance);
        most = exponent[k] > most ? exponent[k] : most;
    }
    for (int k = 0; k < NODES; k++)
        sum += weight[k] * exp(exponent[k] - most);
    return most + log(sum) - log(2 * MOONS_PI * variance);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Points that belong to a seed, drawn when they are first asked for. */
typedef struct {
    Made made;
    real points[MOONS_TEST * 2];
} Sample;

static const real *sample_of(Sample *s, uint64_t seed, uint64_t stream, int n)
{
    Rng rng = {.seed = seed, .stream = stream};
    if (!made_for(&s->made, seed))
        moons_draw(&rng, s->points, n);
    return s->points;
}

const real *moons_training(uint64_t seed)
{
    static Sample training;
    return sample_of(&training, seed, 101, MOONS_TRAIN);
}

const real *moons_testing(uint64_t seed)
{
    static Sample testing;
    return sample_of(&testing, seed, 102, MOONS_TEST);
}

void grid_points(const Grid *g, real *points)
{
    for (int j = 0; j < g->up; j++)
        for (int i = 0; i < g->across; i++) {
            *points++ = (real)(g->left + (i + 0.5) * g->step);
            *points++ = (real)(g->bottom + (j + 0.5) * g->step);
        }
}
