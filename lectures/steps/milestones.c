/* milestones.c: compiles a program of milestones/ with a learner's homeworks, and runs it. See
 * milestones.h. */
#include "lectures/steps/milestones.h"

#include "lectures/runner/wrapped.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const Milestone milestones[] = {
    {"head", "your softmax and matrix product in a trained attention head", "hw1", "", false,
     milestone_head},
    {"xor", "your autodiff trains exclusive or", "hw2", NULL, false, NULL},
    {"tired", "your block, with the example's weights, says what \"it\" is",
     "hw2 hw3 hw3b hw4 hw4b hw7", "", true, milestone_tired},
    {"writes", "your decoder writes", "hw2 hw3 hw3b hw4 hw4b hw7 hw8", "gpt", true,
     milestone_writes},
    {"digit", "your Vision Transformer reads a digit", "hw2 hw3 hw3b hw4 hw4b hw12", "vit", true,
     milestone_digit},
    {"vae", "your VAE is trained and draws digits", "hw1 hw13", NULL, false, milestone_vae},
    {0},
};

const Milestone *milestone_named(const char *name)
{
    for (const Milestone *m = milestones; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

/* ---- the command line of the compiler -------------------------------------------------------- */

enum { WORDS = 40 };
typedef struct {
    char *word[WORDS + 1]; /* closed by NULL */
    int count;
} CommandLine;

static void add(CommandLine *w, const char *format, ...) GRADUS_PRINTF(2, 3);
static void add(CommandLine *w, const char *format, ...)
{
    char text[2 * STEP_PATH];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *copy = malloc(strlen(text) + 1);
    if (!copy || w->count == WORDS)
        options_refuse("no memory for a command line");
    w->word[w->count++] = strcpy(copy, text);
}

static void free_words(CommandLine *w)
{
    for (int i = 0; i < w->count; i++)
        free(w->word[i]);
}

static bool add_compiler(CommandLine *w)
{
    char path[STEP_PATH];
    const char *own = getenv("CC"), *names[] = {own && *own ? own : "cc", "cc", "gcc", "clang"};
    for (int i = 0; i < 4; i++)
        if (system_find_program(names[i], path, sizeof path)) {
            add(w, "%s", path);
            return true;
        }
    printf("   no C compiler: expected cc, gcc or clang\n");
    return false;
}

/* The next of the homeworks' names: returns what follows it, or NULL. */
static const char *next_name(const char *at, char name[STEP_WHAT])
{
    at += strspn(at, " ");
    size_t n = strcspn(at, " ");
    snprintf(name, STEP_WHAT, "%.*s", (int)n, at);
    return n ? at + n : NULL;
}

/* Is the learner's file of each homework there? Says which one is missing. */
static bool all_written(const Milestone *m, const char *folder)
{
    char name[STEP_WHAT], path[2 * STEP_PATH];
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

/* quiet: without what the program prints to standard output. */
static bool run_words(CommandLine *w, bool quiet)
{
    char bytes[4096];
    SystemProcess p;
    printf("  ");
    for (int i = 0; i < w->count; i++)
        printf(" %s", w->word[i]);
    printf("\n\n");
    fflush(stdout);
    int reason = system_start(&p, w->word, quiet ? 1 : 0);
    if (reason)
        fprintf(stderr, "%s: %s\n", w->word[0], strerror(reason));
    while (!reason && quiet && disk_read(p.stream, bytes, sizeof bytes) > 0)
        ;
    return !reason && system_wait(&p) == 0;
}

static bool compile(const Milestone *m, const char *folder, const char *program)
{
    CommandLine w = {0};
    char name[STEP_WHAT];
    const char *from = LECTURES_FOLDER "/steps/milestones";
    if (!add_compiler(&w))
        return false;
    add(&w, "-O2");
    add(&w, "-o");
    add(&w, "%s", program);
    add(&w, "%s/%s.c", from, m->name);
    add(&w, "%s/weights.c", from);
    if (m->blocks)
        add(&w, "%s/transformer.c", from);
    for (const char *at = m->homeworks; (at = next_name(at, name)) != NULL;) {
        add(&w, "-I%s/%s", folder, name);
        add(&w, "%s/%s/%s.c", folder, name, name);
    }
    add(&w, "-lm");
    bool ok = run_words(&w, false);
    free_words(&w);
    return ok;
}

/* ---- weights and input ----------------------------------------------------------------------- */

/* The example's weights, trained once, in some 10 seconds of two cores, and kept. */
static bool find_weights(const Milestone *m, const char *launcher, const char *folder,
                         char path[2 * STEP_PATH])
{
    CommandLine w = {0};
    FileStatus found;
    snprintf(path, 2 * STEP_PATH, "%s/04-attention/trained_model.safetensors", LECTURES_FOLDER);
    if (!m->example || !*m->example)
        return true;
    snprintf(path, 2 * STEP_PATH, "%.*s/%s.safetensors", STEP_PATH, folder, m->example);
    if (disk_look(path, &found))
        return true;
    const char *words[] = {launcher, "example", m->example, "--quiet", "--steps",
                           "400",    "--save",  path,       "--out",   folder};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add(&w, "%s", words[i]);
    bool ok = run_words(&w, true);
    free_words(&w);
    return ok;
}

static bool write_input(const Milestone *m, const char *path, const char *weights)
{
    FILE *out = fopen(path, "w");
    bool ok = out && m->input(out, weights) && !ferror(out);
    if (!out)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    else if (!ok && *tensor_error())
        fprintf(stderr, "%s\n", tensor_error());
    return (!out || fclose(out) == 0) && ok;
}

bool check_milestone(const Step *s, const Checking *c)
{
    const Milestone *m = milestone_named(s->what);
    char folder[2 * STEP_PATH], program[2 * STEP_PATH + 64], input[2 * STEP_PATH + 64];
    char weights[2 * STEP_PATH];
    if (!all_written(m, c->record->folder))
        return false;
    snprintf(folder, sizeof folder, "%s/milestones", c->record->folder);
    snprintf(program, sizeof program, "%s/%s", folder, m->name);
    snprintf(input, sizeof input, "%s/%s.txt", folder, m->name);
    if (!tensor_make_directory(folder)) {
        fprintf(stderr, "%s\n", tensor_error());
        return false;
    }
    if (!find_weights(m, c->launcher, folder, weights) ||
        (m->input && !write_input(m, input, weights)) || !compile(m, c->record->folder, program))
        return false;
    CommandLine w = {0};
    add(&w, "%s", program);
    if (m->example)
        add(&w, "%s", weights);
    if (m->input)
        add(&w, "%s", input);
    bool ok = run_words(&w, false);
    free_words(&w);
    printf("\n");
    return ok;
}
