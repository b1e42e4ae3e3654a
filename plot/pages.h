/* pages.h: pages for a browser, in which a reader hovers, clicks and types.
 *
 *   attention   the attention maps of a model, with their gradients       plot/html/attention.c
 *   generation  the distributions from which a text was generated           plot/html/generation.c
 *
 * A page is one .html file. Its style, its script and its data are inside; it loads nothing, works
 * without a network, and its content security policy allows no other script. It needs a browser of
 * 2024 or later. Missing directories are created; the file is replaced as a whole or not at all.
 *
 * Texts are UTF-8, may contain any bytes, and are shown literally: a token "<script>" stays text.
 * Numbers are stored in 8 or 16 bits; the page states the largest rounding error.
 *
 * Every function returns false with an error (tensor_error) on bad arguments, when the file cannot
 * be written, and when memory runs out. */
#ifndef GRADUS_PLOT_PAGES_H
#define GRADUS_PLOT_PAGES_H

#include "nn/decode/decode.h"

GRADUS_BEGIN

enum {
    PLOT_PAGE_TOKENS = 2048,      /* the longest axis of a map on a page */
    PLOT_PAGE_NUMBERS = 100000000 /* the most numbers of a page          */
};

/* The library in a page, which then computes by itself. */
typedef struct {
    const char *module;    /* the file that ./gradus build live.js writes (examples/live)       */
    const char *model;     /* one that the module knows, such as "attention channels=64 heads=4" */
    const Params *weights; /* its weights, stored in 16 bits a number; NULL: those of a seed     */
    const char *text;      /* what the reader's line begins with; NULL: what the page shows     */
} PlotPageLive;

/* One layer of an attention: its weights A, (H, T, S) or (B, H, T, S); also (T, S), as one head.
 * With the gradient dL/dA, a tensor of the same shape or the map's own, the page shows A * dL/dA,
 * too. With q, (H, T, d) or (B, H, T, d), and k, the same with S and with heads that divide H, it
 * shows which channels make a score: q_c k_c / sqrt(d) for each channel c. All layers have one
 * shape. */
typedef struct {
    const Tensor *map;
    const Tensor *gradient; /* NULL: the map's own, if it has one       */
    const Tensor *q, *k;    /* NULL, or there in all layers             */
} PlotPageLayer;

/* An image that is cut into patches; the tokens first, first + 1, ... of the columns (and of the
 * rows, if T = S) are its patches, row by row. */
typedef struct {
    /* (h, w), (1, h, w) or (3, h, w): brightness or red, green, blue, from 0 to 1; NULL: none */
    const Tensor *image;
    int patch; /* the side of a patch, which divides h and w */
    int first; /* how many tokens come before the patches, such as 1 for [CLS] */
} PlotPagePicture;

/* One attention of a model, such as an encoder's self-attention. */
typedef struct {
    const char *name; /* NULL: "self-attention" */
    const PlotPageLayer *layers;
    int layer_count;
    int item;                                 /* which of the batch                      */
    const char *const *rows, *const *columns; /* the tokens, as in PlotHeatmap         */
    int row_count, column_count;              /* show only the first so many; 0: all     */
    PlotPagePicture picture;
} PlotPageAttention;

/* The answer without a head of the first attention, or without one weight of it. */
typedef struct {
    int layer, head, row, column; /* from 0; row -1: of all queries; column -1: the whole head  */
    char answer[48];              /* the most probable one                                      */
    double probability, change;   /* of this answer; of log p of the right one, in nats         */
} PlotPageCut;
typedef struct {
    const char *right;      /* the right answer                                            */
    const PlotPageCut *cut; /* the first: nothing is cut; its change is log p itself       */
    int count;              /* 0: none                                                     */
} PlotPageCuts;

/* The weight that a page opens with: query and key of the first attention, both from 1, and the
 * layer and head, or 0: those with the largest such weight. {0}: none. */
typedef struct {
    int layer, head, query, key;
} PlotPageFocus;

/* What went through the model once, such as a sentence, with the attentions that it caused. */
typedef struct {
    const char *title; /* NULL: none */
    /* What L of dL/dA is: "the mean cross-entropy of the next tokens". NULL: the page does not
     * say. */
    const char *loss;
    const PlotPageAttention *attentions;
    int attention_count;
    PlotPageFocus focus; /* what the page opens with */
    PlotPageCuts cuts;   /* what a click on a head or an arc shows; {0}: none */
} PlotPageInput;

/* A page on attention. With several inputs a reader chooses among them, or sees two side by
 * side. */
typedef struct {
    const char *title; /* NULL: "Attention" */
    const PlotPageInput *inputs;
    int input_count;
    const PlotPageLive *live; /* a reader types other sentences; NULL: the page shows these */
} PlotPage;

/* Writes the page of a model's attention maps to a file such as "out/attention/attention.html".
 * Error: no input, attention or layer at all; a map of another rank, or longer than
 * PLOT_PAGE_TOKENS; more than PLOT_PAGE_NUMBERS numbers; q without k, or one that does not fit its
 * map; a picture whose patches are not the map's tokens; a cut of no head, query or key. */
GRADUS_API bool plot_page_attention(const char *path, const PlotPage *page);

/* ---- generated text ----------------------------------------------------- html/generation.c -- */

/* A text that a model generated: the logits of each step, and what was chosen. The page shows the
 * distribution of each step as temperature, top-k and top-p leave it (nn_temperature, nn_top_k and
 * nn_top_p of decode.h, in this order), draws from it, and the beam's tree. The logits are stored
 * as floats, or, if they are more than 120,000, in 16 bits. */
typedef struct {
    const char *title;             /* NULL: "Generation"                                          */
    const char *const *vocabulary; /* (words): the text of each token                            */
    int64_t words;                 /* V                                                           */
    const char *prompt;            /* the text before the first step; NULL: none                  */
    const Tensor *logits;          /* (steps, V), finite; -infinity: forbidden by a rule          */
    const int32_t *tokens;         /* (steps): the tokens that were chosen                        */
    double temperature;            /* the settings with which the page opens: those of the run    */
    int64_t top_k;                 /* V or more: all                                              */
    double top_p;                  /* 1: all                                                      */
    bool drawn;                    /* by nn_sample; otherwise the largest logit was chosen        */
    Rng rng;                       /* of nn_sample, as it was before the first step               */
    const BeamTree *beam;          /* from the same prompt; NULL: none                            */
    int32_t end;                   /* the token that ends a hypothesis of the beam; -1: none      */
    const PlotPageLive *live; /* a reader types other prompts; NULL: the page shows this text */
} PlotPageGeneration;

/* Writes the page to a file such as "out/gpt/generation.html". Error: no vocabulary, tokens or
 * logits; logits of another shape, or not finite; more than PLOT_PAGE_TOKENS steps or
 * PLOT_PAGE_NUMBERS logits; settings that decode.h refuses; a token outside of the vocabulary; a
 * beam that nn_beam did not make. */
GRADUS_API bool plot_page_generation(const char *path, const PlotPageGeneration *generation);

GRADUS_END

#include "placed/pages.h" /* macros: an error names the program's line */
#endif
