/* vocabulary.h: converts a vocabulary to one line of text and back, for the file of a trained
 * model. */
#ifndef EXAMPLES_VOCABULARY_H
#define EXAMPLES_VOCABULARY_H

#include "examples/common/example.h"
#include "gradus.h"

/* The words joined by tabs, which no word contains; the caller frees the text. NULL if memory runs
 * out. */
char *vocabulary_line(const Vocab *v);

/* Adds the words of such a line. Returns false with an error if memory runs out. */
bool vocabulary_from(Vocab *v, const char *line);

#ifndef GRADUS_INSIDE
#define vocabulary_from(...) EXAMPLE_PLACED(vocabulary_from, __VA_ARGS__)
#endif

#endif
