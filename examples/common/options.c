/* options.c: see options.h. */
#include "examples/common/options.h"

#include "tensor/files.h"
#include "plot/system.h"
#include "tensor/system/system.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char program[64]; /* empty: not known yet */

void options_program(const char *name)
{
    snprintf(program, sizeof program, "%s", name);
}

/* The names of the options that were given, one entry for each of them in the table. */
enum { GIVEN_MAX = 64 };
static const char *given[GIVEN_MAX];
static int given_count;

void options_refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", *program ? program : "example");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

int options_one_of(const char *option, const char *found, const char *const *names)
{
    char list[256] = "";
    for (int i = 0; names[i]; i++) {
        if (strcmp(found, names[i]) == 0)
            return i;
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        size_t n = strlen(list);
        snprintf(list + n, sizeof list - n, "%s%s", before, names[i]);
    }
    options_refuse("--%s: found '%s'; expected %s", option, found, list);
}

/* ---- what will be written -------------------------------------------------------------------- */

/* Refuses the value of --option for the error that the library has just reported, without the
 * function's name; where it reported none, or has no memory, for want of memory. */
static void refuse_path(const char *option, const char *path)
{
    const char *error = tensor_error(), *after = strstr(error, ": ");
    bool memory = !*error || strncmp(error, "out of memory", 13) == 0;
    options_refuse("--%s: '%s' cannot be written: %s", option, path,
                   memory  ? "out of memory"
                   : after ? after + 2
                           : error);
}

void options_need_file(const char *option, const char *path)
{
    char *folder = strdup(path), *slash = folder ? system_last_slash(folder) : NULL;
    if (slash)
        *slash = 0;
    bool ok = folder && (!slash || slash == folder || tensor_make_directory(folder));
    AtomicFile *file = ok ? tensor_file_open(path) : NULL;
    free(folder);
    if (!file)
        refuse_path(option, path);
    tensor_file_discard(file);
}

void options_need_folder(const char *option, const char *path)
{
    size_t size = strlen(path) + sizeof "/probe";
    char *inside = malloc(size);
    bool ok = inside && tensor_make_directory(path);
    if (ok)
        snprintf(inside, size, "%s/probe", path);
    AtomicFile *file = ok ? tensor_file_open(inside) : NULL;
    free(inside);
    if (!file)
        refuse_path(option, path);
    tensor_file_discard(file);
}

static void print_and_exit(const char *message, void *context)
{
    (void)context;
    fprintf(stderr, "%s\n", message);
    exit(1);
}

void example_exit_on_error(void)
{
    tensor_on_error(print_and_exit, NULL);
}

/* ---- help ------------------------------------------------------------------------------------ */

static void print_default(const Option *o)
{
    if (o->kind == OPTION_INT)
        printf(" (%d)", *(const int *)o->value);
    else if (o->kind == OPTION_NUMBER)
        printf(" (%g)", *(const double *)o->value);
    else if (o->kind == OPTION_TEXT && *(const char **)o->value)
        printf(" (%s)", *(const char **)o->value);
}

static void print_help(const char *about, const Option *table)
{
    printf("usage: %s [options]\n%s\n\n", program, about);
    for (const Option *o = table; o->name; o++) {
        char left[40];
        bool maybe = o->kind == OPTION_MAYBE;
        snprintf(left, sizeof left, "--%s%s%s%s", o->name,
                 maybe         ? "[="
                 : o->argument ? " "
                               : "",
                 o->argument ? o->argument : "", maybe ? "]" : "");
        printf("  %-20s %s", left, o->help);
        print_default(o);
        printf("\n");
    }
    printf("  %-20s %s\n", "--help", "print this text");
}

/* ---- misspelt options ------------------------------------------------------------------------ */

static const Option *find(const Option *table, const char *name, size_t length)
{
    for (; table->name; table++)
        if (strlen(table->name) == length && strncmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

const char *options_near(const Vocab *words, const char *misspelt)
{
    int nearest[DATA_NEAREST];
    if (data_vocab_nearest(words, misspelt, nearest) < 1)
        return NULL;
    const char *word = data_vocab_word(words, nearest[0]);
    return data_word_distance(misspelt, word) <= (int)strlen(misspelt) / 2 ? word : NULL;
}

/* Proposes the option whose name is nearest to `word` up to its "=", with the options' names as a
 * vocabulary. */
static void refuse_unknown(const Option *table, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    Vocab names = {0};
    data_vocab_specials(&names); /* data_vocab_nearest skips the special tokens */
    data_vocab_add(&names, "help");
    for (const Option *o = table; o->name; o++)
        data_vocab_add(&names, o->name);
    const char *near = options_near(&names, name);
    fprintf(stderr, "%s: unknown option --%s", program, name);
    if (near)
        fprintf(stderr, "; did you mean --%s?", near);
    fprintf(stderr, " (--help lists all)\n");
    data_vocab_free(&names);
    exit(2);
}

/* ---- values ---------------------------------------------------------------------------------- */

static double number(const Option *o, const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool whole = o->kind != OPTION_INT || value == floor(value);
    bool inside = (o->low == 0 && o->high == 0) || (value >= o->low && value <= o->high);
    if (end == text || *end || errno || !whole || !inside)
        options_refuse("--%s: found '%s'; expected a %s from %g to %g", o->name, text,
                       o->kind == OPTION_INT ? "whole number" : "number", o->low, o->high);
    return value;
}

static void set(const Option *o, const char *text)
{
    TextList *list = o->value;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        break;
    case OPTION_INT:
        *(int *)o->value = (int)number(o, text);
        break;
    case OPTION_NUMBER:
        *(double *)o->value = number(o, text);
        break;
    case OPTION_TEXT:
    case OPTION_MAYBE:
        *(const char **)o->value = text;
        break;
    case OPTION_TEXTS:
        if (list->count == TEXTS_MAX)
            options_refuse("--%s: given more than %d times", o->name, TEXTS_MAX);
        list->text[list->count++] = text;
        break;
    }
}

bool options_given(const char *name)
{
    for (int i = 0; i < given_count; i++)
        if (strcmp(given[i], name) == 0)
            return true;
    return false;
}

void options_parse(int argc, char **argv, const char *about, const Option *table)
{
    system_program_begin();
    const char *slash = system_last_slash(argv[0]);
    if (!*program)
        options_program(slash ? slash + 1 : argv[0]);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(about, table);
            given[given_count++] = "help";
            exit(0);
        }
        if (strncmp(argv[i], "--", 2) != 0)
            options_refuse("found '%s'; expected an option that begins with -- (--help lists all)",
                           argv[i]);
        const char *name = argv[i] + 2, *equals = strchr(name, '=');
        const Option *o = find(table, name, equals ? (size_t)(equals - name) : strlen(name));
        if (!o)
            refuse_unknown(table, name);
        if (o->kind == OPTION_FLAG && equals)
            options_refuse("--%s takes no value", o->name);
        bool alone = o->kind == OPTION_FLAG || o->kind == OPTION_MAYBE;
        if (!alone && !equals && i + 1 == argc)
            options_refuse("--%s: expected %s after it", o->name, o->argument);
        const char *value = equals ? equals + 1 : alone ? "" : argv[++i];
        if (!*value && (equals || !alone))
            options_refuse("--%s: found an empty value; expected %s", o->name, o->argument);
        set(o, value);
        if (!options_given(o->name) && given_count < GIVEN_MAX)
            given[given_count++] = o->name;
    }
}
