/* word_vocab.h: a text word by word. Private to data/. */
#ifndef GRADUS_DATA_WORDS_H
#define GRADUS_DATA_WORDS_H

#include "data/data.h"

/* The next word from p on, as data_tokenise cuts it, "" at the end; returns what follows, NULL on an error. */
const char *words_next(const char *p, char word[DATA_WORD_BYTES]);

#endif
