/* test_attention_tiles.c: attention over several tiles, in every kernel set, against the reference.
 *
 * The reference sums in double. Errors are measured row by row: the root mean square of a row's
 * errors beside that of the row itself, of the result and of each gradient. */
#include "tests/kernels/set_cases.h"
#include "autograd/autograd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a case is made of. dv: channels of a value. sink: by how much the first key's score exceeds
 * the others. upstream: what dL/dO is multiplied by; 0: nothing. */
typedef struct {
    const char *name;
    int B, H, T, S, d, dv;
    bool causal;
    int window;
    double dropout, sink, upstream;
    bool lengths, keep;
} Case;

static const Case all_cases[] = {
    {"causal", .B = 2, .H = 2, .T = 330, .S = 330, .d = 64, .dv = 64, .causal = true},
    {"one key less than tiles", .B = 1, .H = 2, .T = 255, .S = 255, .d = 64, .dv = 64,
     .dropout = 0.3},
    {"no whole vectors", .B = 1, .H = 4, .T = 170, .S = 201, .d = 43, .dv = 61},
    {"more keys", .B = 1, .H = 4, .T = 230, .S = 300, .d = 64, .dv = 50, .causal = true},
    {"one matrix, many keys", .B = 1, .H = 1, .T = 230, .S = 2700, .d = 40, .dv = 33},
    {"many keys", .B = 1, .H = 4, .T = 140, .S = 2600, .d = 48, .dv = 48},
    {"deep heads", .B = 1, .H = 2, .T = 140, .S = 140, .d = 128, .dv = 100, .causal = true},
    {"window", .B = 1, .H = 2, .T = 300, .S = 300, .d = 64, .dv = 64, .window = 70},
    {"lengths", .B = 2, .H = 2, .T = 200, .S = 230, .d = 64, .dv = 64, .lengths = true},
    {"keep", .B = 1, .H = 2, .T = 200, .S = 230, .d = 64, .dv = 64, .keep = true},
    {"large gradients", .B = 1, .H = 4, .T = 200, .S = 200, .d = 64, .dv = 64, .upstream = 1e33},
    {"a sink", .B = 1, .H = 4, .T = 260, .S = 260, .d = 64, .dv = 64, .causal = true, .sink = 9},
};
enum { CASES = sizeof all_cases / sizeof *all_cases };

enum { Q, K, V, OPERANDS };

typedef struct {
    Tape *tape;
    Tensor *x[OPERANDS], *y;
} Run;

static real *numbers(Shape shape, uint64_t seed)
{
    Rng rng = {.seed = seed};
    int64_t n = shape_size(shape);
    real *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)rng_normal(&rng);
    return x;
}

/* All queries have a part in common, and the first key of each matrix lies along it. */
static void add_sink(const Case *c, real *q, real *k)
{
    for (int z = 0; z < c->B * c->H; z++) {
        for (int i = 0; i < c->T; i++)
            q[((int64_t)z * c->T + i) * c->d] += 2;
        k[(int64_t)z * c->S * c->d] += (real)(c->sink * sqrt((double)c->d) / 2);
    }
}

static Mask mask_of(const Case *c, Tape *tape)
{
    Mask mask = {.causal = c->causal, .window = c->window};
    int lengths[] = {c->S, c->S - 90};
    if (c->lengths)
        mask.lengths = tape_ids(tape, lengths, shape1(c->B));
    if (c->keep) {
        Shape shape = shape2(c->T, c->S);
        real *keep = malloc((size_t)shape_size(shape) * sizeof *keep);
        for (int64_t i = 0; i < shape_size(shape); i++)
            keep[i] = i * 7 % 5 != 0;
        mask.keep = tape_input(tape, keep, shape);
        free(keep);
    }
    return mask;
}

/* What stands in query 3 and key 2 of the first matrix; NULL: as the others. */
typedef struct {
    real q, k;
} Large;

static bool run(Run *r, const Case *c, const Large *large, uint64_t seed)
{
    Shape shapes[] = {shape4(c->B, c->H, c->T, c->d), shape4(c->B, c->H, c->S, c->d),
                      shape4(c->B, c->H, c->S, c->dv)};
    real *x[OPERANDS], *upstream = numbers(shape4(c->B, c->H, c->T, c->dv), seed + 9);
    for (int64_t i = 0; c->upstream > 0 && i < (int64_t)c->B * c->H * c->T * c->dv; i++)
        upstream[i] *= (real)c->upstream;
    r->tape = tape_new(5);
    r->tape->training = c->dropout > 0;
    for (int i = 0; i < OPERANDS; i++)
        x[i] = numbers(shapes[i], seed + (uint64_t)i + 1);
    if (c->sink > 0)
        add_sink(c, x[Q], x[K]);
    for (int i = 0; large && i < c->d; i++) {
        x[Q][3 * c->d + i] = large->q;
        x[K][2 * c->d + i] = large->k;
    }
    for (int i = 0; i < OPERANDS; i++)
        r->x[i] = tape_leaf(r->tape, x[i], shapes[i]);
    r->y = ag_attention(r->x[Q], r->x[K], r->x[V], mask_of(c, r->tape), (real)c->dropout);
    bool ok = CHECK(!tensor_is_poison(r->y) && ag_backward_from(r->y, upstream), "%s: %s", c->name,
                    tensor_error());
    for (int i = 0; i < OPERANDS; i++)
        free(x[i]);
    free(upstream);
    return ok;
}

static double length(const real *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += pow((double)x[i], 2);
    return sqrt(sum);
}

/* The error of the worst of so many rows of n numbers. One that is shorter than the mean row, as
 * the gradient of a query that sees one key, is measured by that. */
static double worst_row(const real *got, const real *want, int64_t rows, int64_t n)
{
    double worst = 0, least = length(want, rows * n) / sqrt((double)rows);
    for (int64_t r = 0; r < rows; r++, got += n, want += n) {
        double off = 0;
        for (int64_t i = 0; i < n; i++)
            off += pow((double)got[i] - (double)want[i], 2);
        off = sqrt(off) / fmax(length(want, n), least);
        worst = off <= worst ? worst : off; /* NaN stays */
    }
    return worst;
}

/* Sums of some hundred products and exponentials of floats are off by 2e-6 of a row. With the sink,
 * scores reach 16, where a float is rounded by 2^-21, and a query's gradient is what is left of
 * numbers that cancel: 2e-5. */
static const double close = 4e-5;

static void compare(const Case *c, const Run *got, const Run *want)
{
    static const char *const names[] = {"dq", "dk", "dv"};
    for (int i = 0; i < OPERANDS; i++) {
        int64_t n = shape_last(got->x[i]->shape), rows = shape_size(got->x[i]->shape) / n;
        double error = worst_row(got->x[i]->grad, want->x[i]->grad, rows, n);
        CHECK(error <= close, "%s: a row of %s is off by %.2g of itself", c->name, names[i], error);
    }
    double error =
        worst_row(got->y->data, want->y->data, (int64_t)c->B * c->T, (int64_t)c->H * c->dv);
    CHECK(error <= close, "%s: a row of y is off by %.2g of itself", c->name, error);
}

static void near_the_reference(void)
{
    char set[16];
    snprintf(set, sizeof set, "%s", tensor_kernels());
    for (int i = 0; i < CASES; i++) {
        Run got, want;
        bool ok = run(&got, &all_cases[i], NULL, 0);
        tensor_set_kernels("ref");
        ok &= run(&want, &all_cases[i], NULL, 0);
        tensor_set_kernels(set);
        if (ok)
            compare(&all_cases[i], &got, &want);
        tape_free(got.tape);
        tape_free(want.tape);
    }
    CHECK_NO_ERROR();
}

/* Of n numbers: -1 where one is NaN, else 1 where all are `want`'s, else 0. */
static int kind(const real *x, const real *want, int n)
{
    int same = 1;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]))
            return -1;
        same &= fabs((double)x[i] - (double)want[i]) <= close * (1 + fabs((double)want[i]));
    }
    return same;
}

/* A score of query 3 is more than a float can hold: what comes of it is NaN, or is right where
 * doubles did better, and what the query does not reach is as it is without it: other queries'
 * results, later values' gradients, other matrices. (Sums in which large numbers cancel, or are
 * measured by them, are none that could be compared.) */
static void a_score_overflows(void)
{
    const Case c = {.B = 1, .H = 4, .T = 200, .S = 200, .d = 64, .dv = 64, .causal = true};
    Run got, plain;
    if (run(&got, &c, &(Large){(real)1e28, (real)1e10}, 0) &&
        run(&plain, &c, &(Large){0, (real)1e10}, 0)) {
        const real *y = got.y->data + 3 * c.H * c.dv; /* y is (B, T, H, dv) */
        int query = kind(y, got.x[V]->data + 2 * c.dv, c.dv);
        CHECK(query != 0, "the query gets neither NaN nor its one value");
        CHECK(query == 1 || isnan(got.x[Q]->grad[3 * c.d]), "its gradient is %g",
              (double)got.x[Q]->grad[3 * c.d]);
        CHECK(query == 1 || isnan(got.x[K]->grad[0]), "that of a key that it saw is %g",
              (double)got.x[K]->grad[0]);
        int changed = 0;
        for (int i = 4; i < c.T; i++)
            changed +=
                kind(got.y->data + i * c.H * c.dv, plain.y->data + i * c.H * c.dv, c.H * c.dv) != 1;
        for (int i = 4; i < c.H * c.T; i++)
            for (int k = i < c.T ? V : Q; k < OPERANDS; k++)
                changed += kind(got.x[k]->grad + i * c.d, plain.x[k]->grad + i * c.d, c.d) != 1;
        CHECK(changed == 0, "%d rows are not as they were", changed);
    }
    tape_free(got.tape);
    tape_free(plain.tape);
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {{"near the reference", near_the_reference},
                                     {"a score overflows", a_score_overflows},
                                     {NULL, NULL}};
    return run_in_every_set("attention_tiles", cases, argc, argv);
}
