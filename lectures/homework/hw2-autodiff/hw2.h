/* hw2.h: the functions of homework 2. You write them in hw2.c; README.md says what they compute.
 *
 * A graph of numbers has n nodes, 0 to n - 1, in no particular order. Node i is computed by kind[i]
 * from the nodes left[i] and right[i]; -1 means that it has no such input. Both may be the same
 * node, and a node may be the input of many others. There are no cycles. */
#ifndef HW2_H
#define HW2_H

#include <stddef.h>

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

enum {
    INPUT, /* a given number            left = right = -1 */
    ADD,   /* left + right                                */
    SUB,   /* left - right                                */
    MUL,   /* left * right                                */
    TANH,  /* tanh(left)                right = -1        */
};

/* 1. The nodes that `root` is computed from, and root itself, each once, every node after its
 *    inputs: a node's left input with all that this needs, then its right input with all that this
 *    still needs, then the node. So root is the last. Writes them to `order`, which can hold n, and
 *    returns how many. */
TASK int graph_order(int *order, const int *left, const int *right, int n, int root);

/* 2. The values of the `count` nodes in `order`, which is what graph_order wrote: value[i] of an
 *    INPUT is x[i]. Other nodes' values are left alone. x, value: (n) */
TASK void graph_forward(real *value, const real *x, const int *kind, const int *left,
                        const int *right, const int *order, int count);

/* 3. grad[i] = d root / d node i for all n nodes: 1 for root, which is order[count - 1], and 0 for
 *    nodes that are not in `order`. The values of those in `order` are known. grad, value: (n) */
TASK void graph_backward(real *grad, const real *value, const int *kind, const int *left,
                         const int *right, int n, const int *order, int count);

/* 4. y_i = x_i Phi(x_i), Phi the normal distribution function (erf of math.h).     x, y: (n) */
TASK void gelu(real *y, const real *x, int n);

/* Adds dL/dx to dx.                                                               dx, dy, x: (n) */
TASK void gelu_backward(real *dx, const real *dy, const real *x, int n);

#endif
