/* trace.c: see trace.h. */
#include "plot/tape/trace.h"

#include "plot/tape/tape_page.h"

#include <string.h>

/* The largest number of values that are shown of a row. */
enum { SHOWN = 4, SYMBOL_WIDTH = 16, EQUATION_WIDTH = 30, SHAPE_WIDTH = 30 };

typedef struct {
    FILE *out;
    int lecture;
    void (*over)(void);
    Tape *tape; /* the tape that is traced */
    bool had_maps, in_backward;
    const Node *pending;     /* computed but not printed yet, since a name may follow */
    char scope[TAPE_MODULE]; /* the module of the ops printed last                    */
    TapeGradients before;
} Trace;

static Trace trace; /* one for the process, like the watcher */

/* ---- a row ----------------------------------------------------------------------------------- */

/* How many bytes more than EQUATION_WIDTH make so many columns: the dot of a product has two. */
static int equation_bytes(const char *text)
{
    int width = EQUATION_WIDTH;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) == 0x80;
    return width;
}

/* A symbol and a shape, or an equation and a shape, and the first numbers. */
static void print_tensor(const Trace *t, const Tensor *x, const TapeNumbers *n)
{
    char text[TRACE_TEXT];
    fprintf(t->out, "%-*s ", SHAPE_WIDTH, trace_shape(x, t->lecture, text));
    if (n->row > 0)
        fprintf(t->out, " row %lld:", (long long)n->row + 1);
    for (int i = 0; i < n->columns && i < SHOWN; i++)
        fprintf(t->out, " %.4g", n->number[i]);
    fprintf(t->out, "%s\n",
            tensor_size(x) > (n->columns < SHOWN ? n->columns : SHOWN) ? " ..." : "");
}

/* Prints a heading if another module begins. */
static void print_scope(Trace *t, const Node *n)
{
    char scope[TAPE_MODULE];
    if (!*tape_weight_module(n, scope) || strcmp(scope, t->scope) == 0)
        return;
    memcpy(t->scope, scope, sizeof scope);
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
    trace_symbol(n->out, t->lecture, symbol);
    bool same = strcmp(trace_equation(n, t->lecture, text), symbol) == 0;
    fprintf(t->out, "%4d  %-*s %s%-*s ", trace_number(n), SYMBOL_WIDTH, symbol, same ? "  " : "= ",
            equation_bytes(text), same ? "" : text);
    TapeNumbers numbers = tape_numbers_of(n->out, n->out->data, NULL);
    print_tensor(t, n->out, &numbers);
}

/* ---- backward -------------------------------------------------------------------------------- */

static void print_gradient(const Trace *t, const char *mark, const Tensor *x, TapeNumbers numbers)
{
    char symbol[TRACE_SYMBOL];
    fprintf(t->out, "        %s dL/d %-*s ", mark, SYMBOL_WIDTH,
            trace_symbol(x, t->lecture, symbol));
    print_tensor(t, x, &numbers);
}

static void print_incoming(Trace *t, const Node *n)
{
    char text[TRACE_TEXT], symbol[TRACE_SYMBOL];
    if (!t->in_backward) {
        fputs("\nbackward: each op reads the gradient of its result (in) and adds to the gradient "
              "of each operand (add)\n",
              t->out);
        t->scope[0] = 0;
    }
    t->in_backward = true;
    print_scope(t, n);
    fprintf(t->out, "%4d  %s = %s\n", trace_number(n), trace_symbol(n->out, t->lecture, symbol),
            trace_equation(n, t->lecture, text));
    print_gradient(t, "in ", n->out, tape_numbers_of(n->out, n->out->grad, NULL));
    tape_gradients_copy(&t->before, n);
}

static void print_contributions(Trace *t, const Node *n)
{
    TapeNumbers added;
    for (int i = 0; i < TAPE_OPERANDS; i++)
        if (tape_gradients_added(&t->before, n, i, &added))
            print_gradient(t, "add", n->in[i], added);
    tape_gradients_free(&t->before);
}

/* ---- the tape's events ----------------------------------------------------------------------- */

static void end(Trace *t)
{
    t->tape->keep_maps = t->had_maps;
    fflush(t->out);
    tape_on_event(NULL);
    if (t->over)
        t->over();
}

static void follow(TapeEvent event, Tape *tape, const Node *n)
{
    Trace *t = &trace;
    if (t->tape ? tape != t->tape : event != TAPE_COMPUTED || tape->no_grad)
        return;
    if (!t->tape) {
        t->tape = tape;
        t->had_maps = tape->keep_maps;
        tape->keep_maps = true; /* so that scores and A are on the tape */
        fprintf(t->out, "forward: symbol, equation, shape, first numbers\n");
    }
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

bool trace_to(FILE *out, const char *lecture, void (*over)(void))
{
    trace = (Trace){.out = out, .lecture = trace_lecture(lecture), .over = over};
    if (trace.lecture >= 0)
        tape_on_event(follow);
    return trace.lecture >= 0;
}
