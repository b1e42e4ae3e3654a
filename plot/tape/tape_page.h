/* tape_page.h: --html writes the first training step as a page, tape.html, through which its reader goes op by op.
 *
 *   tape_page.c      follows the tape, and hands what it saw to plot_page_tape
 *   tape_numbers.c   the numbers that are shown of a tensor, and what an op adds to a gradient
 *   tape_modules.c   the module of each op
 *   tape_files.c     the lines of C that called an op, and the comment with its equation and gradient
 *
 * Symbols, equations and shapes are those of --trace (trace.h), in the notation of each lecture. The step is the first
 * one in which backward ran. During the steps up to that one attention is computed by single ops, so that scores and A
 * are on the page; its sums are rounded otherwise, so that the last digits of a run may differ from those of a run
 * without --html. */
#ifndef PLOT_TAPE_PAGE_H
#define PLOT_TAPE_PAGE_H

#include "autograd/autograd.h"
#include "plot/pages.h"

/* From now on, until backward has run over a tape, records every step; then writes the page to this path. A failure
 * is left as the thread's error, which ag_backward's caller reports. title: of the page. Both texts are copied.
 * notation: as for trace_to: "", "V", "B", "H", "Z" or "J" is shown first. False, with an error, for another one. */
bool tape_page_begin(const char *path, const char *title, const char *notation);

/* Ends the recording where it has not ended: there was no step with backward. */
void tape_page_end(void);

/* ---- tape_numbers.c -------------------------------------------------------------------------------------- */

/* The numbers of t in `numbers` (its data, or its gradient; NULL for those of ids), less those of `before`, if it is
 * not NULL. The first row in which not all of those that are shown are 0. */
PlotNumbers tape_numbers_of(const Tensor *t, const real *numbers, const real *before);

/* The operands of an op that are shown; ag_concat may have thousands. */
enum { TAPE_OPERANDS = 8 };

/* Copies of the gradients of an op's operands (for a view, of its base's) as backward of the op finds them; NULL where there
 * is none. */
typedef struct {
    real *before[TAPE_OPERANDS];
} TapeGradients;

void tape_gradients_copy(TapeGradients *g, const Node *n);
void tape_gradients_free(TapeGradients *g);
/* Writes what backward of n has added to the gradient of operand i. False where it has added nothing, and where the operand
 * is one before i, too: that of x + x is shown once, with the sum of both contributions. */
bool tape_gradients_added(const TapeGradients *g, const Node *n, int i, PlotNumbers *added);

/* ---- tape_modules.c -------------------------------------------------------------------------------------- */

enum { TAPE_MODULE = TENSOR_NAME_MAX };

/* Writes the module of the op's first operand without a tape, such as "blocks.0.attn.out_proj", to path, of TAPE_MODULE bytes;
 * "" if there is none. Returns path. */
char *tape_weight_module(const Node *n, char *path);

/* Writes the module of each of the tape's ops to module[0] .. module[tape->nodes - 1], "" for none. An op with a
 * weight belongs to the weight's module, one whose result a module has named to this module (blocks.0.mid to blocks.0). Any
 * other op belongs to what the modules of the ops before and after it have in common. */
void tape_modules(const Tape *tape, char (*module)[TAPE_MODULE]);

/* ---- tape_files.c ---------------------------------------------------------------------------------------- */

enum { TAPE_FILES = 256 };

/* Files, each of them read once; the texts lie in the arena. */
typedef struct {
    Arena *arena;
    PlotTapeFile file[TAPE_FILES];
    int count;
} TapeFiles;

/* A copy of the text in the arena; NULL when memory is out. */
const char *tape_keep_text(Arena *arena, const char *text);
/* The index of the source file that the compiler knew by this name; -1 for NULL or if there are too many files. */
int tape_source_file(TapeFiles *files, const char *compiled);
/* The index of the first comment of autograd/ops/NAME.c, which states the equation and the gradient; -1 if there is none. */
int tape_rule_file(TapeFiles *files, const char *op);

#endif
