/* options.h: reads a program's command line with a table of its options.
 *
 *     Options o = {.seed = 1};
 *     const Option table[] = {
 *         {"seed", OPTION_INT, &o.seed, "N", "of weights, data and dropout", 0, 1e9},
 *         {"quiet", OPTION_FLAG, &o.quiet, NULL, "print results only"},
 *         {0},
 *     };
 *     options_parse(argc, argv, "trains a small encoder ...", table);
 *
 * --help prints the table and ends the program. An unknown option, a missing, empty or wrong value
 * ends it with status 2 and a message that names the nearest option or the expected value. */
#ifndef EXAMPLES_OPTIONS_H
#define EXAMPLES_OPTIONS_H

#include "gradus.h"

typedef enum {
    OPTION_FLAG,   /* bool *; takes no value      */
    OPTION_INT,    /* int *, from low to high     */
    OPTION_NUMBER, /* double *, from low to high  */
    OPTION_TEXT,   /* const char **               */
    OPTION_TEXTS,  /* TextList *; may be given several times */
    OPTION_MAYBE,  /* const char **; a value is optional, as --name=VALUE; "" without one */
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
    double low, high; /* the range of a number; both 0: any */
} Option;

/* Reads the command line. about: one line that describes the program. An option without a name ends
 * the table. */
void options_parse(int argc, char **argv, const char *about, const Option *table);

/* Messages and --help begin with this name (at most 63 bytes) in place of argv[0]'s. */
void options_program(const char *name);

/* Did the command line that options_parse read give --name? */
bool options_given(const char *name);

/* Prints a message that begins with the program's name, and ends the program with status 2. */
void options_refuse(const char *format, ...) GRADUS_PRINTF(1, 2) __attribute__((noreturn));

/* The word of the vocabulary that is nearest to a misspelt one, for "did you mean"; NULL where even
 * that one differs by more than half of the word's letters. */
const char *options_near(const Vocab *words, const char *misspelt);

/* The index of the value of --option among the names (NULL ends them); ends the program if it is
 * none of them. */
int options_one_of(const char *option, const char *found, const char *const *names);

/* Ends the program with status 2 unless a file can be written at this path, which --option names:
 * before a training run, not after it. Missing folders are made. What is there must be a regular
 * file; it stays as it is. */
void options_need_file(const char *option, const char *path);
/* The same for a folder in which files will be written. */
void options_need_folder(const char *option, const char *path);

/* Installs the error handler: a failure in the library prints one line, with the program's file and
 * line, and ends the program with status 1. */
void example_exit_on_error(void);

#endif
