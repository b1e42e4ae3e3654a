/* mathml.h: a formula of a chapter's text as MathML.
 *
 * The formulas are the ```math blocks of the chapters' README.md, which GitHub sets with MathJax; a
 * browser sets MathML itself. Read is the part of LaTeX that the chapters use: scripts, fractions,
 * roots, large operators with limits, functions, delimiters of a given size, accents, braces below,
 * matrices, cases, aligned lines, text, letters of four alphabets, Greek and the signs of
 * mathml_commands.c. */
#ifndef LECTURES_MATHML_H
#define LECTURES_MATHML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the `bytes` of a formula as <math>, displayed or within a line, with the formula itself as
 * its alternative text. False, with an error that names what was found, where it has another
 * command or an open brace; then nothing is written. */
bool mathml_write(FILE *out, const char *latex, size_t bytes, bool display);

/* Writes text with &, <, > and " as references. */
void html_escape(FILE *out, const char *text, size_t bytes);

/* ---- mathml_commands.c ----------------------------------------------------------------------- */

typedef enum {
    LETTER,   /* an identifier                                        */
    UPRIGHT,  /* an identifier that is not slanted                    */
    SIGN,     /* an operator or a relation                            */
    LARGE,    /* an operator with limits below and above              */
    INTEGRAL, /* a large operator with limits beside it               */
    FUNCTION, /* log: an upright word, a thin space before its argument */
    LIMIT,    /* max: a function with limits below                    */
    SPACE,    /* a width                                              */
    ACCENT,   /* above its argument                                   */
    SIZE,     /* \big: the size of the delimiter that follows         */
} MathKind;

/* A command that is one sign, or a space: "alpha", LETTER, "\xce\xb1". */
typedef struct {
    const char *name;
    MathKind kind;
    const char *text;
} MathCommand;

/* NULL if there is no such command, or if it has arguments. */
const MathCommand *mathml_command(const char *name, size_t bytes);

#endif
