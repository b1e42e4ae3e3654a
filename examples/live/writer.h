/* writer.h: a GPT in a page that computes: what it writes, and how tokens are drawn. */
#ifndef EXAMPLES_WRITER_H
#define EXAMPLES_WRITER_H

#include "examples/live/exchange.h"

/* Continues a prompt: live_input is "TEMPERATURE K P SEED COUNT 1" and, after a newline, the
 * prompt; or "... COUNT 0", to go on after the text that was written last, with the random numbers
 * after its last. The answer: {"words": the prompt's parts [[text, known], ...], and the members of
 * a page on generated text}; of a prompt with unknown characters, {"error", "words"}. The random
 * numbers, and how a full context goes on, are those of ./gradus example gpt --decode sample. */
LIVE_EXPORT(live_write) int live_write(void);

/* Where the page writes so many logits, for live_distribution. NULL: no memory. */
LIVE_EXPORT(live_logits) real *live_logits(int count);

/* Their distribution after temperature, top-k and top-p, and draws from it: live_input is
 * "TEMPERATURE K P SEED STREAM POSITION DRAWS". The answer: {"count", "p", "token": most probable
 * first; "draws": [u, place in the list, u, place, ...], "position": of the next random number}. */
LIVE_EXPORT(live_distribution) int live_distribution(void);

#endif
