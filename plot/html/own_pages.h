/* own_pages.h: pages that the programs of this project write, and no other program (internal): they
 * need the library as the module that ./gradus build live.js makes.
 *
 *   train       a small transformer that is trained in the page             plot/html/live.c
 *   model       a model's folder that a reader opens in the page            plot/html/live.c */
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

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
#define plot_page_attention_data(...)  TENSOR_PLACED_SIZE(plot_page_attention_data, __VA_ARGS__)
#define plot_page_generation_data(...) TENSOR_PLACED_SIZE(plot_page_generation_data, __VA_ARGS__)
#define plot_page_train(...)           TENSOR_PLACED_OK(plot_page_train, __VA_ARGS__)
#define plot_page_model(...)           TENSOR_PLACED_OK(plot_page_model, __VA_ARGS__)
#endif

#endif
