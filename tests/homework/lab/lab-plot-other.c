/* lab-plot-other.c: a right answer in another style: scores by a table of keys, the figure with
 * groups, frames and comments, written back to front with a pointer. */
#include "lab-plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keys(const int *ids, Behaviour b, int key[TOKENS])
{
    int seen[256];
    for (int i = 0; i < 256; i++)
        seen[i] = -2;
    for (int i = 0; i < TOKENS; i++) {
        key[i] = b == TO_PREVIOUS ? i - 1 : b == TO_FIRST ? 0 : seen[ids[i]] + 1;
        seen[ids[i]] = i;
    }
}

double head_score(const Tensor *A, int head, const int *ids, Behaviour b)
{
    real *all = malloc((size_t)tensor_size(A) * sizeof *all);
    int key[TOKENS];
    double mean = 0, count = 0;
    tensor_read(A, all);
    keys(ids, b, key);
    for (int i = 2; i < TOKENS; i++)
        if (key[i] >= 0) {
            count++;
            mean += (all[(head * TOKENS + i) * TOKENS + key[i]] - mean) / count;
        }
    free(all);
    return mean;
}

static double mean_score(Model model, int layer, int head, Behaviour b)
{
    double sum = 0;
    for (int n = 0; n < 10; n++) {
        Rng rng = {.seed = 77, .stream = (uint64_t)n};
        Tape *tape = tape_new(0);
        int ids[TOKENS];
        char name[TENSOR_NAME_MAX];
        draw_text(ids, &rng);
        model(tape, ids);
        sprintf(name, "blocks.%d.attn.A", layer);
        sum += head_score(tape_find(tape, name), head, ids, b);
        tape_free(tape);
    }
    return sum / 10;
}

void find_heads(Model model, Head found[BEHAVIOURS])
{
    double best[BEHAVIOURS] = {0};
    for (int h = LAYERS * HEADS - 1; h >= 0; h--)
        for (int b = 0; b < BEHAVIOURS; b++) {
            double score = mean_score(model, h / HEADS, h % HEADS, (Behaviour)b);
            if (score > best[b]) {
                best[b] = score;
                found[b].layer = h / HEADS;
                found[b].head = h % HEADS;
            }
        }
}

bool figure(Model model, const Head found[BEHAVIOURS], char *svg)
{
    Tape *tape = tape_new(0);
    Rng rng = {.seed = 5};
    int ids[TOKENS];
    char *at = svg;
    draw_text(ids, &rng);
    model(tape, ids);
    at += sprintf(at, "<?xml version='1.0'?>\n<!-- heads -->\n<svg viewBox=\"0 0 400 1000\" "
                      "xmlns=\"http://www.w3.org/2000/svg\"><rect width=\"400\" height=\"1000\" "
                      "fill=\"white\"/>");
    for (int b = 0; b < BEHAVIOURS; b++) {
        char name[TENSOR_NAME_MAX];
        sprintf(name, "blocks.%d.attn.A", found[b].layer);
        const Tensor *A = tape_find(tape, name);
        double top = 60 + 310.0 * b;
        at += sprintf(at,
                      "<g><text y=\"%g\" x=\"60\" font-size=\"14\">%s: Head %d.%d, head of "
                      "the layer</text>",
                      top - 20, behaviour_words[b], found[b].layer, found[b].head);
        at += sprintf(at, "<text y=\"%g\" x=\"3\" font-size=\"13\">query</text>", top + 120);
        at += sprintf(at, "<text y=\"%g\" x=\"180\" font-size=\"13\">key</text>", top + 260);
        for (int c = 0; c < TOKENS * TOKENS; c++)
            at += sprintf(at,
                          "<rect fill-opacity=\"%.2f\" x=\"%g\" y=\"%g\" width=\"14.5\" "
                          "height=\"14.5\" fill=\"#204080\"></rect>",
                          (double)A->data[found[b].head * TOKENS * TOKENS + c],
                          60 + 15.0 * (c % TOKENS), top + 15.0 * (c / TOKENS));
        at += sprintf(at, "</g>\n");
    }
    sprintf(at, "</svg>");
    tape_free(tape);
    return at - svg < SVG_SIZE;
}

void sentences(Model model, const Head found[BEHAVIOURS], char *text)
{
    double p[BEHAVIOURS];
    for (int b = 0; b < BEHAVIOURS; b++)
        p[b] = 100 * mean_score(model, found[b].layer, found[b].head, (Behaviour)b);
    sprintf(text,
            "%.1f%% of the weight of head %d.%d goes to the token that followed the last repeat.\n"
            "The first token gets %.1f%% from head %d.%d.\nIn head %d.%d the previous one gets "
            "%.1f%%.\n",
            p[2], found[2].layer, found[2].head, p[1], found[1].layer, found[1].head,
            found[0].layer, found[0].head, p[0]);
}
