/* lab-plot.c: which head does what, as a figure and three sentences. README.md has the tasks. */
#include "lab-plot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* BEGIN SOLUTION: perhaps a function that finds the key of a behaviour */
enum { TEXTS = 16, CELL = 12, PANEL = TOKENS * CELL, GAP = 40, TOP = 40 };

/* The key that query i attends to by behaviour b; -1: there is none. */
static int key_of(const int *ids, int i, Behaviour b)
{
    if (b != TO_REPEAT)
        return b == TO_PREVIOUS ? i - 1 : 0;
    for (int j = i - 1; j >= 0; j--)
        if (ids[j] == ids[i])
            return j + 1;
    return -1;
}

static double weight(const Tensor *A, int head, int query, int key)
{
    const int64_t *step = A->stride;
    return (double)A->data[head * step[1] + query * step[2] + key * step[3]];
}
/* END SOLUTION */

double head_score(const Tensor *A, int head, const int *ids, Behaviour b)
{
    /* BEGIN SOLUTION: the mean of A over the queries that have such a key */
    double sum = 0;
    int queries = 0;
    for (int i = 2; i < TOKENS; i++) {
        int key = key_of(ids, i, b);
        sum += key < 0 ? 0 : weight(A, head, i, key);
        queries += key >= 0;
    }
    return queries ? sum / queries : 0;
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps the mean scores of all heads */
static const Tensor *maps_of(Tape *tape, int layer)
{
    return tape_find(tape, layer ? "blocks.1.attn.A" : "blocks.0.attn.A");
}

static void mean_scores(Model model, double score[LAYERS][HEADS][BEHAVIOURS])
{
    Rng rng = {.seed = 1};
    Tape *tape = tape_new(1);
    memset(score, 0, sizeof(double[LAYERS][HEADS][BEHAVIOURS]));
    for (int n = 0; n < TEXTS; n++) {
        int ids[TOKENS];
        draw_text(ids, &rng);
        tape_reset(tape);
        model(tape, ids);
        for (int h = 0; h < LAYERS * HEADS; h++)
            for (int b = 0; b < BEHAVIOURS; b++)
                score[h / HEADS][h % HEADS][b] +=
                    head_score(maps_of(tape, h / HEADS), h % HEADS, ids, (Behaviour)b) / TEXTS;
    }
    tape_free(tape);
}
/* END SOLUTION */

void find_heads(Model model, Head found[BEHAVIOURS])
{
    /* BEGIN SOLUTION: the mean score of each head over several texts; the largest */
    double score[LAYERS][HEADS][BEHAVIOURS];
    mean_scores(model, score);
    for (int b = 0; b < BEHAVIOURS; b++) {
        double largest = -1;
        for (int layer = 0; layer < LAYERS; layer++)
            for (int head = 0; head < HEADS; head++)
                if (score[layer][head][b] > largest) {
                    largest = score[layer][head][b];
                    found[b] = (Head){layer, head};
                }
    }
    /* END SOLUTION */
}

/* BEGIN SOLUTION: perhaps a function that adds to a text, and one that draws a panel */
static void add(char *to, size_t size, const char *format, ...)
{
    size_t used = strlen(to);
    va_list values;
    va_start(values, format);
    vsnprintf(to + used, size - used, format, values);
    va_end(values);
}

static void panel(char *svg, const Tensor *A, Head head, int b, int left)
{
    int size = 14, layer = head.layer, number = head.head;
    add(svg, SVG_SIZE, "<text x=\"%d\" y=\"%d\" font-size=\"%d\">", left, TOP - 10, size);
    add(svg, SVG_SIZE, "head %d.%d: %s</text>\n", layer, number, behaviour_words[b]);
    for (int i = 0; i < TOKENS; i++)
        for (int j = 0; j < TOKENS; j++) {
            double dark = weight(A, head.head, i, j);
            int x = left + j * CELL, y = TOP + i * CELL;
            add(svg, SVG_SIZE, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ", x, y, CELL,
                CELL);
            add(svg, SVG_SIZE, "fill=\"black\" fill-opacity=\"%.3f\"/>\n", dark);
        }
    add(svg, SVG_SIZE, "<text x=\"%d\" y=\"%d\" font-size=\"12\">key</text>\n", left + PANEL / 2,
        TOP + PANEL + 20);
}
/* END SOLUTION */

bool figure(Model model, const Head found[BEHAVIOURS], char *svg)
{
    /* BEGIN SOLUTION: run the model on one text; for each head a panel with title and cells */
    int ids[TOKENS], width = BEHAVIOURS * (PANEL + GAP) + GAP, height = TOP + PANEL + GAP;
    int middle = TOP + PANEL / 2;
    Rng rng = {.seed = 2};
    Tape *tape = tape_new(1);
    draw_text(ids, &rng);
    model(tape, ids);
    svg[0] = 0;
    add(svg, SVG_SIZE, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", width,
        height);
    for (int b = 0; b < BEHAVIOURS; b++)
        panel(svg, maps_of(tape, found[b].layer), found[b], b, GAP + b * (PANEL + GAP));
    add(svg, SVG_SIZE, "<text x=\"2\" y=\"%d\" font-size=\"12\">query</text>\n", middle);
    add(svg, SVG_SIZE, "</svg>\n");
    tape_free(tape);
    return strlen(svg) < SVG_SIZE - 1; /* a longer one was cut */
    /* END SOLUTION */
}

void sentences(Model model, const Head found[BEHAVIOURS], char *text)
{
    /* BEGIN SOLUTION: for each behaviour a sentence with its head and mean score in percent */
    static const char *const what[BEHAVIOURS] = {"the previous token", "the first token",
                                                 "the token after the repeat of its letter"};
    double score[LAYERS][HEADS][BEHAVIOURS];
    mean_scores(model, score);
    text[0] = 0;
    for (int b = 0; b < BEHAVIOURS; b++) {
        int layer = found[b].layer, head = found[b].head;
        add(text, TEXT_SIZE, "Head %d.%d attends to %s with %.0f %% of its weight. ", layer, head,
            what[b], 100 * score[layer][head][b]);
    }
    /* END SOLUTION */
}
