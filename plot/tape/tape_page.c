/* tape_page.c: see tape_page.h.
 *
 *   TAPE_COMPUTED         nothing to do: results live until the reset
 *   TAPE_BACKWARD_BEGINS  the gradient that arrives, and a copy of the operands' gradients
 *   TAPE_BACKWARD_DONE    what the op added to each
 *   TAPE_OVER             after backward: symbols, values, modules and files; then the page is written */
#include "plot/tape/tape_page.h"

#include "plot/tape/trace.h"

#include <string.h>

enum { NOTATIONS = 6, PATH = 1024 };

static const char *const notations[NOTATIONS] = {"", "V", "B", "H", "Z", "J"};

typedef struct {
    char path[PATH], title[PATH];
    int notation;
    bool had_maps;
    Tape *tape; /* whose step is recorded; NULL: none yet */
    Arena arena;
    PlotTapeOp *op;     /* one for each node, from the first event of backward on */
    PlotTapeLeaf *leaf; /* as many as were found; their tensors are owner[]     */
    const Tensor **owner;
    int leaves, turns;
    TapeGradients before;
    TapeFiles files;
} Record;

static Record record; /* one for the process, like the watcher */

/* ---- texts --------------------------------------------------------------------------------------------------- */

typedef const char *(*TensorText)(const Tensor *t, int lecture, char *text);
typedef const char *(*NodeText)(const Node *n, int lecture, char *text);

/* The text of a tensor, or of a node, in each notation. NULL: memory is out. */
static const char *const *all_notations(Arena *arena, const Tensor *t, TensorText of_tensor,
                                        const Node *n, NodeText of_node)
{
    char text[TRACE_TEXT];
    const char **all = arena_alloc(arena, NOTATIONS * sizeof *all);
    for (int l = 0; all && l < NOTATIONS; l++) {
        const char *now = t ? of_tensor(t, l, text) : of_node(n, l, text);
        all[l] = l && strcmp(all[l - 1], now) == 0 ? all[l - 1] : tape_keep_text(arena, now);
        if (!all[l])
            return NULL;
    }
    return all;
}

static bool describe_tensor(Arena *arena, const Tensor *t, PlotTapeTensor *d)
{
    d->symbols = all_notations(arena, t, trace_symbol, NULL, NULL);
    d->shapes = all_notations(arena, t, trace_shape, NULL, NULL);
    return d->symbols && d->shapes;
}

/* ---- leaves ---------------------------------------------------------------------------------------------------- */

static const Tensor *owner_of(const Tensor *t)
{
    return t->base ? t->base : t;
}

/* Does t show its base's numbers otherwise than the base itself does? tape_param makes views that do not. */
static bool is_view(const Tensor *t)
{
    const Tensor *b = t->base;
    bool other = b && (t->offset || !shape_equal(t->shape, b->shape));
    for (int i = 0; b && !other && i < t->shape.rank; i++)
        other = t->stride[i] != b->stride[i];
    return other;
}

/* The index of the leaf, which is entered if it is new; -1 when memory is out. */
static int leaf_of(Record *r, const Tensor *t)
{
    for (int i = 0; i < r->leaves; i++)
        if (r->owner[i] == t)
            return i;
    PlotTapeLeaf l = {.kind = t->ids                      ? "ids"
                              : !t->tape && t->needs_grad ? "weight"
                              : !t->tape                  ? "constant"
                              : t->needs_grad             ? "leaf"
                                                          : "input",
                      .name = tape_keep_text(&r->arena, t->name),
                      .value = tape_numbers_of(t, t->data, NULL)};
    if (!l.name || !describe_tensor(&r->arena, t, &l.tensor))
        return -1;
    r->owner[r->leaves] = t;
    r->leaf[r->leaves] = l;
    return r->leaves++;
}

/* ---- backward -------------------------------------------------------------------------------------------------- */

static PlotTapeOperand *operands_of(const PlotTapeOp *op)
{
    return (PlotTapeOperand *)(uintptr_t)op->operands;
}

/* Zeroed. NULL when memory is out. */
static void *make(Arena *arena, int count, size_t size)
{
    void *all = arena_alloc(arena, (size_t)count * size);
    return all ? memset(all, 0, (size_t)count * size) : NULL;
}

/* An op for each node, all of them empty, and space for as many leaves as there are operands. */
static bool make_ops(Record *r, const Tape *tape)
{
    int operands = 0;
    r->op = make(&r->arena, tape->nodes, sizeof *r->op);
    for (int i = 0; r->op && i < tape->nodes; i++) {
        int shown = tape->node[i]->inputs < TAPE_OPERANDS ? tape->node[i]->inputs : TAPE_OPERANDS;
        r->op[i].turn = -1;
        r->op[i].operands = make(&r->arena, shown, sizeof *r->op[i].operands);
        if (!r->op[i].operands)
            return false;
        operands += shown;
    }
    r->leaf = make(&r->arena, operands, sizeof *r->leaf);
    r->owner = make(&r->arena, operands, sizeof *r->owner);
    return r->op && r->leaf && r->owner;
}

static bool backward_begins(Record *r, const Node *n)
{
    if (!r->op && !make_ops(r, r->tape))
        return false;
    PlotTapeOp *op = &r->op[trace_number(n)];
    op->turn = r->turns++;
    op->gradient = tape_numbers_of(n->out, n->out->grad, NULL);
    tape_gradients_copy(&r->before, n);
    return true;
}

static void backward_done(Record *r, const Node *n)
{
    PlotTapeOperand *operand = operands_of(&r->op[trace_number(n)]);
    for (int i = 0; i < TAPE_OPERANDS; i++)
        if (tape_gradients_added(&r->before, n, i, &operand[i].added))
            operand[i].sum = tape_numbers_of(n->in[i], n->in[i]->grad, NULL);
    tape_gradients_free(&r->before);
}

/* ---- the page -------------------------------------------------------------------------------------------------- */

static bool describe_operands(Record *r, const Node *n, PlotTapeOp *op)
{
    for (int i = 0; i < n->inputs && i < TAPE_OPERANDS; i++) {
        const Tensor *x = n->in[i];
        if (!x)
            continue; /* an optional operand that is absent, such as a bias */
        PlotTapeOperand *operand = operands_of(op) + op->operand_count++;
        *operand = operands_of(op)[i];
        const Tensor *owner = owner_of(x);
        operand->view = is_view(x);
        operand->op = owner->node ? trace_number(owner->node) : -1;
        operand->leaf = owner->node ? -1 : leaf_of(r, owner);
        if ((!owner->node && operand->leaf < 0) || !describe_tensor(&r->arena, x, &operand->tensor))
            return false;
    }
    op->unshown = n->inputs > TAPE_OPERANDS ? n->inputs - TAPE_OPERANDS : 0;
    return true;
}

static bool describe_op(Record *r, const Node *n, const char *module, PlotTapeOp *op)
{
    op->name = n->op->name; /* constants of the program, as is the function's name */
    op->function = n->function;
    op->module = module;
    op->equations = all_notations(&r->arena, NULL, NULL, n, trace_equation);
    op->value = tape_numbers_of(n->out, n->out->data, NULL);
    op->source = tape_source_file(&r->files, n->file);
    op->line = n->line;
    op->rule = tape_rule_file(&r->files, n->op->name);
    return op->equations && describe_tensor(&r->arena, n->out, &op->result) &&
           describe_operands(r, n, op);
}

static void write_page(Record *r)
{
    Tape *tape = r->tape;
    char(*module)[TAPE_MODULE] = arena_alloc(&r->arena, (size_t)tape->nodes * sizeof *module);
    if (!module)
        return;
    tape_modules(tape, module);
    for (int i = 0; i < tape->nodes; i++)
        if (!describe_op(r, tape->node[i], module[i], &r->op[i]))
            return;
    const PlotTape page = {.title = r->title,
                           .notations = notations,
                           .notation_count = NOTATIONS,
                           .notation = r->notation,
                           .ops = r->op,
                           .op_count = tape->nodes,
                           .leaves = r->leaf,
                           .leaf_count = r->leaves,
                           .files = r->files.file,
                           .file_count = r->files.count};
    plot_page_tape(r->path, &page);
}

/* ---- the tape's events ------------------------------------------------------------------------------------- */

static void release(Record *r)
{
    tape_gradients_free(&r->before);
    arena_free(&r->arena);
    *r = (Record){0};
}

/* A step begins. Without backward it is no training step, and the next one is recorded. */
static void begin(Record *r, Tape *tape)
{
    r->tape = tape;
    r->had_maps = tape->keep_maps;
    tape->keep_maps = true;
}

static void end(Record *r, Tape *tape)
{
    tape->keep_maps = r->had_maps;
    r->tape = NULL;
    if (!tape->backward_done)
        return;
    tape_on_event(NULL);
    if (r->op && !tape->failed) {
        r->tape = tape;
        write_page(r);
    }
    release(r);
}

/* No page is written. The tape whose step was recorded may be NULL. */
static void give_up(Record *r, Tape *tape)
{
    if (tape)
        tape->keep_maps = r->had_maps;
    tape_on_event(NULL);
    release(r);
}

static void follow(TapeEvent event, Tape *tape, const Node *n)
{
    Record *r = &record;
    if (r->tape ? tape != r->tape : event != TAPE_COMPUTED)
        return;
    if (!r->tape)
        begin(r, tape);
    if (event == TAPE_BACKWARD_BEGINS && !backward_begins(r, n))
        give_up(r, tape);
    else if (event == TAPE_BACKWARD_DONE)
        backward_done(r, n);
    else if (event == TAPE_OVER)
        end(r, tape);
}

void tape_page_end(void)
{
    if (*record.path)
        give_up(&record, record.tape);
}

bool tape_page_begin(const char *path, const char *title, const char *notation)
{
    int known = trace_lecture(notation);
    if (known < 0)
        return tensor_fail("tape_page_begin: notation '%s'; expected '', V, B, H, Z or J",
                           notation);
    release(&record);
    if (snprintf(record.path, PATH, "%s", path) >= PATH)
        return tensor_fail("tape_page_begin: a path of %zu bytes; expected fewer than %d",
                           strlen(path), PATH);
    snprintf(record.title, PATH, "%s", title);
    record.notation = known;
    record.files.arena = &record.arena;
    tape_on_event(follow);
    return true;
}
