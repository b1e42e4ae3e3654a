/* test_attention_tiles.c: attention over several tiles, in every kernel set, against the reference.
 *
 * The reference sums in double. Errors are measured row by row: the root mean square of a row's
 * errors beside that of the row itself, of the result and of each gradient. */
#include "tests/kernels/kernel_sets.h"
#include "autograd/autograd.h"

#include <math.h>
#include <stdlib.h>

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

static bool run(Run *r, const Case *c)
{
    Shape shapes[] = {shape4(c->B, c->H, c->T, c->d), shape4(c->B, c->H, c->S, c->d),
                      shape4(c->B, c->H, c->S, c->dv)};
    real *x[OPERANDS], *upstream = numbers(shape4(c->B, c->H, c->T, c->dv), 9);
    for (int64_t i = 0; c->upstream > 0 && i < (int64_t)c->B * c->H * c->T * c->dv; i++)
        upstream[i] *= (real)c->upstream;
    r->tape = tape_new(5);
    r->tape->training = c->dropout > 0;
    for (int i = 0; i < OPERANDS; i++)
        x[i] = numbers(shapes[i], (uint64_t)i + 1);
    if (c->sink > 0)
        add_sink(c, x[Q], x[K]);
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

TEST_SETS(near_the_reference)
{
    const char *set = tensor_kernels();
    for (int i = 0; i < CASES; i++) {
        Run got, want;
        bool ok = run(&got, &all_cases[i]);
        tensor_set_kernels("ref");
        ok &= run(&want, &all_cases[i]);
        tensor_set_kernels(set);
        if (ok)
            compare(&all_cases[i], &got, &want);
        tape_free(got.tape);
        tape_free(want.tape);
    }
    CHECK_NO_ERROR();
}
