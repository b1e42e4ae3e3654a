/* plot_tree.c: the kind tree of the command `plot`. A tree is a table, a text or an array:
 *
 *     parent,label,number        (S (NP the cat) (VP (V sat)))
 *     0,S,
 *     1,NP,-0.2
 *
 * Nodes count from 1; 0 is the parent of the root, or of the first nodes of a tree whose root has
 * no label. The number is optional. In brackets, as treebanks write it, each word is a leaf. An
 * array is (n), the parents, or (n, 2), each with a number; --labels has the labels. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/plot_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = PLOT_LONGEST, DEEPEST = 200 };

typedef struct {
    char *text; /* that the labels point into */
    const char *label[NODES];
    int parent[NODES];
    double number[NODES];
    int count;
    bool numbered;
} Nodes;

static bool add_node(Nodes *n, const char *path, int parent, const char *label)
{
    if (n->count == NODES)
        return tensor_fail("%s: found more than %d nodes; expected no more", path, NODES);
    n->parent[n->count] = parent;
    n->number[n->count] = (double)NAN;
    n->label[n->count++] = label;
    return true;
}

/* ---- a table --------------------------------------------------------------------------------- */

/* A line: its parent, its label, and a number. */
static bool take_node(Nodes *n, const char *path, char **at, char separator, int line)
{
    bool more;
    char *end, *field = table_field(at, separator, &more);
    long parent = strtol(field, &end, 10);
    if (line == 1 && (end == field || *end)) { /* the names of the columns */
        while (more)
            table_field(at, separator, &more);
        return true;
    }
    if (end == field || *end || parent < 0 || parent > n->count)
        return tensor_fail("%s: line %d: found the parent '%.40s'; expected 0, or an earlier node: "
                           "a number up to %d",
                           path, line, field, n->count);
    if (!more)
        return tensor_fail("%s: line %d: found no label; expected parent,label", path, line);
    if (!add_node(n, path, (int)parent - 1, table_field(at, separator, &more)))
        return false;
    const char *number = more ? table_field(at, separator, &more) : "";
    double x = strtod(number, &end);
    if (more || *end)
        return tensor_fail("%s: line %d: found '%.40s'%s; expected a number at the end of the line",
                           path, line, number, more ? " and more" : "");
    if (*number) {
        n->number[n->count - 1] = x;
        n->numbered = true;
    }
    return true;
}

static bool read_table(Nodes *n, const char *path)
{
    char separator = ends_in(path, ".tsv") ? '\t' : ',';
    char *at = n->text;
    for (int line = 1; *at; line++)
        if (!take_node(n, path, &at, separator, line))
            return false;
    return true;
}

/* ---- brackets -------------------------------------------------------------------------------- */

/* Each bracket opens a node, whose label is the word after it. A label ends in place, since the
 * character after it is read before it is replaced. */
static bool read_brackets(Nodes *n, const char *path)
{
    int open[DEEPEST], depth = 0;
    bool fresh = false; /* a bracket was opened and has no label yet */
    for (char *at = n->text; *at;) {
        size_t word = strcspn(at, "() \t\r\n");
        char *after = at + word;
        char next = *after;
        if (word > 0) {
            if (depth == 0)
                return tensor_fail("%s: found '%.40s' outside of brackets; expected '('", path, at);
            if (!add_node(n, path, depth > (fresh ? 1 : 0) ? open[depth - 1 - fresh] : -1, at))
                return false;
            if (fresh)
                open[depth - 1] = n->count - 1;
            fresh = false;
        }
        if (next == '(' && (depth == DEEPEST || fresh))
            return tensor_fail("%s: %s", path,
                               fresh ? "found '((' ; expected a label after '('"
                                     : "nested too deeply");
        if (next == ')' && (depth == 0 || fresh))
            return tensor_fail("%s: found ')'; expected '(' or a label before it", path);
        depth += (next == '(') - (next == ')');
        fresh = next == '(' || (fresh && word == 0);
        *after = 0;
        at = next ? after + 1 : after;
    }
    return depth == 0 || tensor_fail("%s: it ends within %d brackets; expected ')'", path, depth);
}

/* ---- an array -------------------------------------------------------------------------------- */

static bool is_array(const char *path)
{
    return ends_in(path, ".npy") || ends_in(path, ".npz") || ends_in(path, ".safetensors");
}

/* The labels are those of the sources, or the nodes' numbers. */
static bool read_array(Nodes *n, Sources *s, const Wish *w)
{
    static char number[NODES][8];
    if (!sources_open(s, w))
        return false;
    Source *from = &s->source[0];
    const Shape shape = from->numbers->shape;
    const int64_t count = shape.rank > 0 ? shape.dim[0] : 0, wide = shape.rank == 2 ? 2 : 1;
    if (s->count != 1 || shape.rank < 1 || shape.rank > 2 || (shape.rank == 2 && shape.dim[1] != 2))
        return tensor_fail("%s: found %d arrays, %s; expected one (n) of parents, or (n, 2) with a "
                           "number beside each",
                           from->name, s->count, shape_str(shape));
    n->numbered = wide == 2;
    if (!source_labels(s, from, w, count, 0))
        return false;
    for (int i = 0; i < count; i++) {
        const double parent = (double)from->numbers->data[i * wide];
        if (!(parent >= 0 && parent <= i) || parent != floor(parent))
            return tensor_fail("%s: found the parent %g of node %d; expected 0, or an earlier node",
                               from->name, parent, i + 1);
        if (i < NODES)
            snprintf(number[i], sizeof number[i], "%d", (i + 1) % 100000);
        if (!add_node(n, from->name, (int)parent - 1,
                      from->rows ? from->rows[i] : number[i % NODES]))
            return false;
        if (n->numbered)
            n->number[i] = (double)from->numbers->data[i * wide + 1];
    }
    return true;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* A single root becomes the root of the picture. */
static void lift_root(Nodes *n, PlotTree *t)
{
    int roots = 0;
    for (int i = 0; i < n->count; i++)
        roots += n->parent[i] == -1;
    if (roots != 1 || n->count < 2)
        return;
    t->root = n->label[0];
    n->count--;
    for (int i = 0; i < n->count; i++) {
        n->parent[i] = n->parent[i + 1] - 1;
        n->label[i] = n->label[i + 1];
        n->number[i] = n->number[i + 1];
    }
}

bool draw_tree(const Wish *w)
{
    static Nodes n;
    static Sources s;
    const char *path = w->file[0];
    PlotTree t = {.parent = n.parent, .labels = n.label, .marked = -1, .title = w->title};
    const bool table = ends_in(path, ".csv") || ends_in(path, ".tsv"), array = is_array(path);
    if (!array && (w->labels || w->name))
        options_refuse("--%s: %s has its labels in it; expected that of an array",
                       w->labels ? "labels" : "name", path);
    s = (Sources){.count = 0};
    n = (Nodes){.text = array ? NULL : table_text(path)};
    bool ok = array ? read_array(&n, &s, w)
                    : n.text && (table ? read_table(&n, path) : read_brackets(&n, path));
    if (ok && w->files > 1)
        ok = tensor_fail("found %d files; expected one tree", w->files);
    if (ok && n.count == 0)
        ok = tensor_fail("%s: found no nodes; expected lines parent,label, or (S (NP ...))", path);
    if (ok) {
        lift_root(&n, &t);
        t.count = n.count;
        t.numbers = n.numbered ? n.number : NULL;
    }
    ok = ok && plot_tree(w->out, &t, w->formats) && plot_terminal_tree(stdout, &t, PLOT_AUTO);
    free(n.text);
    sources_close(&s);
    return ok;
}
