/* lab-plot.h: the model of the lab on figures, and the functions that you write. Your file includes
 * this header alone; it brings the tensors and the tape of gradus. */
#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include "autograd/autograd.h"
#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

enum { LAYERS = 2, HEADS = 4, TOKENS = 16, SVG_SIZE = 200000, TEXT_SIZE = 1000 };

/* Runs the model on a text of TOKENS ids. Afterwards the attention weights of layer l are on the
 * tape under the name "blocks.l.attn.A": (1, HEADS, TOKENS, TOKENS), queries in the rows, keys in
 * the columns. */
typedef void (*Model)(Tape *tape, const int *ids);

/* A text whose second half repeats the first, in which no letter occurs twice. */
static inline void draw_text(int *ids, Rng *rng)
{
    for (int i = 0; i < TOKENS / 2; i++)
        ids[i] = i;
    rng_shuffle(rng, ids, TOKENS / 2);
    for (int i = 0; i < TOKENS / 2; i++)
        ids[TOKENS / 2 + i] = ids[i];
}

/* What a head may do. README.md says to which key a query then attends. */
typedef enum { TO_PREVIOUS, TO_FIRST, TO_REPEAT, BEHAVIOURS } Behaviour;
static const char *const behaviour_words[BEHAVIOURS] = {"previous", "first", "repeat"};

typedef struct {
    int layer, head; /* from 0 */
} Head;

/* The mean weight with which queries 2 .. TOKENS - 1 of this head attend to the key of behaviour b;
 * queries that have no such key are left out; 0 where all are. A: (1, HEADS, TOKENS, TOKENS). */
TASK double head_score(const Tensor *A, int head, const int *ids, Behaviour b);

/* For each behaviour the head with the largest mean score over at least 8 texts. */
TASK void find_heads(Model model, Head found[BEHAVIOURS]);

/* Writes a figure of these heads on one text, as SVG closed by a 0, into svg (SVG_SIZE bytes).
 * False where it does not fit. README.md says what the figure must have. */
TASK bool figure(Model model, const Head found[BEHAVIOURS], char *svg);

/* Writes three sentences, closed by a 0, into text (TEXT_SIZE bytes). README.md says which. */
TASK void sentences(Model model, const Head found[BEHAVIOURS], char *text);

#endif
