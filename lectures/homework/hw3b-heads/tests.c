/* tests.c: the tests of homework 3b. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw3b.h"

#include <math.h>

/* ---- 1. heads -------------------------------------------------------------------------------- */

static void split_case(Case *c)
{
    int t = case_size(c, "t", 1, 5), heads = case_size(c, "heads", 1, 4);
    int d = case_size(c, "d", 1, 4);
    const real *x = case_input(c, "x", 2, t, heads * d);
    split_heads(case_output(c, "y", 3, heads, t, d), x, t, heads, d);
}

static void merge_case(Case *c)
{
    int t = case_size(c, "t", 1, 5), heads = case_size(c, "heads", 1, 4);
    int d = case_size(c, "d", 1, 4);
    const real *x = case_input(c, "x", 3, heads, t, d);
    merge_heads(case_output(c, "y", 2, t, heads * d), x, t, heads, d);
}

/* ---- 2. a projection ------------------------------------------------------------------------- */

static void project_case(Case *c)
{
    int t = case_size(c, "t", 1, 4), in = case_size(c, "in", 1, 5), out = case_size(c, "out", 1, 5);
    const real *x = case_input(c, "x", 2, t, in), *w = case_input(c, "w", 2, out, in);
    project(case_output(c, "y", 2, t, out), x, w, t, in, out);
}

static void project_backward_case(Case *c)
{
    int t = case_size(c, "t", 1, 4), in = case_size(c, "in", 1, 5), out = case_size(c, "out", 1, 5);
    const real *x = case_input(c, "x", 2, t, in), *w = case_input(c, "w", 2, out, in);
    const real *dy = case_input(c, "dy", 2, t, out);
    real *dx = case_sum(c, "dx", 2, t, in), *dw = case_sum(c, "dw", 2, out, in);
    project_backward(dx, dw, dy, x, w, t, in, out);
}

/* ---- the attention that the student's functions are given ------------------------------------ */

static double dot(const real *x, const real *y, int d)
{
    double sum = 0;
    for (int e = 0; e < d; e++)
        sum += (double)x[e] * y[e];
    return sum;
}

static void attention_forward(real *y, real *a, const real *q, const real *k, const real *v,
                              int batch, int n, int m, int d, int causal)
{
    for (int r = 0; r < batch * n; r++) {
        const real *keys = k + r / n * m * d, *values = v + r / n * m * d;
        int last = causal ? r % n + m - n : m - 1;
        double sum = 0;
        for (int j = 0; j < m; j++) {
            double score = dot(q + r * d, keys + j * d, d) / sqrt((double)d);
            a[r * m + j] = j <= last ? (real)exp(score) : 0;
            sum += a[r * m + j];
        }
        for (int e = 0; e < d; e++)
            y[r * d + e] = 0;
        for (int j = 0; j < m; j++) {
            a[r * m + j] = sum > 0 ? (real)(a[r * m + j] / sum) : 0;
            for (int e = 0; e < d; e++)
                y[r * d + e] += a[r * m + j] * values[j * d + e];
        }
    }
}

static void attention_backward(real *dq, real *dk, real *dv, const real *dy, const real *a,
                               const real *q, const real *k, const real *v, int batch, int n, int m,
                               int d)
{
    for (int r = 0; r < batch * n; r++) {
        int first = r / n * m;
        const real *up = dy + r * d, *weight = a + r * m;
        double mean = 0;
        for (int j = 0; j < m; j++)
            mean += weight[j] * dot(up, v + (first + j) * d, d);
        for (int j = 0; j < m; j++) {
            double ds = weight[j] * (dot(up, v + (first + j) * d, d) - mean) / sqrt((double)d);
            for (int e = 0; e < d; e++) {
                dv[(first + j) * d + e] += weight[j] * up[e];
                dq[r * d + e] += (real)(ds * k[(first + j) * d + e]);
                dk[(first + j) * d + e] += (real)(ds * q[r * d + e]);
            }
        }
    }
}

static const Attention attention = {attention_forward, attention_backward};

/* ---- 3. multi-head attention ----------------------------------------------------------------- */

typedef struct {
    int n, m, c, heads, causal;
    const real *x, *memory, *w_in, *w_out;
} Layer;

/* Self-attention: memory is x. */
static Layer self_layer(Case *c)
{
    Layer l = {.n = case_size(c, "n", 1, 4), .heads = case_size(c, "heads", 1, 3)};
    l.m = l.n;
    l.c = l.heads * case_size(c, "d", 1, 3);
    l.causal = case_turn(c, "causal", 0, 1);
    l.memory = l.x = case_input_scaled(c, "x", 0.5, 2, l.n, l.c);
    l.w_in = case_input_scaled(c, "w_in", 0.5, 2, 3 * l.c, l.c);
    l.w_out = case_input_scaled(c, "w_out", 0.5, 2, l.c, l.c);
    return l;
}

/* In every third case there are more queries than keys, heads and channels: each array of a
 * solution then has its own size. Of one key alone the weight is 1, whatever the queries are. */
static Layer cross_layer(Case *c)
{
    int more = case_turn(c, "more_queries", 0, 2) == 2;
    Layer l = {.n = case_size(c, "n", more ? 4 : 1, 4),
               .m = case_size(c, "m", 1 + more, more ? 2 : 5)};
    l.heads = case_size(c, "heads", 1, more ? 2 : 3);
    l.c = l.heads * case_size(c, "d", 1, more ? 1 : 3);
    l.x = case_input_scaled(c, "x", 0.5, 2, l.n, l.c);
    l.memory = case_input_scaled(c, "memory", 0.5, 2, l.m, l.c);
    l.w_in = case_input_scaled(c, "w_in", 0.5, 2, 3 * l.c, l.c);
    l.w_out = case_input_scaled(c, "w_out", 0.5, 2, l.c, l.c);
    return l;
}

static void forward_of(Case *c, Layer l)
{
    multi_head(case_output(c, "y", 2, l.n, l.c), l.x, l.memory, l.w_in, l.w_out, l.n, l.m, l.c,
               l.heads, l.causal, &attention);
}

static void self_case(Case *c)
{
    forward_of(c, self_layer(c));
}

static void cross_case(Case *c)
{
    forward_of(c, cross_layer(c));
}

/* ---- 4. backward ----------------------------------------------------------------------------- */

static void self_backward_case(Case *c)
{
    Layer l = self_layer(c);
    const real *dy = case_input(c, "dy", 2, l.n, l.c);
    real *dx = case_sum(c, "dx", 2, l.n, l.c), *dw_in = case_sum(c, "dw_in", 2, 3 * l.c, l.c);
    real *dw_out = case_sum(c, "dw_out", 2, l.c, l.c);
    multi_head_backward(dx, dx, dw_in, dw_out, dy, l.x, l.memory, l.w_in, l.w_out, l.n, l.m, l.c,
                        l.heads, l.causal, &attention);
}

static void cross_backward_case(Case *c)
{
    Layer l = cross_layer(c);
    const real *dy = case_input(c, "dy", 2, l.n, l.c);
    real *dx = case_sum(c, "dx", 2, l.n, l.c), *dmemory = case_sum(c, "dmemory", 2, l.m, l.c);
    real *dw_in = case_sum(c, "dw_in", 2, 3 * l.c, l.c);
    real *dw_out = case_sum(c, "dw_out", 2, l.c, l.c);
    multi_head_backward(dx, dmemory, dw_in, dw_out, dy, l.x, l.memory, l.w_in, l.w_out, l.n, l.m,
                        l.c, l.heads, l.causal, &attention);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"split_heads", "split_heads", "channels to heads", POINTS(8), split_case},
    {"merge_heads", "merge_heads", "heads to channels", POINTS(7), merge_case},
    {"project", "project", "a linear layer", POINTS(8), project_case},
    {"project_backward", "project_backward", "a linear layer, backward", POINTS(15),
     project_backward_case, .forward = project_case, .gradients = "dx:x dw:w", .upstream = "dy:y"},
    {"self_attention", "multi_head", "multi-head self-attention", POINTS(12), self_case},
    {"cross_attention", "multi_head", "multi-head cross-attention", POINTS(10), cross_case,
     .needs = "self_attention"},
    {"cross_backward", "multi_head_backward", "cross-attention, backward", POINTS(25),
     cross_backward_case, .forward = cross_case,
     .gradients = "dx:x dmemory:memory dw_in:w_in dw_out:w_out", .upstream = "dy:y"},
    {"self_backward", "multi_head_backward", "self-attention, backward", POINTS(15),
     self_backward_case, .forward = self_case, .gradients = "dx:x dw_in:w_in dw_out:w_out",
     .upstream = "dy:y", .needs = "cross_backward"},
    {0},
};
