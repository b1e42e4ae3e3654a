/* xor.c: your autodiff (homework 2) trains exclusive or.
 *
 * A network of 2 inputs, 3 hidden units tanh and one output, for all four inputs in one graph of
 * numbers: the loss is the sum of the squared errors, and each step is gradient descent. */
#include "hw2.h"

#include <math.h>
#include <stdio.h>

enum { HIDDEN = 3, WEIGHTS = 4 * HIDDEN + 1, NODES = 400, STEPS = 3000 };

static int kind[NODES], left[NODES], right[NODES], order[NODES], nodes;
static float x[NODES], value[NODES], grad[NODES];

static int node(int operation, int a, int b)
{
    kind[nodes] = operation;
    left[nodes] = a;
    right[nodes] = b;
    return nodes++;
}

static int number(float given)
{
    x[nodes] = given;
    return node(INPUT, -1, -1);
}

/* The network's output for two inputs; the weights are nodes 0 to WEIGHTS - 1. */
static int network(int a, int b)
{
    int sum = 4 * HIDDEN;
    for (int h = 0; h < HIDDEN; h++) {
        int in = node(ADD, node(MUL, 4 * h, a), node(MUL, 4 * h + 1, b));
        int unit = node(TANH, node(ADD, in, 4 * h + 2), -1);
        sum = node(ADD, sum, node(MUL, 4 * h + 3, unit));
    }
    return sum;
}

int main(void)
{
    int output[4], loss = -1, count;
    for (int i = 0; i < WEIGHTS; i++)
        number((float)sin(7.0 * i + 1)); /* a beginning without symmetry */
    for (int i = 0; i < 4; i++) {
        output[i] = network(number((float)(i & 1)), number((float)(i >> 1)));
        int error = node(SUB, output[i], number((float)((i & 1) ^ (i >> 1))));
        int square = node(MUL, error, error);
        loss = loss < 0 ? square : node(ADD, loss, square);
    }
    count = graph_order(order, left, right, nodes, loss);
    for (int step = 0; step <= STEPS; step++) {
        graph_forward(value, x, kind, left, right, order, count);
        if (step % 500 == 0)
            printf("step %4d  loss %.5f\n", step, (double)value[loss]);
        graph_backward(grad, value, kind, left, right, nodes, order, count);
        for (int i = 0; i < WEIGHTS; i++)
            x[i] -= 0.1f * grad[i];
    }
    for (int i = 0; i < 4; i++)
        printf("%d xor %d = %.3f\n", i & 1, i >> 1, (double)value[output[i]]);
    printf("loss %.2g; expected less than 0.01\n", (double)value[loss]);
    return !(value[loss] < 0.01f);
}
