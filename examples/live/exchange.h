/* exchange.h: the library as WebAssembly: texts and numbers between a page and the module.
 *
 * A page passes numbers and texts, and gets texts; all arithmetic is the library's. It writes a
 * text to the address that live_input returns, calls a function, and reads live_output, whose
 * length the function has returned; -1 is an error, and live_output then says which. The module has
 * one model, one training run and one thread. It asks the page for nothing: no file, no clock, no
 * network. The files of this folder are listed in its README. */
#ifndef EXAMPLES_EXCHANGE_H
#define EXAMPLES_EXCHANGE_H

#include "gradus.h"
#include "plot/html/page.h"

#ifdef __wasm__
#define LIVE_EXPORT(name) __attribute__((export_name(#name)))
#else
#define LIVE_EXPORT(name)
#endif

/* Where the page writes a text of at most so many bytes with its closing 0, until the next call.
 * NULL: no memory. */
LIVE_EXPORT(live_input) char *live_input(int bytes);
LIVE_EXPORT(live_output) const char *live_output(void);

/* Begins a model anew: "attention seed=1 ..." (settings.c) or "gpt longest=128 ..." (writer.c),
 * with initial weights. The answer: {"weights", "answers"}, how many there are. */
LIVE_EXPORT(live_begin) int live_begin(void);

/* The page writes the numbers of weight live_input, count of them, to this address. NULL, with the
 * error in live_output: another name or count. */
LIVE_EXPORT(live_weight) real *live_weight(int count);
extern Params *live_params; /* of the model that live_begin began; NULL: there is none */

/* A figure of a chapter (lectures/runner/computed.h): live_input is a request to computed_answer.
 * And where the page writes `count` numbers that the figure is given under the name live_input;
 * NULL: an error. */
LIVE_EXPORT(live_computed) int live_computed(void);
LIVE_EXPORT(live_given) real *live_given(int count);

/* writer.c: reads live_text, and makes the model and live_params. */
bool writer_begin(void);

/* For the files of this folder. The text that the page has written; an answer's text, of which the
 * whole length is returned, as snprintf does; the pending error as the answer, which is -1. */
const char *live_text(void);
int live_answer(const char *format, ...) __attribute__((format(printf, 1, 2)));
int live_error(void);
/* The answer is the object that p's data are (plot/html/page.h), with the members of the object
 * that `write` writes as snprintf does; NULL: it has no more. Frees p. ok false, or an earlier
 * failure: the pending error is the answer. */
int live_answer_data(bool ok, Page *p, size_t (*write)(char *text, size_t size, void *what),
                     void *what);
/* The answer to a text with unknown words, which p has: the pending error as the member "error". */
int live_refuse(Page *p);
/* The value [text, known]. */
void live_word(Page *p, const char *text, bool known);

#endif
