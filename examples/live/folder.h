/* folder.h: a model's folder that a reader opens in a page: its files, as the page hands them over,
 * and the model. Texts go in and out as live.h says. */
#ifndef EXAMPLES_LIVE_FOLDER_H
#define EXAMPLES_LIVE_FOLDER_H

#include "examples/live/live.h"

/* ---- folder.c -------------------------------------------------------------------------------- */

/* A file of the path in live_input and of so many bytes, which the page writes to this address. The
 * library's files are these alone; weights that it can use as they are stay where they are. NULL,
 * with the error in live_output: no memory, or too many files. */
LIVE_EXPORT(live_file) unsigned char *live_file(size_t bytes);

/* The bytes of the file whose path ends like this; NULL: there is none. */
const unsigned char *folder_find(const char *end, size_t *bytes);

/* ---- pretrained.c ---------------------------------------------------------------------------- */

/* Opens the model of the folder in live_input, once. The answer: {"summary", "writes": does it go
 * on with a text?, "side": of its pictures, or 0, "numbers": has it no tokeniser, so that texts are
 * ids, "5,17,3"?}. */
LIVE_EXPORT(live_open) int live_open(void);

/* Runs the text in live_input; a model of pictures runs the file "picture", the pixels' bytes, all
 * red ones first. The answer: {"ids", "likely": [{"at", "candidates": [[text, probability], ...]}],
 * "inputs": as on a page on attention}. What is likely: classes; words at the masks; the next
 * token. */
LIVE_EXPORT(live_run) int live_run(void);

/* Begins to go on with the text in live_input, by at most so many tokens, drawn as nn_sample draws
 * them; live_next draws one. The answers: {"ids", "text": what was written so far, "ended"}. */
LIVE_EXPORT(live_prompt)
int live_prompt(int tokens, double temperature, int top_k, double top_p, int seed);
LIVE_EXPORT(live_next) int live_next(void);

#endif
