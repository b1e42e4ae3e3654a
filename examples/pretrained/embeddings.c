/* embeddings.c: one vector for each text, the mean of its tokens' last hidden states, of length 1:
 * so sentence encoders are trained (Reimers and Gurevych, "Sentence-BERT", 2019). The similarity of
 * two texts is the cosine of their angle. */
#include "examples/pretrained/pretrained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Row b of out: the normalised mean over the first lengths[b] tokens of x (B, T, C). */
static void pool(const Tensor *x, const int32_t *lengths, real *out)
{
    int64_t B = x->shape.dim[0], T = x->shape.dim[1], C = x->shape.dim[2];
    for (int64_t b = 0; b < B; b++) {
        double square = 0;
        for (int64_t c = 0; c < C; c++) {
            double sum = 0;
            for (int64_t t = 0; t < lengths[b]; t++)
                sum += (double)x->data[(b * T + t) * C + c];
            out[b * C + c] = (real)(sum / lengths[b]);
            square += sum / lengths[b] * (sum / lengths[b]);
        }
        for (int64_t c = 0; c < C; c++)
            out[b * C + c] = (real)((double)out[b * C + c] / sqrt(square));
    }
}

enum { LABEL = 24 };

/* The end of a text, from a word on: where texts that begin alike differ. */
static const char *ending(const char *text, char label[LABEL])
{
    size_t n = strlen(text);
    const char *from = n < LABEL - 4 ? text : strchr(text + n - (LABEL - 4), ' ');
    snprintf(label, LABEL, "%s%s", !from || from == text ? "" : "\xe2\x80\xa6",
             from ? from : text + n - (LABEL - 4));
    return label;
}

static bool draw(const Settings *s, const real *e, int64_t C)
{
    int n = s->texts.count;
    char label[TEXTS_MAX][LABEL];
    const char *labels[TEXTS_MAX];
    real cosine[TEXTS_MAX * TEXTS_MAX];
    char stem[512];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t c = 0; c < C; c++)
                sum += (double)e[i * C + c] * (double)e[j * C + c];
            cosine[i * n + j] = (real)sum;
        }
    printf("\nsimilarity of the texts (cosine of their embeddings, %lld numbers each)\n",
           (long long)C);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            printf(" %6.3f", (double)cosine[i * n + j]);
        printf("   %s\n", s->texts.text[i]);
    }
    for (int i = 0; i < n; i++)
        labels[i] = ending(s->texts.text[i], label[i]);
    Tensor *map = tensor_from(cosine, shape2(n, n));
    PlotHeatmap h = {.map = map,
                     .rows = labels,
                     .columns = labels,
                     .row_name = "",
                     .column_name = "",
                     .scale = {.low = 0, .high = 1, .name = "cosine similarity"},
                     .values = true,
                     .title = "How alike are these texts?"};
    snprintf(stem, sizeof stem, "%s/similarity", s->common.out);
    bool ok = map && plot_heatmap(stem, &h, PLOT_PNG | PLOT_SVG | PLOT_PDF);
    tensor_free(map);
    return ok;
}

bool show_embeddings(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape)
{
    Tokens rows[TEXTS_MAX] = {{0}};
    TokenBatch b = {0};
    int64_t longest = m->config.positions - m->config.position_offset, C = m->config.channels;
    bool ok = true;
    for (int k = 0; ok && k < s->texts.count; k++)
        ok = data_tokens(t, (TokenInput){.text = s->texts.text[k], .longest = longest}, &rows[k]);
    ok = ok && data_token_batch(&b, rows, s->texts.count, m->config.pad);
    real *e = example_alloc((size_t)(s->texts.count * C) * sizeof *e);
    ok = ok && e;
    if (ok) {
        tape_reset(tape);
        Shape shape = shape2(b.B, b.T);
        Tensor *x = nn_pretrained_run(m, tape_ids(tape, b.ids, shape),
                                      m->types.weight ? tape_ids(tape, b.types, shape) : NULL,
                                      tape_ids(tape, b.lengths, shape1(b.B)), NULL);
        ok = !tensor_is_poison(x);
        if (ok)
            pool(x, b.lengths, e);
        ok = ok && draw(s, e, C);
    }
    for (int k = 0; k < s->texts.count; k++)
        data_tokens_free(&rows[k]);
    data_token_batch_free(&b);
    free(e);
    return ok;
}
