/* mathml_reader.h: what mathml.c and mathml_arguments.c share (internal).
 *
 *   row      atoms, up to what ends the row: }  &  \\  \right  \end, or the end of the formula
 *   atom     a letter, a number, a sign, {row}, or a command with its arguments; then its scripts
 *
 * The result is a growing text. An atom is written first, and when a script follows, <msub> is
 * inserted before it. */
#ifndef LECTURES_MATHML_READER_H
#define LECTURES_MATHML_READER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *text;
    size_t count, capacity;
} MathText;

typedef struct {
    const char *at, *end;
    MathText out;
    bool open_bar; /* within |...| of this row */
    bool failed;   /* an error was reported    */
} MathReader;

/* Reports what was found, unless an error was reported before, and ends the reading. */
bool math_fail(MathReader *r, const char *found, size_t bytes, const char *expected);

void math_insert(MathReader *r, size_t at, const char *text, size_t bytes);
void math_put(MathReader *r, const char *text);
void math_put_escaped(MathReader *r, char c);

void math_skip_spaces(MathReader *r);
/* Does the text go on with this? Then it is taken. */
bool math_take(MathReader *r, const char *text);
void math_expect(MathReader *r, const char *text);

void math_row(MathReader *r);
/* An argument: {row}, or one atom, of a number one digit. */
void math_argument(MathReader *r);

/* ---- mathml_arguments.c ---------------------------------------------------------------------- */

/* Reads the arguments of a command such as frac, and writes it. False if there is no such
 * command. */
bool math_command_with_arguments(MathReader *r, const char *name, size_t bytes);

/* The delimiter after \left, \right or \big. "." is none. */
void math_delimiter(MathReader *r, const char *attributes);

#endif
