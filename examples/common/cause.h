/* cause.h: what an answer depends on: --cut, --patch, --lens and --sweep of the examples attention,
 * gpt and pretrained. What each takes is said in examples/attention/README.md; layers and heads
 * count from 1 there.
 *
 * Direct logit attribution and the lens: Elhage et al. 2021, "A mathematical framework for
 * transformer circuits"; nostalgebraist 2020. Attribution patching: Nanda 2023; Syed, Rager, Conmy
 * 2023. Path patching: Wang et al. 2023. Prefix matching: Olsson et al. 2022, "In-context learning
 * and induction heads". */
#ifndef EXAMPLES_CAUSE_H
#define EXAMPLES_CAUSE_H

#include "examples/common/html.h"
#include "plot/pages.h"

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

/* A model with an input, as these options see it. Its blocks are blocks.0, blocks.1, ..., with an
 * attention attn each. */
typedef struct {
    int layers, heads;
    const char *const *labels; /* of the tokens */
    int count;
    const int *ids; /* of the tokens, for induction heads; NULL: a picture                       */
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
/* Before a training: ends the program with status 2 where one of them needs another. */
void cause_check(const CauseOptions *o);
/* All that was asked for. Pictures go into --out. Without an effect where nothing was. */
bool cause_run(const Cause *c, const CauseOptions *o, const Common *common);
/* The prefix-matching score of a head: the mean over the queries whose token, ids[query], occurred
 * before of the weights A (B, H, T, T) of batch b to the tokens that came after it then. NaN where
 * no token occurs twice. */
double cause_prefix_matching(const Tensor *A, int b, int head, const int *ids);

/* ---- what cause.c and sweep.c share ---------------------------------------------------------- */

#define CAUSE_BLOCK "blocks.%d"
#define CAUSE_ATTN  "blocks.%d.attn"

/* The tapes: of the input, with gradients if wanted; of that of --from, or NULL; of edited runs. */
typedef struct {
    const Cause *c;
    Tape *base, *other, *edited;
    int right;
    double before;    /* log p of the right answer */
    PlotPageCut *cut; /* for the page, or NULL; of these, so many are filled */
    int cuts;
} CauseRun;

/* Layers count from 0. The output of a head at a row, or its arc from a row to a column; without a
 * head, -1, the residual stream after `layer` blocks at a row. Row -1: all; column -1: no arc. */
typedef struct {
    int layer, head, row, column;
} Place;
/* Begins an edited run: what is there is cut, or a stream's mean is taken; from: it is that of this
 * tape. Returns the base tape's tensor of the last place. Then the logits. */
Tensor *cause_edit(CauseRun *r, Tape *from, const Place *at, int count);
Tensor *cause_edited(CauseRun *r);
/* The most probable answer in V logits, its probability, and log p of the right one (change). */
PlotPageCut cause_answer(const CauseRun *r, const Tensor *logits, Place at);
/* sweep.c: all that --sweep names. logits: of the base tape. */
bool cause_sweep(CauseRun *r, const CauseOptions *o, Tensor *logits, const Common *common);

#endif
