/* library.c: the library's operations on the matrices of expressions, under their own names, and
 * counts that its modules give: weights, floating-point operations, sizes. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include "nn/decode/decode.h"

#include <math.h>
#include <string.h>

typedef struct {
    Tape *tape;
    const Value *v; /* the arguments */
    int count;
    Tensor *x[ARGUMENTS_MOST]; /* the same on the tape, (rows, columns) */
} Call;

/* ---- operations on tensors ------------------------------------------------------------------- */

static double number(const Call *c, int i)
{
    return c->v[i].x[0];
}

static int whole(const Call *c, int i)
{
    return (int)lround(c->v[i].x[0]);
}

static Tensor *ids(const Call *c, int i)
{
    int id[VALUE_MOST], n = c->v[i].rows * c->v[i].columns;
    for (int k = 0; k < n; k++)
        id[k] = (int)lround(c->v[i].x[k]);
    return tape_ids(c->tape, id, shape1(n));
}

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

/* sample_square(mu, sigma, epsilon): the mean of z^2, z = mu + sigma epsilon */
static Tensor *sample_square(const Call *c)
{
    Tensor *z = ag_add(c->x[0], ag_mul(c->x[2], c->x[1]));
    return ag_mean(ag_mul(z, z));
}

/* sample_square_of_sigma(sigma, mu, epsilon): the same, for its gradient */
static Tensor *sample_square_of_sigma(const Call *c)
{
    Tensor *z = ag_add(c->x[1], ag_mul(c->x[2], c->x[0]));
    return ag_mean(ag_mul(z, z));
}

/* One step of nn_rnn_cell on one channel, where the arguments from `first` on are what the gates
 * get: they are the input of one channel each, by weights of one. */
static Tensor *cell(const Call *c, RNNKind kind, int first, RNNState *state)
{
    Params *p = params_new(1);
    RNNCell r;
    int gates = c->count - first;
    real x[ARGUMENTS_MOST];
    Tensor *h = NULL;
    if (p && nn_rnn_cell_init(&r, p, "cell", kind, gates, 1)) {
        memset(r.weight_ih->data, 0, sizeof(real) * (size_t)(gates * gates));
        memset(r.weight_hh->data, 0, sizeof(real) * (size_t)gates);
        memset(r.bias_ih->data, 0, sizeof(real) * (size_t)gates);
        memset(r.bias_hh->data, 0, sizeof(real) * (size_t)gates);
        for (int i = 0; i < gates; i++) {
            r.weight_ih->data[i * gates + i] = 1;
            x[i] = (real)number(c, first + i);
        }
        h = nn_rnn_cell(&r, tape_input(c->tape, x, shape2(1, gates)), state);
        h = h ? tape_input(c->tape, h->data, shape2(1, 1)) : NULL;
        if (state->c)
            state->c = tape_input(c->tape, state->c->data, shape2(1, 1));
    }
    params_free(p);
    return h;
}

/* lstm_cell(c, i, f, g, o): the next cell; lstm_state: the next state */
static Tensor *lstm_cell(const Call *c)
{
    RNNState state = {tape_full(c->tape, 0, shape2(1, 1)), c->x[0]};
    return cell(c, RNN_LSTM, 1, &state) ? state.c : NULL;
}

static Tensor *lstm_state(const Call *c)
{
    RNNState state = {tape_full(c->tape, 0, shape2(1, 1)), c->x[0]};
    return cell(c, RNN_LSTM, 1, &state);
}

/* gru_state(h, r, z, n) */
static Tensor *gru_state(const Call *c)
{
    RNNState state = {c->x[0], NULL};
    return cell(c, RNN_GRU, 1, &state);
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
    {"sample_square", 3, 3, sample_square},
    {"sample_square_of_sigma", 3, 3, sample_square_of_sigma},
    {"lstm_cell", 5, 5, lstm_cell},
    {"lstm_state", 5, 5, lstm_state},
    {"gru_state", 4, 4, gru_state},
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

/* ---- counts ---------------------------------------------------------------------------------- */

static BlockConfig block_config(const Call *c)
{
    return (BlockConfig){.channels = whole(c, 0), .heads = 1, .hidden = whole(c, 1)};
}

/* How many weights a module of these sizes registers; -1: no such module. */
static double weights(const Call *c, const char *module)
{
    Params *p = params_new(1);
    int a = whole(c, 0), b = c->count > 1 ? whole(c, 1) : 0, r = c->count > 2 ? whole(c, 2) : 0;
    bool done = false, lora = strcmp(module, "lora") == 0;
    double count = -1;
    if (strcmp(module, "linear") == 0 || lora) {
        Linear l;
        Lora low;
        done = nn_linear_init(&l, p, "l", a, b, true) &&
               (!lora || nn_lora_init(&low, p, "low", l, r, 1));
    } else if (strcmp(module, "embedding") == 0) {
        done = nn_embedding_init(&(Embedding){0}, p, "e", a, b);
    } else if (strcmp(module, "norm") == 0) {
        done = nn_layernorm_init(&(Norm){0}, p, "n", a);
    } else if (strcmp(module, "attention") == 0) {
        done = nn_attention_init(&(MultiHeadAttention){0}, p, "a", a, b, 0);
    } else if (strcmp(module, "feedforward") == 0) {
        done = nn_feedforward_init(&(FeedForward){0}, p, "f", a, b, ACTIVATION_RELU, 0);
    } else if (strcmp(module, "block") == 0) {
        done = nn_transformer_block_init(&(TransformerBlock){0}, p, "b", block_config(c));
    } else if (strcmp(module, "decoder_block") == 0) {
        done = nn_decoder_block_init(&(DecoderBlock){0}, p, "d", block_config(c));
    } else if (strcmp(module, "rnn") == 0) { /* kind, in, hidden */
        done = nn_rnn_cell_init(&(RNNCell){0}, p, "r", (RNNKind)a, b, r);
    }
    if (done)
        count = (double)params_trained(p);
    params_free(p);
    return count;
}

static Tensor *zeros(const Call *c, int64_t rows, int64_t columns)
{
    return tape_full(c->tape, 0, shape2(rows, columns));
}

/* The multiplications, each with its addition, of a product (n, k) (k, m), and of an attention of n
 * queries on m keys of d channels. */
static double products(const Call *c, bool attention_too)
{
    int n = whole(c, 0), k = whole(c, 1), m = whole(c, 2);
    if (attention_too)
        ag_attention(zeros(c, n, m), zeros(c, k, m), zeros(c, k, m), (Mask){0}, 0);
    else
        ag_matmul(zeros(c, n, k), zeros(c, k, m));
    return (double)nn_flops(c->tape) / 2;
}

/* The weights above 0 that a mask leaves: kept(n, causal, window, dilation, keys) */
static double kept(const Call *c)
{
    Tensor *length = ids(c, 4);
    Mask mask = {whole(c, 1) != 0, whole(c, 4) ? length : NULL, NULL, whole(c, 2), whole(c, 3), 0};
    int n = whole(c, 0), count = 0;
    Tensor *a = ag_masked_softmax(tape_full(c->tape, 0, shape3(1, n, n)), mask);
    for (int i = 0; i < n * n; i++)
        count += a->data[i] > 0;
    return count;
}

/* The outputs of a convolution without padding, of one channel: in one dimension windows(length,
 * kernel, stride), or of a square picture, patches(side, patch). */
static double windows(const Call *c)
{
    Tensor *x = tape_full(c->tape, 0, shape3(1, 1, whole(c, 0)));
    Tensor *w = tape_full(c->tape, 0, shape3(1, 1, whole(c, 1)));
    return (double)shape_size(ag_conv1d(x, w, NULL, whole(c, 2), 0)->shape);
}

static double patches(const Call *c)
{
    int64_t side = whole(c, 0), patch = whole(c, 1);
    Tensor *x = tape_full(c->tape, 0, shape4(1, 1, side, side));
    Tensor *w = tape_full(c->tape, 0, shape4(1, 1, patch, patch));
    return (double)shape_size(ag_conv2d(x, w, NULL, (int)patch, 0)->shape);
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
static double byte_pairs(const Call *c, bool merged)
{
    char text[1024];
    size_t n = 0;
    for (int i = 0; i + 1 < c->count; i += 2)
        for (int k = 0; k < whole(c, i + 1) && n + VALUE_MOST + 1 < sizeof text;
             k++, text[n++] = ' ')
            for (int j = 0; j < c->v[i].columns; j++)
                text[n++] = (char)c->v[i].x[j];
    Bpe b = {0};
    double y = -1;
    if (data_bpe_train(&b, text, n, 1) && b.merges == 1) {
        int32_t id[sizeof text];
        int64_t tokens = data_bpe_encode(&b, text, n, id, sizeof text);
        y = merged ? 0 : (double)b.merge[0].count;
        for (int64_t i = 0; merged && i < tokens; i++)
            y += id[i] != ' ';
    }
    data_bpe_free(&b);
    return y;
}

/* ---- choosing tokens ------------------------------------------------------------------------- */

/* The probability of token `at` (from 0) after nn_temperature, then nn_top_k or nn_top_p:
 * chosen(logits, at, temperature, k, p), k = 0 and p = 0 meaning all. */
static double chosen(const Call *c)
{
    Candidates list;
    double p = 0;
    if (!nn_candidates_init(&list, c->v[0].columns))
        return -1;
    bool done = nn_temperature(&list, c->x[0]->data, number(c, 2)) &&
                (whole(c, 3) == 0 || nn_top_k(&list, whole(c, 3))) &&
                (number(c, 4) == 0 || nn_top_p(&list, number(c, 4)));
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

/* NaN: no such function; below 0: an error. */
static double counted(const Call *c, const char *name)
{
    static const struct {
        const char *name;
        int arguments;
        double (*of)(const Call *c);
    } counts[] = {{"kept", 5, kept},   {"windows", 3, windows}, {"patches", 2, patches},
                  {"cache", 4, cache}, {"chosen", 5, chosen},   {"beam", 3, beam}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (c->count == counts[i].arguments && strcmp(name, counts[i].name) == 0)
            return counts[i].of(c);
    if (strncmp(name, "weights_", 8) == 0)
        return weights(c, name + 8);
    if (c->count == 3 && (strcmp(name, "products") == 0 || strcmp(name, "attention_products") == 0))
        return products(c, name[0] == 'a');
    if (strcmp(name, "pair_count") == 0 || strcmp(name, "merged") == 0)
        return byte_pairs(c, name[0] == 'm');
    return (double)NAN;
}

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
    double x = counted(&c, name);
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
