/* tape_page.h: --html writes the first training step as a page, tape.html, through which its reader
 * goes op by op.
 *
 *   tape_page.c     follows the tape, and records what backward does to gradients that are released after it
 *   tape_write.c    writes the page, which plot/html/tape.js draws
 *   tape_numbers.c  the numbers that are shown of a tensor, and what an op adds to a gradient
 *   tape_modules.c  the module of each op
 *   tape_files.c    the lines of C that called an op, and the comment with its equation and gradient
 *
 * Symbols, equations and shapes are those of --trace (trace.h), in the notation of each lecture.
 * The step is the first one in which backward ran. During the steps up to that one attention is
 * computed by single ops, so that scores and A are on the page; its sums are rounded otherwise, so
 * that the last digits of a run may differ from those of a run without --html. */
#ifndef PLOT_TAPE_PAGE_H
#define PLOT_TAPE_PAGE_H

#include "autograd/autograd.h"
#include "plot/pages.h"
#include "tensor/memory.h"

typedef struct Page Page; /* plot/html/page.h */

/* From now on, until backward has run over a tape, records every step; then writes the page to this
 * path. A failure is left as the thread's error, which ag_backward's caller reports. title: of the
 * page. Both texts are copied. notation: as for trace_to: "", "V", "B", "H", "Z" or "J" is shown
 * first. False, with an error, for another one. */
bool tape_page_begin(const char *path, const char *title, const char *notation);

/* The same page with the library in it, which runs other sentences. `live` and what it points to
 * must stay until the page is written. */
void tape_page_live(const PlotPageLive *live);

/* The same recording without a file: once backward has run, tape_page_data writes the data of the
 * page as JSON, as snprintf does; 0, with an error, where there was no such step. */
void tape_page_record(void);
size_t tape_page_data(char *text, size_t size);

/* Ends the recording where it has not ended, for there was no step with backward; and releases the
 * data of tape_page_record. */
void tape_page_end(void);

/* ---- tape_numbers.c -------------------------------------------------------------------------- */

enum {
    TAPE_OPS = 6000,   /* the most ops of a tape that a page shows                          */
    TAPE_OPERANDS = 8, /* the operands of an op that are shown; ag_concat may have thousands */
    TAPE_ROWS = 4,     /* of the numbers that are shown of a tensor                         */
    TAPE_COLUMNS = 6
};

/* Some numbers of a tensor, which is taken as a matrix whose columns are its last axis: `rows` by
 * `columns` of them, row by row, from row `row` and column 0 on. rows 0: no numbers are known. The
 * last five describe all of its numbers. */
typedef struct {
    int64_t row;
    int rows, columns;
    double number[TAPE_ROWS * TAPE_COLUMNS];
    double low, high, mean; /* of the finite numbers                            */
    double norm;            /* the square root of the sum of their squares      */
    int64_t not_finite;     /* how many are NaN or infinite                     */
} TapeNumbers;

/* The numbers of t in `numbers` (its data, or its gradient; NULL for those of ids), less those of
 * `before`, if it is not NULL. The first row in which not all of those that are shown are 0. */
TapeNumbers tape_numbers_of(const Tensor *t, const real *numbers, const real *before);

/* Copies of the gradients of an op's operands (for a view, of its base's) as backward of the op
 * finds them; NULL where there is none. */
typedef struct {
    real *before[TAPE_OPERANDS];
} TapeGradients;

void tape_gradients_copy(TapeGradients *g, const Node *n);
void tape_gradients_free(TapeGradients *g);
/* Writes what backward of n has added to the gradient of operand i. False where it has added
 * nothing, and where the operand is one before i, too: that of x + x is shown once, with the sum of
 * both contributions. */
bool tape_gradients_added(const TapeGradients *g, const Node *n, int i, TapeNumbers *added);

/* ---- tape_modules.c -------------------------------------------------------------------------- */

enum { TAPE_MODULE = TENSOR_NAME_MAX };

/* Writes the module of the op's first operand without a tape, such as "blocks.0.attn.out_proj", to
 * path, of TAPE_MODULE bytes; "" if there is none. Returns path. */
char *tape_weight_module(const Node *n, char *path);

/* Writes the module of each of the tape's ops to module[0] .. module[tape->nodes - 1], "" for none.
 * An op with a weight belongs to the weight's module, one whose result a module has named to this
 * module (blocks.0.mid to blocks.0). Any other op belongs to what the modules of the ops before and
 * after it have in common. */
void tape_modules(const Tape *tape, char (*module)[TAPE_MODULE]);

/* ---- tape_files.c ---------------------------------------------------------------------------- */

enum { TAPE_FILES = 256 };

/* Files, each of them read once; the texts lie in the arena. text NULL: the file was not found. */
typedef struct {
    Arena *arena;
    struct {
        const char *path, *text;
    } file[TAPE_FILES];
    int count;
} TapeFiles;

/* The index of the source file that the compiler knew by this name; -1 for NULL or if there are too
 * many files. */
int tape_source_file(TapeFiles *files, const char *compiled);
/* The index of the first comment of autograd/ops/NAME.c, which states the equation and the
 * gradient; -1 if there is none. */
int tape_rule_file(TapeFiles *files, const char *op);

/* ---- tape_write.c ---------------------------------------------------------------------------- */

/* What backward did at an op: it came there as the turn-th, from 0 (-1: never), found this gradient
 * of the result, added `added` to the gradient of each operand and left it with `sum`. */
typedef struct {
    int turn;
    TapeNumbers gradient;
    struct {
        TapeNumbers added, sum;
    } operand[TAPE_OPERANDS];
} TapeBackward;

/* Writes a tape with all its results to the page, as members of its data; backward[i]: of its i-th
 * node. Memory comes from the arena. False, with an error, when memory is out. */
bool tape_write(Page *p, int notation, const Tape *tape, const TapeBackward *backward,
                Arena *arena);

#endif
