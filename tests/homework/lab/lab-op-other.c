/* lab-op-other.c: a right answer in another style: nothing is kept for backward, the operands are
 * copied out of the node, and gradients go to scratch memory first. */
#include "lab-op.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    real epsilon;
    char unused[12];
} Settings;

static bool shape(const Node *node, Shape *result)
{
    const Tensor *x = node->in[0], *w = node->in[1];
    const Settings *settings = node->attrs;
    if (x->shape.rank == 0 || w->shape.rank != 1 ||
        w->shape.dim[0] != x->shape.dim[x->shape.rank - 1] || !(settings->epsilon >= (real)0)) {
        tensor_fail("rms_norm: found %s, %s and epsilon %g; expected (..., C), (C) and at least 0",
                    shape_str(x->shape), shape_str(w->shape), (double)settings->epsilon);
        return false;
    }
    *result = x->shape;
    return true;
}

static void forward(Node *node)
{
    const real *x = node->in[0]->data, *w = node->in[1]->data;
    int64_t width = node->in[1]->shape.dim[0], count = tensor_size(node->in[0]);
    for (int64_t begin = 0; begin < count; begin += width) {
        double norm = 0;
        for (int64_t i = begin; i < begin + width; i++)
            norm += (double)x[i] * x[i] / width;
        norm = sqrt(norm + ((const Settings *)node->attrs)->epsilon);
        for (int64_t i = 0; i < width; i++)
            node->out->data[begin + i] = (real)(w[i] * (x[begin + i] / norm));
    }
}

static void backward(Node *node)
{
    Tensor *x = node->in[0], *w = node->in[1];
    const real *g = node->out->grad;
    int64_t width = w->shape.dim[0], count = tensor_size(x);
    double *z = malloc((size_t)width * sizeof *z);
    for (int64_t begin = 0; z && begin < count; begin += width) {
        double norm = 0, dot = 0;
        for (int64_t i = begin; i < begin + width; i++)
            norm += (double)x->data[i] * x->data[i] / width;
        norm = sqrt(norm + ((const Settings *)node->attrs)->epsilon);
        for (int64_t i = 0; i < width; i++) {
            z[i] = x->data[begin + i] / norm;
            dot += z[i] * g[begin + i] * w->data[i];
        }
        for (int64_t i = 0; i < width; i++) {
            if (w->grad)
                w->grad[i] += (real)(g[begin + i] * z[i]);
            if (x->grad)
                x->grad[begin + i] +=
                    (real)((g[begin + i] * w->data[i] - z[i] * dot / width) / norm);
        }
    }
    free(z);
}

Tensor *rms_norm(Tensor *x, Tensor *gain, real epsilon)
{
    static const Op op = {"rms_norm", .shape = shape, .forward = forward, .backward = backward};
    Tensor *in[] = {x, gain};
    Settings settings = {.epsilon = epsilon};
    return ag_apply(&op, in, 2, &settings, sizeof settings);
}

/* ---- two operands that may be stored in any way, and numbers that forward keeps -------------- */

static bool same(const Node *node, Shape *result)
{
    *result = node->in[1]->shape;
    return shape_equal(*result, node->in[0]->shape) ||
           tensor_fail("swiglu: found two shapes; expected one");
}

static int64_t kept(const Node *node)
{
    return 2 * tensor_size(node->in[0]);
}

static void glu(Node *node)
{
    const real *a = node->in[0]->data, *b = node->in[1]->data;
    for (int64_t i = 0; i < tensor_size(node->in[0]); i++) {
        double e = exp(-fabs((double)a[i])), s = a[i] >= 0 ? 1 / (1 + e) : e / (1 + e);
        node->saved[2 * i] = (real)(a[i] * s);
        node->saved[2 * i + 1] = (real)(s + a[i] * s * (1 - s));
        node->out->data[i] = node->saved[2 * i] * b[i];
    }
}

static void glu_backward(Node *node)
{
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; node->in[k]->grad && i < tensor_size(node->out); i++)
            node->in[k]->grad[i] +=
                node->out->grad[i] *
                (k ? node->saved[2 * i] : node->saved[2 * i + 1] * node->in[1]->data[i]);
}

Tensor *swiglu(Tensor *gate, Tensor *x)
{
    static const Op op = {"swiglu", .shape = same, .saved = kept, .forward = glu,
                          .backward = glu_backward};
    return ag_apply(&op, (Tensor *[]){gate, x}, 2, NULL, 0);
}
