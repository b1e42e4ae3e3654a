/* hw2.c: the reverse pass over a graph, and GELU. README.md has the equations, hw2.h the contracts.
 * You may add static functions of your own. */
#include "hw2.h"

#include <math.h>

/* ---- 1. a topological order ------------------------------------------------------------------ */

/* BEGIN SOLUTION: perhaps a recursive function: the inputs first, then the node */
static int visit(int *order, int count, const int *left, const int *right, int node)
{
    for (int i = 0; i < count; i++)
        if (order[i] == node)
            return count; /* visited before */
    if (left[node] >= 0)
        count = visit(order, count, left, right, left[node]);
    if (right[node] >= 0)
        count = visit(order, count, left, right, right[node]);
    order[count] = node;
    return count + 1;
}
/* END SOLUTION */

int graph_order(int *order, const int *left, const int *right, int n, int root)
{
    /* BEGIN SOLUTION: each node once, after its inputs; left before right; root is the last */
    (void)n;
    return visit(order, 0, left, right, root);
    /* END SOLUTION */
    /* stub| return 0; */
}

/* ---- 2. the values --------------------------------------------------------------------------- */

void graph_forward(real *value, const real *x, const int *kind, const int *left, const int *right,
                   const int *order, int count)
{
    /* BEGIN SOLUTION: in this order, the inputs of each node have their values already */
    for (int k = 0; k < count; k++) {
        int i = order[k];
        real a = left[i] < 0 ? 0 : value[left[i]], b = right[i] < 0 ? 0 : value[right[i]];
        if (kind[i] == INPUT)
            value[i] = x[i];
        else if (kind[i] == ADD)
            value[i] = a + b;
        else if (kind[i] == SUB)
            value[i] = a - b;
        else if (kind[i] == MUL)
            value[i] = a * b;
        else
            value[i] = (real)tanh((double)a);
    }
    /* END SOLUTION */
}

/* ---- 3. the gradients ------------------------------------------------------------------------ */

void graph_backward(real *grad, const real *value, const int *kind, const int *left,
                    const int *right, int n, const int *order, int count)
{
    /* BEGIN SOLUTION: 0 everywhere, 1 at the root; then from the last node to the first, to its
     * inputs */
    for (int i = 0; i < n; i++)
        grad[i] = 0;
    grad[order[count - 1]] = 1;
    for (int k = count - 1; k >= 0; k--) {
        int i = order[k], l = left[i], r = right[i];
        real g = grad[i], y = value[i];
        if (kind[i] == INPUT)
            continue;
        real to_left = 1, to_right = 1;
        if (kind[i] == SUB)
            to_right = -1;
        if (kind[i] == MUL) {
            to_left = value[r];
            to_right = value[l];
        }
        if (kind[i] == TANH)
            to_left = 1 - y * y;
        grad[l] += g * to_left;
        if (r >= 0)
            grad[r] += g * to_right;
    }
    /* END SOLUTION */
}

/* ---- 4. GELU --------------------------------------------------------------------------------- */

void gelu(real *y, const real *x, int n)
{
    /* BEGIN SOLUTION: y_i = x_i Phi(x_i), Phi(x) = (1 + erf(x / sqrt(2))) / 2 */
    for (int i = 0; i < n; i++) {
        double below = (1 + erf((double)x[i] / sqrt(2))) / 2;
        y[i] = (real)((double)x[i] * below);
    }
    /* END SOLUTION */
}

void gelu_backward(real *dx, const real *dy, const real *x, int n)
{
    /* BEGIN SOLUTION: add dy_i (Phi(x_i) + x_i phi(x_i)) to dx_i, phi(x) = exp(-x^2 / 2) / sqrt(2
     * pi) */
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < n; i++) {
        double below = 0.5 * (1 + erf((double)x[i] / sqrt(2)));
        double density = exp(-0.5 * (double)x[i] * (double)x[i]) / sqrt(2 * pi);
        dx[i] += (real)((double)dy[i] * (below + (double)x[i] * density));
    }
    /* END SOLUTION */
}
