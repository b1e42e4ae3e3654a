/* tree.c: a tree that grows to the right, such as that of a beam search: the root at the left, one
 * column a step, the path to one node highlighted.
 *
 * Each leaf has a line of the page of its own, in depth-first order; a parent is placed in the
 * middle of its children. The data file holds the nodes, "x y label number colour", then the edges,
 * "x y dx dy colour". */
#include "plot/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40, LARGEST_FONT = 22, SMALLEST_FONT = 8, GAP = 8 };
static const double number_ems = 2.6; /* "-12.34", smaller than the label: */
static const double number_part = 0.75;

/* "#rrggbb" as a number, which gnuplot takes from a data file. */
static unsigned colour_number(const char *colour)
{
    return (unsigned)strtoul(colour + 1, NULL, 16);
}

typedef struct {
    double x, y; /* of the label's left end and middle line */
    double ems;  /* of the label                            */
    int depth;
    bool marked;
} Place;

typedef struct {
    Drawing d;
    const PlotTree *tree;
    Place *place, root;
    double font, ems; /* of the longest label that is written whole */
    int depths, leaves;
} Picture;

/* ---- what can be drawn ----------------------------------------------------------------------- */

static bool check(const PlotTree *t, const char *who)
{
    if (!t || !t->parent || !t->labels || t->count < 1 || t->count > PLOT_LONGEST)
        return tensor_fail("%s: %d nodes; expected 1 to %d, each with a parent and a label", who,
                           t && t->parent && t->labels ? t->count : 0, PLOT_LONGEST);
    for (int i = 0; i < t->count; i++)
        if (t->parent[i] < -1 || t->parent[i] >= i || !t->labels[i])
            return tensor_fail("%s: node %d has the parent %d%s; expected -1 (the root) or a "
                               "node before it, and a label",
                               who, i, t->parent[i], t->labels[i] ? "" : ", without a label");
    return (t->marked >= -1 && t->marked < t->count) ||
           tensor_fail("%s: marked is %d; expected a node, 0 to %d, or -1", who, t->marked,
                       t->count - 1);
}

/* Without a highlighted path all labels are as important as one another. */
static bool highlights(const PlotTree *t)
{
    return t->marked >= 0;
}

static bool is_marked(const PlotTree *t, int node)
{
    int i = t->marked;
    while (i > node)
        i = t->parent[i];
    return i == node && i >= 0;
}

static const char *root_of(const PlotTree *t)
{
    return t->root ? t->root : "";
}

/* The next child of a parent after node i; -1 after the last. */
static int next_child(const PlotTree *t, int parent, int i)
{
    while (++i < t->count)
        if (t->parent[i] == parent)
            return i;
    return -1;
}

/* ---- positions of the nodes ------------------------------------------------------------------ */

/* Assigns every node below this one its line, counted in leaves, and returns the line of the node
 * itself. */
static double place_lines(Picture *p, int node, int depth)
{
    double first = 0, last = 0;
    int child = next_child(p->tree, node, node);
    if (child < 0)
        return p->leaves++;
    p->depths = depth + 1 > p->depths ? depth + 1 : p->depths;
    for (int n = 0; child >= 0; n++, child = next_child(p->tree, node, child)) {
        last = place_lines(p, child, depth + 1);
        first = n == 0 ? last : first;
        p->place[child] = (Place){.y = last,
                                  .ems = plot_text_ems(p->tree->labels[child]),
                                  .depth = depth + 1,
                                  .marked = is_marked(p->tree, child)};
        p->ems = fmax(p->ems, p->place[child].ems);
    }
    return (first + last) / 2;
}

static void to_page(const Picture *p, Place *at, double top, double root, double column)
{
    at->x = SIDE + (at->depth == 0 ? 0 : root + (at->depth - 1) * column);
    at->y = top + (at->y + 0.5) * (PAGE_HEIGHT - SIDE - top) / p->leaves;
    at->ems = fmin(at->ems, p->ems);
}

/* The font in which every column is so many ems wide, with part of the edge. */
static double font_of(const Picture *p, double ems)
{
    return (PAGE_WIDTH - 2 * SIDE) / (p->root.ems + 4 + p->depths * (ems + 2));
}

/* One font for all labels, such that each has a line, and its column also holds its number. Where
 * that were too small to read, long labels end in an ellipsis. */
static bool place_nodes(Picture *p)
{
    double top = *p->tree->title ? 2.6 * TITLE_FONT : SIDE;
    p->place = mem_alloc((size_t)p->tree->count * sizeof *p->place);
    if (!p->place)
        return false;
    p->root = (Place){.ems = fmin(plot_text_ems(root_of(p->tree)), LABEL_EMS),
                      .marked = highlights(p->tree)};
    p->root.y = place_lines(p, -1, 0);
    double numbers = p->tree->numbers ? number_ems : 0, width = PAGE_WIDTH - 2 * SIDE;
    p->ems = fmin(p->ems, LABEL_EMS);
    double readable = plot_look().least / (p->tree->numbers ? number_part : 1);
    p->font = fmax(font_of(p, p->ems + numbers), fmin(readable, font_of(p, 4 + numbers)));
    p->font = fmin(p->font, 0.8 * (PAGE_HEIGHT - SIDE - top) / p->leaves);
    p->font = fmax(SMALLEST_FONT, fmin(LARGEST_FONT, p->font));
    if (p->font < plot_look().least)
        plot_note("the letters are %.0f points high: the tree has %d leaves and %d levels", p->font,
                  p->leaves, p->depths);
    double root = (p->root.ems + 4) * p->font, column = (width - root) / p->depths;
    p->ems = fmax(1, fmin(p->ems, column / p->font - numbers - 2 + 1e-6)); /* but for rounding */
    for (int i = 0; i < p->tree->count; i++)
        to_page(p, &p->place[i], top, root, column);
    p->root.y = top + (p->root.y + 0.5) * (PAGE_HEIGHT - SIDE - top) / p->leaves;
    p->root.x = SIDE;
    return true;
}

/* ---- the files ------------------------------------------------------------------------------- */

static unsigned colour_of(const Place *at)
{
    return colour_number(at->marked ? plot_look().mark : plot_look().line);
}

static void write_node(FILE *out, const Picture *p, const Place *at, const char *label, double ems,
                       double number)
{
    fprintf(out, "%.5g\t%.5g\t", at->x, at->y);
    plot_text_field(out, label, ems, NULL);
    fprintf(out, "\t%.6g\t%u\t%.5g", number,
            colour_number(at->marked || !highlights(p->tree) ? plot_look().ink : plot_look().line),
            at->x + at->ems * p->font + 0.5 * GAP);
    if (p->d.fonts.count > 0) {
        fputc('\t', out);
        plot_text_field(out, label, ems, &p->d.fonts);
    }
    fputc('\n', out);
}

static void write_data(FILE *out, const void *what)
{
    const Picture *p = what;
    const PlotTree *t = p->tree;
    write_node(out, p, &p->root, root_of(t), LABEL_EMS, (double)NAN);
    for (int i = 0; i < t->count; i++)
        write_node(out, p, &p->place[i], t->labels[i], p->ems, t->numbers ? t->numbers[i] : NAN);
    fputs("\n\n", out);
    for (int i = 0; i < t->count; i++) {
        const Place *to = &p->place[i],
                    *from = t->parent[i] < 0 ? &p->root : &p->place[t->parent[i]];
        double numbers = t->numbers && from != &p->root ? number_ems : 0;
        double x = from->x + (from->ems + numbers) * p->font + GAP;
        fprintf(out, "%.5g\t%.5g\t%.5g\t%.5g\t%u\t%d\n", x, from->y, to->x - GAP - x,
                to->y - from->y, colour_of(to), to->marked ? 3 : 1);
    }
}

static void write_body(FILE *out, const void *what, const Fonts *lack)
{
    const Picture *p = what;
    plot_script_title(out, p->tree->title, lack);
    fputs("plot data index 1 using 1:2:3:4:5 with vectors nohead lw 2 lc rgb variable, \\\n", out);
    fprintf(out,
            "     data index 0 using 1:2:%d:5 with labels left font ',%.4g' tc rgb variable "
            "noenhanced",
            lack ? 7 : 3, p->font);
    if (p->tree->numbers)
        fprintf(out,
                ", \\\n     data index 0 every ::1 using 6:2:(sprintf('%%.2f', $4)):5 with labels "
                "left font ',%.4g' tc rgb variable noenhanced",
                number_part * p->font);
    fputc('\n', out);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bool want_fonts(Fonts *f, const void *what)
{
    const PlotTree *t = ((const Picture *)what)->tree;
    return plot_fonts_want(f, t->title) && plot_fonts_want(f, t->root) &&
           plot_fonts_want_all(f, t->labels, t->count);
}

bool plot_tree(const char *stem, const PlotTree *tree, unsigned formats)
{
    if (!plot_formats_check(&formats, "plot_tree") || !check(tree, "plot_tree"))
        return false;
    PlotTree titled = *tree;
    titled.title = plot_page_title(tree->title);
    Picture p = {.d = {.who = "plot_tree",
                       .formats = formats,
                       .body = write_body,
                       .data = write_data,
                       .texts = want_fonts},
                 .tree = &titled};
    bool ok = place_nodes(&p) && plot_draw(&p.d, stem);
    mem_free(p.place);
    return ok;
}

/* ---- in the terminal ------------------------------------------------------------------------- */

/* Prints a vertical bar for each ancestor that has siblings still to be printed. */
enum { DEEPEST = 256 };

static void put_below(const Screen *s, const PlotTree *t, int node, char *bars, int depth)
{
    for (int next, i = next_child(t, node, node); i >= 0; i = next) {
        bool marked = is_marked(t, i);
        next = next_child(t, node, i);
        for (int d = 0; d < depth; d++)
            fprintf(s->out, "%c  ", bars[d]);
        fprintf(s->out, "%s%s ", next < 0 ? "`-" : "+-", marked && s->colour ? "\033[1;33m" : "");
        plot_screen_text(s->out, t->labels[i], plot_text_length(t->labels[i]), false);
        if (t->numbers)
            fprintf(s->out, "  %.2f", t->numbers[i]);
        fprintf(s->out, "%s\n", !marked ? "" : s->colour ? "\033[0m" : "  <");
        bars[depth] = next < 0 ? ' ' : '|';
        if (depth + 1 < DEEPEST)
            put_below(s, t, i, bars, depth + 1);
    }
}

bool plot_terminal_tree(FILE *out, const PlotTree *tree, PlotTerminal mode)
{
    const char *who = "plot_terminal_tree";
    char bars[DEEPEST];
    Screen s;
    if (!check(tree, who) || !plot_screen_open(&s, out, mode, who))
        return false;
    plot_screen_heading(out, tree->title ? tree->title : "");
    plot_screen_heading(out, *root_of(tree) ? root_of(tree) : ".");
    put_below(&s, tree, -1, bars, 0);
    return plot_screen_close(&s, who);
}
