/* looks.c: where the word looks, in a sequence of a picture and a protein (row 9; the model:
 * mixed.h).
 *                                                                     Z "Transformer processing" */
#include "lectures/02-tokens/mixed.h"

#include <string.h>

/* The weights (B, H, N, N) of the last layer. */
static Tensor *last_map(Exam *e, const Questions *q)
{
    tape_reset(e->tape);
    e->tape->keep_maps = true;
    mixed_logits(&e->model, mixed_tokens(&e->model, e->tape, q));
    return tape_find(e->tape, "blocks.1.attn.A");
}

/* The weight, mean over the heads, from the word to one key. */
static double from_word(const Tensor *A, int item, int key)
{
    double sum = 0;
    for (int h = 0; h < HEADS; h++)
        sum += (double)tensor_get(A, (int64_t[]){item, h, AT_WORD, key}) / HEADS;
    return sum;
}

/* Of questions about the protein that are answered with yes: the mean weight from the word to an
 * amino acid that it asks for, and to one that it does not ask for. */
static double where_it_looks(Trial *t)
{
    static Questions q;
    Exam e;
    double weight[2] = {0}, count[2] = {0};
    exam_begin(&e, true, t->seed);
    for (int k = 0; k < 16; k++) {
        int asked[BATCH];
        mixed_questions(&q, &e.album, &e.rng);
        for (int b = 0; b < BATCH; b++)
            asked[b] = q.ids[b][1];
        damage_questions(&q, broken(t, "no-word") ? NO_WORD : WHOLE);
        const Tensor *A = last_map(&e, &q);
        for (int b = 0; b < BATCH; b++)
            for (int i = 0; q.protein[b] && q.yes[b] && i < RESIDUES; i++) {
                bool same = q.residues[b][i] == asked[b];
                weight[same] += from_word(A, b, AT_RESIDUES + i);
                count[same]++;
            }
    }
    explain(t, "mean weight from the word to an amino acid that it asks for %.4f, to another %.4f",
            weight[1] / count[1], weight[0] / count[0]);
    exam_end(&e);
    return weight[1] / count[1] / (weight[0] / count[0]);
}

const Claim looks_claims[] = {
    {9, where_it_looks,
     "the word K looks at the amino acids K, across types, far more than at the others",
     .slides = {"Z: Transformer processing"},
     .quantity =
         "mean weight of amino acids that are asked for, over that of the others; one training",
     AT_LEAST(3, "1 if the word made no difference; some 150 of one kind, 600 of the other: an "
                 "error below 0.1"),
     .faults = {{"no-word", "the word is not told"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

enum { ASKED = 10 };

/* The same picture and protein under ten words: its digit and three others, then six letters, the
 * first of which the protein has. */
static void ask_one_thing(Questions *q, const char *names[ASKED + 1])
{
    static char texts[ASKED][24];
    int digit = q->ids[0][1] - ACIDS, first = q->residues[0][0];
    for (int i = 0; i < ASKED; i++) {
        memcpy(q->patches[i], q->patches[0], sizeof q->patches[0]);
        memcpy(q->residues[i], q->residues[0], sizeof q->residues[0]);
        int word = i < 4 ? ACIDS + (digit + 3 * i) % DIGITS : (first + i - 4) % ACIDS;
        q->ids[i][1] = word;
        snprintf(texts[i], sizeof texts[i], "%s?", mixed_names[word]);
        names[i] = texts[i];
    }
    names[ASKED] = NULL;
}

static bool draw_asked(const Sketch *s)
{
    static Questions q;
    static char patch[PATCHES][8];
    const char *rows[ASKED + 1], *columns[N - AT_PATCHES + 1] = {NULL};
    Exam e;
    exam_begin(&e, true, s->seed);
    do /* a question about the picture, to be answered with yes: its word is the digit */
        mixed_questions(&q, &e.album, &e.rng);
    while (q.protein[0] || !q.yes[0]);
    ask_one_thing(&q, rows);
    const Tensor *A = last_map(&e, &q);
    Tensor *map = tensor_new(shape2(ASKED, N - AT_PATCHES));
    for (int i = 0; i < ASKED; i++)
        for (int key = AT_PATCHES; key < N; key++)
            map->data[i * (N - AT_PATCHES) + key - AT_PATCHES] = (real)from_word(A, i, key);
    for (int n = 0; n < N - AT_PATCHES; n++) {
        if (n < PATCHES)
            snprintf(patch[n], sizeof patch[n], "%d,%d", n / SIDE + 1, n % SIDE + 1);
        columns[n] = n < PATCHES ? patch[n] : mixed_names[q.residues[0][n - PATCHES]];
    }
    const PlotHeatmap h = {.map = map,
                           .rows = rows,
                           .columns = columns,
                           .row_name = "the word that is asked",
                           .column_name =
                               "patches (row, column), then amino acids; layer 2, mean of 4 heads",
                           .scale = {.low = 0,
                                     .high = ceil(10 * values_largest(map)) / 10,
                                     .name = "attention weight"},
                           .title =
                               sketch_title(s, "One picture, one protein: where each word looks")};
    bool ok = plot_heatmap(s->stem, &h, s->formats);
    tensor_free(map);
    exam_end(&e);
    return ok;
}

const Figure looks_figures[] = {
    {9, "asked", draw_asked,
     .what = "a letter looks at the amino acids that it asks for, a number at the patches"},
    {0},
};
