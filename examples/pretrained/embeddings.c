/* embeddings.c: one vector for each text, as the folder says how (the mean of the tokens' last
 * hidden states, the first token's, ...): so sentence encoders are trained (Reimers and Gurevych,
 * "Sentence-BERT", 2019). The similarity of two texts is the cosine of their angle. */
#include "examples/pretrained/pretrained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 24 };

/* The end of a text, where texts that begin alike differ: from a word on, or from within one. */
static const char *ending(const char *text, char label[LABEL])
{
    size_t n = strlen(text);
    if (n < LABEL - 4)
        return strcpy(label, text);
    const char *from = text + n - (LABEL - 4), *blank = strchr(from, ' ');
    while (!blank && (*from & 0xC0) == 0x80) /* at a character's first byte */
        from++;
    snprintf(label, LABEL, "\xe2\x80\xa6%s", blank ? blank : from);
    return label;
}

/* e (n, C), of length 1. */
static bool draw(const Settings *s, const PretrainedPooling *p, const Tensor *e)
{
    static const char *const of[] = {[POOLING_MEAN] = "means over the tokens",
                                     [POOLING_FIRST] = "the first token's",
                                     [POOLING_LAST] = "the last token's",
                                     [POOLING_MAX] = "largest over the tokens"};
    int64_t C = e->shape.dim[1];
    int n = s->texts.count;
    char label[TEXTS_MAX][LABEL];
    const char *labels[TEXTS_MAX];
    real cosine[TEXTS_MAX * TEXTS_MAX];
    char stem[512];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t c = 0; c < C; c++)
                sum += (double)e->data[i * C + c] * (double)e->data[j * C + c];
            cosine[i * n + j] = (real)sum;
        }
    printf("\nsimilarity of the texts (cosine of their embeddings: %lld numbers, %s%s)\n",
           (long long)C, of[p->kind], p->named ? ", as modules.json says" : "");
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

bool can_pool(const Pretrained *m, PretrainedPooling *p)
{
    tensor_on_error(NULL, NULL);
    bool ok = nn_pretrained_pooling(m, p);
    example_exit_on_error();
    return ok;
}

bool show_embeddings(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape)
{
    Tokens rows[TEXTS_MAX] = {{0}};
    TokenBatch b = {0};
    PretrainedPooling p;
    bool ok = true;
    if (!can_pool(m, &p)) {
        printf("\nno similarity of the texts: %s\n", tensor_error());
        tensor_clear_error();
        return true;
    }
    for (int k = 0; ok && k < s->texts.count; k++)
        ok = data_tokens(t, (TokenInput){.text = s->texts.text[k], .longest = longest_text(m)},
                         &rows[k]);
    ok = ok && data_token_batch(&b, rows, s->texts.count, m->config.pad);
    if (ok) {
        tape_reset(tape);
        Shape shape = shape2(b.B, b.T);
        Tensor *x = nn_pretrained_run(m, tape_ids(tape, b.ids, shape),
                                      m->types.weight ? tape_ids(tape, b.types, shape) : NULL,
                                      tape_ids(tape, b.lengths, shape1(b.B)), NULL);
        Tensor *e = unit_vectors(nn_pretrained_embed(&p, x, b.lengths));
        ok = !tensor_is_poison(e) && draw(s, &p, e);
    }
    for (int k = 0; k < s->texts.count; k++)
        data_tokens_free(&rows[k]);
    data_token_batch_free(&b);
    return ok;
}
