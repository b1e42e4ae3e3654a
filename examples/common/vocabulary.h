/* vocabulary.h: a vocabulary as one line of text and back, for the file of a trained model. */
#ifndef EXAMPLES_VOCABULARY_H
#define EXAMPLES_VOCABULARY_H

#include "gradus.h"

/* The words joined by tabs, which no word holds; for free(). NULL: no memory. */
char *vocabulary_line(const Vocab *v);

/* Adds the words of such a line. False, with an error, when memory is out. */
bool vocabulary_from(Vocab *v, const char *line);

#ifndef GRADUS_INSIDE
#define vocabulary_from(...) TENSOR_PLACED_OK(vocabulary_from(__VA_ARGS__))
#endif

#endif
