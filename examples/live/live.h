/* live.h: the library as WebAssembly: what a page calls.
 *
 * A page passes numbers and texts, and gets texts; all arithmetic is the library's. It writes a
 * text to the address that live_input returns, calls a function, and reads live_output, whose
 * length the function has returned; -1 is an error, and live_output then says which. The module has
 * one model, one training run and one thread. It asks the page for nothing: no file, no clock, no
 * network.
 *
 *   exchange.c    texts in and out, and the error
 *   settings.c    a model and its training as one line of text
 *   sentence.c    a sentence that a reader types: its maps, gradients and answer
 *   playground.c  a training run, step by step */
#ifndef EXAMPLES_LIVE_H
#define EXAMPLES_LIVE_H

#include "examples/attention/question.h"

#ifdef __wasm__
#define LIVE_EXPORT(name) __attribute__((export_name(#name)))
#else
#define LIVE_EXPORT(name)
#endif

/* ---- exchange.c ------------------------------------------------------------------------------ */

/* Where the page writes a text of at most so many bytes with its closing 0, until the next call.
 * NULL: no memory. */
LIVE_EXPORT(live_input) char *live_input(int bytes);
LIVE_EXPORT(live_output) const char *live_output(void);

/* For the files of this folder. The text that the page has written; an answer's text, of which the
 * whole length is returned, as snprintf does; the pending error as the answer, which is -1. */
const char *live_text(void);
int live_answer(const char *format, ...) __attribute__((format(printf, 1, 2)));
int live_error(void);
/* The answer is what these write: the prefix, then what `write` writes as snprintf does. */
int live_answer_with(const char *prefix, size_t (*write)(char *text, size_t size, void *what),
                     void *what);

/* ---- settings.c ------------------------------------------------------------------------------ */

typedef struct {
    ModelConfig model;
    int seed, batch;
    int64_t steps;
    double rate;
} LiveSettings;

/* Reads "attention seed=1 layers=2 ...": what is missing has the value of the example's command
 * line. False, with an error, for an unknown name or a number out of range. */
bool live_settings(LiveSettings *s, const Grammar *g, const char *text);

/* The model of the page. */
typedef struct {
    LiveSettings settings;
    Grammar *grammar;
    Params *params; /* NULL: there is no model */
    Model model;
} LiveModel;
extern LiveModel live_model;

/* Begins a model anew, with the settings of live_input, and initial weights from its seed. */
LIVE_EXPORT(live_begin) int live_begin(void);

/* The page writes the numbers of weight live_input, count of them, to this address. NULL, with the
 * error in live_output: another name or count. */
LIVE_EXPORT(live_weight) real *live_weight(int count);

/* ---- sentence.c ------------------------------------------------------------------------------ */

/* Runs the sentence in live_input, forward and backward; after a newline there may be cuts, such as
 * "0.3 1.0.7.2": head 3 of layer 0, and in head 0 of layer 1 the arc from word 7 to word 2. The
 * answer: {"probability", "right", "words": [[word, known], ...], "inputs": as on a page on
 * attention}; of a sentence that the grammar's words do not make, {"error", "words"}. */
LIVE_EXPORT(live_sentence) int live_sentence(void);

/* ---- playground.c ---------------------------------------------------------------------------- */

/* Trains the model that live_begin began by so many steps. The answer: {"step", "losses": [...],
 * "norms": [...], "layers": [[name, length of the gradient], ...]}. */
LIVE_EXPORT(live_train) int live_train(int steps);

/* The share of right answers on so many held-out sentences: {"accuracy"}. */
LIVE_EXPORT(live_test) int live_test(int sentences);

/* Releases what live_train made, for live_begin. */
void playground_end(void);

#endif
