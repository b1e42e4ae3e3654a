/* test_bf16.c: products of operands rounded to bfloat16, in every kernel set.
 *
 * What is promised (autograd.h): the rounding of operands, exactly, and a bound for the sums. So
 * each product is compared in double with that of operands that this file rounds (rint), and the
 * bound is derived beside the check. */
#include "tests/kernels/set_cases.h"

#include "tensor/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* x rounded to 8 significant bits, of two the one whose last bit is 0; infinity above the largest
 * bfloat16, 0 below the smallest normal one. */
static double to_bfloat16(double x)
{
    int exponent;
    frexp(x, &exponent);
    const int last = (exponent > -125 ? exponent : -125) - 8; /* a denormal has fewer bits */
    const double y = isfinite(x) ? ldexp(rint(ldexp(x, -last)), last) : x;
    return fabs(y) >= 0x1p128 ? copysign(INFINITY, x) : fabs(y) < 0x1p-126 ? copysign(0, x) : y;
}

/* Memory for the threads of a product. */
enum { PARTS = 3 };
static unsigned char scratch[PARTS * KERNEL_SCRATCH_BYTES] __attribute__((aligned(64)));

/* All bits random; every third number is halfway between two bfloat16. */
static float *drawn(int64_t n, uint64_t stream)
{
    Rng rng = {.seed = 1, .stream = stream};
    float *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; x && i < n; i++) {
        int exponent;
        x[i] = rng_normal(&rng);
        frexp((double)x[i], &exponent);
        if (i % 3 == 0)
            x[i] = (float)(to_bfloat16((double)x[i]) + ldexp(0.5, exponent - 8));
    }
    return x;
}

/* ---- products of matrices -------------------------------------------------------------------- */

/* A by rows or by columns times B by rows or by columns: C (m, n). */
static Gemm product(int64_t m, int64_t n, int64_t k, int form, const float *a, const float *b,
                    float *c)
{
    return (Gemm){.m = m,
                  .n = n,
                  .k = k,
                  .a = a,
                  .a_row = form & 1 ? 1 : k,
                  .a_column = form & 1 ? m : 1,
                  .b = b,
                  .b_row = form & 2 ? 1 : n,
                  .b_column = form & 2 ? k : 1,
                  .c = c,
                  .c_row = n,
                  .c_column = 1,
                  .bf16 = true,
                  .scratch = {scratch, PARTS}};
}

/* The products of bfloat16 are exact in float, so that a sum of k of them has at most k + 2
 * roundings, each of 2^-24 of the sum of the absolute values (autograd.h). */
static void check_product(int64_t m, int64_t n, int64_t k, int form)
{
    float *a = drawn(m * k, 1), *b = drawn(k * n, 2), *c = drawn(m * n, 3);
    const Gemm g = product(m, n, k, form, a, b, c);
    kernels->gemm(&g);
    double worst = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (int64_t l = 0; l < k; l++) {
                const double p = to_bfloat16((double)a[i * g.a_row + l * g.a_column]) *
                                 to_bfloat16((double)b[l * g.b_row + j * g.b_column]);
                sum += p;
                size += fabs(p);
            }
            worst = larger_or_nan(worst, fabs((double)c[i * n + j] - sum) / size);
        }
    CHECK(worst <= (double)(k + 2) * 0x1p-24,
          "(%d, %d) of %d steps, form %d: off by %.3g 2^-24 |A||B|; expected at most %d", (int)m,
          (int)n, (int)k, form, worst * 0x1p24, (int)k + 2);
    free(a);
    free(b);
    free(c);
}

/* Sizes that are read in place, row by row, in tiles, and in several blocks of steps. */
static void products(void)
{
    static const int64_t size[][3] = {{1, 33, 70},   {4, 50, 75},  {7, 20, 9},    {37, 50, 75},
                                      {64, 64, 64},  {33, 65, 31}, {20, 90, 800}, {130, 24, 40},
                                      {40, 900, 33}, {70, 70, 3}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int form = 0; form < 4; form++)
            check_product(size[i][0], size[i][1], size[i][2], form);
}

/* Each number times 1: the rounding itself, also of numbers that have no bfloat16 near them. */
static void rounding(void)
{
    enum { N = 40, K = 40 };
    static const float special[] = {
        0,         -0.0f,         0x1.ffp127f,   0x1.fefffep127f, INFINITY,   -INFINITY,
        NAN,       0x1p-126f,     0x1.fcp-127f,  0x1.ffp-127f,    -0x1p-149f, 0x1.01p0f,
        0x1.03p0f, 0x1.010002p0f, -0x1.01p-126f, 0x1.feffp-127f};
    enum { SPECIAL = sizeof special / sizeof *special };
    float *x = drawn(N * K, 4), unit[K * N] = {0}, c[N * N];
    for (int64_t i = 0; i < N; i++)
        x[i * K] = special[i % SPECIAL];
    memcpy(&x[6 * K], &(uint32_t){0x7fffffff}, sizeof *x);  /* a NaN that rounds to -0 */
    memcpy(&x[22 * K], &(uint32_t){0x7f800001}, sizeof *x); /* and one cut off to an infinity */
    for (int64_t j = 0; j < N; j++)
        unit[j] = 1; /* C's columns are x's first column */
    for (int64_t i = 0; i < N; i++)
        for (int64_t l = 1; l < K; l++)
            x[i * K + l] = i < SPECIAL ? 0 : x[i * K + l];
    Gemm g = product(N, N, K, 0, x, unit, c);
    kernels->gemm(&g);
    for (int64_t i = 0; i < N; i++) {
        const double got = (double)c[i * N + i % 7], want = to_bfloat16((double)x[i * K]);
        CHECK(isnan(want) ? isnan(got) : got == want, "%a becomes %a; expected %a",
              (double)x[i * K], got, want);
    }
    free(x);
}

/* Threads divide C into other rectangles. */
static void same_bits_with_threads(void)
{
    enum { M = 150, N = 200, K = 500 };
    float *a = drawn(M * K, 5), *b = drawn(K * N, 6), *one = drawn(M * N, 7), *three = drawn(1, 8);
    three = realloc(three, M * N * sizeof *three);
    tensor_set_threads(1);
    Gemm g = product(M, N, K, 2, a, b, one);
    kernels->gemm(&g);
    tensor_set_threads(PARTS);
    g.c = three;
    kernels->gemm(&g);
    tensor_set_threads(0);
    CHECK(memcmp(one, three, M * N * sizeof *one) == 0, "three threads change bits");
    free(a);
    free(b);
    free(one);
    free(three);
}

/* ---- attention ------------------------------------------------------------------------------- */

enum { HEADS = 2, D = 24, LONGEST = 150 };

typedef struct {
    int64_t T;
    Attention a;
    AttentionGrad g;
    float *q, *k, *v, *up, *out, *lse, *gradient[3];
    double *workspace;
} Call;

static Call call_new(int64_t T, bool causal)
{
    const int64_t n = HEADS * T * D;
    Call c = {.T = T,
              .q = drawn(n, 10),
              .k = drawn(n, 11),
              .v = drawn(n, 12),
              .up = drawn(n, 13),
              .out = calloc((size_t)n, sizeof *c.out),
              .lse = calloc((size_t)(HEADS * T), sizeof *c.lse),
              .workspace = calloc((size_t)attention_workspace(T, T, D, D), sizeof(double))};
    for (int i = 0; i < 3; i++)
        c.gradient[i] = calloc((size_t)n, sizeof *c.out);
    c.a = (Attention){.batch = 1,
                      .heads = HEADS,
                      .queries = T,
                      .keys = T,
                      .d = D,
                      .dv = D,
                      .q = c.q,
                      .k = c.k,
                      .v = c.v,
                      .out = c.out,
                      .lse = c.lse,
                      .workspace = c.workspace,
                      .scale = 1 / sqrtf(D),
                      .mask = {.causal = causal},
                      .bf16 = true,
                      .scratch = {scratch, PARTS}};
    const int64_t stride[] = {n, D, HEADS * D};
    memcpy(c.a.q_stride, stride, sizeof stride);
    memcpy(c.a.k_stride, stride, sizeof stride);
    memcpy(c.a.v_stride, stride, sizeof stride);
    c.g = (AttentionGrad){c.up, c.gradient[0], c.gradient[1], c.gradient[2]};
    return c;
}

static void call_free(Call *c)
{
    float *all[] = {c->q,   c->k,           c->v,           c->up,         c->out,
                    c->lse, c->gradient[0], c->gradient[1], c->gradient[2]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(c->workspace);
}

/* Element c of row t of head h, as it is multiplied. */
static double operand(const float *x, int64_t h, int64_t t, int64_t c)
{
    return to_bfloat16((double)x[(t * HEADS + h) * D + c]);
}

static double dot(const float *x, int64_t i, const float *y, int64_t j, int64_t h, float scale)
{
    double sum = 0;
    for (int64_t c = 0; c < D; c++)
        sum += to_bfloat16((double)(scale * x[(i * HEADS + h) * D + c])) * operand(y, h, j, c);
    return sum;
}

/* The weights of one head in double, from rounded operands: (T, T). */
static void weights(const Call *c, int64_t h, double *A)
{
    for (int64_t i = 0; i < c->T; i++) {
        double sum = 0, *row = A + i * c->T;
        for (int64_t j = 0; j < c->T; j++) {
            const bool hidden = c->a.mask.causal && j > i;
            row[j] = hidden ? 0 : exp(dot(c->q, i, c->k, j, h, c->a.scale));
            sum += row[j];
        }
        for (int64_t j = 0; j < c->T; j++)
            row[j] /= sum;
    }
}

/* Compares the sum over j of w_j x_j, plus an error of `off_j` in each weight, with what a kernel
 * computed. A rounded weight is off by 2^-8 of itself, and by what the rounding of sums of floats
 * adds to the exponent of a score and to the sum: far less than the 2^-10 that is allowed. */
static double excess(double got, const double *w, const double *off, int64_t step, const float *x,
                     const Call *call, int64_t h, int64_t c)
{
    double sum = 0, most = 1e-30;
    for (int64_t j = 0; j < call->T; j++) {
        const double y = operand(x, h, j, c);
        sum += w[j * step] * y;
        most += ((0x1p-8 + 0x1p-10) * fabs(w[j * step]) + off[j * step]) * fabs(y);
    }
    return fabs(got - sum) / most;
}

/* dS = scale A (dP - r) for one head, and how far a kernel may be off. The rows' r is the sum of A
 * dP, or G . O, from a rounded G or not: off by twice 2^-8 of the sum of A |G| |V|. */
static void score_gradients(const Call *c, int64_t h, const double *A, double *dS, double *off)
{
    for (int64_t i = 0; i < c->T; i++) {
        double r = 0, size = 0;
        for (int64_t j = 0; j < c->T; j++) {
            double dP = 0;
            for (int64_t e = 0; e < D; e++) {
                const double p = operand(c->up, h, i, e) * operand(c->v, h, j, e);
                dP += p;
                size += A[i * c->T + j] * fabs(p);
            }
            dS[i * c->T + j] = dP;
            r += A[i * c->T + j] * dP;
        }
        for (int64_t j = 0; j < c->T; j++) {
            const int64_t at = i * c->T + j;
            off[at] = (double)c->a.scale * A[at] * (2 * 0x1p-8 + 0x1p-10) * size;
            dS[at] = (double)c->a.scale * A[at] * (dS[at] - r);
        }
    }
}

static void check_attention(int64_t T, bool causal)
{
    Call c = call_new(T, causal);
    double *A = calloc((size_t)(4 * T * T), sizeof *A), *dS = A + T * T, *off = dS + T * T,
           *none = off + T * T, worst[4] = {0};
    kernels->attention(&c.a);
    kernels->attention_backward(&c.a, &c.g);
    for (int64_t h = 0; h < HEADS; h++) {
        weights(&c, h, A);
        score_gradients(&c, h, A, dS, off);
        for (int64_t i = 0; i < T; i++)
            for (int64_t e = 0; e < D; e++) {
                const int64_t at = (i * HEADS + h) * D + e;
                const double of[] = {
                    excess((double)c.out[at], A + i * T, none, 1, c.v, &c, h, e),
                    excess((double)c.gradient[0][at], dS + i * T, off + i * T, 1, c.k, &c, h, e),
                    excess((double)c.gradient[1][at], dS + i, off + i, T, c.q, &c, h, e),
                    excess((double)c.gradient[2][at], A + i, none, T, c.up, &c, h, e)};
                for (int r = 0; r < 4; r++)
                    worst[r] = larger_or_nan(worst[r], of[r]);
            }
    }
    static const char *const name[] = {"the output", "dQ", "dK", "dV"};
    for (int r = 0; r < 4; r++)
        CHECK(worst[r] <= 1, "T %d%s: %s is off by %.3g of its bound", (int)T,
              causal ? ", causal" : "", name[r], worst[r]);
    free(A);
    call_free(&c);
}

static void attention(void)
{
    check_attention(LONGEST, true);
    check_attention(70, false);
    check_attention(5, true);
}

/* Forward of few queries without a backward has kernels of its own. */
static void decoding(void)
{
    Call c = call_new(3, true);
    double A[3 * 3], none[3 * 3] = {0}, worst = 0;
    c.a.lse = NULL;
    for (int64_t e = 0; e < HEADS * D; e++) /* rounded, the keys are the same: equal weights */
        for (int64_t i = 0; i < 3; i++) {
            c.q[i * HEADS * D + e] = 64;
            c.k[i * HEADS * D + e] = i == 0 ? 1 + 0x1p-9f : 1;
        }
    kernels->attention(&c.a);
    for (int64_t h = 0; h < HEADS; h++) {
        weights(&c, h, A);
        for (int64_t i = 0; i < 3; i++)
            for (int64_t e = 0; e < D; e++)
                worst = larger_or_nan(worst, excess((double)c.out[(i * HEADS + h) * D + e],
                                                    A + i * 3, none, 1, c.v, &c, h, e));
    }
    CHECK(worst <= 1, "off by %.3g of the bound", worst);
    call_free(&c);
}

/* What a mask hides is not looked at. */
static void hidden(void)
{
    Call c = call_new(LONGEST, true);
    for (int64_t e = 0; e < HEADS * D; e++) {
        c.k[(LONGEST - 1) * HEADS * D + e] = NAN;
        c.v[(LONGEST - 1) * HEADS * D + e] = INFINITY;
    }
    kernels->attention(&c.a);
    int64_t finite = 0;
    for (int64_t i = 0; i < LONGEST * HEADS * D; i++)
        finite += isfinite(c.out[i]);
    CHECK(finite == (LONGEST - 1) * HEADS * D, "%d elements are finite; expected %d", (int)finite,
          (LONGEST - 1) * HEADS * D);
    call_free(&c);
}

/* One infinity among the values, at each place of a vector: it reaches what sees it and no more. */
static void one_infinity(void)
{
    Call c = call_new(LONGEST, true);
    for (int64_t key = LONGEST - 40; key < LONGEST; key++) {
        float *value = &c.v[key * HEADS * D + key % D], old = *value;
        *value = INFINITY;
        kernels->attention(&c.a);
        int64_t finite = 0;
        for (int64_t i = 0; i < LONGEST * HEADS * D; i++)
            finite += isfinite(c.out[i]);
        CHECK(finite == LONGEST * HEADS * D - (LONGEST - key),
              "key %d: %d elements are not finite; expected %d", (int)key,
              (int)(LONGEST * HEADS * D - finite), (int)(LONGEST - key));
        *value = old;
    }
    call_free(&c);
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"sums of products of rounded operands", products},
        {"the rounding of operands", rounding},
        {"the bits do not depend on the number of threads", same_bits_with_threads},
        {"attention and its gradients", attention},
        {"decoding", decoding},
        {"what a mask hides is not looked at", hidden},
        {"an infinity reaches what sees it", one_infinity},
        {NULL, NULL},
    };
    return run_in_every_set("bf16", cases, argc, argv);
}
