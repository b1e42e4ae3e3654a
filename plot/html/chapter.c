/* chapter.c: a chapter's page: its text as HTML, and the data of its live figures, which the
 * live_*.js files draw.
 *
 *   {"figures": [{"kind", "after", "numbers": {NAME: {"shape", "floats": [...]} or packed}, "labels": [...]}]} */
#include "plot/html/page.h"
#include "plot/pages.h"

#include <string.h>

static const char who[] = "plot_page_chapter";

/* As in live_*.js. */
static const char *const kinds[] = {"scale", "masks", "heads",  "sinusoids", "decoding",
                                    "beam",  "em",    "latent", "search",    "computed"};

static bool numbers_fit(const PlotLiveFigure *f)
{
    for (int i = 0; i < f->count; i++) {
        const PlotLiveNumbers *n = &f->numbers[i];
        if (!n->name || tensor_is_poison(n->numbers) || !n->numbers->data ||
            !tensor_is_contiguous(n->numbers))
            return tensor_fail("%s: numbers \"%s\" of figure %s are %s; expected a name and a "
                               "contiguous tensor",
                               who, n->name ? n->name : "(NULL)", f->kind,
                               n->numbers ? tensor_describe(n->numbers) : "NULL");
        if (!tensor_is_current(n->numbers, who))
            return false;
        if (n->bits != 0 && n->bits != 8 && n->bits != 16)
            return tensor_fail("%s: numbers \"%s\" in %d bits; expected 0, 8 or 16", who, n->name,
                               n->bits);
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

static void put_numbers(Page *p, const PlotLiveNumbers *n)
{
    const Tensor *t = n->numbers;
    page_key(p, n->name);
    if (n->bits) {
        page_packed(p, t->data, t->shape, n->bits);
        return;
    }
    page_object(p);
    page_key(p, "shape");
    page_array(p);
    for (int i = 0; i < t->shape.rank; i++)
        page_count(p, t->shape.dim[i]);
    page_end(p);
    page_key(p, "floats");
    page_array(p);
    for (int64_t i = 0; i < tensor_size(t); i++)
        page_number(p, (double)t->data[i]);
    page_end(p);
    page_end(p);
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
    page_key(p, "figures");
    page_array(p);
    for (int i = 0; i < c->figure_count; i++) {
        const PlotLiveFigure *f = &c->figures[i];
        page_object(p);
        page_key_text(p, "kind", f->kind);
        page_key_text(p, "after", f->after);
        page_key(p, "numbers");
        page_object(p);
        for (int k = 0; k < f->count; k++)
            put_numbers(p, &f->numbers[k]);
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
