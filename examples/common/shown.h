/* shown.h: prints text that a model wrote, or that somebody typed. */
#ifndef EXAMPLES_SHOWN_H
#define EXAMPLES_SHOWN_H

#include <stdio.h>

/* Prints the text. Where `to` is no file, control characters but line feed and tab, and bytes that
 * are not UTF-8, become \x0c and the like: a terminal would obey some of them and cannot show the
 * others. A file gets the text as it is. */
void shown_text(FILE *to, const char *text);

#endif
