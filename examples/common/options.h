/* options.h: a program's command line, from a table.
 *
 *     Options o = {.seed = 1};
 *     const Option table[] = {
 *         {"seed", OPTION_INT, &o.seed, "N", "of weights, data and dropout", 0, 1e9},
 *         {"quiet", OPTION_FLAG, &o.quiet, NULL, "print results only"},
 *         {0},
 *     };
 *     options_parse(argc, argv, "trains a small encoder ...", table);
 *
 * --help prints the table and ends the program. An unknown option, a missing or a wrong value ends it
 * with status 2 and says what was meant or expected. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include <stdbool.h>

typedef enum {
    OPTION_FLAG,   /* bool *; takes no value      */
    OPTION_INT,    /* int *, from low to high     */
    OPTION_NUMBER, /* double *, from low to high  */
    OPTION_TEXT,   /* const char **               */
    OPTION_TEXTS,  /* TextList *; may come several times */
    OPTION_MAYBE,  /* const char **; "" without a value, which only --name=VALUE gives */
} OptionKind;

enum { TEXTS_MAX = 4 };
typedef struct {
    int count;
    const char *text[TEXTS_MAX];
} TextList;

typedef struct {
    const char *name; /* without the dashes */
    OptionKind kind;
    void *value;
    const char *argument; /* in --help: "N", "FILE" */
    const char *help;
    double low, high; /* of numbers; both 0: any */
} Option;

/* about: one line on what the program does. The table is closed by an option without a name. */
void options_parse(int argc, char **argv, const char *about, const Option *table);

/* Ends the program with status 2 and a message that begins with its name. */
void options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Which of the names (closed by NULL) the value of --option is, from 0; ends the program where it is none. */
int options_one_of(const char *option, const char *found, const char *const *names);

/* From now on a failure in the library prints one line, with the program's file and line, and ends the
 * program with status 1. */
void example_exit_on_error(void);

#endif
