/* xor.c: your autodiff (homework 2) trains exclusive or.
 *
 * A network of 2 inputs, 3 hidden units tanh and one output, and the squared error of its output,
 * as one graph of numbers; each step of gradient descent is for the sum over the four inputs. */
#include "hw2.h"

#include <math.h>
#include <stdio.h>

enum { HIDDEN = 3, WEIGHTS = 4 * HIDDEN + 1, NODES = 64, STEPS = 3000 };

static int kind[NODES], left[NODES], right[NODES], order[NODES], nodes;
static float x[NODES], value[NODES], grad[NODES];

static int node(int operation, int a, int b)
{
    kind[nodes] = operation;
    left[nodes] = a;
    right[nodes] = b;
    return nodes++;
}

int main(void)
{
    double total = 0;
    for (int i = 0; i < WEIGHTS; i++)
        x[node(INPUT, -1, -1)] = (float)sin(7.0 * i + 1); /* a beginning without symmetry */
    const int a = node(INPUT, -1, -1), b = node(INPUT, -1, -1), wanted = node(INPUT, -1, -1);
    int output = WEIGHTS - 1;
    for (int w = 0; w < WEIGHTS - 1; w += 4) {
        int in = node(ADD, node(ADD, node(MUL, w, a), node(MUL, w + 1, b)), w + 2);
        output = node(ADD, output, node(MUL, w + 3, node(TANH, in, -1)));
    }
    const int error = node(SUB, output, wanted), loss = node(MUL, error, error);
    const int count = graph_order(order, left, right, nodes, loss);
    for (int step = 0; step <= STEPS; step++) {
        float sum[WEIGHTS] = {0};
        total = 0;
        for (int i = 0; i < 4; i++) {
            x[a] = (float)(i & 1);
            x[b] = (float)(i >> 1);
            const int is_odd = (i & 1) ^ (i >> 1);
            x[wanted] = (float)is_odd;
            graph_forward(value, x, kind, left, right, order, count);
            graph_backward(grad, value, kind, left, right, nodes, order, count);
            for (int w = 0; w < WEIGHTS; w++)
                sum[w] += grad[w];
            total += pow((double)value[output] - is_odd, 2); /* not value[loss]: is it that? */
            if (step == STEPS)
                printf("%d xor %d = %.3f\n", i & 1, i >> 1, (double)value[output]);
        }
        for (int w = 0; w < WEIGHTS; w++)
            x[w] -= 0.1f * sum[w];
        if (step % 500 == 0)
            printf("step %4d  loss %.5f; expected less than 0.01 at last\n", step, total);
    }
    return !(total < 0.01);
}
