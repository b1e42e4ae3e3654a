/* tests.c: the tests of homework 2. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw2.h"

#include <math.h>

enum { NODES_MAX = 16, CAPACITY = 4096 };

/* ---- graphs ---------------------------------------------------------------------------------- */

typedef struct {
    int n, root;
    int *kind, *left, *right; /* (n) */
    int made[NODES_MAX];      /* the nodes as they were made: each after its inputs */
} Graph;

static int below(Case *c, int n)
{
    return (int)(case_random(c) * n);
}

/* n nodes with random numbers, so that the order of the numbers is not a topological order. */
static Graph new_graph(Case *c, int n)
{
    Graph g = {.n = n};
    g.kind = case_given_integers(c, "kind", 1, n);
    g.left = case_given_integers(c, "left", 1, n);
    g.right = case_given_integers(c, "right", 1, n);
    for (int i = 0; i < n; i++)
        g.made[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = below(c, i + 1), had = g.made[i];
        g.made[i] = g.made[j];
        g.made[j] = had;
    }
    return g;
}

static void set_node(Graph *g, int i, int kind, int left, int right)
{
    g->kind[i] = kind;
    g->left[i] = kind == INPUT ? -1 : left;
    g->right[i] = kind == INPUT || kind == TANH ? -1 : right;
}

/* Each node from any made before it, the same one twice too. The root is the last, or, where
 * spare_node is 1, the one before: then a node is not needed. */
static Graph any_graph(Case *c)
{
    int spare = case_turn(c, "spare_node", 0, 1);
    int inputs = case_size(c, "inputs", 1, 4), ops = case_size(c, "ops", 1 + spare, 8);
    Graph g = new_graph(c, inputs + ops);
    for (int k = 0; k < g.n; k++) {
        int i = g.made[k], kind = ADD + below(c, 3);
        int left = g.made[below(c, k)], right = g.made[below(c, k)];
        /* every third node is tanh, so that products of products stay small */
        set_node(&g, i, k < inputs ? INPUT : k % 3 == 2 ? TANH : kind, left, right);
    }
    g.root = g.made[g.n - 1 - spare];
    return g;
}

/* An operation on two inputs, or one input alone; number 0 is the root's (0), the left input's (1)
 * or the right one's (2). */
static Graph pair(Case *c, int kind, int zero)
{
    Graph g = new_graph(c, 3);
    int number[3] = {zero == 0 ? 0 : 1 + below(c, 2), 0, 0}; /* root, left, right */
    number[1] = zero == 1 ? 0 : zero == 0 ? 1 + below(c, 2) : 3 - number[0];
    number[2] = 3 - number[0] - number[1];
    g.root = g.made[2] = number[0];
    g.made[0] = number[1];
    g.made[1] = number[2];
    set_node(&g, g.made[0], INPUT, -1, -1);
    set_node(&g, g.made[1], INPUT, -1, -1);
    set_node(&g, g.root, kind, number[1], number[2]);
    return g;
}

/* An operation on the results of two others, all of different inputs. */
static Graph tree(Case *c)
{
    Graph g = new_graph(c, 7);
    for (int k = 0; k < 4; k++)
        set_node(&g, g.made[k], INPUT, -1, -1);
    for (int k = 4; k < 7; k++)
        set_node(&g, g.made[k], ADD, g.made[2 * k - 8], g.made[2 * k - 7]);
    g.root = g.made[6];
    return g;
}

/* What each operation passes to a node that has gradient from another use already: root = a op(a,
 * b), root = a op(b, a), root = op(a, a) of each operation in turn. */
static Graph shared_node(Case *c)
{
    enum { SIDES = 3 };
    int which = case_turn(c, "which", 0, SIDES * 3), kind = ADD + which / SIDES,
        side = which % SIDES;
    Graph g = new_graph(c, side < 2 ? 4 : 2);
    int a = g.made[0], b = g.made[side < 2], last = g.made[side < 2 ? 2 : 1];
    set_node(&g, a, INPUT, -1, -1);
    if (side < 2)
        set_node(&g, b, INPUT, -1, -1);
    set_node(&g, last, kind, side == 1 ? b : a, side == 0 ? b : a);
    if (side < 2)
        set_node(&g, g.made[3], MUL, last, a);
    g.root = g.made[g.n - 1];
    return g;
}

/* Each operation takes the result of the last one and a new input: nothing is used twice. The last
 * operations are all in turn. */
static Graph chain(Case *c)
{
    int ops = case_size(c, "ops", 1, 5), root = case_turn(c, "root_kind", ADD, TANH);
    Graph g = new_graph(c, 2 * ops + 1);
    int last = g.made[0];
    set_node(&g, last, INPUT, -1, -1);
    for (int k = 1; k < g.n; k += 2) {
        int fresh = g.made[k], i = g.made[k + 1], kind = ADD + below(c, 4), first = below(c, 2);
        kind = k == g.n - 2 ? root : kind;
        set_node(&g, fresh, INPUT, -1, -1);
        set_node(&g, i, kind, first || kind == TANH ? last : fresh, first ? fresh : last);
        last = i;
    }
    g.root = last;
    return g;
}

/* The order that the other functions get, from graph_order, which is the solution's while they are
 * tested. */
static int given_order(Case *c, const Graph *g, int **order)
{
    *order = case_given_integers(c, "order", 1, g->n);
    int count = graph_order(*order, g->left, g->right, g->n, g->root);
    for (int k = count; k < g->n; k++)
        (*order)[k] = -1;
    *case_given_integers(c, "count", 0) = count;
    return count;
}

/* ---- 1. an order ----------------------------------------------------------------------------- */

/* The array is longer than n, so that a node that is written twice is a wrong number and not a
 * crash. Where nothing is written it holds the root: a search that reads there finds it. */
static void order_case(Case *c)
{
    int which = case_turn(c, "which", 0, 7);
    Graph g = which < 3    ? any_graph(c)
              : which == 3 ? tree(c)
                           : pair(c, which < 7 ? ADD : INPUT, which % 4 % 3);
    int found[CAPACITY];
    for (int k = 0; k < CAPACITY; k++)
        found[k] = g.root;
    *case_given_integers(c, "root", 0) = g.root;
    int count = graph_order(found, g.left, g.right, g.n, g.root);
    int *order = case_output_integers(c, "order", 1, g.n);
    int *counted = case_output_integers(c, "count", 0);
    for (int k = 0; k < g.n && count > 0; k++)
        order[k] = k < count ? found[k] : -1; /* what follows the last node is free */
    if (count != 0)
        *counted = count;
}

/* ---- 2. the values --------------------------------------------------------------------------- */

/* Any graph, and each operation alone, whose node is not where its number is in the order. */
static void forward_case(Case *c)
{
    int which = case_turn(c, "which", 0, 7);
    Graph g = which < 3 ? any_graph(c) : pair(c, which - 3, 0);
    int *order, count = given_order(c, &g, &order);
    const real *x = case_input_scaled(c, "x", 0.5, 1, g.n);
    graph_forward(case_output(c, "value", 1, g.n), x, g.kind, g.left, g.right, order, count);
}

/* ---- 3. the gradients ------------------------------------------------------------------------ */

/* The root's value with a number added to the value of any node. */
static void nudged_root(Case *c, Graph (*make)(Case *c))
{
    Graph g = make(c);
    const real *x = case_input_scaled(c, "x", 0.5, 1, g.n);
    const real *nudge = case_input_scaled(c, "nudge", 0, 1, g.n);
    double v[NODES_MAX];
    for (int k = 0; k < g.n; k++) {
        int i = g.made[k], l = g.left[i], r = g.right[i];
        v[i] = g.kind[i] == INPUT ? (double)x[i]
               : g.kind[i] == ADD ? v[l] + v[r]
               : g.kind[i] == SUB ? v[l] - v[r]
               : g.kind[i] == MUL ? v[l] * v[r]
                                  : tanh(v[l]);
        v[i] += (double)nudge[i];
    }
    *case_output(c, "y", 0) = (real)v[g.root];
}

static void backward_of(Case *c, Graph (*make)(Case *c))
{
    Graph g = make(c);
    const real *x = case_input_scaled(c, "x", 0.5, 1, g.n);
    case_input_scaled(c, "nudge", 0, 1, g.n); /* 0: only the differences move it */
    int *order, count = given_order(c, &g, &order);
    real *value = case_given(c, "value", 1, g.n);
    *case_given(c, "droot", 0) = 1;
    graph_forward(value, x, g.kind, g.left, g.right, order, count);
    graph_backward(case_output(c, "grad", 1, g.n), value, g.kind, g.left, g.right, g.n, order,
                   count);
}

static void chain_forward_case(Case *c)
{
    nudged_root(c, chain);
}

static void chain_backward_case(Case *c)
{
    backward_of(c, chain);
}

static void shared_forward_case(Case *c)
{
    nudged_root(c, shared_node);
}

static void shared_backward_case(Case *c)
{
    backward_of(c, shared_node);
}

static void any_forward_case(Case *c)
{
    nudged_root(c, any_graph);
}

static void any_backward_case(Case *c)
{
    backward_of(c, any_graph);
}

/* ---- 4. GELU --------------------------------------------------------------------------------- */

static void gelu_case(Case *c)
{
    int n = case_size(c, "n", 1, 8);
    const real *x = case_input_scaled(c, "x", 2, 1, n);
    gelu(case_output(c, "y", 1, n), x, n);
}

static void gelu_backward_case(Case *c)
{
    int n = case_size(c, "n", 1, 8);
    const real *x = case_input_scaled(c, "x", 2, 1, n), *dy = case_input(c, "dy", 1, n);
    gelu_backward(case_sum(c, "dx", 1, n), dy, x, n);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"graph_order", "graph_order", "a topological order", POINTS(20), order_case, .cases = 24},
    {"graph_forward", "graph_forward", "the values of a graph", POINTS(12), forward_case,
     .cases = 24},
    {"graph_backward_chain", "graph_backward", "the gradients of a chain", POINTS(18),
     chain_backward_case, .forward = chain_forward_case, .gradients = "grad:nudge",
     .upstream = "droot:y"},
    {"graph_backward_shared", "graph_backward", "the gradient of a node that is used twice",
     POINTS(8), shared_backward_case, .needs = "graph_backward_chain",
     .forward = shared_forward_case, .gradients = "grad:nudge", .upstream = "droot:y", .cases = 20},
    {"graph_backward", "graph_backward", "the gradients of any graph", POINTS(16),
     any_backward_case, .needs = "graph_backward_shared", .forward = any_forward_case,
     .gradients = "grad:nudge", .upstream = "droot:y", .cases = 24},
    {"gelu", "gelu", "GELU", POINTS(10), gelu_case},
    {"gelu_backward", "gelu_backward", "GELU, backward", POINTS(16), gelu_backward_case,
     .forward = gelu_case, .gradients = "dx:x", .upstream = "dy:y"},
    {0},
};
