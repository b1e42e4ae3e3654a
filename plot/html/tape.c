/* tape.c: the page of a tape, through which its reader goes op by op. tape.js draws it. */
#include "plot/html/page.h"
#include "plot/pages.h"

#include <string.h>

static const char who[] = "plot_page_tape";

/* ---- what can be drawn ------------------------------------------------------------------------ */

/* Is there a text for each notation? */
static bool are_texts(const char *const *texts, int count)
{
    for (int i = 0; texts && i < count; i++)
        if (!texts[i])
            return false;
    return texts != NULL;
}

static bool is_tensor(const PlotTape *t, const PlotTapeTensor *x)
{
    return are_texts(x->symbols, t->notation_count) && are_texts(x->shapes, t->notation_count);
}

static bool are_numbers(const PlotNumbers *n)
{
    return n->rows >= 0 && n->rows <= PLOT_TAPE_ROWS && n->columns >= 0 &&
           n->columns <= PLOT_TAPE_COLUMNS;
}

static bool operand_is_right(const PlotTape *t, int at, int i)
{
    const PlotTapeOperand *x = &t->ops[at].operands[i];
    bool is_op = x->op >= 0 && x->op < at && x->leaf == -1;
    bool is_leaf = x->leaf >= 0 && x->leaf < t->leaf_count && x->op == -1;
    if (!is_op && !is_leaf)
        return tensor_fail(
            "%s: operand %d of op %d is op %d and leaf %d; expected an op from 0 to %d, or a leaf "
            "from 0 to %d, and -1 for the other",
            who, i, at, x->op, x->leaf, at - 1, t->leaf_count - 1);
    if (!is_tensor(t, &x->tensor) || !are_numbers(&x->added) || !are_numbers(&x->sum))
        return tensor_fail(
            "%s: operand %d of op %d lacks a text, or has more than %d by %d numbers; "
            "expected a symbol and a shape in each notation",
            who, i, at, PLOT_TAPE_ROWS, PLOT_TAPE_COLUMNS);
    return true;
}

static bool operands_are_right(const PlotTape *t, int at)
{
    const PlotTapeOp *op = &t->ops[at];
    if (op->operand_count < 0 || (op->operand_count > 0 && !op->operands))
        return tensor_fail("%s: op %d has %d operands at NULL; expected them", who, at,
                           op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        if (!operand_is_right(t, at, i))
            return false;
    return true;
}

static bool is_file(const PlotTape *t, int file)
{
    return file >= -1 && file < t->file_count;
}

static bool op_is_right(const PlotTape *t, int at)
{
    const PlotTapeOp *op = &t->ops[at];
    if (!is_file(t, op->source) || !is_file(t, op->rule))
        return tensor_fail("%s: op %d is of file %d, its rule of file %d; expected -1 to %d", who,
                           at, op->source, op->rule, t->file_count - 1);
    if (op->turn < -1 || op->turn >= t->op_count)
        return tensor_fail("%s: the turn of op %d is %d; expected -1 to %d", who, at, op->turn,
                           t->op_count - 1);
    if (!op->name || !are_texts(op->equations, t->notation_count) || !is_tensor(t, &op->result) ||
        !are_numbers(&op->value) || !are_numbers(&op->gradient))
        return tensor_fail(
            "%s: op %d lacks a text, or has more than %d by %d numbers; expected a name, and an "
            "equation, a symbol and a shape in each notation",
            who, at, PLOT_TAPE_ROWS, PLOT_TAPE_COLUMNS);
    return operands_are_right(t, at);
}

/* Are the leaves and the files there? */
static bool lists_are_right(const PlotTape *t)
{
    if (t->leaf_count < 0 || t->file_count < 0 || (t->leaf_count && !t->leaves) ||
        (t->file_count && !t->files))
        return tensor_fail("%s: %d leaves and %d files, of which one list is NULL; expected both",
                           who, t->leaf_count, t->file_count);
    for (int i = 0; i < t->leaf_count; i++)
        if (!t->leaves[i].kind || !is_tensor(t, &t->leaves[i].tensor) ||
            !are_numbers(&t->leaves[i].value))
            return tensor_fail(
                "%s: leaf %d lacks a text, or has more than %d by %d numbers; expected a kind, and "
                "a symbol and a shape in each notation",
                who, i, PLOT_TAPE_ROWS, PLOT_TAPE_COLUMNS);
    for (int i = 0; i < t->file_count; i++)
        if (!t->files[i].path)
            return tensor_fail("%s: file %d has the path NULL; expected its name", who, i);
    return true;
}

static bool tape_is_right(const PlotTape *t)
{
    if (!t || t->op_count < 1 || !t->ops)
        return tensor_fail("%s: a tape without ops; expected at least one", who);
    if (t->op_count > PLOT_TAPE_OPS)
        return tensor_fail(
            "%s: a tape of %d ops; expected at most %d (fewer layers, or shorter sequences in a "
            "recurrent network, have fewer)",
            who, t->op_count, PLOT_TAPE_OPS);
    if (t->notation_count < 1 || t->notation_count > PLOT_TAPE_NOTATIONS || t->notation < 0 ||
        t->notation >= t->notation_count || !t->notations)
        return tensor_fail("%s: notation %d of %d; expected one of 1 to %d", who, t->notation,
                           t->notation_count, PLOT_TAPE_NOTATIONS);
    bool ok = are_texts(t->notations, t->notation_count) ||
              tensor_fail("%s: a notation is NULL; expected its name", who);
    ok = ok && lists_are_right(t);
    for (int i = 0; ok && i < t->op_count; i++)
        ok = op_is_right(t, i);
    return ok;
}

/* ---- the data ----------------------------------------------------------------------------------- */

/* One text for each notation; a single text where all are the same. */
static void write_texts(Page *p, const char *key, const char *const *texts, int count)
{
    bool same = true;
    for (int i = 1; texts && i < count; i++)
        same &= texts[0] && texts[i] && strcmp(texts[0], texts[i]) == 0;
    if (texts && same)
        page_key_text(p, key, texts[0]);
    else
        page_texts(p, key, texts, count);
}

static void write_tensor(Page *p, const PlotTapeTensor *t, int notations)
{
    write_texts(p, "symbols", t->symbols, notations);
    write_texts(p, "shapes", t->shapes, notations);
}

/* The finite numbers' range and norms, and the matrix of those that are shown. Nothing where no number is known. */
static void write_numbers(Page *p, const char *key, const PlotNumbers *n)
{
    int count = n->rows * n->columns;
    if (count == 0)
        return;
    page_key(p, key);
    page_object(p);
    page_key_count(p, "row", n->row);
    page_key_count(p, "columns", n->columns);
    page_key(p, "numbers");
    page_array(p);
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

static void write_operands(Page *p, const PlotTapeOp *op, int notations)
{
    page_key(p, "operands");
    page_array(p);
    for (int i = 0; i < op->operand_count; i++) {
        const PlotTapeOperand *x = &op->operands[i];
        page_object(p);
        page_key_count(p, x->op >= 0 ? "op" : "leaf", x->op >= 0 ? x->op : x->leaf);
        page_key_bool(p, "view", x->view);
        write_tensor(p, &x->tensor, notations);
        write_numbers(p, "added", &x->added);
        write_numbers(p, "sum", &x->sum);
        page_end(p);
    }
    page_end(p);
    page_key_count(p, "unshown", op->unshown);
}

static void write_op(Page *p, const PlotTapeOp *op, int notations)
{
    page_object(p);
    page_key_text(p, "name", op->name);
    page_key_text(p, "function", op->function);
    page_key_text(p, "module", op->module);
    write_texts(p, "equations", op->equations, notations);
    write_tensor(p, &op->result, notations);
    write_numbers(p, "value", &op->value);
    write_numbers(p, "gradient", &op->gradient);
    write_operands(p, op, notations);
    page_key_count(p, "turn", op->turn);
    page_key_count(p, "source", op->source);
    page_key_count(p, "line", op->line);
    page_key_count(p, "rule", op->rule);
    page_end(p);
}

static void write_leaf(Page *p, const PlotTapeLeaf *leaf, int notations)
{
    page_object(p);
    page_key_text(p, "kind", leaf->kind);
    page_key_text(p, "name", leaf->name);
    write_tensor(p, &leaf->tensor, notations);
    write_numbers(p, "value", &leaf->value);
    page_end(p);
}

static void write_files(Page *p, const PlotTape *t)
{
    page_key(p, "files");
    page_array(p);
    for (int i = 0; i < t->file_count; i++) {
        page_object(p);
        page_key_text(p, "path", t->files[i].path);
        page_key_text(p, "text", t->files[i].text);
        page_end(p);
    }
    page_end(p);
}

bool plot_page_tape(const char *path, const PlotTape *tape)
{
    if (!tape_is_right(tape))
        return false;
    int notations = tape->notation_count;
    Page *p = page_new("tape", tape->title, who);
    page_texts(p, "notations", tape->notations, notations);
    page_key_count(p, "notation", tape->notation);
    page_key(p, "leaves");
    page_array(p);
    for (int i = 0; i < tape->leaf_count; i++)
        write_leaf(p, &tape->leaves[i], notations);
    page_end(p);
    page_key(p, "ops");
    page_array(p);
    for (int i = 0; i < tape->op_count; i++)
        write_op(p, &tape->ops[i], notations);
    page_end(p);
    write_files(p, tape);
    return page_write(p, path);
}
