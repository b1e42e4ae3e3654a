/* stepping.c: attention on three tokens, a line for each step, to be walked through in a debugger:
 * stepping.md.
 *
 *   Q = X W_q,  K = X W_k,  V = X W_v;  A = softmax(Q K^T / sqrt(d));   Y = A V
 *                                       Z "Scaled dot-product self-attention layer", J "Self-attention layer"
 *
 * Each step can be done by hand: the scores are 0, 1 or 2 times log 2, so softmax shares in the
 * proportion 1 : 2 : 4. */
#include "examples/common/example.h"
#include "gradus.h"
#include "plot/tape/tape_page.h"

#include <math.h>

enum { TOKENS = 3, WIDTH = 2 };

/* s on the diagonal. */
static Tensor *diagonal(Tape *tape, double s, const char *name)
{
    const real w[WIDTH * WIDTH] = {(real)s, 0, 0, (real)s};
    return ag_name(tape_leaf(tape, w, shape2(WIDTH, WIDTH)), "%s", name);
}

/* Forward and backward, an op a line. upstream: dL/dY. */
static bool three_tokens(Tensor *X, Tensor *Wq, Tensor *Wk, Tensor *Wv, Mask mask,
                         const real *upstream)
{
    Tensor *Q = ag_name(ag_matmul(X, Wq), "Q");
    Tensor *K = ag_name(ag_matmul(X, Wk), "K");
    Tensor *V = ag_name(ag_matmul(X, Wv), "V");
    Tensor *products = ag_name(ag_matmul(Q, ag_transpose(K, 0, 1)), "products");
    Tensor *scores = ag_name(ag_scale(products, (real)(1 / sqrt(WIDTH))), "scores");
    Tensor *A = ag_name(ag_masked_softmax(scores, mask), "A");
    Tensor *Y = ag_name(ag_matmul(A, V), "Y");
    bool ok = ag_backward_from(Y, upstream);
    tensor_print(stdout, Y);
    return ok;
}

/* Two heads of one channel each, side by side through W_o, and added to what went in: an op a
 * line. */
static Tensor *two_heads(Tensor *X, Tensor *Wq, Tensor *Wk, Tensor *Wv, Tensor *Wo)
{
    Shape heads = shape3(2, 2, 1);
    Tensor *Q = ag_transpose(ag_reshape(ag_matmul(X, Wq), heads), 0, 1);
    Tensor *K = ag_transpose(ag_reshape(ag_matmul(X, Wk), heads), 0, 1);
    Tensor *V = ag_transpose(ag_reshape(ag_matmul(X, Wv), heads), 0, 1);
    Tensor *scores = ag_matmul(Q, ag_transpose(K, 1, 2));
    Tensor *A = ag_name(ag_softmax(scores), "A");
    Tensor *H = ag_name(ag_matmul(A, V), "H");
    Tensor *side_by_side = ag_reshape(ag_transpose(H, 0, 1), shape2(2, 2));
    Tensor *Y = ag_name(ag_matmul(side_by_side, Wo), "Y");
    return ag_name(ag_add(X, Y), "X + Y");
}

/* LayerNorm of one token of four numbers by its three lines, then by the library, and its
 * gradient. */
static bool normalise(Tensor *x, Tensor *gamma, Tensor *beta, const real *upstream)
{
    Tensor *mu = ag_mean_axis(x, 1, true);
    Tensor *off = ag_sub(x, mu);
    Tensor *variance = ag_mean_axis(ag_mul(off, off), 1, true);
    Tensor *hat = ag_name(ag_div(off, ag_sqrt(variance)), "x^");
    Tensor *y = ag_name(ag_layernorm(x, gamma, beta, (real)1e-5), "y");
    bool ok = ag_backward_from(y, upstream);
    tensor_print(stdout, hat);
    return ok;
}

/* The second guide, stepping-heads.md: two tokens that see themselves more than each other, then
 * one token of mean 8 and deviation 5. */
static bool heads_and_norm(Tape *tape)
{
    static const real tokens[] = {1, 0, 0, 1}, mix[] = {1, 1, 1, -1}, token[] = {1, 7, 9, 15};
    static const real ones[] = {1, 1, 1, 1}, zeros[4], upstream[4] = {1};
    Tensor *X = ag_name(tape_leaf(tape, tokens, shape2(2, 2)), "X");
    Tensor *Wo = ag_name(tape_leaf(tape, mix, shape2(2, 2)), "W_o");
    Tensor *sum = two_heads(X, diagonal(tape, log(2), "W_q"), diagonal(tape, 1, "W_k"),
                            diagonal(tape, 6, "W_v"), Wo);
    tensor_print(stdout, sum);
    Tensor *x = ag_name(tape_leaf(tape, token, shape2(1, 4)), "x");
    Tensor *gamma = ag_name(tape_leaf(tape, ones, shape1(4)), "gamma");
    Tensor *beta = ag_name(tape_leaf(tape, zeros, shape1(4)), "beta");
    return normalise(x, gamma, beta, upstream);
}

/* s on the diagonal of a weight (WIDTH, WIDTH). */
static void set_diagonal(real *w, double s)
{
    for (int i = 0; i < WIDTH * WIDTH; i++)
        w[i] = i % (WIDTH + 1) == 0 ? (real)s : 0;
}

/* Forward with the same weights in the module: one call of nn_attention, and in it one op, which
 * computes scores, mask, softmax and weighted sum in a kernel. */
static bool in_one_call(Tensor *X, Mask mask)
{
    enum { ONE = WIDTH * WIDTH };
    Params *params = params_new(1);
    MultiHeadAttention attention;
    if (!params || !nn_attention_init(&attention, params, "attention", WIDTH, 1, 0))
        return false;
    set_diagonal(attention.in_proj_weight->data, sqrt(2) * log(2));
    set_diagonal(attention.in_proj_weight->data + ONE, 1);
    set_diagonal(attention.in_proj_weight->data + 2 * ONE, 10);
    set_diagonal(attention.out_proj.weight->data, 1);
    Tensor *Y = nn_attention(&attention, ag_reshape(X, shape3(1, TOKENS, WIDTH)), mask);
    tensor_print(stdout, Y);
    params_free(params);
    return true;
}

int main(int argc, char **argv)
{
    static const real tokens[TOKENS * WIDTH] = {1, 0, 0, 1, 1, 1};
    static const real upstream[TOKENS * WIDTH] = {
        1}; /* of all of Y, the first number of the first token */
    bool causal = false, module = false, heads = false;
    const char *trace = NULL, *html = NULL;
    const Option table[] = {
        {"causal", OPTION_FLAG, &causal, NULL, "no token sees a later one", 0, 0},
        {"module", OPTION_FLAG, &module, NULL, "the same by one call of nn_attention", 0, 0},
        {"heads", OPTION_FLAG, &heads, NULL, "two heads, then LayerNorm: stepping-heads.md", 0, 0},
        {"trace", OPTION_MAYBE, &trace, "V",
         "print it op by op, in the symbols of V, B, H, Z or J, and end", 0, 0},
        {"html", OPTION_MAYBE, &html, "FILE",
         "write it as a page for a browser, op by op: three-tokens.html", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Attention on three tokens, to be stepped through.", table);
    if (trace)
        example_trace(trace);
    example_exit_on_error();
    if (html &&
        !tape_page_begin(*html ? html : "three-tokens.html",
                         heads ? "two heads, and LayerNorm" : "attention on three tokens", ""))
        return 1;

    Tape *tape = tape_new(1);
    if (heads) {
        bool done = heads_and_norm(tape);
        tape_free(tape);
        return done ? 0 : 1;
    }
    Tensor *X = ag_name(tape_leaf(tape, tokens, shape2(TOKENS, WIDTH)), "X");
    Tensor *Wq = diagonal(tape, sqrt(2) * log(2), "W_q");
    Tensor *Wk = diagonal(tape, 1, "W_k");
    Tensor *Wv = diagonal(tape, 10, "W_v");
    bool ok = module ? in_one_call(X, (Mask){.causal = causal})
                     : three_tokens(X, Wq, Wk, Wv, (Mask){.causal = causal}, upstream);
    tape_free(tape);
    return ok ? 0 : 1;
}
