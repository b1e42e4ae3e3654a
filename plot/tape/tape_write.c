/* tape_write.c: the data of the page of a tape, as JSON. See tape_page.h; plot/html/tape.js draws
 * them. */
#include "plot/html/page.h"
#include "plot/tape/tape_page.h"
#include "plot/tape/trace.h"

#include <string.h>

enum { NOTATIONS = 6 };

static const char *const notations[NOTATIONS] = {"", "V", "B", "H", "Z", "J"};

typedef struct {
    Page *page;
    const Tensor *
        *leaf; /* tensors that no op of the tape computed, in the order in which they were found */
    int leaves;
    TapeFiles files;
} Writer;

/* One text for each notation; a single text where all are the same. */
static void write_texts(Page *p, const char *key, char (*text)[TRACE_TEXT])
{
    const char *all[NOTATIONS];
    bool same = true;
    for (int l = 0; l < NOTATIONS; l++) {
        all[l] = text[l];
        same &= strcmp(text[0], text[l]) == 0;
    }
    if (same)
        page_key_text(p, key, text[0]);
    else
        page_texts(p, key, all, NOTATIONS);
}

static void write_tensor(Page *p, const Tensor *t)
{
    char symbol[NOTATIONS][TRACE_TEXT], shape[NOTATIONS][TRACE_TEXT];
    for (int l = 0; l < NOTATIONS; l++) {
        trace_symbol(t, l, symbol[l]);
        trace_shape(t, l, shape[l]);
    }
    write_texts(p, "symbols", symbol);
    write_texts(p, "shapes", shape);
}

/* The finite numbers' range and norms, and the matrix of those that are shown. Nothing where no
 * number is known. */
static void write_numbers(Page *p, const char *key, const TapeNumbers *n)
{
    int count = n->rows * n->columns;
    if (count == 0)
        return;
    page_key(p, key);
    page_object(p);
    page_key_count(p, "row", n->row);
    page_key_count(p, "columns", n->columns);
    page_key_array(p, "numbers");
    for (int i = 0; i < count; i++)
        page_number(p, n->number[i]);
    page_end(p);
    page_key_number(p, "low", n->low);
    page_key_number(p, "high", n->high);
    page_key_number(p, "mean", n->mean);
    page_key_number(p, "norm", n->norm);
    page_key_count(p, "not_finite", n->not_finite);
    page_end(p);
}

static void write_values(Page *p, const Tensor *t)
{
    TapeNumbers numbers = tape_numbers_of(t, t->data, NULL);
    write_numbers(p, "value", &numbers);
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* Does t show its base's numbers otherwise than the base itself does? tape_param makes views that
 * do not. */
static bool is_view(const Tensor *t)
{
    const Tensor *b = t->base;
    bool other = b && (t->offset || !shape_equal(t->shape, b->shape));
    for (int i = 0; b && !other && i < t->shape.rank; i++)
        other = t->stride[i] != b->stride[i];
    return other;
}

/* The index of the leaf, which is entered if it is new. */
static int leaf_of(Writer *w, const Tensor *t)
{
    int i = 0;
    while (i < w->leaves && w->leaf[i] != t)
        i++;
    if (i == w->leaves)
        w->leaf[w->leaves++] = t;
    return i;
}

static int shown_operands(const Node *n)
{
    return n->inputs < TAPE_OPERANDS ? n->inputs : TAPE_OPERANDS;
}

/* An optional operand that is absent, such as a bias, is left out. */
static void write_operands(Writer *w, const Node *n, const TapeBackward *b)
{
    Page *p = w->page;
    page_key_array(p, "operands");
    for (int i = 0; i < shown_operands(n); i++) {
        const Tensor *x = n->in[i], *owner = x && x->base ? x->base : x;
        if (!x)
            continue;
        page_object(p);
        if (owner->node)
            page_key_count(p, "op", trace_number(owner->node));
        else
            page_key_count(p, "leaf", leaf_of(w, owner));
        page_key_bool(p, "view", is_view(x));
        write_tensor(p, x);
        write_numbers(p, "added", &b->operand[i].added);
        write_numbers(p, "sum", &b->operand[i].sum);
        page_end(p);
    }
    page_end(p);
    page_key_count(p, "unshown", n->inputs - shown_operands(n));
}

static void write_op(Writer *w, const Node *n, const char *module, const TapeBackward *b)
{
    Page *p = w->page;
    char equation[NOTATIONS][TRACE_TEXT];
    for (int l = 0; l < NOTATIONS; l++)
        trace_equation(n, l, equation[l]);
    page_object(p);
    page_key_text(p, "name", n->op->name);
    page_key_text(p, "function", n->function);
    page_key_text(p, "module", module);
    write_texts(p, "equations", equation);
    write_tensor(p, n->out);
    write_values(p, n->out);
    write_numbers(p, "gradient", &b->gradient);
    write_operands(w, n, b);
    page_key_count(p, "turn", b->turn);
    page_key_count(p, "source", tape_source_file(&w->files, n->out->file));
    page_key_count(p, "line", n->out->line);
    page_key_count(p, "rule", tape_rule_file(&w->files, n->op->name));
    page_end(p);
}

/* ---- what ops refer to ----------------------------------------------------------------------- */

static void write_leaves(const Writer *w)
{
    page_key_array(w->page, "leaves");
    for (int i = 0; i < w->leaves; i++) {
        const Tensor *t = w->leaf[i];
        page_object(w->page);
        page_key_text(w->page, "kind",
                      t->ids                      ? "ids"
                      : !t->tape && t->needs_grad ? "weight"
                      : !t->tape                  ? "constant"
                      : t->needs_grad             ? "leaf"
                                                  : "input");
        page_key_text(w->page, "name", t->name);
        write_tensor(w->page, t);
        write_values(w->page, t);
        page_end(w->page);
    }
    page_end(w->page);
}

static void write_files(const Writer *w)
{
    page_key_array(w->page, "files");
    for (int i = 0; i < w->files.count; i++) {
        page_object(w->page);
        page_key_text(w->page, "path", w->files.file[i].path);
        page_key_text(w->page, "text", w->files.file[i].text);
        page_end(w->page);
    }
    page_end(w->page);
}

/* Leaves and files are known after the ops that refer to them. */
bool tape_write(Page *p, int notation, const Tape *tape, const TapeBackward *backward, Arena *arena)
{
    Writer w = {.page = p, .files.arena = arena};
    int operands = 0;
    for (int i = 0; i < tape->nodes; i++)
        operands += shown_operands(tape->node[i]);
    char(*module)[TAPE_MODULE] = arena_alloc(arena, (size_t)tape->nodes * sizeof *module);
    w.leaf = arena_alloc(arena, (size_t)operands * sizeof *w.leaf);
    if (!p || !module || !w.leaf)
        return false;
    tape_modules(tape, module);
    page_texts(w.page, "notations", notations, NOTATIONS);
    page_key_count(w.page, "notation", notation);
    page_key_array(w.page, "ops");
    for (int i = 0; i < tape->nodes && !page_failed(w.page); i++)
        write_op(&w, tape->node[i], module[i], &backward[i]);
    page_end(w.page);
    write_leaves(&w);
    write_files(&w);
    return !page_failed(p);
}
