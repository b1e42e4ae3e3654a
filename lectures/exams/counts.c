/* counts.c: numbers that the library's modules and masks give: weights, products, sizes, and what
 * its search and sampling choose. See exam.h. */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/call.h"

#include "nn/decode/decode.h"

#include <string.h>

/* Registers a module of these sizes. */
static bool add_module(Params *p, const char *module, int a, int b, int r)
{
    BlockConfig block = {.channels = a, .heads = 1, .hidden = b};
    Linear l;
    if (strcmp(module, "linear") == 0)
        return nn_linear_init(&l, p, "l", a, b, true);
    if (strcmp(module, "lora") == 0)
        return nn_linear_init(&l, p, "l", a, b, true) &&
               nn_lora_init(&(Lora){0}, p, "low", l, r, 1);
    if (strcmp(module, "embedding") == 0)
        return nn_embedding_init(&(Embedding){0}, p, "e", a, b);
    if (strcmp(module, "norm") == 0)
        return nn_layernorm_init(&(Norm){0}, p, "n", a);
    if (strcmp(module, "attention") == 0)
        return nn_attention_init(&(MultiHeadAttention){0}, p, "a", a, b, 0);
    if (strcmp(module, "feedforward") == 0)
        return nn_feedforward_init(&(FeedForward){0}, p, "f", a, b, ACTIVATION_RELU, 0);
    if (strcmp(module, "block") == 0)
        return nn_transformer_block_init(&(TransformerBlock){0}, p, "b", block);
    if (strcmp(module, "decoder_block") == 0)
        return nn_decoder_block_init(&(DecoderBlock){0}, p, "d", block);
    return strcmp(module, "rnn") == 0 && /* kind, in, hidden */
           nn_rnn_cell_init(&(RNNCell){0}, p, "r", (RNNKind)a, b, r);
}

/* How many weights a module registers; -1: no such module. */
static double weights(const Call *c, const char *module)
{
    Params *p = params_new(1);
    bool done = p && add_module(p, module, whole(c, 0), c->count > 1 ? whole(c, 1) : 0,
                                c->count > 2 ? whole(c, 2) : 0);
    double count = done ? (double)params_trained(p) : -1;
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

/* ---- by name --------------------------------------------------------------------------------- */

double library_count(const Call *c, const char *name)
{
    static const struct {
        const char *name;
        int arguments;
        double (*of)(const Call *c);
    } counts[] = {{"kept", 4, kept},
                  {"windows", 3, windows},
                  {"cache", 4, cache},
                  {"chosen", 5, chosen},
                  {"beam", 3, beam}};
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
