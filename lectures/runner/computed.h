/* computed.h: figures that are computed anew when a reader moves a control. The program computes
 * the first one for the page; in a page with the library (`./gradus lecture 1 --live`) the same C
 * functions run as WebAssembly. plot/html/live_computed.js draws them. */
#ifndef LECTURES_COMPUTED_H
#define LECTURES_COMPUTED_H

#include "gradus.h"

/* A slider, or, from 0 to 1 in steps of 1, a check box; label NULL: there is none. */
typedef struct {
    const char *label;
    double low, high, step, value;
} ComputedControl;

enum { COMPUTED_CONTROLS = 8 };

typedef struct ComputedFigure {
    const char *name; /* that of the Figure that it follows */
    const char *title, *about;
    ComputedControl control[COMPUTED_CONTROLS];
    bool pointed;     /* a pointer in the first drawing moves the first two controls, its x and y */
    int row;          /* a pointer on a row of the first map moves this control, from 1; 0: none */
    bool plays;       /* a button moves the first control to its end, by steps of 1 */
    const char *text; /* the reader's, at first; NULL: it needs none */
    /* Tells what is drawn, by the functions below. False with an error. */
    bool (*compute)(const double *value, const char *text);
} ComputedFigure;

/* Of all chapters, closed by NULL. */
extern const ComputedFigure *const computed_figures[];
extern const ComputedFigure through_time_computed, merges_computed, sinusoids_computed,
    saturation_computed, masks_computed, jobs_computed, residual_computed, truncated_computed,
    tree_computed, sound_computed, em_computed, manifold_computed;

/* Begins a drawing with axes, to which the next lines, points, bars and labels belong. A name NULL:
 * that axis has no numbers. */
void computed_axes(const char *x_name, const char *y_name, bool log_y);
/* A line, which ends where y is no number; points; bars, side by side with those of other names.
 * What has one name has one colour. */
void computed_line(const char *name, int count, const double *x, const double *y);
void computed_points(const char *name, int count, const double *x, const double *y);
void computed_bars(const char *name, int count, const char *const *labels, const double *y);
void computed_label(double x, double y, const char *text);
/* A map whose largest number is black; a token; what the numbers say. */
void computed_map(const char *name, int rows, int columns, const real *numbers);
void computed_token(const char *bytes, size_t count);
void computed_fact(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory for `count` numbers under a name, "FIGURE/WHAT"; computed_given finds them in `compute`.
 * NULL with an error: there is no memory, or there are none of so many. computed_numbers: the n-th
 * of a figure, as a page takes it; false: there are fewer. */
real *computed_give(const char *name, int count);
const real *computed_given(const char *name, int count);
bool computed_numbers(const ComputedFigure *f, int n, const char **name, const real **numbers,
                      int *count);

/* The answer to "NAME VALUE ...", with the reader's text after a newline, as JSON, until the next
 * call: {"drawings": [{"x", "y", "log", "marks": [{"as", "name", "x", "y", "labels"}]}], "maps":
 * [{"name", "rows", "columns", "numbers"}], "tokens": [...], "fact"}; as: "line", "points", "bars"
 * or "label". NULL with an error. */
const char *computed_answer(const char *request);

/* The same with the values that the controls have at first; and what the page makes the controls
 * of. */
const char *computed_first(const ComputedFigure *f);
const char *computed_controls(const ComputedFigure *f);

#endif
