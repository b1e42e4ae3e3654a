/* html.h: --html, which writes what a model attended to as a page for a browser, DIR/attention.html
 * (plot/pages.h).
 *
 *    Html html = {.wanted = c->html};
 *    ... a forward pass with tape->keep_maps, and a backward one for dL/dA ...
 *    const HtmlAttention a = {.path = "blocks.%d.attn", .layers = L, .rows = words, .columns = words};
 *    ok = html_add(&html, tape, 0, "The animal ...", &a, 1) && ... && html_write(&html, c, "title");
 *    html_free(&html);
 *
 * What html_add needs of the tape it copies, so that the tape may be reset. Without --html both do
 * nothing. */
#ifndef EXAMPLES_HTML_H
#define EXAMPLES_HTML_H

#include "examples/common/example.h"
#include "gradus.h"
#include "plot/pages.h"
#include "tensor/memory.h"

enum { HTML_INPUTS = 8, HTML_ATTENTIONS = 3 };

typedef struct {
    bool wanted;
    const char *loss;    /* what L of dL/dA is for the inputs that are added next (PlotPageInput) */
    PlotPageFocus focus; /* of the inputs that are added next */
    const char *file;    /* NULL: attention.html */
    PlotPageCuts cuts;   /* of the first input */
    const PlotPageLive *live; /* of html_write; NULL: the page does not compute */
    int count;
    PlotPageInput input[HTML_INPUTS];
    Tape *kept; /* copies of tensors, and of all else */
    Arena arena;
} Html;

/* The attention of all layers, whose modules have the names of `path` with the layer's number in
 * it; without a path, the map of a single layer, which has no queries and keys. */
typedef struct {
    const char *path;
    const Tensor *map, *gradient; /* dL/dA; NULL: the map's own, if it has one */
    int layers;
    const char *name;                         /* NULL: "self-attention" */
    const char *const *rows, *const *columns; /* the tokens; NULL: numbers */
    PlotPagePicture picture;
} HtmlAttention;

/* Adds what went through the model in pass number `pass` of this tape, from 0: a model that was
 * called twice since the last reset has the passes 0 and 1. title: of the input, such as the
 * sentence. False, with an error, where a map is missing, there are more than HTML_INPUTS inputs,
 * or memory is out. */
bool html_add(Html *h, Tape *tape, int pass, const char *title, const HtmlAttention *attentions,
              int count);

/* The data of such a page, as plot_page_attention_data has them. */
size_t html_data(const Html *h, char *text, size_t size);

/* Writes DIR/attention.html and says so. */
bool html_write(const Html *h, const Common *c, const char *title);

void html_free(Html *h);

/* Names of a picture's tokens: of the `first` in front "class" and "distilled", of the others row
 * and column of the patch, from 1. free releases them. */
const char **html_patch_names(int grid, int first);

#ifndef GRADUS_INSIDE
#define html_add(...)   EXAMPLE_PLACED(html_add, __VA_ARGS__)
#define html_write(...) EXAMPLE_PLACED(html_write, __VA_ARGS__)
#endif

#endif
