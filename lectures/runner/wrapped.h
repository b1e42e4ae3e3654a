/* wrapped.h: paragraphs that fit the terminal. */
#ifndef LECTURES_WRAPPED_H
#define LECTURES_WRAPPED_H

#include "tensor/tensor.h"

/* Prints the text with line breaks between words, each line after `indent` spaces, the first where
 * the cursor is, which is at that column, too. */
void wrapped_print(const char *text, int indent);

/* Prints a label, and from column `indent` on a paragraph of at most 4,095 characters, as by
 * printf. */
void wrapped_say(const char *label, int indent, const char *format, ...) GRADUS_PRINTF(3, 4);

#endif
