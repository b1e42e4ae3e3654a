/* milestones.c: compiles a program of milestones/ with a learner's homeworks and the library, as a
 * line of milestones/milestones.txt says, and runs it. See steps.h. */
#include "lectures/steps/steps.h"

#include "lectures/runner/text_stream.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FROM LECTURES_FOLDER "/steps/milestones"

/* ---- command lines --------------------------------------------------------------------------- */

void command_add(CommandLine *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, list);
    va_end(list);
    if (w->count == COMMAND_WORDS || n < 0 || (size_t)n >= sizeof w->text - w->used)
        options_refuse("the command line is too long; expected a folder with a shorter name");
    w->word[w->count++] = w->text + w->used;
    w->used += (size_t)n + 1;
}

/* Adds words that `separator` divides. */
static void add_words(CommandLine *w, const char *words, const char *separator)
{
    for (size_t n; *words; words += n + (words[n] != 0)) {
        n = strcspn(words, separator);
        if (n)
            command_add(w, "%.*s", (int)n, words);
    }
}

int command_run(CommandLine *w, const char *launcher)
{
    SystemProcess p;
    char program[STEP_PATH];
    printf("   %s", strcmp(w->word[0], launcher) == 0 ? "./gradus" : w->word[0]);
    for (int i = 1; i < w->count; i++)
        printf(strpbrk(w->word[i], " \"") ? " '%s'" : " %s", w->word[i]);
    printf("\n\n");
    fflush(stdout);
    if (system_find_program(w->word[0], program, sizeof program))
        w->word[0] = program;
    int reason = system_start(&p, w->word, 0);
    if (reason)
        fprintf(stderr, "%s: %s\n", w->word[0], strerror(reason));
    return reason ? -1 : system_wait(&p);
}

/* ---- one milestone --------------------------------------------------------------------------- */

bool milestone_parts(const char *name, CommandLine *parts)
{
    char *text = text_read(FROM "/milestones.txt", NULL);
    *parts = (CommandLine){0};
    for (char *line = text, *next; line && !parts->count; line = next) {
        size_t n = strcspn(line, " ");
        next = text_cut(line);
        if (*line != '#' && strlen(name) == n && strncmp(line, name, n) == 0)
            add_words(parts, line + n, " ");
    }
    free(text);
    return parts->count > 0;
}

/* The homework's file; false, with the command that begins it, where it is not written. */
static bool add_homework(CommandLine *w, const char *folder, const char *name)
{
    FileStatus found;
    command_add(w, "-I%s/%s", folder, name);
    command_add(w, "%s/%s/%s.c", folder, name, name);
    const char *path = w->word[w->count - 1];
    if (disk_look(path, &found))
        return true;
    printf("   %s is not there; write %s first: ./gradus steps write %s\n\n", path, name, name);
    return false;
}

/* The example's weights, trained once, in some 10 seconds of processor time, and kept. */
static bool train(const char *example, const Checking *c, const char *folder, const char *weights)
{
    FileStatus found;
    CommandLine w = {0};
    command_add(&w, "%s", c->launcher);
    add_words(&w, "example", " ");
    add_words(&w, example, " ");
    add_words(&w, "--quiet --steps 400 --save", " ");
    command_add(&w, "%s", weights);
    command_add(&w, "--out");
    command_add(&w, "%s", folder);
    return disk_look(weights, &found) || command_run(&w, c->launcher) == 0;
}

bool check_milestone(const Step *s, Checking *c)
{
    char folder[STEP_PATH + 16], weights[STEP_PATH + 128] = "";
    const char *example = NULL;
    CommandLine parts, compile = {0}, run = {0};
    bool ok = milestone_parts(s->what, &parts);
    snprintf(folder, sizeof folder, "%s/milestones", c->record->folder);
    command_add(&run, "%s/%s", folder, s->what);
    add_words(&compile, GRADUS_COMPILE, "|");
    command_add(&compile, "-DLECTURES_FOLDER=\"%s\"", LECTURES_FOLDER);
    command_add(&compile, "-o");
    command_add(&compile, "%s", run.word[0]);
    command_add(&compile, FROM "/%s.c", s->what);
    for (int i = 0; ok && i < parts.count; i++) {
        const char *part = parts.word[i];
        if (strncmp(part, "hw", 2) == 0)
            ok = add_homework(&compile, c->record->folder, part);
        else if (strchr(part, '.'))
            command_add(&compile, strchr(part, '/') ? "%.0s%s/../%s" : "%s%.0s/%s", FROM,
                        LECTURES_FOLDER, part);
        else
            example = part;
    }
    add_words(&compile, GRADUS_LINK, "|");
    if (ok && example) {
        snprintf(weights, sizeof weights, "%s/%s.safetensors", folder, example);
        command_add(&run, "%s", weights);
    }
    ok = ok && tensor_make_directory(folder) && (!example || train(example, c, folder, weights)) &&
         command_run(&compile, c->launcher) == 0 && command_run(&run, c->launcher) == 0;
    putchar('\n');
    return ok;
}
