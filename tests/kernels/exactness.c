#include "tests/kernels/exactness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M = 96, N = 112, REAL_ROWS = 48, REAL_LENGTH = 320 };

const int64_t exactness_lengths[EXACTNESS_LENGTHS] = {64, 384, 1536, 4096};

/* ---- numbers --------------------------------------------------------------------------------- */

typedef double Draw(Rng *rng);

static double normal(Rng *rng)
{
    return (double)rng_normal(rng);
}

static double uniform(Rng *rng)
{
    return (double)rng_uniform(rng);
}

static double relu(Rng *rng)
{
    return fmax(normal(rng), 0);
}

static double gelu(Rng *rng)
{
    double x = normal(rng);
    return x * 0.5 * erfc(-x / sqrt(2));
}

/* As in a trained network, where most preactivations are negative. */
static double gelu_trained(Rng *rng)
{
    double x = 2 * normal(rng) - 1.5;
    return x * 0.5 * erfc(-x / sqrt(2));
}

static double lognormal(Rng *rng)
{
    return exp(normal(rng));
}

static double bit(Rng *rng)
{
    return uniform(rng) < 0.5;
}

static double to_seven(Rng *rng)
{
    return floor(15 * uniform(rng)) - 7;
}

static double to_three_thousand(Rng *rng)
{
    return floor(6001 * uniform(rng)) - 3000;
}

static double power_of_two(Rng *rng)
{
    return (bit(rng) ? 1 : -1) * exp2(floor(8 * uniform(rng)) - 4);
}

static double small_sparse(Rng *rng)
{
    return uniform(rng) < 0.03 ? 1 : 0;
}

static void draw_a(Factors *f, Draw *draw, Rng *rng)
{
    for (int64_t i = 0; i < f->m * f->k; i++)
        f->a[i] = (float)draw(rng);
}

static void draw_b(Factors *f, Draw *draw, Rng *rng)
{
    for (int64_t i = 0; i < f->k * f->n; i++)
        f->b[i] = (float)draw(rng);
}

/* ---- structure ------------------------------------------------------------------------------- */

/* Channel l of A times r and row l of B times s, for every 29th l. */
static void scale_outliers(Factors *f, double r, double s)
{
    for (int64_t l = 5; l < f->k; l += 29) {
        for (int64_t i = 0; i < f->m; i++)
            f->a[i * f->k + l] *= (float)r;
        for (int64_t j = 0; j < f->n; j++)
            f->b[l * f->n + j] *= (float)s;
    }
}

/* Steps of A are 0 but for one in `period`: a token that alone has a gradient, as the class token
 * of an image. */
static void keep_one_token(Factors *f, int64_t period)
{
    for (int64_t l = 0; l < f->k; l++)
        for (int64_t i = 0; l % period != 0 && i < f->m; i++)
            f->a[i * f->k + l] = 0;
}

/* Row i of A keeps each element with a probability from 1 / m to 1, as ReLU keeps hidden units. */
static void keep_active(Factors *f, Rng *rng)
{
    for (int64_t i = 0; i < f->m; i++)
        for (int64_t l = 0; l < f->k; l++)
            if (uniform(rng) * (double)f->m >= (double)(i * 37 % f->m + 1))
                f->a[i * f->k + l] = 0;
}

/* One element of each row of A times r. */
static void scale_one(Factors *f, double r, Rng *rng)
{
    for (int64_t i = 0; i < f->m; i++)
        f->a[i * f->k + (int64_t)(uniform(rng) * (double)f->k)] *= (float)r;
}

/* Channel l of A times 10^u, row l of B times 10^v, both from `low` to `high`; opposed: v = -u */
static void scale_steps(Factors *f, double low, double high, bool both, bool opposed, Rng *rng)
{
    for (int64_t l = 0; l < f->k; l++) {
        double u = low + (high - low) * uniform(rng), v = opposed ? -u : uniform(rng) * low;
        for (int64_t i = 0; i < f->m; i++)
            f->a[i * f->k + l] *= (float)pow(10, u);
        for (int64_t j = 0; both && j < f->n; j++)
            f->b[l * f->n + j] *= (float)pow(10, v);
    }
}

/* Row i of A becomes the vector with a 1 at a random place. */
static void one_hot_rows(Factors *f, Rng *rng)
{
    memset(f->a, 0, (size_t)(f->m * f->k) * sizeof *f->a);
    for (int64_t i = 0; i < f->m; i++)
        f->a[i * f->k + (int64_t)(uniform(rng) * (double)f->k)] = 1;
}

/* A^T has one-hot rows whose words follow Zipf's law: rows of A count where a word stands. */
static void zipf_rows(Factors *f, Rng *rng)
{
    memset(f->a, 0, (size_t)(f->m * f->k) * sizeof *f->a);
    for (int64_t l = 0; l < f->k; l++) {
        int64_t word = (int64_t)exp(uniform(rng) * log((double)f->m + 1)) - 1;
        f->a[word * f->k + l] = 1;
    }
}

/* Row i is the mean of the first t steps, t from 1 to k. */
static void causal_means(Factors *f)
{
    for (int64_t i = 0; i < f->m; i++) {
        int64_t t = 1 + i * (f->k - 1) / (f->m - 1);
        for (int64_t l = 0; l < f->k; l++)
            f->a[i * f->k + l] = l < t ? 1 / (float)t : 0;
    }
}

/* Rows become softmax(s x), or gradients of logits: less a one-hot row and divided by 1000. */
static void softmax_rows(Factors *f, double s, bool gradient, Rng *rng)
{
    for (int64_t i = 0; i < f->m; i++) {
        float *row = f->a + i * f->k;
        double sum = 0;
        int64_t target = (int64_t)(uniform(rng) * (double)f->k);
        for (int64_t l = 0; l < f->k; l++)
            sum += exp(s * (double)row[l]);
        for (int64_t l = 0; l < f->k; l++) {
            double p = exp(s * (double)row[l]) / sum;
            row[l] = (float)(gradient ? (p - (l == target)) / 1000 : p);
        }
    }
}

/* B is the first columns of the identity, whose ones wrap around. */
static void identity_b(Factors *f)
{
    for (int64_t l = 0; l < f->k; l++)
        for (int64_t j = 0; j < f->n; j++)
            f->b[l * f->n + j] = l == (j * 37 + 3) % f->k;
}

/* ---- the kinds ------------------------------------------------------------------------------- */

typedef enum {
    PLAIN,
    OUTLIERS,
    ONE_OUTLIER,
    ONE_TOKEN,
    ACTIVE,
    DECADES_A,
    DECADES_BOTH,
    OPPOSED,
    ONE_HOT,
    ZIPF,
    CAUSAL,
    SOFTMAX,
    LOGIT_GRADIENT,
    IDENTITY,
    TINY_ROWS,
    REAL_GELU,
    REAL_NORM,
} Structure;

typedef struct {
    const char *name;
    Promise promise;
    Draw *a, *b;
    Structure structure;
    double r, s;
} Kind;

static const Kind kinds[EXACTNESS_KINDS] = {
    {"normal", PROMISE_TWICE, normal, normal, PLAIN, 0, 0},
    {"ReLU outputs", PROMISE_TWICE, relu, normal, PLAIN, 0, 0},
    {"GELU outputs", PROMISE_TWICE, gelu, normal, PLAIN, 0, 0},
    {"GELU outputs, mostly negative inputs", PROMISE_TWICE, gelu_trained, normal, PLAIN, 0, 0},
    {"MiniLM's GELU outputs and weights", PROMISE_TWICE, NULL, NULL, REAL_GELU, 0, 0},
    {"MiniLM's LayerNorm outputs, normal weights", PROMISE_TWICE, NULL, normal, REAL_NORM, 0, 0},
    {"lognormal s = 1 in A", PROMISE_TWICE, lognormal, normal, PLAIN, 0, 0},
    {"lognormal s = 1 in both", PROMISE_TWICE, lognormal, lognormal, PLAIN, 0, 0},
    {"outlier channels x10", PROMISE_TWICE, normal, normal, OUTLIERS, 10, 1},
    {"outlier channels x100", PROMISE_TWICE, normal, normal, OUTLIERS, 100, 1},
    {"outlier channels x1000", PROMISE_TWICE, normal, normal, OUTLIERS, 1000, 1},
    {"outlier channels x10, weights 1/10", PROMISE_TWICE, normal, normal, OUTLIERS, 10, 0.1},
    {"outlier channels x100, weights 1/100", PROMISE_TWICE, normal, normal, OUTLIERS, 100, 0.01},
    {"outlier channels x1000, weights 1/1000", PROMISE_TWICE, normal, normal, OUTLIERS, 1000,
     0.001},
    {"outlier channels x100, weights 0", PROMISE_TWICE, normal, normal, OUTLIERS, 100, 0},
    {"outlier channels x1000, weights 0", PROMISE_TWICE, normal, normal, OUTLIERS, 1000, 0},
    {"one of a row x100", PROMISE_TWICE, normal, normal, ONE_OUTLIER, 100, 0},
    {"one of a row x1000", PROMISE_TWICE, normal, normal, ONE_OUTLIER, 1000, 0},
    {"gradient rows over six decades, A", PROMISE_TWICE, normal, normal, DECADES_A, 0, 0},
    {"gradient rows over six decades, A and B", PROMISE_TWICE, normal, normal, DECADES_BOTH, 0, 0},
    {"one-hot rows, normal table", PROMISE_EXACT, normal, normal, ONE_HOT, 0, 0},
    {"one-hot rows, lognormal table", PROMISE_EXACT, normal, lognormal, ONE_HOT, 0, 0},
    {"Zipf rows, normal", PROMISE_TWICE, normal, normal, ZIPF, 0, 0},
    {"causal means", PROMISE_TWICE, normal, normal, CAUSAL, 0, 0},
    {"softmax(5 N) V", PROMISE_TWICE, normal, normal, SOFTMAX, 5, 0},
    {"gradients of logits", PROMISE_TWICE, normal, normal, LOGIT_GRADIENT, 2, 0},
    {"0 and 1", PROMISE_EXACT, bit, bit, PLAIN, 0, 0},
    {"whole numbers to 7", PROMISE_EXACT, to_seven, to_seven, PLAIN, 0, 0},
    {"whole numbers to 3000, sparse 0 and 1", PROMISE_EXACT, to_three_thousand, small_sparse, PLAIN,
     0, 0},
    {"powers of two", PROMISE_EXACT, power_of_two, power_of_two, PLAIN, 0, 0},
    {"whole numbers, identity", PROMISE_EXACT, to_three_thousand, bit, IDENTITY, 0, 0},
    {"normal, identity", PROMISE_EXACT, normal, bit, IDENTITY, 0, 0},
    {"scales 10^u and 10^-u along k, u to 2", PROMISE_TWICE, normal, normal, OPPOSED, 2, 0},
    {"rows near 1e-37", PROMISE_NONE, normal, normal, TINY_ROWS, 1e-37, 1e30},
    {"outlier channels x4, weights 0", PROMISE_TWICE, normal, normal, OUTLIERS, 4, 0},
    {"gradients of one token in 65", PROMISE_TWICE, normal, normal, ONE_TOKEN, 65, 0},
    {"gradients behind ReLU, pixels", PROMISE_TWICE, normal, uniform, ACTIVE, 0, 0},
    {"gradients behind ReLU, normal", PROMISE_TWICE, normal, normal, ACTIVE, 0, 0},
};

const char *exactness_name(int kind)
{
    return kinds[kind].name;
}

Promise exactness_promise(int kind)
{
    return kinds[kind].promise;
}

static void scale_all(float *x, int64_t n, double r)
{
    for (; n > 0; n--, x++)
        *x = (float)((double)*x * r);
}

static void build(Factors *f, const Kind *kind, Rng *rng)
{
    switch (kind->structure) {
    case OUTLIERS:
        scale_outliers(f, kind->r, kind->s);
        break;
    case ONE_OUTLIER:
        scale_one(f, kind->r, rng);
        break;
    case ONE_TOKEN:
        keep_one_token(f, (int64_t)kind->r);
        break;
    case ACTIVE:
        keep_active(f, rng);
        break;
    case DECADES_A:
        scale_steps(f, -6, 0, false, false, rng);
        break;
    case DECADES_BOTH:
        scale_steps(f, -6, 0, true, false, rng);
        break;
    case OPPOSED:
        scale_steps(f, -kind->r, kind->r, true, true, rng);
        break;
    case ONE_HOT:
        one_hot_rows(f, rng);
        break;
    case ZIPF:
        zipf_rows(f, rng);
        break;
    case CAUSAL:
        causal_means(f);
        break;
    case SOFTMAX:
        softmax_rows(f, kind->r, false, rng);
        break;
    case LOGIT_GRADIENT:
        softmax_rows(f, kind->r, true, rng);
        break;
    case IDENTITY:
        identity_b(f);
        break;
    case TINY_ROWS:
        scale_all(f->a, f->m * f->k, kind->r);
        scale_all(f->b, f->k * f->n, kind->s);
        break;
    case PLAIN:
    case REAL_GELU:
    case REAL_NORM:
        break;
    }
}

/* Real activations, (48, 320), and weights, (320, 48): tests/kernels/minilm.py made the file. */
static bool read_real(Factors *f, Structure structure)
{
    enum { COUNT = REAL_ROWS * REAL_LENGTH };
    static float numbers[3][COUNT];
    FILE *file = fopen(GRADUS_SOURCE_ROOT "/tests/kernels/minilm.f32", "rb");
    bool ok = file && fread(numbers, sizeof numbers, 1, file) == 1;
    if (file)
        fclose(file);
    memcpy(f->a, numbers[structure == REAL_GELU ? 0 : 2], sizeof *numbers);
    if (structure == REAL_GELU)
        memcpy(f->b, numbers[1], sizeof *numbers);
    return ok;
}

static bool is_real(int kind)
{
    return kinds[kind].structure == REAL_GELU || kinds[kind].structure == REAL_NORM;
}

static int64_t length_of(int kind, int length)
{
    return is_real(kind) ? REAL_LENGTH : exactness_lengths[length];
}

bool exactness_factors(Factors *f, int kind, int length)
{
    const Kind *kd = &kinds[kind];
    bool pretrained = is_real(kind);
    if (pretrained && length != 0)
        return false;
    *f = (Factors){pretrained ? REAL_ROWS : M, pretrained ? REAL_ROWS : N, length_of(kind, length),
                   NULL, NULL};
    f->a = calloc((size_t)(f->m * f->k), sizeof *f->a);
    f->b = calloc((size_t)(f->k * f->n), sizeof *f->b);
    Rng rng = {.seed = (uint64_t)(1000 * kind + length)};
    if (kd->a)
        draw_a(f, kd->a, &rng);
    if (kd->b)
        draw_b(f, kd->b, &rng);
    if (pretrained && !read_real(f, kd->structure)) {
        free(f->a);
        free(f->b);
        return false;
    }
    build(f, kd, &rng);
    return true;
}

/* ---- sgemm's figures ------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    int64_t k;
    ProductError error;
} Stored;

static const Stored stored[] = {
#include "tests/kernels/exactness_sgemm.inc"
    {NULL, 0, {0, 0}},
};

bool exactness_sgemm(ProductError *e, int kind, int length)
{
    for (const Stored *s = stored; s->name; s++)
        if (strcmp(s->name, kinds[kind].name) == 0 && s->k == length_of(kind, length)) {
            *e = s->error;
            return true;
        }
    return false;
}
