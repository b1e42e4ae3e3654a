/* pickers.h: sentences about pickers and packers, of known probability (row 8).
 *
 *   tobira is packing the walkers. the cooker peeled the parkers. the printers load the talker.
 *
 * The subject is, with probability 1/2, a name of three syllables that hardly ever occurs twice,
 * else "the" with one or several of the STEMS that end in -er; the verb is one of the stems in the
 * present (it agrees with the subject), in the past or in the progressive; the object is a stem
 * with -er or -ers. All choices among equals are equally likely. */
#ifndef LECTURES_PICKERS_H
#define LECTURES_PICKERS_H

#include "lectures/02-tokens/tokens.h"

enum { STEMS = 96, SYLLABLES = 3, CONSONANTS = 8, VOWELS = 5, PICKERS_SENTENCE = 96 };

/* Writes a sentence, its full stop included, after a blank, and returns its bytes. *nats grows by
 * -log p. */
int pickers_sentence(Rng *rng, char text[PICKERS_SENTENCE], double *nats);

/* Writes sentences after a first full stop, until there are at least `bytes`; size: of text. */
void pickers_text(Rng *rng, int bytes, char *text, size_t size);

#endif
