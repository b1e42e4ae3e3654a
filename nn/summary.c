/* summary.c: the parameters of a model and the operations of a forward pass as tables.
 *
 * A matrix product of (m, k) and (k, n) takes m n k multiplications and as many additions: 2 m n k
 * operations. All other ops of a transformer take few operations beside these and are not counted,
 * as in the lectures' tables of complexity: H, J "Complexity" (lectures/README.md). The backward
 * pass takes about twice as many. */
#include "nn/internal.h"

#include <string.h>

/* ---- weights --------------------------------------------------------------------------------- */

/* The number of parameters that an optimiser changes: those that are not frozen. */
int64_t params_trained(const Params *p)
{
    int64_t size = 0;
    if (!p)
        return tensor_fail("params_trained: params is NULL; expected params_new's result");
    for (int i = 0; i < p->count; i++)
        if (p->weight[i]->needs_grad)
            size += tensor_size(p->weight[i]);
    return size;
}

/* One line a weight, in the order of registration, then the two sums. */
void params_summary(FILE *out, const Params *p)
{
    int widest = (int)strlen("trained");
    if (!out || !p) {
        tensor_fail("params_summary: %s is NULL; expected a stream and params",
                    out ? "params" : "the stream");
        return;
    }
    for (int i = 0; i < p->count; i++) {
        int length = (int)strlen(p->weight[i]->name);
        widest = length > widest ? length : widest;
    }
    fprintf(out, "%-*s  %-20s  %12s\n", widest, "weight", "shape", "parameters");
    for (int i = 0; i < p->count; i++) {
        const Tensor *t = p->weight[i];
        fprintf(out, "%-*s  %-20s  %12lld%s\n", widest, t->name, shape_str(t->shape),
                (long long)tensor_size(t), t->needs_grad ? "" : "  frozen");
    }
    fprintf(out, "%-*s  %-20s  %12lld\n", widest, "all", "", (long long)params_size(p));
    fprintf(out, "%-*s  %-20s  %12lld\n", widest, "trained", "", (long long)params_trained(p));
}

/* ---- a recorded pass ------------------------------------------------------------------------- */

/* The multiplications of a node, each with its addition. */
static int64_t products(const Node *n)
{
    const char *op = n->op->name;
    if (strcmp(op, "matmul") == 0 || strcmp(op, "linear") == 0)
        return tensor_size(n->out) * shape_last(n->in[0]->shape);
    if (strcmp(op, "linear_cross_entropy") == 0) /* x (..., C) times W^T, W (V, C) */
        return tensor_size(n->in[0]) * n->in[1]->shape.dim[0];
    /* Scores of all queries with all keys, q k^T, then A v; masked scores are counted too. */
    if (strcmp(op, "attention") == 0)
        return (tensor_size(n->in[0]) + tensor_size(n->out)) * n->in[1]->shape.dim[2];
    if (strcmp(op, "conv1d") != 0 && strcmp(op, "conv2d") != 0)
        return 0;
    Shape w =
        n->in[1]->shape; /* (out, in, k) or (out, in, kh, kw): in k, or in kh kw, for each output */
    return w.dim[0] == 0 ? 0 : tensor_size(n->out) * (shape_size(w) / w.dim[0]);
}

/* Floating-point operations of the tape's ops: two for each multiplication with its addition. */
int64_t nn_flops(const Tape *tape)
{
    int64_t all = 0;
    if (!tape)
        return tensor_fail("nn_flops: the tape is NULL; expected the tape of a forward pass");
    for (int i = 0; i < tape->nodes; i++)
        all += 2 * products(tape->node[i]);
    return all;
}

/* Prints the line of an op, which sums over all its nodes, at its first node.
 * Later nodes of the op print nothing.
 * Ops are compared by address, not by name. */
static void print_op(FILE *out, const Tape *tape, int first)
{
    const Op *op = tape->node[first]->op;
    int64_t calls = 0, flops = 0, elements = 0;
    for (int i = 0; i < first; i++)
        if (tape->node[i]->op == op)
            return;
    for (int i = first; i < tape->nodes; i++) {
        const Node *n = tape->node[i];
        if (n->op != op)
            continue;
        calls++;
        flops += 2 * products(n);
        elements += tensor_size(n->out);
    }
    fprintf(out, "%-16s  %8lld  %14lld  %14lld\n", op->name, (long long)calls, (long long)elements,
            (long long)flops);
}

/* One line for each kind of op, in the order of its first use, then the sums. */
void nn_flops_summary(FILE *out, const Tape *tape)
{
    int64_t elements = 0;
    if (!out || !tape) {
        tensor_fail(
            "nn_flops_summary: %s is NULL; expected a stream and the tape of a forward pass",
            out ? "the tape" : "the stream");
        return;
    }
    fprintf(out, "%-16s  %8s  %14s  %14s\n", "op", "calls", "elements", "FLOPs");
    for (int i = 0; i < tape->nodes; i++) {
        print_op(out, tape, i);
        elements += tensor_size(tape->node[i]->out);
    }
    fprintf(out, "%-16s  %8d  %14lld  %14lld\n", "all", tape->nodes, (long long)elements,
            (long long)nn_flops(tape));
}
