/* library.c: the library's operations on the matrices of expressions, under their own names, and
 * what its modules, masks and search count and choose. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

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
    return i < c->count ? (int)lround(c->v[i].x[0]) : 0;
}

static Tensor *ids(const Call *c, int i)
{
    int id[VALUE_MOST], n = c->v[i].rows * c->v[i].columns;
    for (int k = 0; k < n; k++)
        id[k] = (int)lround(c->v[i].x[k]);
    return tape_ids(c->tape, id, shape1(n));
}

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

static Tensor *attention(const Call *c)
{
    return ag_attention(c->x[0], c->x[1], c->x[2], (Mask){0}, 0);
}

/* ag_masked_softmax(scores, causal) */
static Tensor *masked_softmax(const Call *c)
{
    return ag_masked_softmax(c->x[0], (Mask){.causal = whole(c, 1) != 0});
}

/* residual(x, slope, layers): x becomes x + slope x in each layer */
static Tensor *residual(const Call *c)
{
    Tensor *x = c->x[0];
    for (int l = 0; l < whole(c, 2); l++)
        x = ag_add(x, ag_mul(x, c->x[1]));
    return x;
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
    int a = whole(c, 0), b = whole(c, 1);
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

/* The multiplications, each with its addition, of a product (n, k) (k, m), or of an attention of n
 * queries on m keys of d channels: products(n, k, m), attention_products(n, m, d) */
static double products(const Call *c)
{
    Shape a = shape2(whole(c, 0), whole(c, 1)), b = shape2(whole(c, 1), whole(c, 2));
    if (c->name[0] == 'a') {
        Tensor *keys = tape_full(c->tape, 0, b);
        ag_attention(tape_full(c->tape, 0, shape2(a.dim[0], b.dim[1])), keys, keys, (Mask){0}, 0);
    } else {
        ag_matmul(tape_full(c->tape, 0, a), tape_full(c->tape, 0, b));
    }
    return (double)nn_flops(c->tape) / 2;
}

/* The weights above 0 that a mask leaves: kept(n, causal, window, keys) */
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

/* The most frequent pair of a corpus: pair_count("low", 3, "lot", 2), and how many tokens one merge
 * leaves: merged("low", 3, "lot", 2) */
static double byte_pairs(const Call *c)
{
    char text[1024];
    int32_t id[sizeof text];
    size_t n = 0;
    for (int i = 0; i + 1 < c->count; i += 2)
        for (int k = 0; k < whole(c, i + 1) && n + VALUE_MOST + 1 < sizeof text; k++) {
            for (int j = 0; j < c->v[i].columns; j++)
                text[n++] = (char)c->v[i].x[j];
            text[n++] = ' ';
        }
    Bpe b = {0};
    double y = -1;
    if (data_bpe_train(&b, text, n, 1) && b.merges == 1) {
        int64_t tokens = data_bpe_encode(&b, text, n, id, sizeof text);
        y = c->name[0] == 'm' ? 0 : (double)b.merge[0].count;
        for (int64_t i = 0; c->name[0] == 'm' && i < tokens; i++)
            y += id[i] != ' ';
    }
    data_bpe_free(&b);
    return y;
}

/* The probability of token `at` (from 0) after nn_temperature and nn_top_p: chosen(logits, at,
 * temperature, p), p = 0 meaning all. */
static double chosen(const Call *c)
{
    Candidates list;
    double p = 0;
    if (!nn_candidates_init(&list, c->v[0].columns))
        return -1;
    bool done = nn_temperature(&list, c->x[0]->data, c->v[2].x[0]) &&
                (c->v[3].x[0] == 0 || nn_top_p(&list, c->v[3].x[0]));
    for (int64_t i = 0; done && i < list.count; i++)
        p += list.list[i].token == whole(c, 1) ? list.list[i].p : 0;
    nn_candidates_free(&list);
    return done ? p : -1;
}

/* A language model that is two tables: of the first token after the prompt, which is word 0, and of
 * the second one after each of the words 1 to V. */
static Tensor *table_logits(void *model, Tensor *tokens, KVCache *state)
{
    const Call *c = model;
    int64_t B = tokens->shape.dim[0], V = c->v[1].columns;
    Tensor *y = tape_full(tokens->tape, -100, shape3(B, 1, V + 1));
    (void)state;
    for (int64_t i = 0; i < B * V && !tensor_is_poison(y); i++) {
        int64_t word = tokens->ids[i / V];
        const double *p = word == 0 ? c->v[1].x : c->v[2].x + V * (word - 1);
        y->data[(i / V) * (V + 1) + 1 + i % V] = (real)log(p[i % V]);
    }
    return y;
}

/* beam(width, first, second): the probability of the best two tokens that beam search finds */
static double beam(const Call *c)
{
    KVCache state;
    BeamTree tree = {0};
    int out[2], prompt = 0;
    Call model = *c;
    Tape *tape = tape_new(1);
    double p = -1;
    if (tape && nn_cache_init(&state, 1, whole(c, 0), 4, 1, 1)) {
        Decoder d = {.logits = table_logits, .model = &model, .cache = &state, .end = -1};
        tape->no_grad = true;
        if (nn_beam(tape, &d, &prompt, 1, out, 2, 0, &tree))
            p = exp(tree.node[tree.best].log_p);
        nn_beam_free(&tree);
        nn_cache_free(&state);
    }
    tape_free(tape);
    return p;
}

/* ---- the call -------------------------------------------------------------------------------- */

static const struct Function {
    const char *name;
    int fewest, most;          /* arguments */
    Tensor *(*one)(Tensor *x); /* one of these four */
    Tensor *(*two)(Tensor *a, Tensor *b);
    Tensor *(*some)(const Call *c);
    double (*count)(const Call *c);
} functions[] = {
    {"ag_softmax", 1, 1, .one = ag_softmax},
    {"ag_relu", 1, 1, .one = ag_relu},
    {"ag_tanh", 1, 1, .one = ag_tanh},
    {"ag_sigmoid", 1, 1, .one = ag_sigmoid},
    {"ag_exp", 1, 1, .one = ag_exp},
    {"ag_log", 1, 1, .one = ag_log},
    {"ag_sum", 1, 1, .one = ag_sum},
    {"ag_mean", 1, 1, .one = ag_mean},
    {"ag_add", 2, 2, .two = ag_add},
    {"ag_sub", 2, 2, .two = ag_sub},
    {"ag_mul", 2, 2, .two = ag_mul},
    {"ag_div", 2, 2, .two = ag_div},
    {"ag_matmul", 2, 2, .two = ag_matmul},
    {"ag_mse", 2, 2, .two = ag_mse},
    {"ag_gaussian_kl", 2, 2, .two = ag_gaussian_kl},
    {"ag_layernorm", 1, 3, .some = layernorm},
    {"ag_cross_entropy", 2, 2, .some = cross_entropy},
    {"ag_embedding", 2, 2, .some = embedding},
    {"ag_attention", 3, 3, .some = attention},
    {"ag_masked_softmax", 2, 2, .some = masked_softmax},
    {"nn_sinusoids", 3, 3, .some = sinusoids},
    {"residual", 3, 3, .some = residual},
    {"weights_linear", 2, 2, .count = weights},
    {"weights_embedding", 2, 2, .count = weights},
    {"weights_norm", 1, 1, .count = weights},
    {"weights_attention", 2, 2, .count = weights},
    {"weights_feedforward", 2, 2, .count = weights},
    {"weights_block", 2, 2, .count = weights},
    {"products", 3, 3, .count = products},
    {"attention_products", 3, 3, .count = products},
    {"kept", 4, 4, .count = kept},
    {"windows", 3, 3, .count = windows},
    {"cache", 4, 4, .count = cache},
    {"pair_count", 2, ARGUMENTS_MOST, .count = byte_pairs},
    {"merged", 2, ARGUMENTS_MOST, .count = byte_pairs},
    {"chosen", 4, 4, .count = chosen},
    {"beam", 3, 3, .count = beam},
};

/* The function of this name and number of arguments; NULL: there is none. */
static const struct Function *find(const char *name, int count)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i].name) == 0 && count >= functions[i].fewest &&
            count <= functions[i].most)
            return &functions[i];
    return NULL;
}

static Tensor *operation(const struct Function *f, const Call *c)
{
    return f->one ? f->one(c->x[0]) : f->two ? f->two(c->x[0], c->x[1]) : f->some(c);
}

int library_call(Tape *tape, const char *name, const Value *argument, int count, Value *result)
{
    Call c = {tape, name, argument, count, {NULL}};
    bool gradient = strncmp(name, "grad_", 5) == 0;
    const struct Function *f = gradient ? find(name + 5, count - 1) : find(name, count);
    if (!f || (gradient && f->count))
        return 0;
    tape_reset(tape);
    for (int i = 0; i < count; i++) {
        real x[VALUE_MOST];
        Shape shape = shape2(argument[i].rows, argument[i].columns);
        for (int k = 0; k < shape_size(shape); k++)
            x[k] = (real)argument[i].x[k];
        c.x[i] =
            gradient && i == 0 ? ag_keep(tape_leaf(tape, x, shape)) : tape_input(tape, x, shape);
    }
    if (f->count) {
        *result = (Value){1, 1, {f->count(&c)}};
        return result->x[0] < 0 ? -1 : 1;
    }
    c.count -= gradient;
    Tensor *y = operation(f, &c);
    if (gradient && ag_backward(ag_sum(ag_mul(y, c.x[count - 1]))))
        y = tape_input(tape, c.x[0]->grad, c.x[0]->shape);
    int64_t n = y && y->data ? shape_size(y->shape) : 0;
    if (n < 1 || n > VALUE_MOST || tensor_failed())
        return -1;
    result->columns = y->shape.rank > 1 ? (int)y->shape.dim[y->shape.rank - 1] : (int)n;
    result->rows = (int)n / result->columns;
    for (int i = 0; i < n; i++)
        result->x[i] = (double)y->data[i];
    return 1;
}
