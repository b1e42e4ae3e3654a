/* tests.c: the tests of homework 10. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw10.h"

#include <stddef.h>

typedef struct {
    int t, c, n;
    const real *x, *h, *cell, *w, *u, *b;
} Layer;

/* gates: 1 RNN, 3 GRU, 4 LSTM, which alone has a cell state. */
static Layer layer_of(Case *c, int steps, int gates)
{
    Layer l = {.t = steps ? case_size(c, "t", 1, 5) : 1, .c = case_size(c, "c", 1, 3)};
    l.n = case_size(c, "n", 1, 4);
    l.x = case_input(c, "x", 2, l.t, l.c);
    l.h = case_input(c, "h", 1, l.n);
    l.cell = gates == 4 ? case_input(c, "cell", 1, l.n) : NULL;
    l.w = case_input(c, "w", 2, gates * l.n, l.c);
    l.u = case_input(c, "u", 2, gates * l.n, l.n);
    l.b = case_input(c, "b", 1, gates * l.n);
    return l;
}

typedef struct {
    real *dx, *dh, *dcell, *dw, *du, *db;
} Gradients;

static Gradients gradients_of(Case *c, const Layer *l, int gates)
{
    Gradients g = {.dx = case_sum(c, "dx", 2, l->t, l->c), .dh = case_sum(c, "dh", 1, l->n)};
    g.dcell = gates == 4 ? case_sum(c, "dcell", 1, l->n) : NULL;
    g.dw = case_sum(c, "dw", 2, gates * l->n, l->c);
    g.du = case_sum(c, "du", 2, gates * l->n, l->n);
    g.db = case_sum(c, "db", 1, gates * l->n);
    return g;
}

static void rnn_case(Case *c)
{
    Layer l = layer_of(c, 1, 1);
    rnn(case_output(c, "y", 2, l.t, l.n), l.x, l.h, l.w, l.u, l.b, l.t, l.c, l.n);
}

static void rnn_backward_case(Case *c)
{
    Layer l = layer_of(c, 1, 1);
    const real *dy = case_input(c, "dy", 2, l.t, l.n);
    Gradients g = gradients_of(c, &l, 1);
    real y[STEPS_MOST * STATE_MOST];
    rnn(y, l.x, l.h, l.w, l.u, l.b, l.t, l.c, l.n);
    rnn_backward(g.dx, g.dh, g.dw, g.du, g.db, dy, y, l.x, l.h, l.w, l.u, l.t, l.c, l.n);
}

static void gru_case(Case *c)
{
    Layer l = layer_of(c, 0, 3);
    gru(case_output(c, "next", 1, l.n), l.x, l.h, l.w, l.u, l.b, l.c, l.n);
}

static void gru_backward_case(Case *c)
{
    Layer l = layer_of(c, 0, 3);
    const real *dnext = case_input(c, "dnext", 1, l.n);
    Gradients g = gradients_of(c, &l, 3);
    gru_backward(g.dx, g.dh, g.dw, g.du, g.db, dnext, l.x, l.h, l.w, l.u, l.b, l.c, l.n);
}

static void lstm_case(Case *c)
{
    Layer l = layer_of(c, 0, 4);
    real *next = case_output(c, "next", 1, l.n), *cell = case_output(c, "next_cell", 1, l.n);
    lstm(next, cell, l.x, l.h, l.cell, l.w, l.u, l.b, l.c, l.n);
}

static void lstm_backward_case(Case *c)
{
    Layer l = layer_of(c, 0, 4);
    const real *dnext = case_input(c, "dnext", 1, l.n);
    const real *dcell = case_input(c, "dnext_cell", 1, l.n);
    Gradients g = gradients_of(c, &l, 4);
    lstm_backward(g.dx, g.dh, g.dcell, g.dw, g.du, g.db, dnext, dcell, l.x, l.h, l.cell, l.w, l.u,
                  l.b, l.c, l.n);
}

typedef struct {
    int keys, n, d, a;
    const real *q, *k, *w, *u, *v;
} Additive;

static Additive additive_of(Case *c)
{
    Additive l = {.keys = case_size(c, "keys", 1, 5), .n = case_size(c, "n", 1, 3)};
    l.d = case_size(c, "d", 1, 4);
    l.a = case_size(c, "a", 1, 3);
    l.q = case_input(c, "q", 1, l.n);
    l.k = case_input(c, "k", 2, l.keys, l.d);
    l.w = case_input(c, "w", 2, l.a, l.n);
    l.u = case_input(c, "u", 2, l.a, l.d);
    l.v = case_input(c, "v", 1, l.a);
    return l;
}

static void additive_case(Case *c)
{
    Additive l = additive_of(c);
    real *y = case_output(c, "y", 1, l.d), *alpha = case_output(c, "alpha", 1, l.keys);
    additive(y, alpha, l.q, l.k, l.w, l.u, l.v, l.keys, l.n, l.d, l.a);
}

static void additive_backward_case(Case *c)
{
    Additive l = additive_of(c);
    const real *dy = case_input(c, "dy", 1, l.d);
    real *dq = case_sum(c, "dq", 1, l.n), *dk = case_sum(c, "dk", 2, l.keys, l.d);
    real *dw = case_sum(c, "dw", 2, l.a, l.n), *du = case_sum(c, "du", 2, l.a, l.d);
    additive_backward(dq, dk, dw, du, case_sum(c, "dv", 1, l.a), dy, l.q, l.k, l.w, l.u, l.v,
                      l.keys, l.n, l.d, l.a);
}

const Test tests[] = {
    {"rnn", "rnn", "RNN", POINTS(8), rnn_case},
    {"rnn_backward", "rnn_backward", "RNN, backward through time", POINTS(20), rnn_backward_case,
     .forward = rnn_case, .gradients = "dx:x dh:h dw:w du:u db:b", .upstream = "dy:y"},
    {"gru", "gru", "GRU", POINTS(8), gru_case},
    {"gru_backward", "gru_backward", "GRU, backward", POINTS(16), gru_backward_case,
     .forward = gru_case, .gradients = "dx:x dh:h dw:w du:u db:b", .upstream = "dnext:next"},
    {"lstm", "lstm", "LSTM", POINTS(8), lstm_case},
    {"lstm_backward", "lstm_backward", "LSTM, backward", POINTS(18), lstm_backward_case,
     .forward = lstm_case, .gradients = "dx:x dh:h dcell:cell dw:w du:u db:b",
     .upstream = "dnext:next dnext_cell:next_cell"},
    {"additive", "additive", "additive attention", POINTS(8), additive_case},
    {"additive_backward", "additive_backward", "additive attention, backward", POINTS(14),
     additive_backward_case, .forward = additive_case, .gradients = "dq:q dk:k dw:w du:u dv:v",
     .upstream = "dy:y"},
    {0},
};
