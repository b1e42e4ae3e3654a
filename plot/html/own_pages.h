/* own_pages.h: pages that the programs of this project write, and no other program (internal):
 * those that compute need the library as the module that ./gradus build live.js makes, and a
 * chapter's figures are those of lectures/runner.
 *
 *   train       a small transformer that is trained in the page             plot/html/live.c
 *   model       a model's folder that a reader opens in the page            plot/html/live.c
 *   chapter     a text with pictures that a reader moves                    plot/html/chapter.c */
#ifndef GRADUS_PLOT_OWN_PAGES_H
#define GRADUS_PLOT_OWN_PAGES_H

#include "plot/pages.h"

/* What a page that computes reads after each sentence: the member "inputs" alone, as JSON. Writes
 * at most size bytes with the closing 0, as snprintf does, and returns the length of the whole
 * text; 0, with an error, where plot_page_attention would fail. */
size_t plot_page_attention_data(char *text, size_t size, const PlotPage *page);

/* Writes a page on which a reader trains the model of examples/attention with the reader's
 * settings; module: as in PlotPageLive. Error: a file that is no such module. */
bool plot_page_train(const char *path, const char *module);

/* The same of a page on which a reader opens a folder that nn_pretrained_load reads. */
bool plot_page_model(const char *path, const char *module);

/* What a page that computes reads after each prompt: its data, as JSON. Writes and returns as
 * plot_page_attention_data; 0, with an error, where plot_page_generation would fail. */
size_t plot_page_generation_data(char *text, size_t size, const PlotPageGeneration *generation);

/* Numbers of a live figure under a name, such as "points". */
typedef struct {
    const char *name;
    const real *numbers;
    int count;
} PlotLiveNumbers;

/* A figure that is drawn in the page, with controls. */
typedef struct {
    /* "computed": with the library, a figure of lectures/runner/computed.h, whose labels are its
     * first answer and its controls; "search": of a book, whose labels are sections */
    const char *kind;
    const char *after; /* the id of the element of the text that it follows */
    const PlotLiveNumbers *numbers;
    int count;
    const char *const *labels; /* texts that it needs, such as words; NULL: none */
    int label_count;
} PlotLiveFigure;

typedef struct {
    const char *title; /* of the page and of its window */
    const char *html;  /* the text, in HTML without scripts and styles; trusted, as it stands */
    const PlotLiveFigure *figures;
    int figure_count;
    const PlotPageLive
        *live; /* the library, which figures of the kind "computed" need; NULL: none */
} PlotPageChapter;

/* Writes the page to a file such as "out/lectures/04-attention.html". Error: no title or text; an
 * unknown kind of figure, or one without an element to follow; numbers without a name, or none. */
bool plot_page_chapter(const char *path, const PlotPageChapter *chapter);

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
#define plot_page_attention_data(...)  TENSOR_PLACED_SIZE(plot_page_attention_data, __VA_ARGS__)
#define plot_page_generation_data(...) TENSOR_PLACED_SIZE(plot_page_generation_data, __VA_ARGS__)
#define plot_page_chapter(...)         TENSOR_PLACED_OK(plot_page_chapter, __VA_ARGS__)
#define plot_page_train(...)           TENSOR_PLACED_OK(plot_page_train, __VA_ARGS__)
#define plot_page_model(...)           TENSOR_PLACED_OK(plot_page_model, __VA_ARGS__)
#endif

#endif
