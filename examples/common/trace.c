/* trace.c: see trace.h. */
#include "examples/common/trace.h"
#include "examples/common/example.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

/* The largest number of operands whose gradients are shown. */
enum { SHOWN = 4, OPERANDS = 3, SYMBOL_WIDTH = 16, EQUATION_WIDTH = 30, SHAPE_WIDTH = 30 };

typedef struct {
    FILE *out;
    int lecture;
    bool ends;  /* does the program end after the step?                      */
    Tape *tape; /* the tape that is traced                                   */
    bool had_maps, over;
    const Node *pending; /* computed but not printed yet, since a name may follow     */
    bool in_backward;
    int number;             /* of the next op to print; in backward, one more than that   */
    char scope[TRACE_TEXT]; /* the module of the ops printed last                        */
    real *before[OPERANDS]; /* the operands' gradients before backward of the op         */
} Trace;

/* ---- a row ----------------------------------------------------------------------------------------------- */

/* The first numbers of row r of t's values or gradient, minus those of `before`; false if all are 0. */
static bool first_numbers(const Tensor *t, const real *numbers, const real *before, int64_t r,
                          real first[SHOWN], int *shown)
{
    bool any = false;
    int64_t last = t->shape.rank ? shape_last(t->shape) : 1;
    int64_t stride = t->shape.rank ? t->stride[t->shape.rank - 1] : 1;
    *shown = last < SHOWN ? (int)last : SHOWN;
    for (int i = 0; i < *shown; i++) {
        int64_t at = tensor_offset(t, r * last) + i * stride;
        first[i] = numbers[at] - (before ? before[at] : 0);
        any |= first[i] != 0;
    }
    return any;
}

/* Prints the first row in which not all of these are 0, since the gradient of a loss is often 0 in most rows. */
static void print_numbers(FILE *out, const Tensor *t, const real *numbers, const real *before)
{
    real first[SHOWN];
    int shown = 0;
    int64_t r = 0, rows = tensor_size(t) > 0 ? shape_rows(t->shape) : 0;
    while (numbers && r < rows && !first_numbers(t, numbers, before, r, first, &shown))
        r++;
    if (r == rows) /* all rows are 0 */
        r = 0;
    if (r > 0)
        fprintf(out, " row %lld:", (long long)r);
    for (int i = 0; i < shown; i++)
        fprintf(out, " %.4g", (double)first[i]);
    fprintf(out, "%s\n", tensor_size(t) > shown ? " ..." : "");
}

/* Pads to a width in characters: all symbols are ASCII. */
static void column(FILE *out, const char *text, int width)
{
    fprintf(out, "%-*s ", width, text);
}

/* Prints a heading if another module begins. */
static void print_scope(Trace *t, const Node *n)
{
    char scope[TRACE_TEXT];
    if (!*trace_scope(n, scope) || strcmp(scope, t->scope) == 0)
        return;
    snprintf(t->scope, sizeof t->scope, "%s", scope);
    fprintf(t->out, "%s\n", scope);
}

static void print_pending(Trace *t)
{
    char text[TRACE_TEXT], symbol[TRACE_SYMBOL];
    const Node *n = t->pending;
    if (!n)
        return;
    t->pending = NULL;
    print_scope(t, n);
    fprintf(t->out, "%4d  ", t->number++);
    column(t->out, trace_symbol(n->out, t->lecture, symbol), SYMBOL_WIDTH);
    bool same = strcmp(trace_equation(n, t->lecture, text), symbol) == 0;
    fprintf(t->out, same ? "  " : "= ");
    column(t->out, same ? "" : text, EQUATION_WIDTH);
    column(t->out, trace_shape(n->out, t->lecture, text), SHAPE_WIDTH);
    print_numbers(t->out, n->out, n->out->data, NULL);
}

/* ---- backward -------------------------------------------------------------------------------------------- */

static void print_gradient(const Trace *t, const char *mark, const Tensor *x, const real *before)
{
    char text[TRACE_TEXT], symbol[TRACE_SYMBOL];
    fprintf(t->out, "        %s dL/d ", mark);
    column(t->out, trace_symbol(x, t->lecture, symbol), SYMBOL_WIDTH);
    column(t->out, trace_shape(x, t->lecture, text), SHAPE_WIDTH);
    print_numbers(t->out, x, x->grad, before);
}

/* A copy of x's gradient before this op (for a view, that of its base); NULL if memory runs out. */
static real *copy_gradient(const Tensor *x)
{
    const Tensor *owner = x->base ? x->base : x;
    size_t bytes = (size_t)tensor_size(owner) * sizeof(real);
    real *copy = owner->grad && bytes ? example_alloc(bytes) : NULL;
    return copy ? memcpy(copy, owner->grad, bytes) : NULL;
}

static void print_incoming(Trace *t, const Node *n)
{
    char text[TRACE_TEXT], symbol[TRACE_SYMBOL];
    if (!t->in_backward)
        fprintf(
            t->out,
            "\nbackward: each op reads the gradient of its result (in) and adds to the gradient of "
            "each operand (add)\n");
    if (!t->in_backward)
        t->scope[0] = 0;
    t->in_backward = true;
    print_scope(t, n);
    while (t->number > 0 && t->tape->node[t->number - 1] != n)
        t->number--;
    fprintf(t->out, "%4d  %s = %s\n", t->number - 1, trace_symbol(n->out, t->lecture, symbol),
            trace_equation(n, t->lecture, text));
    print_gradient(t, "in ", n->out, NULL);
    for (int i = 0; i < n->inputs && i < OPERANDS; i++)
        t->before[i] = n->in[i] && n->in[i]->needs_grad ? copy_gradient(n->in[i]) : NULL;
}

/* An operand used twice (x + x) is shown once, with the sum of both contributions. */
static void print_contributions(Trace *t, const Node *n)
{
    for (int i = 0; i < n->inputs && i < OPERANDS; i++) {
        const Tensor *x = n->in[i];
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= n->in[k] == x;
        if (t->before[i] && !again)
            print_gradient(t, "add", x, t->before[i] + (x->base ? x->offset : 0));
        free(t->before[i]);
    }
}

/* ---- the tape's events ------------------------------------------------------------------------------------- */

static void begin(Trace *t, Tape *tape)
{
    t->tape = tape;
    t->had_maps = tape->keep_maps;
    tape->keep_maps = true; /* so that scores and A are on the tape */
    fprintf(t->out, "forward: symbol, equation, shape, first numbers\n");
}

static void end(Trace *t)
{
    print_pending(t);
    t->tape->keep_maps = t->had_maps;
    t->over = true;
    fflush(t->out);
    if (t->ends)
        exit(0);
}

static Trace trace; /* one for the process, like the watcher */

static void follow(TapeEvent event, Tape *tape, const Node *n)
{
    Trace *t = &trace;
    if (t->over || (t->tape ? tape != t->tape : event != TAPE_COMPUTED || tape->no_grad))
        return;
    if (!t->tape)
        begin(t, tape);
    print_pending(t);
    if (event == TAPE_COMPUTED)
        t->pending = n;
    else if (event == TAPE_BACKWARD_BEGINS)
        print_incoming(t, n);
    else if (event == TAPE_BACKWARD_DONE)
        print_contributions(t, n);
    else
        end(t);
}

bool trace_to(FILE *out, const char *lecture)
{
    trace = (Trace){.out = out, .lecture = trace_lecture(lecture)};
    if (trace.lecture >= 0)
        tape_on_event(follow);
    return trace.lecture >= 0;
}

void trace_begin(const char *lecture)
{
    if (!trace_to(stdout, lecture))
        options_refuse("--trace: found '%s'; expected nothing, or =V, =B, =H, =Z or =J", lecture);
    trace.ends = true;
}
