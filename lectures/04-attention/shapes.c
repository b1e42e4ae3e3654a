/* shapes.c: scaled dot-product attention, its shapes, and queries that know nothing of each other
 * (row 22).
 *
 *   A = softmax(Q K^T / sqrt(d)),  Y = A V  Q (n, d), K (m, d), V (m, e): A (n, m), Y (n, e)
 *                                           H "What is Attention", J "Matrix Calculation of Self-Attention" */
#include "lectures/04-attention/attention.h"

enum { N = 3, M = 5, D = 8, E = 4 };

/* ---- shapes ---------------------------------------------------------------------------------- */

/* How far the weights are from n rows and m columns. */
static double shape_trace(Trial *t)
{
    Tensor *Q = trial_normal(t, 220, shape2(N, D));
    Tensor *K = trial_normal(t, 220, shape2(M, D));
    Tensor *V = trial_normal(t, 220, shape2(M, E));
    Tensor *scores = broken(t, "keys-first") ? ag_matmul(K, ag_transpose(Q, 0, 1))
                                             : ag_matmul(Q, ag_transpose(K, 0, 1));
    Tensor *A = ag_softmax(ag_scale(scores, (real)(1 / sqrt(D))));
    int64_t rows = A->shape.dim[0], columns = A->shape.dim[1];
    explain(t, "Q %s, K %s, V %s", shape_str(Q->shape), shape_str(K->shape), shape_str(V->shape));
    explain(t, "A = softmax(Q K^T / sqrt(%d)) %s", D, shape_str(A->shape));
    if (columns == M)
        explain(t, "Y = A V %s", shape_str(ag_matmul(A, V)->shape));
    return fabs((double)(rows - N)) + fabs((double)(columns - M));
}

/* ---- two tokens ------------------------------------------------------------------------------ */

/* With two keys, softmax is a sigmoid of the difference of their scores. */
static double two_tokens(Trial *t)
{
    Tensor *Q = trial_normal(t, 221, shape2(2, D));
    Tensor *K = trial_normal(t, 221, shape2(2, D));
    Tensor *V = trial_normal(t, 221, shape2(2, E));
    Tensor *Y = ag_attention(Q, K, V, (Mask){0}, 0);
    double off = 0;
    for (int i = 0; i < 2; i++) {
        double score[2] = {0};
        for (int j = 0; j < 2; j++)
            for (int c = 0; c < D; c++)
                score[j] += (double)Q->data[i * D + c] * (double)K->data[j * D + c];
        double gap = (score[0] - score[1]) / (broken(t, "no-scaling") ? 1 : sqrt(D));
        double w = 1 / (1 + exp(-gap));
        explain(t, "z_%d = %.4f v_1 + %.4f v_2", i + 1, w, 1 - w);
        for (int c = 0; c < E; c++) {
            double y = w * (double)V->data[c] + (1 - w) * (double)V->data[E + c];
            off = values_worst(off, fabs(y - (double)Y->data[i * E + c]));
        }
    }
    return off;
}

/* ---- queries are independent ----------------------------------------------------------------- */

static Tensor *over_keys(Tensor *Q, Tensor *K, Tensor *V)
{
    return ag_attention(Q, K, V, (Mask){0}, 0);
}

/* The softmax down the wrong axis: queries compete for a key. */
static Tensor *over_queries(Tensor *Q, Tensor *K, Tensor *V)
{
    Tensor *scores = ag_scale(ag_matmul(K, ag_transpose(Q, 0, 1)), (real)(1 / sqrt(D)));
    return ag_matmul(ag_transpose(ag_softmax(scores), 0, 1), V);
}

/* Query 0 is replaced: how far do the results of the others move? */
static double independent_queries(Trial *t)
{
    enum { QUERIES = 6 };
    Tensor *Q = trial_normal(t, 222, shape2(QUERIES, D));
    Tensor *K = trial_normal(t, 222, shape2(M, D));
    Tensor *V = trial_normal(t, 222, shape2(M, E));
    Tensor *other = trial_normal(t, 222, shape2(1, D));
    Tensor *changed = ag_concat((Tensor *[]){other, ag_slice(Q, 0, 1, QUERIES)}, 2, 0);
    Tensor *(*f)(Tensor *, Tensor *, Tensor *) =
        broken(t, "over-queries") ? over_queries : over_keys;
    Tensor *before = f(Q, K, V), *after = f(changed, K, V);
    double own = values_difference(ag_slice(before, 0, 0, 1), ag_slice(after, 0, 0, 1));
    double others =
        values_difference(ag_slice(before, 0, 1, QUERIES), ag_slice(after, 0, 1, QUERIES));
    explain(t, "query 1 changed: its result moves by %.3f, the others' by %.2g", own, others);
    return own > 1e-3 ? others : (double)NAN;
}

const Claim attention_shapes_claims[] = {
    {22, shape_trace, "with n queries and m keys A is n x m, not m x n as H prints",
     .slides = {"H: What is Attention", "J: Matrix Calculation of Self-Attention",
                "Z: Attention layer"},
     .quantity = "|rows - n| + |columns - m| of A, n = 3 and m = 5",
     EXACTLY(0, "a row for each query, so that A V has a row for each query"),
     .faults = {{"keys-first", "K Q^T, whose rows are keys"}},
     .against = {MISPRINTED, "H: What is Attention",
                 "Q in R^(n x d), K in R^(m x d); softmax(Q K^T / sqrt(d_k)): \"Shape is mxn\""},
     HOLDS_POISONED("compares shapes; no number is read")},
    {22, two_tokens, "two tokens by hand: the weight is a sigmoid of the scores' gap",
     .slides = {"H: Self-Attention", "J: Matrix Calculation of Self-Attention",
                "Z: Scaled dot-product self-attention layer", "V: Self-Attention"},
     .quantity = "max |z by hand - ag_attention|",
     AT_MOST(1e-5, "the same formula in double and in float: rounding of numbers near 1"),
     .faults = {{"no-scaling", "the hand forgets to divide by sqrt(d)"}}},
    {22, independent_queries, "queries are independent: one changes, the others' results stay",
     .slides = {"H: What is Attention", "B: Parallel Context Computation",
                "J: Different Attention Mechanisms"},
     .quantity = "max change of the other results; NaN if its own result stays",
     EXACTLY(0, "no number of one query enters another's row: the same operations on the same "
                "numbers"),
     .faults = {{"over-queries", "softmax over the queries instead of the keys"}}},
    {0},
};
