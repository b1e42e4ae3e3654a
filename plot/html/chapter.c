/* chapter.c: a chapter's page: its text as HTML, and the data of its live figures, which the
 * live_*.js files draw.
 *
 *   {"figures": [{"kind", "after", "numbers": {NAME: [...]}, "labels": [...]}]} */
#include "plot/html/page.h"
#include "plot/pages.h"

#include <string.h>

static const char who[] = "plot_page_chapter";

static const char *const kinds[] = {"computed", "search"}; /* as in live_*.js */

static bool numbers_fit(const PlotLiveFigure *f)
{
    for (int i = 0; i < f->count; i++) {
        const PlotLiveNumbers *n = &f->numbers[i];
        if (!n->name || !n->numbers || n->count < 1)
            return tensor_fail("%s: %d numbers \"%s\" of figure %s; expected a name and 1 or more",
                               who, n->numbers ? n->count : 0, n->name ? n->name : "(NULL)",
                               f->kind);
    }
    return true;
}

static bool figure_fits(const PlotLiveFigure *f)
{
    size_t k = 0;
    while (f->kind && k < sizeof kinds / sizeof *kinds && strcmp(kinds[k], f->kind) != 0)
        k++;
    if (!f->kind || k == sizeof kinds / sizeof *kinds)
        return tensor_fail("%s: figure \"%s\"; expected a kind of plot/html/chapter.c", who,
                           f->kind ? f->kind : "(NULL)");
    if (!f->after || !*f->after)
        return tensor_fail("%s: figure %s follows no element; expected an id", who, f->kind);
    return numbers_fit(f);
}

bool plot_page_chapter(const char *path, const PlotPageChapter *c)
{
    if (!c || !c->title || !c->html)
        return tensor_fail("%s: %s is NULL; expected a chapter with title and text", who,
                           !c          ? "the chapter"
                           : !c->title ? "the title"
                                       : "the text");
    for (int i = 0; i < c->figure_count; i++)
        if (!figure_fits(&c->figures[i]))
            return false;
    Page *p = page_new("chapter", c->title, who);
    page_body(p, c->html);
    page_key_array(p, "figures");
    for (int i = 0; i < c->figure_count; i++) {
        const PlotLiveFigure *f = &c->figures[i];
        page_object(p);
        page_key_text(p, "kind", f->kind);
        page_key_text(p, "after", f->after);
        page_key(p, "numbers");
        page_object(p);
        for (int k = 0; k < f->count; k++) {
            page_key(p, f->numbers[k].name);
            page_array(p);
            for (int n = 0; n < f->numbers[k].count; n++)
                page_number(p, (double)f->numbers[k].numbers[n]);
            page_end(p);
        }
        page_end(p);
        page_texts(p, "labels", f->labels, f->label_count);
        page_end(p);
    }
    page_end(p);
    if (page_live(p, c->live, who))
        return page_write(p, path);
    page_free(p);
    return false;
}
