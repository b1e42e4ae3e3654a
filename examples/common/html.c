/* html.c: see html.h. */
#include "examples/common/html.h"

#include "plot/html/own_pages.h"

#include <stdlib.h>
#include <string.h>

/* One attention with copies of all that it shows. */
typedef struct {
    PlotPageLayer *layers;
    int count;
    char **rows, **columns;
    int row_count, column_count;
    Tensor *image;
} Copy;

struct HtmlInput {
    char *title, *loss;
    Copy copy[HTML_ATTENTIONS];
    PlotPageAttention attention[HTML_ATTENTIONS];
    int count;
};

/* ---- copies ---------------------------------------------------------------------------------- */

static char *copy_text(const char *text)
{
    char *copy = example_alloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static void free_texts(char **texts, int count)
{
    for (int i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

/* *copy stays NULL where there are no texts. */
static bool copy_texts(char ***copy, const char *const *texts, int count)
{
    *copy = texts ? example_alloc((size_t)count * sizeof **copy) : NULL;
    for (int i = 0; *copy && i < count; i++)
        if (!((*copy)[i] = copy_text(texts[i] ? texts[i] : "")))
            return false;
    return *copy || !texts;
}

/* The gradient as a tensor of its own, or NULL: a map has one after backward. */
static bool copy_gradient(const Tensor **copy, const Tensor *map, const Tensor *gradient)
{
    if (!gradient && !map->grad)
        return true;
    Tensor view = gradient ? *gradient : *map;
    view.data = gradient ? gradient->data : map->grad;
    return (*copy = tensor_clone(&view)) != NULL;
}

/* "blocks.0.attn.A", in the second pass "blocks.0.attn.A#2". */
static const Tensor *find(Tape *tape, const char *path, int layer, const char *part, int pass)
{
    char name[TENSOR_NAME_MAX], numbered[24];
    snprintf(numbered, sizeof numbered, pass ? "%s#%d" : "%s", part, pass + 1);
    return tape_find(tape, example_name(path, layer, numbered, name));
}

static bool copy_layer(PlotPageLayer *copy, const HtmlAttention *a, Tape *tape, int layer, int pass)
{
    const Tensor *map = a->path ? find(tape, a->path, layer, "A", pass) : a->map;
    if (tensor_is_poison(map) || !(copy->map = tensor_clone(map)) ||
        !copy_gradient(&copy->gradient, map, a->path ? NULL : a->gradient))
        return false;
    if (!a->path)
        return true;
    const Tensor *q = find(tape, a->path, layer, "q", pass),
                 *k = find(tape, a->path, layer, "k", pass);
    return !tensor_is_poison(q) && !tensor_is_poison(k) && (copy->q = tensor_clone(q)) &&
           (copy->k = tensor_clone(k));
}

static bool copy_attention(Copy *copy, PlotPageAttention *out, const HtmlAttention *a, Tape *tape,
                           int pass)
{
    int layers = a->path ? a->layers : 1;
    if (layers < 1)
        return tensor_fail("html_add: %d layers; expected 1 or more", layers);
    copy->layers = example_alloc((size_t)layers * sizeof *copy->layers);
    if (!copy->layers)
        return false;
    copy->count = layers;
    for (int l = 0; l < layers; l++)
        if (!copy_layer(&copy->layers[l], a, tape, l, pass))
            return false;
    Shape s = copy->layers[0].map->shape;
    copy->row_count = (int)s.dim[s.rank - 2];
    copy->column_count = (int)s.dim[s.rank - 1];
    if (!copy_texts(&copy->rows, a->rows, copy->row_count) ||
        !copy_texts(&copy->columns, a->columns, copy->column_count) ||
        (a->picture.image && !(copy->image = tensor_clone(a->picture.image))))
        return false;
    *out = (PlotPageAttention){.name = a->name,
                               .layers = copy->layers,
                               .layer_count = layers,
                               .rows = (const char *const *)copy->rows,
                               .columns = (const char *const *)copy->columns,
                               .picture = a->picture};
    out->picture.image = copy->image;
    return true;
}

static void free_copy(Copy *copy)
{
    for (int l = 0; l < copy->count; l++) {
        tensor_free((Tensor *)copy->layers[l].map);
        tensor_free((Tensor *)copy->layers[l].gradient);
        tensor_free((Tensor *)copy->layers[l].q);
        tensor_free((Tensor *)copy->layers[l].k);
    }
    free(copy->layers);
    free_texts(copy->rows, copy->row_count);
    free_texts(copy->columns, copy->column_count);
    tensor_free(copy->image);
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
    HtmlInput *input = example_alloc(sizeof *input);
    if (!input)
        return false;
    h->input[h->count++] = input;
    if ((title && !(input->title = copy_text(title))) ||
        (h->loss && !(input->loss = copy_text(h->loss))))
        return false;
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        input->count = i + 1;
        ok = copy_attention(&input->copy[i], &input->attention[i], &attentions[i], tape, pass);
    }
    return ok;
}

static PlotPage page_of(const Html *h, const char *title, PlotPageInput inputs[HTML_INPUTS])
{
    for (int i = 0; i < h->count; i++)
        inputs[i] = (PlotPageInput){.title = h->input[i]->title,
                                    .loss = h->input[i]->loss,
                                    .attentions = h->input[i]->attention,
                                    .attention_count = h->input[i]->count};
    return (PlotPage){.title = title, .inputs = inputs, .input_count = h->count, .live = h->live};
}

size_t html_data(const Html *h, char *text, size_t size)
{
    PlotPageInput inputs[HTML_INPUTS];
    const PlotPage page = page_of(h, NULL, inputs);
    return plot_page_attention_data(text, size, &page);
}

bool html_write(const Html *h, const Common *c, const char *title)
{
    PlotPageInput inputs[HTML_INPUTS];
    char path[EXAMPLE_PATH];
    if (!h->wanted)
        return true;
    const PlotPage page = page_of(h, title, inputs);
    if (h->count)
        inputs[0].cuts = h->cuts;
    example_path(c, h->file ? h->file : "attention.html", path);
    bool ok = plot_page_attention(path, &page);
    if (ok)
        printf("\npage for a browser: %s\n", path);
    return ok;
}

void html_free(Html *h)
{
    for (int i = 0; i < h->count; i++) {
        for (int k = 0; k < h->input[i]->count; k++)
            free_copy(&h->input[i]->copy[k]);
        free(h->input[i]->title);
        free(h->input[i]->loss);
        free(h->input[i]);
    }
    h->count = 0;
}
