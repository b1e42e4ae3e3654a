/* library.c: the library's operations on the matrices of expressions, under their own names.
 * See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/call.h"

#include <string.h>

/* ---- operations on tensors ------------------------------------------------------------------- */

/* ag_layernorm(x) or (x, gain, bias), with epsilon 0 */
static Tensor *layernorm(const Call *c)
{
    Shape n = shape1(c->v[0].columns);
    Tensor *gain = c->count == 3 ? ag_reshape(c->x[1], n) : tape_full(c->tape, 1, n);
    Tensor *bias = c->count == 3 ? ag_reshape(c->x[2], n) : tape_full(c->tape, 0, n);
    return ag_layernorm(c->x[0], gain, bias, 0);
}

/* ag_cross_entropy(logits, targets): the mean over the rows; targets below 0 are ignored */
static Tensor *cross_entropy(const Call *c)
{
    return ag_cross_entropy_ignore(c->x[0], ids(c, 1), -1);
}

static Tensor *embedding(const Call *c)
{
    return ag_embedding(c->x[0], ids(c, 1));
}

/* ag_attention(q, k, v) or (q, k, v, 1): causal */
static Tensor *attention(const Call *c)
{
    Mask mask = {.causal = c->count == 4};
    return ag_attention(c->x[0], c->x[1], c->x[2], mask, 0);
}

/* ag_masked_softmax(scores, causal, window, dilation) */
static Tensor *masked_softmax(const Call *c)
{
    Mask mask = {.causal = whole(c, 1) != 0, .window = whole(c, 2), .dilation = whole(c, 3)};
    return ag_masked_softmax(c->x[0], mask);
}

static Tensor *gaussian_kl(const Call *c)
{
    return ag_gaussian_kl(c->x[0], c->x[1]);
}

/* The state after `steps` tokens of zeros, of one channel: rnn(h, w, steps) */
static Tensor *rnn(const Call *c)
{
    Tensor *h = c->x[0];
    for (int t = 0; t < whole(c, 2); t++)
        h = ag_tanh(ag_mul(h, c->x[1]));
    return h;
}

/* residual(x, slope, layers): x becomes x + slope x in each layer */
static Tensor *residual(const Call *c)
{
    Tensor *x = c->x[0];
    for (int l = 0; l < whole(c, 2); l++)
        x = ag_add(x, ag_mul(x, c->x[1]));
    return x;
}

/* One step of nn_rnn_cell on one channel: nn_lstm(c, i, f, g, o) and nn_gru(h, r, z, n) of what the
 * gates get, as their biases, before their functions; the next state, and of an LSTM its cell. */
static Tensor *cell(const Call *c, RNNKind kind)
{
    Params *p = params_new(1);
    RNNCell r;
    Tensor *zero = tape_full(c->tape, 0, shape2(1, 1)), *h = NULL;
    RNNState state = {kind == RNN_LSTM ? zero : c->x[0], kind == RNN_LSTM ? c->x[0] : NULL};
    if (p && nn_rnn_cell_init(&r, p, "cell", kind, 1, 1)) {
        for (int i = 0; i < p->count; i++)
            memset(p->weight[i]->data, 0, sizeof(real) * (size_t)tensor_size(p->weight[i]));
        for (int i = 1; i < c->count; i++)
            r.bias_ih->data[i - 1] = (real)number(c, i);
        h = nn_rnn_cell(&r, zero, &state);
    }
    real y[] = {h && h->data ? h->data[0] : 0, state.c && state.c->data ? state.c->data[0] : 0};
    params_free(p);
    return h ? tape_input(c->tape, y, shape2(1, 2)) : NULL;
}

static Tensor *lstm(const Call *c)
{
    return cell(c, RNN_LSTM);
}

static Tensor *gru(const Call *c)
{
    return cell(c, RNN_GRU);
}

/* nn_sinusoids(positions, channels, base) */
static Tensor *sinusoids(const Call *c)
{
    real table[VALUE_MOST];
    int n = whole(c, 0), d = whole(c, 1);
    if (n < 1 || d < 1 || n * d > VALUE_MOST)
        return NULL;
    nn_sinusoids(table, n, d, number(c, 2));
    return tape_input(c->tape, table, shape2(n, d));
}

static const struct {
    const char *name;
    int fewest, most; /* arguments */
    Tensor *(*of)(const Call *c);
} special[] = {
    {"ag_layernorm", 1, 3, layernorm},
    {"ag_cross_entropy", 2, 2, cross_entropy},
    {"ag_embedding", 2, 2, embedding},
    {"ag_attention", 3, 4, attention},
    {"ag_masked_softmax", 4, 4, masked_softmax},
    {"ag_gaussian_kl", 2, 2, gaussian_kl},
    {"nn_sinusoids", 3, 3, sinusoids},
    {"rnn", 3, 3, rnn},
    {"residual", 3, 3, residual},
    {"nn_lstm", 5, 5, lstm},
    {"nn_gru", 4, 4, gru},
};

static const struct {
    const char *name;
    Tensor *(*of)(Tensor *x);
} unary[] = {{"ag_softmax", ag_softmax}, {"ag_log_softmax", ag_log_softmax},
             {"ag_relu", ag_relu},       {"ag_tanh", ag_tanh},
             {"ag_sigmoid", ag_sigmoid}, {"ag_exp", ag_exp},
             {"ag_log", ag_log},         {"ag_sum", ag_sum},
             {"ag_mean", ag_mean}};

static const struct {
    const char *name;
    Tensor *(*of)(Tensor *a, Tensor *b);
} binary[] = {{"ag_add", ag_add}, {"ag_sub", ag_sub},       {"ag_mul", ag_mul},
              {"ag_div", ag_div}, {"ag_matmul", ag_matmul}, {"ag_mse", ag_mse}};

static bool operation(const Call *c, const char *name, Tensor **y)
{
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (c->count == 1 && strcmp(name, unary[i].name) == 0)
            return (*y = unary[i].of(c->x[0]), true);
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (c->count == 2 && strcmp(name, binary[i].name) == 0)
            return (*y = binary[i].of(c->x[0], c->x[1]), true);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (c->count >= special[i].fewest && c->count <= special[i].most &&
            strcmp(name, special[i].name) == 0)
            return (*y = special[i].of(c), true);
    return false;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* The gradient of the sum of g y with respect to the first argument, (rows, columns) as it is. */
static Tensor *gradient(const Call *c, const char *name)
{
    Call inner = *c;
    Tensor *y, *g = c->x[c->count - 1];
    real x[VALUE_MOST];
    int n = c->v[0].rows * c->v[0].columns;
    for (int i = 0; i < n; i++)
        x[i] = (real)c->v[0].x[i];
    inner.count--;
    inner.x[0] = ag_keep(tape_leaf(c->tape, x, shape2(c->v[0].rows, c->v[0].columns)));
    if (!operation(&inner, name, &y) || !ag_backward(ag_sum(ag_mul(y, g))))
        return NULL;
    return tape_input(c->tape, inner.x[0]->grad, inner.x[0]->shape);
}

int library_call(Tape *tape, const char *name, const Value *argument, int count, Value *result)
{
    Call c = {tape, argument, count, {NULL}};
    Tensor *y = NULL;
    tape_reset(tape);
    for (int i = 0; i < count; i++) {
        real x[VALUE_MOST];
        for (int k = 0; k < argument[i].rows * argument[i].columns; k++)
            x[k] = (real)argument[i].x[k];
        c.x[i] = tape_input(tape, x, shape2(argument[i].rows, argument[i].columns));
    }
    double x = library_count(&c, name);
    if (!isnan(x)) {
        *result = (Value){1, 1, {x}};
        return x < 0 ? -1 : 1;
    }
    bool known = operation(&c, name, &y);
    if (!known && strncmp(name, "grad_", 5) == 0 && count > 1)
        known = (y = gradient(&c, name + 5)) != NULL;
    if (!known)
        return 0;
    int64_t n = y && y->data ? shape_size(y->shape) : 0;
    if (n < 1 || n > VALUE_MOST || tensor_failed())
        return -1;
    result->columns = y->shape.rank > 1 ? (int)y->shape.dim[y->shape.rank - 1] : (int)n;
    result->rows = (int)n / result->columns;
    for (int i = 0; i < n; i++)
        result->x[i] = (double)y->data[i];
    return 1;
}
