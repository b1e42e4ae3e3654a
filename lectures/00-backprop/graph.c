/* graph.c: gradients are added, and passed on in the reverse order of execution (row 58).
 *
 *   dL/dx = sum over all paths from x to L of the product of the slopes along the path
 *
 * A graph of numbers: each op is a sum or a product of two earlier values, which may be the
 * same. */
#include "lectures/00-backprop/backprop.h"

#include <string.h>

enum { LEAVES = 3, OPS = 9, VALUES = LEAVES + OPS, GRAPHS = 100 };

typedef struct {
    bool product;
    int a, b; /* which values it takes */
} ScalarOp;

typedef struct {
    int ops;
    ScalarOp op[OPS]; /* op i makes value LEAVES + i */
    double value[VALUES], grad[VALUES];
} Graph;

/* p = a b, s = p + a, y = s c, L = y y: the graph of README.md. */
static const Graph four_nodes = {
    .ops = 4,
    .op = {{true, 0, 1}, {false, 3, 0}, {true, 4, 2}, {true, 5, 5}},
    .value = {2, 3, 0.5},
};

static void graph_forward(Graph *g)
{
    for (int i = 0; i < g->ops; i++) {
        double a = g->value[g->op[i].a], b = g->value[g->op[i].b];
        g->value[LEAVES + i] = g->op[i].product ? a * b : a + b;
    }
}

/* What op i passes on to its operand a, or b: the gradient of its result times its slope. */
static double passed_on(const Graph *g, int i, bool to_a)
{
    ScalarOp op = g->op[i];
    double slope = !op.product ? 1 : g->value[to_a ? op.b : op.a];
    return g->grad[LEAVES + i] * slope;
}

/* overwritten: = in place of +=. */
static void op_backward(Graph *g, int i, bool overwritten)
{
    double *a = &g->grad[g->op[i].a], *b = &g->grad[g->op[i].b];
    *a = (overwritten ? 0 : *a) + passed_on(g, i, true);
    *b = (overwritten ? 0 : *b) + passed_on(g, i, false);
}

/* The loop of backward. */
static void graph_backward(Graph *g, bool overwritten)
{
    memset(g->grad, 0, sizeof g->grad);
    g->grad[LEAVES + g->ops - 1] = 1;
    for (int i = g->ops - 1; i >= 0; i--)
        op_backward(g, i, overwritten);
}

/* The same graph by the library: gradients of all values, in the order of the graph. */
static bool library_backward(const Trial *t, const Graph *g, double *grad)
{
    Tensor *value[VALUES];
    tape_reset(t->tape);
    for (int i = 0; i < LEAVES; i++)
        value[i] = ag_name(tape_leaf(t->tape, (real[]){(real)g->value[i]}, shape1(1)), "%d", i);
    for (int i = 0; i < g->ops; i++) {
        Tensor *a = value[g->op[i].a], *b = value[g->op[i].b];
        value[LEAVES + i] =
            ag_name(g->op[i].product ? ag_mul(a, b) : ag_add(a, b), "%d", LEAVES + i);
    }
    bool done = ag_backward(value[LEAVES + g->ops - 1]);
    for (int i = 0; i < LEAVES + g->ops; i++)
        grad[i] = done && value[i]->grad ? (double)value[i]->grad[0] : 0;
    return done;
}

/* ---- by hand --------------------------------------------------------------------------------- */

static double by_hand(Trial *t)
{
    static const char *const names[] = {"a", "b", "c", "p", "s", "y", "L"};
    static const double hand[] = {16, 8, 64, 4, 4, 8, 1};
    Graph g = four_nodes, wrong;
    double grad[VALUES], worst = 0;
    trial_tape(t);
    graph_forward(&g);
    wrong = g;
    graph_backward(&wrong, true);
    graph_backward(&g, broken(t, "overwritten"));
    if (!library_backward(t, &g, grad))
        return (double)NAN;
    for (int i = 0; i < LEAVES + g.ops; i++) {
        explain(t, "%s = %g: dL/d%s = %g by hand, %g by the loop, %g by the library; with =, %g",
                names[i], g.value[i], names[i], hand[i], g.grad[i], grad[i], wrong.grad[i]);
        worst =
            values_worst(worst, values_worst(fabs(g.grad[i] - hand[i]), fabs(grad[i] - hand[i])));
    }
    return worst;
}

/* ---- random graphs --------------------------------------------------------------------------- */

static Graph random_graph(Rng *rng)
{
    Graph g = {.ops = OPS};
    for (int i = 0; i < LEAVES; i++)
        g.value[i] = rng_normal(rng);
    for (int i = 0; i < OPS; i++) {
        int a = LEAVES + i - 1 - (int)rng_below(rng, 2), b = (int)rng_below(rng, LEAVES + i);
        g.op[i] = (ScalarOp){rng_below(rng, 2) == 0, a, b};
    }
    graph_forward(&g);
    return g;
}

/* The sum over all paths from value `from` to L, of the slopes' product. paths: how many. */
static double along_paths(const Trial *t, const Graph *g, int from, int *paths)
{
    double sum = from == LEAVES + g->ops - 1;
    *paths += from == LEAVES + g->ops - 1;
    for (int i = from < LEAVES ? 0 : from - LEAVES + 1; i < g->ops; i++)
        for (int side = 0; side < 2; side++) {
            ScalarOp op = g->op[i];
            bool once = broken(t, "once") && op.a == op.b && side == 1;
            if ((side ? op.b : op.a) != from || once)
                continue;
            double slope = !op.product ? 1 : g->value[side ? op.a : op.b];
            double path = slope * along_paths(t, g, LEAVES + i, paths);
            sum = (broken(t, "one-path") ? 0 : sum) + path;
        }
    return sum;
}

/* How far the library's gradient may be from the true one: each op rounds to 2^-24 of its result,
 * and the relative errors of a product's factors add up, so that 9 ops make of them 2^10 at most.
 * Computed for the absolute values, of which no two cancel. */
static double rounding_of(Graph g)
{
    double worst = 0;
    for (int i = 0; i < LEAVES; i++)
        g.value[i] = fabs(g.value[i]);
    graph_forward(&g);
    graph_backward(&g, false);
    for (int i = 0; i < LEAVES; i++)
        worst = values_worst(worst, g.grad[i]);
    return worst * ldexp(1, 10 - 24);
}

static double sum_of_paths(Trial *t)
{
    Rng *rng = trial_rng(t, 580);
    double worst = 0;
    trial_tape(t);
    for (int k = 0; k < GRAPHS; k++) {
        Graph g = random_graph(rng);
        double grad[VALUES], rounding = rounding_of(g);
        if (!library_backward(t, &g, grad))
            return (double)NAN;
        for (int i = 0; i < LEAVES; i++) {
            int paths = 0;
            double sum = along_paths(t, &g, i, &paths);
            worst = values_worst(worst, fabs(sum - grad[i]) / rounding);
            if (k < 3)
                explain(t, "graph %d, leaf %d: %d paths add up to %.6f; the library has %.6f", k, i,
                        paths, sum, grad[i]);
        }
    }
    return worst;
}

/* Backward by recursion: an op passes on at once what it has, each time that it is reached. */
static void recursive(Graph *g, int value)
{
    int i = value - LEAVES;
    if (i < 0)
        return;
    op_backward(g, i, false);
    recursive(g, g->op[i].a);
    recursive(g, g->op[i].b);
}

static double one_walk(Trial *t)
{
    Rng *rng = trial_rng(t, 581);
    double worst = 0;
    trial_tape(t);
    for (int k = 0; k < GRAPHS; k++) {
        Graph g = random_graph(rng);
        double grad[VALUES], rounding = rounding_of(g);
        if (!library_backward(t, &g, grad))
            return (double)NAN;
        memset(g.grad, 0, sizeof g.grad);
        g.grad[VALUES - 1] = 1;
        if (broken(t, "recursive"))
            recursive(&g, VALUES - 1);
        else
            for (int i = 0; i < OPS; i++)
                op_backward(&g, broken(t, "forward") ? i : OPS - 1 - i, broken(t, "overwritten"));
        for (int i = 0; i < LEAVES; i++)
            worst = values_worst(worst, fabs(g.grad[i] - grad[i]) / rounding);
        if (k < 3)
            explain(t, "graph %d: dL/d(leaf 0) = %.6f by one loop, %.6f by the library", k,
                    g.grad[0], grad[0]);
    }
    return worst;
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bool draw_four_nodes(const Sketch *s)
{
    static const struct {
        const char *name, *text;
        double x, y;
    } node[] = {{"a", "a", 120, 540},         {"b", "b", 120, 280},
                {"c", "c", 640, 540},         {"p", "p = a b", 380, 280},
                {"s", "s = p + a", 640, 280}, {"y", "y = s c", 900, 280},
                {"L", "L = y y", 1160, 280}};
    static const PlotArrow arrows[] = {{.path = "a > p"},
                                       {.path = "b > p"},
                                       {.path = "p > s"},
                                       {.path = "a > s"},
                                       {.path = "s > y"},
                                       {.path = "c > y"},
                                       {.path = "990,260 > 1070,260"},
                                       {.path = "990,300 > 1070,300"}};
    enum { NODES = sizeof node / sizeof *node };
    char value[NODES][24], grad[NODES][24];
    PlotPart parts[2 * NODES];
    Graph g = four_nodes;
    graph_forward(&g);
    graph_backward(&g, false);
    for (int i = 0; i < NODES; i++) {
        double x = node[i].x, y = node[i].y;
        snprintf(value[i], sizeof *value, "%g", g.value[i]);
        snprintf(grad[i], sizeof *grad, "dL/d%s = %g", node[i].name, g.grad[i]);
        parts[i] =
            (PlotPart){node[i].name, PLOT_BOX, x, y, 180, 90, node[i].text, .note = value[i]};
        y += y < 400 ? -70 : 70; /* no arrow is there */
        parts[NODES + i] = (PlotPart){NULL, PLOT_TEXT, x, y, .text = grad[i], .colour = 2};
    }
    return SKETCH_DIAGRAM(s, "Four ops with their values and gradients", parts, arrows);
}

const Figure graph_figures[] = {
    {58, "four-nodes", draw_four_nodes, .what = "a graph of four ops with values and gradients"},
    {0},
};

/* ---- the claims ------------------------------------------------------------------------------ */

#define ROUNDED \
    "each op rounds to 2^-24, and the errors of a product's factors add up: 2^10 in 9 ops"

const Claim graph_claims[] = {
    {58, by_hand, "L depends on a along two paths, and dL/da = 4 + 12 is their sum",
     .quantity = "max |gradient - that by hand|, 7 values of the graph of four ops",
     EXACTLY(0, "whole numbers and 1/2: nothing is rounded"),
     .faults = {{"overwritten", "= in place of +=: the path that is visited last wins"}}},
    {58, sum_of_paths,
     "a gradient is the sum over all paths to L of the product of the slopes along each",
     .quantity = "max |sum over paths - the library's gradient| / what rounding can do",
     AT_MOST(1, ROUNDED),
     .faults = {{"one-path", "of several paths that leave a value only one is taken"},
                {"once", "an op that takes a value twice counts it once"}}},
    {58, one_walk,
     "one walk in the reverse order of execution is enough: what used a value came later",
     .quantity = "max |gradient of one loop - the library's| / what rounding can do",
     AT_MOST(1, ROUNDED),
     .faults = {{"forward", "the ops are visited from the first to the last"},
                {"recursive", "each op goes on to its operands at once, and a value that is used "
                              "twice passes on its gradient twice"},
                {"overwritten", "= in place of +=: the path that is visited last wins"}}},
    {0},
};
