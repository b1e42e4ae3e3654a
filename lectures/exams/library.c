/* library.c: what a check may call: the library's operations under their own names, and what its
 * modules and masks count. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include <math.h>
#include <string.h>

typedef struct {
    Tape *tape;
    const char *name;
    int count;
    Tensor *x[ARGUMENTS_MOST]; /* the arguments, (rows, columns) each */
} Call;

static int whole(const Call *c, int i)
{
    return (int)lround((double)*c->x[i]->data);
}

static Tensor *ids(const Call *c, int i)
{
    int id[VALUE_MOST];
    int64_t n = tensor_size(c->x[i]);
    for (int64_t k = 0; k < n; k++)
        id[k] = (int)lround((double)c->x[i]->data[k]);
    return tape_ids(c->tape, id, shape1(n));
}

/* ag_masked_softmax(scores, causal, window, keys): window 0: all */
static Tensor *masked_softmax(const Call *c)
{
    Shape s = c->x[0]->shape;
    return ag_masked_softmax(ag_reshape(c->x[0], shape3(1, s.dim[0], s.dim[1])),
                             (Mask){.causal = whole(c, 1) != 0,
                                    .window = whole(c, 2),
                                    .lengths = ids(c, 3)});
}

/* nn_sinusoids(positions, channels, base) */
static Tensor *sinusoids(const Call *c)
{
    real table[VALUE_MOST];
    int n = whole(c, 0), d = whole(c, 1);
    if (n < 1 || d < 1 || n * d > VALUE_MOST)
        return NULL;
    nn_sinusoids(table, n, d, (double)*c->x[2]->data);
    return tape_input(c->tape, table, shape2(n, d));
}

/* weights_PATH(a, b): how many weights have PATH in their names, of a block of a channels, b of
 * them hidden, and an embedding of b words */
static Tensor *weights(const Call *c)
{
    Params *p = params_new(1);
    int64_t a = whole(c, 0), b = whole(c, 1), n = 0;
    const BlockConfig config = {.channels = a, .heads = 1, .hidden = b};
    if (nn_transformer_block_init(&(TransformerBlock){0}, p, "block", config) &&
        nn_embedding_init(&(Embedding){0}, p, "embedding", b, a))
        for (int i = 0; i < p->count; i++)
            if (strstr(p->weight[i]->name, c->name + strlen("weights_")))
                n += tensor_size(p->weight[i]);
    params_free(p);
    return tape_full(c->tape, (real)n, shape1(1));
}

/* The multiplications, each with its addition, of a product (n, k) (k, m): products(n, k, m) */
static Tensor *products(const Call *c)
{
    ag_matmul(tape_full(c->tape, 0, shape2(whole(c, 0), whole(c, 1))),
              tape_full(c->tape, 0, shape2(whole(c, 1), whole(c, 2))));
    return tape_full(c->tape, (real)nn_flops(c->tape) / 2, shape1(1));
}

/* The outputs of a convolution without padding, of one channel: windows(length, kernel, stride) */
static Tensor *windows(const Call *c)
{
    Tensor *x = tape_full(c->tape, 0, shape3(1, 1, whole(c, 0)));
    Tensor *w = tape_full(c->tape, 0, shape3(1, 1, whole(c, 1)));
    int64_t n = tensor_size(ag_conv1d(x, w, NULL, whole(c, 2), 0));
    return tape_full(c->tape, (real)n, shape1(1));
}

/* byte_pairs(2, 3, 1): of a text with so many words "low", "lot" and "new": how often the most
 * frequent pair occurs, and how many tokens its merge leaves */
static Tensor *byte_pairs(const Call *c)
{
    static const char *const words[] = {"low ", "lot ", "new "};
    char text[1024] = "";
    int32_t id[sizeof text];
    real y[2] = {0};
    Bpe b = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < whole(c, i) && strlen(text) + 5 < sizeof text; k++)
            strcat(text, words[i]);
    int64_t n = (int64_t)strlen(text);
    if (data_bpe_train(&b, text, (size_t)n, 1) && b.merges == 1) {
        y[0] = (real)b.merge[0].count;
        y[1] = (real)(data_bpe_encode(&b, text, (size_t)n, id, n) - n / 4); /* less the spaces */
    }
    data_bpe_free(&b);
    return tape_input(c->tape, y, shape1(2));
}

/* The value of the call; NULL, or poison: an error. */
static Tensor *call(const Call *c)
{
#define CALL(function, arguments, value)                           \
    if (c->count == (arguments) && strcmp(c->name, function) == 0) \
    return value
    Tensor *const *x = c->x;
    const Shape channels = shape1(shape_last(x[0]->shape));
    CALL("ag_softmax", 1, ag_softmax(x[0]));
    CALL("ag_relu", 1, ag_relu(x[0]));
    CALL("ag_tanh", 1, ag_tanh(x[0]));
    CALL("ag_sigmoid", 1, ag_sigmoid(x[0]));
    CALL("ag_exp", 1, ag_exp(x[0]));
    CALL("ag_sum", 1, ag_sum(x[0]));
    CALL("ag_mean", 1, ag_mean(x[0]));
    CALL("ag_add", 2, ag_add(x[0], x[1]));
    CALL("ag_mul", 2, ag_mul(x[0], x[1]));
    CALL("ag_div", 2, ag_div(x[0], x[1]));
    CALL("ag_matmul", 2, ag_matmul(x[0], x[1]));
    CALL("ag_linear", 2, ag_linear(x[0], x[1], NULL));
    CALL("ag_mse", 2, ag_mse(x[0], x[1]));
    CALL("ag_gaussian_kl", 2, ag_gaussian_kl(x[0], x[1]));
    CALL("ag_embedding", 2, ag_embedding(x[0], ids(c, 1)));
    CALL("ag_cross_entropy", 2, ag_cross_entropy_ignore(x[0], ids(c, 1), -1));
    CALL("ag_layernorm", 1,
         ag_layernorm(x[0], tape_full(c->tape, 1, channels), tape_full(c->tape, 0, channels), 0));
    CALL("ag_attention", 3, ag_attention(x[0], x[1], x[2], (Mask){0}, 0));
    CALL("ag_masked_softmax", 4, masked_softmax(c));
    CALL("nn_sinusoids", 3, sinusoids(c));
    CALL("zeros", 2, tape_full(c->tape, 0, shape2(whole(c, 0), whole(c, 1))));
    CALL("products", 3, products(c));
    CALL("windows", 3, windows(c));
    CALL("byte_pairs", 3, byte_pairs(c));
#undef CALL
    if (c->count == 2 && strncmp(c->name, "weights_", 8) == 0)
        return weights(c);
    tensor_fail("found %s(...) of %d arguments; expected a function of library.c", c->name,
                c->count);
    return NULL;
}

bool library_call(const char *name, const Value *argument, int count, Value *result)
{
    bool gradient = strncmp(name, "grad_", 5) == 0;
    real x[VALUE_MOST];
    Call c = {tape_new(1), name + (gradient ? 5 : 0), count - gradient, {NULL}};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < value_size(&argument[i]); k++)
            x[k] = (real)argument[i].x[k];
        c.x[i] = tape_leaf(c.tape, x, shape2(argument[i].rows, argument[i].columns));
    }
    Tensor *y = tensor_failed() ? NULL : call(&c);
    if (gradient && ag_backward(ag_sum(ag_mul(y, c.x[count - 1]))))
        y = tape_input(c.tape, c.x[0]->grad, c.x[0]->shape);
    int64_t n = tensor_is_poison(y) ? 0 : tensor_size(y);
    if (n < 1 || n > VALUE_MOST)
        tensor_fail("found arguments that %s does not take; expected those of library.c", name);
    else
        *result = (Value){(int)shape_rows(y->shape), (int)shape_last(y->shape), {0}};
    for (int i = 0; i < n && !tensor_failed(); i++)
        result->x[i] = (double)y->data[i];
    tape_free(c.tape);
    return !tensor_failed();
}
