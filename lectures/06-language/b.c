/* b.c: B's six algorithms, line by line. See language.h.
 *
 *   B "Self-Attention: Single Head", "Self-Attention: Multi-Head", "Transformer-Based LM: Context Extractor" (twice),
 *   "Training Transformer-based LM", "Generation via Transformer-based LMs"
 *
 * Arrays begin at 0, so B's t is t - 1 here. tests/lectures/algorithms.sh sees that no line is
 * missing. */
#include "lectures/06-language/language.h"

#include <string.h>

/* ---- what a line calls, here and in z.c ------------------------------------------------------ */

void plain_linear(const Tensor *weight, const Tensor *bias, int from, int rows, const double *x,
                  double *y)
{
    int columns = (int)shape_last(weight->shape);
    for (int i = 0; i < rows; i++) {
        y[i] = bias ? (double)bias->data[from + i] : 0;
        for (int j = 0; j < columns; j++)
            y[i] += (double)weight->data[(from + i) * columns + j] * x[j];
    }
}

double plain_dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void plain_softmax(const double *xi, int n, double *alpha)
{
    double most = xi[0], sum = 0;
    for (int i = 1; i < n; i++)
        most = xi[i] > most ? xi[i] : most;
    for (int i = 0; i < n; i++)
        sum += alpha[i] = exp(xi[i] - most); /* exp(-infinity) is 0 */
    for (int i = 0; i < n; i++)
        alpha[i] /= sum;
}

void plain_norm(const Norm *l, const double *x, double *y)
{
    double mean = 0, variance = 0;
    for (int e = 0; e < B_E; e++)
        mean += x[e] / B_E;
    for (int e = 0; e < B_E; e++)
        variance += (x[e] - mean) * (x[e] - mean) / B_E;
    for (int e = 0; e < B_E; e++)
        y[e] = (double)l->weight->data[e] * (x[e] - mean) / sqrt(variance + 1e-5) +
               (double)l->bias->data[e];
}

void plain_mlp(const FeedForward *f, const double *x, double *y)
{
    double h[4 * B_E];
    plain_linear(f->up.weight, f->up.bias, 0, 4 * B_E, x, h);
    for (int i = 0; i < 4 * B_E; i++)
        h[i] *= 0.5 * (1 + erf(h[i] / sqrt(2)));
    plain_linear(f->down.weight, f->down.bias, 0, B_E, h, y);
}

/* embd(x_t) + embd(t). */
static void embd(const Gpt *g, int token, int t, double *x)
{
    for (int e = 0; e < B_E; e++)
        x[e] = (double)g->encoder.embedding.weight->data[token * B_E + e] +
               (double)g->encoder.position.weight->data[t * B_E + e];
}

/* LayerNorm, which the slide does not have. */
static void norm(const Printed *m, const Norm *l, const double *x, double *y)
{
    if (m->printed & PRINTED_NORM)
        memcpy(y, x, sizeof(double) * B_E);
    else
        plain_norm(l, x, y);
}

/* ---- SA_Head(x_(1:T)) ------------------------------------------------------------------------ */

typedef struct {
    double k[B_S], q[B_S], v[B_S];
} Tuple;

/* Lines 2 and 3 of head h in layer l for one token. c: what the layer is given, already normalised.
 * As it is meant, line 2 is done once, below the first layer (transformer_dec). */
static void tuple_of(const Printed *m, int l, int h, int token, int t, const double *c, Tuple *a)
{
    const MultiHeadAttention *w = &m->gpt->encoder.blocks[l].attn;
    double x[B_E];
    memcpy(x, c, sizeof x);
    if (m->printed & PRINTED_REREAD)
        embd(m->gpt, token, t, x);
    plain_linear(w->in_proj_weight, w->in_proj_bias, h * B_S, B_S, x, a->q);
    plain_linear(w->in_proj_weight, w->in_proj_bias, B_E + h * B_S, B_S, x, a->k);
    plain_linear(w->in_proj_weight, w->in_proj_bias, 2 * B_E + h * B_S, B_S, x, a->v);
}

/* c (T, E) -> out (T, S). */
static void sa_head(const Printed *m, int l, int h, const int *x, int T, const double *c,
                    double *out)
{
    Tuple a[B_T] = {0};
    double xi[B_T], alpha[B_T], scale = m->printed & PRINTED_SCALE ? 1 : 1 / sqrt(B_S);
    for (int j = 0; j < T; j++)
        tuple_of(m, l, h, x[j], j, c + j * B_E, &a[j]); /* all keys, before line 4 needs them */
    for (int t = 0; t < T; t++) {                       /* 1 */
        /* 2, 3: above, for all t */
        for (int j = 0; j < T; j++)
            xi[j] = scale * plain_dot(a[j].k, a[t].q, B_S); /* 4 */
        if (m->masked_decode) {                             /* 5 */
            for (int j = t + 1; j < T; j++)
                xi[j] = -INFINITY;   /* 6 */
        }                            /* 7 */
        plain_softmax(xi, T, alpha); /* 8 */
        for (int s = 0; s < B_S; s++) {
            out[t * B_S + s] = 0;
            for (int i = 0; i < T; i++)
                out[t * B_S + s] += alpha[i] * a[i].v[s]; /* 9 */
        }
    } /* 10 */
    /* 11: the result is in out */
}

/* ---- SelfAttention(x_(1:T), H) --------------------------------------------------------------- */

static void self_attention(const Printed *m, int l, const int *x, int T, const double *c,
                           double *out)
{
    static double head[B_H][B_T * B_S];
    const Linear *w = &m->gpt->encoder.blocks[l].attn.out_proj;
    for (int h = 0; h < B_H; h++) {         /* 1 */
        sa_head(m, l, h, x, T, c, head[h]); /* 2 */
    }                                       /* 3 */
    for (int t = 0; t < T; t++) {           /* 4: B has c^h_(1:T) for c^h_t */
        double concat[B_E];
        for (int e = 0; e < B_E; e++)
            concat[e] = head[e / B_S][t * B_S + e % B_S];
        plain_linear(w->weight, w->bias, 0, B_E, concat, out + t * B_E);
        if (m->printed & PRINTED_OUTPUT)
            memcpy(out + t * B_E, concat, sizeof concat);
    }
    /* 5: the result is in out */
}

/* ---- TransformerDec(x_(1:T), H, L) ----------------------------------------------------------- */

/* c (E) becomes what a sub-layer made of it, y, or their sum. */
static void combine(const Printed *m, const double *y, double *c)
{
    for (int e = 0; e < B_E; e++)
        c[e] = (m->printed & PRINTED_RESIDUAL ? 0 : c[e]) + y[e];
}

static void transformer_dec(const Printed *m, const int *x, int T, double *c)
{
    static double in[B_T * B_E], out[B_T * B_E];
    for (int t = 0; t < T; t++) /* line 2 of SA_Head, as it is meant */
        embd(m->gpt, x[t], t, c + t * B_E);
    for (int l = 0; l < B_L; l++) { /* 1 */
        const TransformerBlock *block = &m->gpt->encoder.blocks[l];
        for (int t = 0; t < T; t++)
            norm(m, &block->norm1, c + t * B_E, in + t * B_E);
        self_attention(m, l, x, T, in, out); /* 2 */
        for (int t = 0; t < T; t++) {
            double normed[B_E], y[B_E];
            combine(m, out + t * B_E, c + t * B_E);
            norm(m, &block->norm2, c + t * B_E, normed);
            plain_mlp(&block->ff, normed, y); /* 3 */
            combine(m, y, c + t * B_E);
        }
    } /* 4 */
    /* 5: the result is in c */
}

/* ---- TransformerLM(x_(1:T), H, L) ------------------------------------------------------------ */

int transformer_lm(const Printed *m, const int *x, int T, double *p)
{
    static double c[B_T * B_E];
    transformer_dec(m, x, T, c);  /* 1 */
    for (int t = 0; t < T; t++) { /* 2 */
        double last[B_E], logits[B_I];
        norm(m, &m->gpt->encoder.norm, c + t * B_E, last);
        plain_linear(m->gpt->head.weight, NULL, 0, B_I, last, logits);
        plain_softmax(logits, B_I, p + t * B_I); /* 3 */
        if (m->printed & PRINTED_SOFTMAX)
            memcpy(p + t * B_I, logits, sizeof logits);
    }         /* 4 */
    return T; /* 5 */
}

/* ---- TransformerLM_Train(D) ------------------------------------------------------------------ */

/* w <- w - rate times the gradients that ag_backward has added up, which become 0. */
static void update(Params *p, double rate)
{
    for (int i = 0; i < p->count; i++)
        for (int64_t k = 0; k < tensor_size(p->weight[i]); k++)
            p->weight[i]->data[k] -= (real)(rate * (double)p->weight[i]->grad[k]);
    params_zero_grad(p);
}

bool transformer_lm_train(const Gpt *gpt, Params *params, const int *data, int T, int batch,
                          int steps, double eta, bool average)
{
    Tape *tape = tape_new(1);
    bool ok = tape != NULL;
    for (int step = 0; ok && step < steps; step++) {       /* 1 */
        const int *sample = data + step * batch * (T + 1); /* 2 */
        for (int b = 0; b < batch; b++) {                  /* 3 */
            const int *x = sample + b * (T + 1);
            tape_reset(tape);
            Tensor *logits = nn_gpt(gpt, tape_ids(tape, x, shape2(1, T))); /* 4 */
            Tensor *mean = ag_cross_entropy(logits, tape_ids(tape, x + 1, shape2(1, T)));
            ok = ag_backward(ag_scale(mean, (real)T)) && ok; /* 5: the sum over t; backward adds */
        }                                                    /* 6 */
        update(params, average ? eta / batch : eta);         /* 7: the mean over b */
    }                                                        /* 8 */
    tape_free(tape);
    return ok;
}

/* ---- TransformerLM_Generation(x_(1:t)) ------------------------------------------------------- */

bool transformer_lm_generation(const Printed *m, int *x, int t, int T,
                               int (*choose)(void *context, const double *p), void *context)
{
    static double p[B_T * B_I];
    for (int i = t; i < T; i++) { /* 1 */
        for (int j = i; j < T; j++)
            x[j] = 0; /* 2 */
        int length = m->printed & PRINTED_LENGTH ? T - 1 : T;
        int rows = transformer_lm(m, x, length, p); /* 3 */
        if (i > rows)
            return false;
        x[i] = choose(context, p + (i - 1) * B_I); /* 4: p_(i+1), B's numbers, is row i - 1 */
        if (x[i] < 0)
            return false;
    }            /* 5 */
    return true; /* 6: the words are in x */
}
