/* summary.c: what a model holds, and what a pass costs, as tables.
 *
 * A matrix product of (m, k) and (k, n) is m n k multiplications and as many additions: 2 m n k operations.
 * Everything else in a transformer is small beside them, and is not counted; the lectures' tables of
 * complexity count the same way: H, J "Complexity". The way back takes about twice as many. */
#include "nn/nn.h"

#include <string.h>

/* ---- weights -------------------------------------------------------------------------------------------- */

int64_t params_trained(const Params *p)
{
    int64_t size = 0;
    for (int i = 0; p && i < p->count; i++)
        if (p->weight[i]->needs_grad)
            size += tensor_size(p->weight[i]);
    return size;
}

void params_summary(FILE *out, const Params *p)
{
    int widest = (int)strlen("trained");
    if (!out)
        return;
    for (int i = 0; p && i < p->count; i++) {
        int length = (int)strlen(p->weight[i]->name);
        widest = length > widest ? length : widest;
    }
    fprintf(out, "%-*s  %-20s  %12s\n", widest, "weight", "shape", "numbers");
    for (int i = 0; p && i < p->count; i++) {
        const Tensor *t = p->weight[i];
        fprintf(out, "%-*s  %-20s  %12lld%s\n", widest, t->name, shape_str(t->shape),
                (long long)tensor_size(t), t->needs_grad ? "" : "  frozen");
    }
    fprintf(out, "%-*s  %-20s  %12lld\n", widest, "all", "", (long long)params_size(p));
    fprintf(out, "%-*s  %-20s  %12lld\n", widest, "trained", "", (long long)params_trained(p));
}

/* ---- a recorded pass -------------------------------------------------------------------------------------- */

/* Multiplications, each with its addition. */
static int64_t products(const Node *n)
{
    const char *op = n->op->name;
    if (strcmp(op, "matmul") == 0 || strcmp(op, "linear") == 0)
        return tensor_size(n->out) * shape_last(n->in[0]->shape);
    /* The scores of all queries with all keys, then the values under them; what a mask hides counts too. */
    if (strcmp(op, "attention") == 0)
        return (tensor_size(n->in[0]) + tensor_size(n->out)) * n->in[1]->shape.dim[2];
    if (strcmp(op, "conv1d") != 0 && strcmp(op, "conv2d") != 0)
        return 0;
    Shape w = n->in[1]->shape; /* in k, or in kh kw, each */
    return w.dim[0] == 0 ? 0 : tensor_size(n->out) * (shape_size(w) / w.dim[0]);
}

int64_t nn_flops(const Tape *tape)
{
    int64_t all = 0;
    for (int i = 0; tape && i < tape->nodes; i++)
        all += 2 * products(tape->node[i]);
    return all;
}

/* All nodes of one op together, printed where the op comes first. */
static void print_op(FILE *out, const Tape *tape, int first)
{
    const Op *op = tape->node[first]->op;
    int64_t calls = 0, flops = 0, numbers = 0;
    for (int i = 0; i < first; i++)
        if (tape->node[i]->op == op)
            return;
    for (int i = first; i < tape->nodes; i++) {
        const Node *n = tape->node[i];
        if (n->op != op)
            continue;
        calls++;
        flops += 2 * products(n);
        numbers += tensor_size(n->out);
    }
    fprintf(out, "%-16s  %8lld  %14lld  %14lld\n", op->name, (long long)calls, (long long)numbers,
            (long long)flops);
}

void nn_flops_summary(FILE *out, const Tape *tape)
{
    int64_t numbers = 0;
    if (!out)
        return;
    fprintf(out, "%-16s  %8s  %14s  %14s\n", "op", "calls", "numbers", "FLOPs");
    for (int i = 0; tape && i < tape->nodes; i++) {
        print_op(out, tape, i);
        numbers += tensor_size(tape->node[i]->out);
    }
    fprintf(out, "%-16s  %8d  %14lld  %14lld\n", "all", tape ? tape->nodes : 0, (long long)numbers,
            (long long)nn_flops(tape));
}
