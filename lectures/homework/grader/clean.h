/* clean.h: text that is safe to print (clean.c). */
#ifndef GRADER_CLEAN_H
#define GRADER_CLEAN_H

#include "text.h"

#include <stdbool.h>

/* Replaces bytes that are not UTF-8, and control characters other than a line's end and a tab, by
 * U+FFFD. */
void text_clean(Text *t);

/* The same in place, for a name: one line. */
void name_clean(char *name, size_t size);

#endif
