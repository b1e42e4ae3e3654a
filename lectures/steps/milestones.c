/* milestones.c: compiles a program of milestones/ with a learner's homeworks, and runs it. See
 * milestones.h. */
#include "lectures/steps/milestones.h"

#include "lectures/steps/steps.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK "hw2 hw3 hw3b hw4 "
const Milestone milestones[] = {
    {"head", "your softmax and matrix product in trained attention", "hw1", NULL, milestone_head},
    {"xor", "your autodiff trains exclusive or", "hw2", NULL, NULL},
    {"tired", "your block, with trained weights, says what \"it\" is", BLOCK "hw7", NULL,
     milestone_tired},
    {"writes", "your decoder writes", BLOCK "hw7 hw8", "gpt", milestone_writes},
    {"digit", "your Vision Transformer reads a digit", BLOCK "hw12", "vit", milestone_digit},
    {"vae", "your VAE is trained and draws digits", "hw1 hw13", NULL, milestone_vae},
    {0},
};

const Milestone *milestone_named(const char *name)
{
    for (const Milestone *m = milestones; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

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

int command_run(CommandLine *w, const char *launcher)
{
    SystemProcess p;
    printf("   %s", strcmp(w->word[0], launcher) == 0 ? "./gradus" : w->word[0]);
    for (int i = 1; i < w->count; i++)
        printf(" %s", w->word[i]);
    printf("\n\n");
    fflush(stdout);
    int reason = system_start(&p, w->word, 0);
    if (reason)
        fprintf(stderr, "%s: %s\n", w->word[0], strerror(reason));
    return reason ? -1 : system_wait(&p);
}

/* The next of the homeworks' names; returns what follows it, or NULL. */
static const char *next_name(const char *at, char name[STEP_WHAT])
{
    int n = 0;
    return sscanf(at, "%63s%n", name, &n) == 1 ? at + n : NULL;
}

/* ---- one milestone --------------------------------------------------------------------------- */

/* Is the learner's file of each homework there? Says which one is missing. */
static bool all_written(const Milestone *m, const char *folder)
{
    char path[2 * STEP_PATH], name[STEP_WHAT];
    FileStatus found;
    for (const char *at = m->homeworks; (at = next_name(at, name)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s/%s.c", folder, name, name);
        if (disk_look(path, &found))
            continue;
        printf("   %s is not there; write %s first: ./gradus steps write %s\n\n", path, name, name);
        return false;
    }
    return true;
}

static bool compile(const Milestone *m, const Checking *c, const char *program)
{
    char compiler[STEP_PATH], name[STEP_WHAT];
    const char *from = LECTURES_FOLDER "/steps/milestones", *folder = c->record->folder;
    const char *own = getenv("CC"), *names[] = {own && *own ? own : "cc", "cc", "gcc", "clang"};
    bool found = false;
    CommandLine w = {0};
    for (int i = 0; i < 4 && !found; i++)
        found = system_find_program(names[i], compiler, sizeof compiler);
    if (!found) {
        printf("   no C compiler: expected cc, gcc or clang\n");
        return false;
    }
    command_add(&w, "%s", compiler);
    command_add(&w, "-O2");
    command_add(&w, "-o");
    command_add(&w, "%s", program);
    command_add(&w, "%s/%s.c", from, m->name);
    command_add(&w, "%s/given.c", from);
    for (const char *at = m->homeworks; (at = next_name(at, name)) != NULL;) {
        command_add(&w, "-I%s/%s", folder, name);
        command_add(&w, "%s/%s/%s.c", folder, name, name);
    }
    if (strstr(m->homeworks, BLOCK))
        command_add(&w, "%s/transformer.c", from);
    command_add(&w, "-lm");
    return command_run(&w, c->launcher) == 0;
}

/* The example's weights, trained once, in some 10 seconds of two cores, and kept. */
static bool find_weights(const Milestone *m, const Checking *c, const char *folder,
                         const char *path)
{
    FileStatus found;
    if (!m->example || disk_look(path, &found))
        return true;
    CommandLine w = {0};
    const char *words[] = {c->launcher, "example", m->example, "--quiet", "--steps",
                           "400",       "--save",  path,       "--out",   folder};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        command_add(&w, "%s", words[i]);
    return command_run(&w, c->launcher) == 0;
}

static bool write_input(const Milestone *m, const char *path, const char *weights)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return tensor_fail("%s: %s", path, strerror(errno));
    bool ok = m->input(out, weights) && !ferror(out);
    return fclose(out) == 0 && ok;
}

bool check_milestone(const Step *s, Checking *c)
{
    const Milestone *m = milestone_named(s->what);
    char folder[STEP_PATH + 16], program[2 * STEP_PATH], input[2 * STEP_PATH],
        weights[2 * STEP_PATH];
    if (!all_written(m, c->record->folder))
        return false;
    snprintf(folder, sizeof folder, "%s/milestones", c->record->folder);
    snprintf(program, sizeof program, "%s/%s", folder, m->name);
    snprintf(input, sizeof input, "%s/%s.txt", folder, m->name);
    snprintf(weights, sizeof weights, "%s/%s.safetensors", folder, m->example ? m->example : "");
    bool ok = tensor_make_directory(folder) && find_weights(m, c, folder, weights) &&
              (!m->input || write_input(m, input, weights)) && compile(m, c, program);
    if (!ok && *tensor_error())
        fprintf(stderr, "%s\n", tensor_error());
    CommandLine w = {0};
    command_add(&w, "%s", program);
    if (m->input)
        command_add(&w, "%s", input);
    ok = ok && command_run(&w, c->launcher) == 0;
    putchar('\n');
    return ok;
}
