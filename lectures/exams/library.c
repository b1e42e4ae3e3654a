/* library.c: the library's operations on the matrices of expressions, under their own names, and
 * what its modules, masks and search count and choose. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "lectures/06-language/language.h"
#include "nn/decode/decode.h"

#include <math.h>
#include <string.h>

typedef struct {
    Tape *tape;
    const char *name;
    const Value *v; /* the arguments */
    int count;
    Tensor *x[ARGUMENTS_MOST]; /* the same on the tape, (rows, columns) */
} Call;

static int whole(const Call *c, int i)
{
    return (int)lround(c->v[i].x[0]);
}

static Tensor *ids(const Call *c, int i)
{
    int id[VALUE_MOST], n = value_size(&c->v[i]);
    for (int k = 0; k < n; k++)
        id[k] = (int)lround(c->v[i].x[k]);
    return tape_ids(c->tape, id, shape1(n));
}

/* ---- operations on tensors ------------------------------------------------------------------- */

/* ag_layernorm(x) with epsilon 0 */
static Tensor *layernorm(const Call *c)
{
    Shape n = shape1(c->v[0].columns);
    return ag_layernorm(c->x[0], tape_full(c->tape, 1, n), tape_full(c->tape, 0, n), 0);
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

static Tensor *attention(const Call *c)
{
    return ag_attention(c->x[0], c->x[1], c->x[2], (Mask){0}, 0);
}

/* causal_softmax(scores) */
static Tensor *causal_softmax(const Call *c)
{
    return ag_masked_softmax(c->x[0], (Mask){.causal = true});
}

/* nn_sinusoids(positions, channels, base) */
static Tensor *sinusoids(const Call *c)
{
    real table[VALUE_MOST];
    int n = whole(c, 0), d = whole(c, 1);
    if (n < 1 || d < 1 || n * d > VALUE_MOST)
        return NULL;
    nn_sinusoids(table, n, d, c->v[2].x[0]);
    return tape_input(c->tape, table, shape2(n, d));
}

/* ---- numbers; below 0: an error -------------------------------------------------------------- */

/* How many weights a module registers: weights_linear(a, b) */
static double weights(const Call *c)
{
    Params *p = params_new(1);
    int a = whole(c, 0), b = c->count > 1 ? whole(c, 1) : 0;
    const char *module = c->name + strlen("weights_");
    const BlockConfig block = {.channels = a, .heads = 1, .hidden = b};
    bool ok = p != NULL;
    if (strcmp(module, "linear") == 0)
        ok = ok && nn_linear_init(&(Linear){0}, p, "l", a, b, true);
    else if (strcmp(module, "embedding") == 0)
        ok = ok && nn_embedding_init(&(Embedding){0}, p, "e", a, b);
    else if (strcmp(module, "norm") == 0)
        ok = ok && nn_layernorm_init(&(Norm){0}, p, "n", a);
    else if (strcmp(module, "attention") == 0)
        ok = ok && nn_attention_init(&(MultiHeadAttention){0}, p, "a", a, b, 0);
    else if (strcmp(module, "feedforward") == 0)
        ok = ok && nn_feedforward_init(&(FeedForward){0}, p, "f", a, b, ACTIVATION_RELU, 0);
    else
        ok = ok && nn_transformer_block_init(&(TransformerBlock){0}, p, "b", block);
    double count = ok ? (double)params_trained(p) : -1;
    params_free(p);
    return count;
}

/* The multiplications, each with its addition, of a product (n, k) (k, m): products(n, k, m) */
static double products(const Call *c)
{
    ag_matmul(tape_full(c->tape, 0, shape2(whole(c, 0), whole(c, 1))),
              tape_full(c->tape, 0, shape2(whole(c, 1), whole(c, 2))));
    return (double)nn_flops(c->tape) / 2;
}

/* The weights above 0 that a mask leaves: kept(n, causal, window, keys), 0 keys meaning all */
static double kept(const Call *c)
{
    Mask mask = {.causal = whole(c, 1) != 0, .window = whole(c, 2)};
    mask.lengths = whole(c, 3) ? ids(c, 3) : NULL;
    int n = whole(c, 0), count = 0;
    Tensor *a = ag_masked_softmax(tape_full(c->tape, 0, shape3(1, n, n)), mask);
    for (int i = 0; i < n * n; i++)
        count += a->data[i] > 0;
    return count;
}

/* The outputs of a convolution without padding, of one channel: windows(length, kernel, stride) */
static double windows(const Call *c)
{
    Tensor *x = tape_full(c->tape, 0, shape3(1, 1, whole(c, 0)));
    Tensor *w = tape_full(c->tape, 0, shape3(1, 1, whole(c, 1)));
    return (double)shape_size(ag_conv1d(x, w, NULL, whole(c, 2), 0)->shape);
}

/* The numbers in a cache: cache(layers, tokens, heads, channels) */
static double cache(const Call *c)
{
    KVCache k;
    double count = 0;
    if (!nn_cache_init(&k, whole(c, 0), 1, whole(c, 1), whole(c, 2), whole(c, 3)))
        return -1;
    for (int i = 0; i < 2 * k.layers; i++)
        count += (double)shape_size(k.keys_values[i]->shape);
    nn_cache_free(&k);
    return count;
}

/* How often the most frequent pair occurs in a corpus that has "low", "lot" and "new" so often:
 * pair_count(2, 3, 1); and how many tokens its merge leaves: merged(2, 3, 1) */
static double byte_pairs(const Call *c)
{
    static const char *const words[] = {"low ", "lot ", "new "};
    char text[1024] = "";
    int32_t id[sizeof text];
    bool merged = strcmp(c->name, "merged") == 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < whole(c, i) && strlen(text) + 5 < sizeof text; k++)
            strcat(text, words[i]);
    Bpe b = {0};
    double y = -1;
    if (data_bpe_train(&b, text, strlen(text), 1) && b.merges == 1) {
        int64_t tokens = data_bpe_encode(&b, text, strlen(text), id, sizeof text);
        y = merged ? 0 : (double)b.merge[0].count;
        for (int64_t i = 0; merged && i < tokens; i++)
            y += id[i] != ' ';
    }
    data_bpe_free(&b);
    return y;
}

/* The probability of token i (from 0) in the nucleus of cumulative probability p:
 * nucleus(logits, i, p) */
static double nucleus(const Call *c)
{
    Candidates list;
    double p = 0;
    if (!nn_candidates_init(&list, c->v[0].columns))
        return -1;
    bool done = nn_temperature(&list, c->x[0]->data, 1) && nn_top_p(&list, c->v[2].x[0]);
    for (int64_t i = 0; done && i < list.count; i++)
        p += list.list[i].token == whole(c, 1) ? list.list[i].p : 0;
    nn_candidates_free(&list);
    return done ? p : -1;
}

/* beam(width, first, next): the probability of the two tokens that beam search finds; first: of
 * each token after the prompt, a row of next: of each after this one */
static double beam(const Call *c)
{
    Markov m = {.K = c->v[1].columns};
    int best[2], rows = m.K + 1;
    for (int i = 0; i < rows * m.K; i++)
        m.logits[i] = (real)log(i < m.K * m.K ? c->v[2].x[i] : c->v[1].x[i - m.K * m.K]);
    return markov_search(&m, SEARCH_BEAM, whole(c, 0), 0, -1, 2, best, NULL)
               ? exp(markov_log_p(&m, best, 2))
               : -1;
}

/* ---- the call -------------------------------------------------------------------------------- */

static const struct Function {
    const char *name;
    int arguments;
    double (*of)(double x); /* one of these five: of each element, by arithmetic */
    Tensor *(*one)(Tensor *x);
    Tensor *(*two)(Tensor *a, Tensor *b);
    Tensor *(*some)(const Call *c);
    double (*number)(const Call *c);
} functions[] = {
    {"sqrt", 1, .of = sqrt},
    {"ln", 1, .of = log},
    {"floor", 1, .of = floor},
    {"abs", 1, .of = fabs},
    {"cos", 1, .of = cos},
    {"asin", 1, .of = asin},
    {"ag_softmax", 1, .one = ag_softmax},
    {"ag_relu", 1, .one = ag_relu},
    {"ag_tanh", 1, .one = ag_tanh},
    {"ag_sigmoid", 1, .one = ag_sigmoid},
    {"ag_exp", 1, .one = ag_exp},
    {"ag_log", 1, .one = ag_log},
    {"ag_sum", 1, .one = ag_sum},
    {"ag_mean", 1, .one = ag_mean},
    {"ag_add", 2, .two = ag_add},
    {"ag_sub", 2, .two = ag_sub},
    {"ag_mul", 2, .two = ag_mul},
    {"ag_div", 2, .two = ag_div},
    {"ag_matmul", 2, .two = ag_matmul},
    {"ag_mse", 2, .two = ag_mse},
    {"ag_gaussian_kl", 2, .two = ag_gaussian_kl},
    {"ag_layernorm", 1, .some = layernorm},
    {"ag_cross_entropy", 2, .some = cross_entropy},
    {"ag_embedding", 2, .some = embedding},
    {"ag_attention", 3, .some = attention},
    {"causal_softmax", 1, .some = causal_softmax},
    {"nn_sinusoids", 3, .some = sinusoids},
    {"weights_linear", 2, .number = weights},
    {"weights_embedding", 2, .number = weights},
    {"weights_norm", 1, .number = weights},
    {"weights_attention", 2, .number = weights},
    {"weights_feedforward", 2, .number = weights},
    {"weights_block", 2, .number = weights},
    {"products", 3, .number = products},
    {"kept", 4, .number = kept},
    {"windows", 3, .number = windows},
    {"cache", 4, .number = cache},
    {"pair_count", 3, .number = byte_pairs},
    {"merged", 3, .number = byte_pairs},
    {"nucleus", 3, .number = nucleus},
    {"beam", 3, .number = beam},
};

static const struct Function *find(const char *name, int count)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0 && count == functions[i].arguments)
            return &functions[i];
    return NULL;
}

static void put_arguments(Call *c, bool gradient)
{
    tape_reset(c->tape);
    for (int i = 0; i < c->count; i++) {
        real x[VALUE_MOST];
        Shape shape = shape2(c->v[i].rows, c->v[i].columns);
        for (int k = 0; k < shape_size(shape); k++)
            x[k] = (real)c->v[i].x[k];
        c->x[i] = gradient && i == 0 ? ag_keep(tape_leaf(c->tape, x, shape))
                                     : tape_input(c->tape, x, shape);
    }
}

/* Its numbers; false: there are none, or too many. */
static bool take_tensor(const Tensor *y, Value *result)
{
    int64_t n = y && y->data ? shape_size(y->shape) : 0;
    if (n < 1 || n > VALUE_MOST || tensor_failed())
        return false;
    result->columns = y->shape.rank > 1 ? (int)y->shape.dim[y->shape.rank - 1] : (int)n;
    result->rows = (int)n / result->columns;
    for (int i = 0; i < n; i++)
        result->x[i] = (double)y->data[i];
    return true;
}

bool library_call(Library *l, const char *name, const Value *argument, int count, Value *result)
{
    bool gradient = strncmp(name, "grad_", 5) == 0;
    const struct Function *f = gradient ? find(name + 5, count - 1) : find(name, count);
    if (!f || (gradient && (f->number || f->of)) || (!l && !f->of))
        return tensor_fail("found %s(...) of %d arguments; expected a function of %s", name, count,
                           l ? "library.c" : "arithmetic: the library's are for check");
    if (f->of) {
        *result = *argument;
        for (int i = 0; i < value_size(result); i++)
            result->x[i] = f->of(result->x[i]);
        return true;
    }
    Call c = {l->tape, name, argument, count, {NULL}};
    l->calls++;
    put_arguments(&c, gradient);
    if (f->number) {
        *result = (Value){1, 1, {f->number(&c)}};
        return result->x[0] >= 0;
    }
    Tensor *y = f->one ? f->one(c.x[0]) : f->two ? f->two(c.x[0], c.x[1]) : f->some(&c);
    if (gradient && ag_backward(ag_sum(ag_mul(y, c.x[count - 1]))))
        y = tape_input(c.tape, c.x[0]->grad, c.x[0]->shape);
    return take_tensor(y, result);
}
