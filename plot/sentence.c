/* sentence.c: the sheet of sentences with arcs: of each map the row that is drawn. */
#include "plot/internal.h"

#include <string.h>

static bool check_sentence(const PlotArcs *a, const char *who)
{
    if (!a->words)
        return tensor_fail("%s: words is NULL; expected a label for each column of the map", who);
    if (!tensor_is_poison(a->map) && a->map->shape.rank >= 2) {
        const Shape *s = &a->map->shape;
        int64_t rows = s->dim[s->rank - 2], words = a->word_count ? a->word_count : shape_last(*s);
        int64_t most = rows < words ? rows : words;
        if (a->from < 0 || a->from >= most)
            return tensor_fail("%s: from is %d; expected a word and a row of the map, 0 to %lld",
                               who, a->from, (long long)most - 1);
    }
    return true;
}

/* Keeps of a sentence's map the one row that is drawn. */
static void keep_row(Block *b, const PlotArcs *a)
{
    memmove(b->cells, b->cells + (int64_t)a->from * b->columns,
            (size_t)b->columns * sizeof *b->cells);
    b->rows = 1;
    b->row_labels = (Labels){.text = a->words + a->from, .count = 1};
}

bool plot_sheet_of_arcs(Sheet *s, const PlotArcs *sentences, int count, const char *title,
                        const char *who)
{
    PlotHeatmap maps[MOST_SENTENCES] = {0};
    if (!sentences || count < 1 || count > MOST_SENTENCES)
        return tensor_fail("%s: %d sentences at %s; expected 1 to %d", who, count,
                           sentences ? "an array" : "NULL", MOST_SENTENCES);
    for (int k = 0; k < count; k++) {
        const PlotArcs *a = &sentences[k];
        if (!check_sentence(a, who))
            return false;
        maps[k] = (PlotHeatmap){.map = a->map,
                                .item = a->item,
                                .head = a->head,
                                .columns = a->words,
                                .column_count = a->word_count,
                                .title = a->title};
    }
    if (!plot_sheet_of_maps(s, maps, count, title, who))
        return false;
    for (int k = 0; k < count; k++)
        keep_row(&s->blocks[k], &sentences[k]);
    return true;
}
