/* wrapped.h: paragraphs that fit the terminal. */
#ifndef LECTURES_WRAPPED_H
#define LECTURES_WRAPPED_H

/* The columns of text on standard output: the terminal's, 40 to 96; 96 where it is none. */
int wrapped_columns(void);

/* Prints the text with line breaks between words, each line after `indent` spaces, the first where
 * the cursor is, which is at that column, too. */
void wrapped_print(const char *text, int indent);

#endif
