/* tests.c: the tests of homework 3. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw3.h"

/* ---- 1. masks -------------------------------------------------------------------------------- */

static void keep_causal_case(Case *c)
{
    int n = case_size(c, "n", 1, 5);
    make_keep(case_output_integers(c, "keep", 2, n, n), n, n, 1, n);
}

/* At most as many queries as keys, as in decoding with a cache; every query has a key. In every
 * fourth case as many, and padding behind two tokens or more. */
static void keep_case(Case *c)
{
    int whole = case_turn(c, "whole", 0, 3) == 3, causal = case_turn(c, "causal", 0, 1);
    int m = case_size(c, "m", whole ? 3 : 1, 6), n = case_choice(c, "n", whole ? m : 1, m);
    int length = case_choice(c, "length", 1 + whole, m - whole);
    make_keep(case_output_integers(c, "keep", 2, n, m), n, m, causal, length);
}

/* ---- 2. weights ------------------------------------------------------------------------------ */

typedef struct {
    int batch, n, m, d;
    const real *q, *k;
} Attention;

static Attention queries_and_keys(Case *c, double scale)
{
    Attention s = {case_size(c, "batch", 1, 3),
                   case_size(c, "n", 1, 4),
                   case_size(c, "m", 1, 5),
                   case_size(c, "d", 1, 5),
                   NULL,
                   NULL};
    s.q = case_input_scaled(c, "q", scale, 3, s.batch, s.n, s.d);
    s.k = case_input(c, "k", 3, s.batch, s.m, s.d);
    return s;
}

/* A random mask; with `always`, each row keeps at least one key. */
static int *any_keep(Case *c, int n, int m, int always)
{
    int *keep = case_given_integers(c, "keep", 2, n, m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            keep[i * m + j] = (always && j == i % m) || case_random(c) < 0.5;
    return keep;
}

static void weights_case(Case *c)
{
    Attention s = queries_and_keys(c, 1);
    real *a = case_output(c, "a", 3, s.batch, s.n, s.m);
    attention_weights(a, s.q, s.k, NULL, s.batch, s.n, s.m, s.d);
}

static void weights_large_case(Case *c)
{
    Attention s = queries_and_keys(c, 1024);
    real *a = case_output(c, "a", 3, s.batch, s.n, s.m);
    attention_weights(a, s.q, s.k, NULL, s.batch, s.n, s.m, s.d);
}

static void weights_masked_case(Case *c)
{
    Attention s = queries_and_keys(c, 1);
    int *keep = any_keep(c, s.n, s.m, 1);
    real *a = case_output(c, "a", 3, s.batch, s.n, s.m);
    attention_weights(a, s.q, s.k, keep, s.batch, s.n, s.m, s.d);
}

/* All keys of the first query are hidden, and perhaps those of others. */
static void weights_empty_case(Case *c)
{
    Attention s = queries_and_keys(c, 1);
    int *keep = any_keep(c, s.n, s.m, 0);
    for (int j = 0; j < s.m; j++)
        keep[j] = 0;
    real *a = case_output(c, "a", 3, s.batch, s.n, s.m);
    attention_weights(a, s.q, s.k, keep, s.batch, s.n, s.m, s.d);
}

/* ---- 3. the weighted sum --------------------------------------------------------------------- */

static void attend_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 3), n = case_size(c, "n", 1, 4);
    int m = case_size(c, "m", 1, 5), d = case_size(c, "d", 1, 5);
    const real *a = case_input(c, "a", 3, batch, n, m), *v = case_input(c, "v", 3, batch, m, d);
    attend(case_output(c, "y", 3, batch, n, d), a, v, batch, n, m, d);
}

/* ---- 4. backward ----------------------------------------------------------------------------- */

typedef struct {
    Attention s;
    const real *v;
    real *a;
} Attended;

/* Q, K, V and the weights of causal or full attention. While backward is tested, the functions that
 * compute them are the solution's. */
static Attended attended(Case *c)
{
    Attended t = {.s = queries_and_keys(c, 1)};
    Attention *s = &t.s;
    t.v = case_input(c, "v", 3, s->batch, s->m, s->d);
    int *keep = case_given_integers(c, "keep", 2, s->n, s->m);
    make_keep(keep, s->n, s->m, case_turn(c, "causal", 0, 1), s->m);
    t.a = case_given(c, "a", 3, s->batch, s->n, s->m);
    attention_weights(t.a, s->q, s->k, keep, s->batch, s->n, s->m, s->d);
    return t;
}

static void attention_case(Case *c)
{
    Attended t = attended(c);
    Attention *s = &t.s;
    attend(case_output(c, "y", 3, s->batch, s->n, s->d), t.a, t.v, s->batch, s->n, s->m, s->d);
}

static void attention_backward_case(Case *c)
{
    Attended t = attended(c);
    Attention *s = &t.s;
    const real *dy = case_input(c, "dy", 3, s->batch, s->n, s->d);
    real *dq = case_sum(c, "dq", 3, s->batch, s->n, s->d);
    real *dk = case_sum(c, "dk", 3, s->batch, s->m, s->d);
    real *dv = case_sum(c, "dv", 3, s->batch, s->m, s->d);
    attention_backward(dq, dk, dv, dy, t.a, s->q, s->k, t.v, s->batch, s->n, s->m, s->d);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"keep_causal", "make_keep", "the causal mask", POINTS(6), keep_causal_case},
    {"keep", "make_keep", "causal mask, padding, more keys than queries", POINTS(9), keep_case,
     .needs = "keep_causal", .cases = 24},
    {"weights", "attention_weights", "attention weights", POINTS(15), weights_case},
    {"weights_masked", "attention_weights", "attention weights with a mask", POINTS(12),
     weights_masked_case, .needs = "weights"},
    {"weights_large", "attention_weights", "attention weights of large scores", POINTS(6),
     weights_large_case, .needs = "weights"},
    {"weights_empty", "attention_weights", "a query whose keys are all hidden", POINTS(4),
     weights_empty_case, .needs = "weights_masked"},
    {"attend", "attend", "the weighted sum of values", POINTS(12), attend_case},
    {"attention_backward", "attention_backward", "attention, backward", POINTS(36),
     attention_backward_case, .forward = attention_case, .gradients = "dq:q dk:k dv:v",
     .upstream = "dy:y"},
    {0},
};
