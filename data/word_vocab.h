/* word_vocab.h: iteration over the words of a text. Internal to data/. */
#ifndef GRADUS_DATA_WORD_VOCAB_H
#define GRADUS_DATA_WORD_VOCAB_H

#include "data/data.h"

/* Reads the next word from p on, as data_tokenise splits a text; "" at the end. Returns the text
 * after it; NULL is an error, which begins with the public function `who`. */
const char *words_next(const char *p, char word[DATA_WORD_BYTES], const char *who);

#endif
