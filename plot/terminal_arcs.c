/* terminal_arcs.c: the words that one word attends to, in characters.
 *
 *     it attends to
 *       > animal   0.62 #########################
 *       > tired    0.10 ####
 *       * it       0.05 ##                             the word itself
 */
#include "plot/internal.h"

#include <math.h>

enum { LONGEST_LABEL = 20, LONGEST_BAR = 40 };

/* The index of the word that follows word j of weight w in descending order of weight (from left to
 * right where weights are equal); -1 after the last. */
static int next_word(const Block *b, double w, int j)
{
    int next = -1;
    for (int i = 0; i < b->columns; i++) {
        double v = (double)b->cells[i];
        bool later = v < w || (v == w && i > j);
        if (later && (next < 0 || v > (double)b->cells[next]))
            next = i;
    }
    return next;
}

static void put_sentence(const Screen *s, const Sheet *sheet, const PlotArcs *a, int most)
{
    const Block *b = sheet->blocks;
    LabelBuffer buffer;
    int label = plot_screen_labels(&b->column_labels, LONGEST_LABEL, NULL),
        longest = s->width - label - 12;
    double w = INFINITY;
    plot_screen_heading(s->out, sheet->title);
    plot_screen_text(s->out, plot_label_at(&b->row_labels, 0, &buffer),
                     plot_text_length(plot_label_at(&b->row_labels, 0, &buffer)), false);
    fputs(" attends to\n", s->out);
    longest = longest > LONGEST_BAR ? LONGEST_BAR : longest;
    for (int j = -1, n = 0; (most == 0 || n < most) && (j = next_word(b, w, j)) >= 0; n++) {
        w = (double)b->cells[j];
        fputs(j == a->from ? "  * " : "  > ", s->out);
        plot_screen_text(s->out, plot_label_at(&b->column_labels, j, &buffer), label, false);
        fprintf(s->out, "  %.2f ", w);
        double place = plot_sheet_place(sheet, b, w);
        plot_screen_bar(s, (int)lround(place * longest), place);
        fputc('\n', s->out);
    }
}

bool plot_terminal_arcs(FILE *out, const PlotArcs *sentence, int most, PlotTerminal mode)
{
    Sheet sheet = {0};
    Screen s;
    const char *who = "plot_terminal_arcs";
    if (most < 0)
        return tensor_fail("%s: most is %d; expected 0 or more", who, most);
    if (!plot_screen_open(&s, out, mode, who) ||
        !plot_sheet_of_arcs(&sheet, sentence, 1, NULL, who))
        return false;
    put_sentence(&s, &sheet, sentence, most);
    plot_sheet_free(&sheet);
    return plot_screen_close(&s, who);
}
