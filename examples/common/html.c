/* html.c: see html.h. All that the page shows is copied: tensors onto a tape, the rest into an
 * arena; html_free releases both. */
#include "examples/common/html.h"

#include "plot/html/own_pages.h"

#include <string.h>

/* ---- copies ---------------------------------------------------------------------------------- */

/* NULL of NULL, and after an error. */
static const char *keep_text(Html *h, const char *text)
{
    return text ? arena_copy(&h->arena, text, strlen(text) + 1) : NULL;
}

static const char *const *keep_texts(Html *h, const char *const *texts, int64_t count)
{
    const char **copy = texts ? arena_alloc(&h->arena, (size_t)count * sizeof *copy) : NULL;
    for (int64_t i = 0; copy && i < count; i++)
        copy[i] = keep_text(h, texts[i] ? texts[i] : "");
    return copy;
}

/* data: the tensor's numbers or its gradient; NULL of NULL. */
static const Tensor *keep_tensor(Html *h, const Tensor *x, real *data)
{
    Tensor view = *x, *copy = data ? tape_full(h->kept, 0, x->shape) : NULL;
    view.data = data;
    if (copy && !tensor_is_poison(copy))
        tensor_read(&view, copy->data);
    return copy;
}

static void keep_layer(Html *h, PlotPageLayer *copy, const HtmlAttention *a, Tape *tape, int layer,
                       int pass)
{
    const Tensor *map = a->path ? example_find(tape, a->path, layer, "A", pass) : a->map;
    const Tensor *gradient = a->path ? NULL : a->gradient;
    *copy = (PlotPageLayer){.map = keep_tensor(h, map, map->data)};
    copy->gradient =
        gradient ? keep_tensor(h, gradient, gradient->data) : keep_tensor(h, map, map->grad);
    if (!a->path)
        return;
    const Tensor *q = example_find(tape, a->path, layer, "q", pass);
    const Tensor *k = example_find(tape, a->path, layer, "k", pass);
    copy->q = keep_tensor(h, q, q->data);
    copy->k = keep_tensor(h, k, k->data);
}

static bool keep_attention(Html *h, PlotPageAttention *copy, const HtmlAttention *a, Tape *tape,
                           int pass)
{
    const int count = a->path ? a->layers : 1;
    if (count < 1)
        return tensor_fail("html_add: %d layers; expected 1 or more", count);
    PlotPageLayer *layers = arena_alloc(&h->arena, (size_t)count * sizeof *layers);
    for (int l = 0; layers && l < count; l++)
        keep_layer(h, &layers[l], a, tape, l, pass);
    if (tensor_failed())
        return false;
    const Shape s = layers->map->shape;
    *copy = (PlotPageAttention){.name = a->name,
                                .layers = layers,
                                .layer_count = count,
                                .rows = keep_texts(h, a->rows, s.dim[s.rank - 2]),
                                .columns = keep_texts(h, a->columns, s.dim[s.rank - 1]),
                                .picture = a->picture};
    if (a->picture.image)
        copy->picture.image = keep_tensor(h, a->picture.image, a->picture.image->data);
    return !tensor_failed();
}

/* ---- the page -------------------------------------------------------------------------------- */

bool html_add(Html *h, Tape *tape, int pass, const char *title, const HtmlAttention *attentions,
              int count)
{
    if (!h || !h->wanted)
        return true;
    if (h->count == HTML_INPUTS || count > HTML_ATTENTIONS)
        return tensor_fail(
            "html_add: input %d with %d attentions; expected at most %d inputs with %d each",
            h->count + 1, count, HTML_INPUTS, HTML_ATTENTIONS);
    h->kept = h->kept ? h->kept : tape_new(0);
    PlotPageAttention *copy = arena_alloc(&h->arena, (size_t)count * sizeof *copy);
    bool ok = h->kept && copy;
    for (int i = 0; ok && i < count; i++)
        ok = keep_attention(h, &copy[i], &attentions[i], tape, pass);
    h->input[h->count] = (PlotPageInput){.title = keep_text(h, title),
                                         .loss = keep_text(h, h->loss),
                                         .focus = h->focus,
                                         .cuts = h->count ? (PlotPageCuts){0} : h->cuts,
                                         .attentions = copy,
                                         .attention_count = count};
    ok = ok && !tensor_failed();
    h->count += ok;
    return ok;
}

static PlotPage page_of(const Html *h, const char *title)
{
    return (PlotPage){.title = title, .inputs = h->input, .input_count = h->count, .live = h->live};
}

size_t html_data(const Html *h, char *text, size_t size)
{
    const PlotPage page = page_of(h, NULL);
    return plot_page_attention_data(text, size, &page);
}

bool html_write(const Html *h, const Common *c, const char *title)
{
    char path[EXAMPLE_PATH];
    if (!h->wanted)
        return true;
    const PlotPage page = page_of(h, title);
    example_path(c, h->file ? h->file : "attention.html", path);
    bool ok = plot_page_attention(path, &page);
    if (ok)
        printf("\npage for a browser: %s\n", path);
    return ok;
}

const char **html_patch_names(int grid, int first)
{
    enum { NAME = 24 };
    const int T = first + grid * grid;
    const char **names = example_alloc((size_t)T * (sizeof *names + NAME));
    char *text = names ? (char *)(names + T) : NULL;
    for (int i = 0; names && i < T; i++, text += NAME) {
        if (i < first)
            snprintf(text, NAME, i == 0 ? "class" : "distilled");
        else
            snprintf(text, NAME, "%d,%d", (i - first) / grid + 1, (i - first) % grid + 1);
        names[i] = text;
    }
    return names;
}

void html_free(Html *h)
{
    arena_free(&h->arena);
    tape_free(h->kept);
    h->kept = NULL;
    h->count = 0;
}
