/* computed.h: figures that are computed anew when a reader moves a control. The program computes
 * the first one for the page; in a page with the library (`./gradus lecture 1 --live`) the same C
 * functions run as WebAssembly. plot/html/live_computed.js draws them. */
#ifndef LECTURES_COMPUTED_H
#define LECTURES_COMPUTED_H

#include "gradus.h"

/* A slider; label NULL: there is none. */
typedef struct {
    const char *label;
    double low, high, step, value;
} ComputedControl;

enum { COMPUTED_CONTROLS = 4 };

typedef struct ComputedFigure {
    const char *name; /* that of the Figure that it follows */
    const char *title, *about;
    const char *x_name, *y_name; /* of axes; NULL: lines are not drawn */
    bool log_y;
    ComputedControl control[COMPUTED_CONTROLS];
    const char *text; /* the reader's, at first; NULL: it needs none */
    /* Tells what is drawn, by the functions below. False with an error. */
    bool (*compute)(const double *value, const char *text);
} ComputedFigure;

/* Of all chapters, closed by NULL. */
extern const ComputedFigure *const computed_figures[];
extern const ComputedFigure through_time_computed, gates_computed, merges_computed,
    compare_computed, residual_computed, collapse_computed, patches_computed, sound_computed;

/* A line; a map whose largest number is black; a token; what the numbers say. */
void computed_line(const char *name, int count, const double *x, const double *y);
void computed_map(const char *name, int rows, int columns, const real *numbers);
void computed_token(const char *bytes, size_t count);
void computed_fact(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The answer to "NAME VALUE ...", with the reader's text after a newline, as JSON, until the next
 * call: {"lines": [{"name", "x", "y"}], "maps": [{"name", "rows", "columns", "numbers"}], "tokens":
 * [...], "fact"}. NULL with an error. */
const char *computed_answer(const char *request);

/* The same with the values that the controls have at first; and what the page makes the controls
 * of. */
const char *computed_first(const ComputedFigure *f);
const char *computed_controls(const ComputedFigure *f);

#endif
