/* cause.h: what an answer depends on: --cut, --patch, --lens and --sweep of all examples.
 *
 *   --cut 2.4            head 4 of layer 2 gives zeros               (zero ablation)
 *   --cut 2.4:it:animal  the weight A of this head from "it" to "animal" is 0
 *   --patch resid.1:it   the residual stream after 1 layer at "it" is that of --from
 *   --patch 2.4          the output of this head is that of --from; 2.4:it: at this token
 *   --patch 1.2-2.4.k    what head 1.2 sends to the keys (q, v) of head 2.4 alone is that of --from
 *   --lens               the answer that is read from each layer, and what each head adds to it
 *   --sweep heads        each head by itself; positions: each token after each layer (without --from
 *                        set to the mean of all); arcs: each weight of the asked token
 *   --sweep induction    the prefix-matching score of each head
 *
 * Layers and heads count from 1. Beside each change of a sweep stands attribution patching,
 * gradient times difference (Nanda 2023; Syed, Rager, Conmy 2023). Direct logit attribution and the
 * lens: Elhage et al. 2021, "A mathematical framework for transformer circuits"; nostalgebraist
 * 2020. Path patching: Wang et al. 2023. Prefix matching: Olsson et al. 2022, "In-context learning
 * and induction heads". */
#ifndef EXAMPLES_CAUSE_H
#define EXAMPLES_CAUSE_H

#include "examples/common/html.h"

typedef struct {
    TextList cut, patch, sweep;
    const char *from;
    bool lens;
} CauseOptions;

/* Rows of an example's table of options; o is its CauseOptions. */
/* clang-format off */
#define CAUSE_OPTIONS(o)                                                                           \
    {"cut", OPTION_TEXTS, &(o).cut, "L.H[:Q:K]",                                                   \
     "cut head H of layer L, or its arc from token Q to K: how does the answer change?", 0, 0},    \
    {"patch", OPTION_TEXTS, &(o).patch, "WHAT",                                                    \
     "take resid.L:TOKEN, L.H[:TOKEN] or L.H-L.H.q (k, v) from --from", 0, 0},                     \
    {"from", OPTION_TEXT, &(o).from, "INPUT", "another input, of as many tokens", 0, 0},           \
    {"lens", OPTION_FLAG, &(o).lens, NULL, "read the answer from each layer", 0, 0},               \
    {"sweep", OPTION_TEXTS, &(o).sweep, "WHAT",                                                    \
     "heads, positions or arcs: change each by itself; with --html, cuts.html; or induction: "     \
     "find induction heads", 0, 0}
/* clang-format on */

/* A model with an input, as these options see it. */
typedef struct {
    const char *block, *attn; /* the blocks' paths, "blocks.%d"; the attention in them, "attn" */
    int layers, heads;
    const char *const *rows, *const *columns; /* labels of queries (positions) and keys          */
    int row_count, column_count;
    int position; /* the row whose answer is asked; -1: that of all together                     */
    int right;    /* the answer that is followed; -1: the model's own                            */
    /* Writes or returns the name of an answer; the next call but one may write over it. */
    const char *(*name)(void *model, int answer);
    /* The logits, V numbers, of the input (0) or of that of --from (1). */
    Tensor *(*logits)(void *model, Tape *tape, int which);
    /* The same from the residual stream (1, T, C), for --lens. */
    Tensor *(*read)(void *model, Tensor *stream);
    /* Where the answer is linear in the last norm's result: for direct logit attribution. */
    const Norm *norm;
    const Linear *head;
    const Params *params;
    void *model;
} Cause;

/* Are any of the options given? */
bool cause_wanted(const CauseOptions *o);
/* Before a training: ends the program with status 2 where one of them needs another, or where one
 * is given beside `other`, an option with which nothing is asked, or NULL. */
void cause_check(const CauseOptions *o, const char *other);
/* All that was asked for. Pictures go into --out. Without an effect where nothing was. */
bool cause_run(const Cause *c, const CauseOptions *o, const Common *common);
/* The prefix-matching score of a head: the mean over the queries whose token, ids[query], occurred
 * before of the weights A (B, H, T, T) of batch b to the tokens that came after it then. NaN where
 * no token occurs twice. */
double cause_prefix_matching(const Tensor *A, int b, int head, const int *ids);

/* ---- what cause.c and sweep.c share ---------------------------------------------------------- */

/* The tapes: of the input, with gradients if wanted; of the input of --from; of the edited run. */
typedef struct {
    const Cause *c;
    Tape *base, *other, *edited;
    int right;
    double before;    /* log p of the right answer */
    bool patched;     /* is there an --from? */
    PlotPageCut *cut; /* for the page, or NULL; of these, so many are filled */
    int cuts;
} CauseRun;

/* Layers count from 0. The output of a head at a row, or its arc from a row to a column; without a
 * head, -1, the residual stream after `layer` blocks at a row. Row -1: all; column -1: no arc. */
typedef struct {
    int layer, head, row, column;
} Place;
typedef struct {
    char name[TENSOR_NAME_MAX];
    Edit edit;
} Intervention;
/* What is there is cut, or a stream's mean is taken; patch: it is that of --from. */
Intervention cause_at(const CauseRun *r, bool patch, Place at);
/* "blocks.1.attn.heads", or without `attn` "blocks.1.out". */
const char *cause_path(const Cause *c, int layer, bool attn, const char *part, char *name);
/* The logits under these interventions; layers before the first are those of the base tape. */
Tensor *cause_edited(CauseRun *r, const Intervention *e, int count);
/* The most probable answer in V logits, its probability, and log p of the right one (change). */
PlotPageCut cause_answer(const CauseRun *r, const Tensor *logits, Place at);
/* sweep.c: all that --sweep names. logits: of the base tape. */
bool cause_sweep(CauseRun *r, const CauseOptions *o, Tensor *logits, const Common *common);

#endif
