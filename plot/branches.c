/* branches.c: the tree above the maps of a picture: its root is the picture's title, its branches
 * have names, and maps hang from them.
 *
 *    trunk   x = left - TREE_TRUNK, from the title down to the last row of maps
 *    row     a line from the trunk to the last branch of the row
 *    branch  its name below that line; a line from its first map to its last; from there to the title of each map
 *
 * A branch is a run of maps in one row of the page that have the same name of a branch. */
#include "plot/internal.h"

#include <string.h>

typedef struct {
    int first, last;    /* blocks */
    double left, right; /* the middles of the first and the last map */
    double row_y, name_y, maps_y, titles_y;
} Branch;

static double middle_of(const Layout *l, const Block *b, int k)
{
    return l->left + (k % l->blocks_across) * l->block_x + b->columns * l->cell_width / 2;
}

/* The branch that begins at block k, or, where k has none, at the next block that has one. False
 * after the last, and where there is no tree. */
static bool branch_from(const Sheet *s, const Layout *l, int k, Branch *b)
{
    while (s->tree && k < s->count && !*s->blocks[k].branch)
        k++;
    if (!s->tree || k >= s->count)
        return false;
    *b = (Branch){.first = k, .last = k};
    while (b->last + 1 < s->count && (b->last + 1) % l->blocks_across != 0 &&
           strcmp(s->blocks[b->last + 1].branch, s->blocks[k].branch) == 0)
        b->last++;
    b->left = middle_of(l, &s->blocks[k], k);
    b->right = middle_of(l, &s->blocks[b->last], b->last);
    b->titles_y = l->top + k / l->blocks_across * l->block_y - 1.5 * l->block_font;
    b->maps_y = b->titles_y - 8;
    b->name_y = b->maps_y - 4 - 0.6 * TREE_FONT;
    b->row_y = b->maps_y - TREE_NAME;
    return true;
}

static void line(FILE *out, double x1, double y1, double x2, double y2)
{
    fprintf(out, "set arrow from %.5g,%.5g to %.5g,%.5g nohead lw 1.5 lc rgb '%s'\n", x1, y1, x2,
            y2, plot_look().line);
}

/* From the row's line to the branch's name, and from the name to its maps. */
static void branch_lines(FILE *out, const Sheet *s, const Layout *l, const Branch *b)
{
    double middle = (b->left + b->right) / 2;
    line(out, l->left - TREE_TRUNK, b->row_y, middle, b->row_y);
    line(out, middle, b->row_y, middle, b->row_y + 6);
    line(out, b->left, b->maps_y, b->right, b->maps_y);
    for (int k = b->first; k <= b->last; k++) {
        double x = middle_of(l, &s->blocks[k], k);
        line(out, x, b->maps_y, x, b->titles_y);
    }
}

void plot_branches_lines(FILE *out, const Sheet *s, const Layout *l)
{
    double trunk = l->left - TREE_TRUNK, root = PAGE_WIDTH / 2.0;
    Branch first, b;
    if (!branch_from(s, l, 0, &first))
        return;
    fputs("\n# The tree: its branches, the maps on them, the trunk, and the root.\n", out);
    for (bool more = branch_from(s, l, 0, &b); more; more = branch_from(s, l, b.last + 1, &b)) {
        branch_lines(out, s, l, &b);
        line(out, trunk, first.row_y, trunk, b.row_y);
    }
    if (*s->title) {
        line(out, trunk, first.row_y, root, first.row_y);
        line(out, root, 2.0 * TITLE_FONT, root, first.row_y);
    }
}

void plot_branches_names(FILE *out, const Sheet *s, const Layout *l, const Fonts *lack)
{
    Branch b;
    for (bool more = branch_from(s, l, 0, &b); more; more = branch_from(s, l, b.last + 1, &b)) {
        const char *name = s->blocks[b.first].branch;
        double width = b.right - b.left + l->block_x - 8;
        double font = plot_text_fit(name, width, TREE_FONT, 14);
        fputs("set label ", out);
        plot_text_quoted(out, name, width / font, lack);
        fprintf(out, " at %.5g,%.5g center font ',%.4g' tc rgb '%s' noenhanced\n",
                (b.left + b.right) / 2, b.name_y, font, plot_look().ink);
    }
}
