/* writer.h: a GPT in a page that computes: what it writes. */
#ifndef EXAMPLES_WRITER_H
#define EXAMPLES_WRITER_H

#include "examples/live/exchange.h"

/* Continues a prompt: live_input is "TEMPERATURE K P SEED COUNT 1" and, after a newline, the
 * prompt; or "... COUNT 0", to go on after the text that was written last, with the random numbers
 * after its last. The answer: {"words": the prompt's parts [[text, known], ...], and the members of
 * a page on generated text}; of a prompt with unknown characters, {"error", "words"}. The random
 * numbers, and how a full context goes on, are those of ./gradus example gpt --decode sample. */
LIVE_EXPORT(live_write) int live_write(void);

#endif
