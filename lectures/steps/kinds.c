/* kinds.c: the kinds of steps. A kind says what is asked for, and calls the program that checks it,
 * or makes a question from what the project already says: the claims with their faults, and numbers
 * that gdb shows on the way of a guide. See steps.h. */
#include "lectures/steps/steps.h"

#include "lectures/mystery/mystery.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 4, TEXT = 1024 };

typedef struct {
    const char *folder; /* of homeworks               */
    uint64_t seed;      /* of choices and their order */
} Checking;

typedef struct Kind {
    const char *name;
    bool (*check)(const Step *s, const Checking *c);
    const char *says; /* of a row, the folder of its chapter, and the chapter's number */
} Kind;

/* Runs argv[1], a script, with the streams of this program: is its status 0? */
static bool runs(char *argv[])
{
    SystemProcess p;
    char shell[STEP_PATH];
    if (!system_find_program("sh", shell, sizeof shell))
        options_refuse("found no program sh on PATH; expected one, which runs %s", argv[1]);
    argv[0] = shell;
    fflush(stdout);
    return system_start(&p, argv, 0) == 0 && system_wait(&p) == 0;
}

static char *launcher(void)
{
    char *given = getenv("GRADUS_LAUNCHER");
    return given && *given ? given : LECTURES_FOLDER "/../gradus";
}

/* ---- a claim and its faults ------------------------------------------------------------------ */

/* Adds a choice, with a reason as by printf, unless it stands there, or all places are taken; its
 * place is drawn. */
GRADUS_PRINTF(4, 5)
static void add(Question *q, Rng *rng, const char *text, const char *format, ...)
{
    static char reasons[CHOICES][TEXT];
    va_list list;
    int n = 0;
    for (; n < CHOICES && q->choices[n].text; n++)
        if (strcmp(q->choices[n].text, text) == 0)
            return;
    if (n == CHOICES)
        return;
    va_start(list, format);
    vsnprintf(reasons[n], TEXT, format, list);
    va_end(list);
    const int place = (int)rng_below(rng, n + 1);
    q->choices[n] = q->choices[place];
    q->choices[place] = (QuestionChoice){text, reasons[n]};
    if (q->right == place + 1 || n == 0)
        q->right = n + 1;
}

/* One run, shown with what it explains; returns the value. */
static double show_run(const Claim *c, const char *fault)
{
    char bound[BOUND_TEXT];
    printf("   %s\n\n", fault ? "with a fault:" : "as it is:");
    Finding f = claim_run(c, fault, 1, stdout);
    printf("\n   value %.6g, bound %s: %s\n\n", f.value, claim_bound(c, bound),
           f.verdict == HOLDS ? "HOLDS" : "FAILS");
    return f.value;
}

/* A claim of the row is shown without and with a fault, which is to be named among the claim's
 * other faults that have another value, and faults of claims of other rows. */
static bool check_break(const Step *s, const Checking *c)
{
    Rng rng = {.seed = c->seed, .stream = (uint64_t)s->row};
    char answer[TEXT];
    int count, k, n = 0;
    const Claim *const *claims = row_claims(s->row, &count),
                       *claim = claims[rng_below(&rng, count)],
                       *const *all = chapter_claims(chapter_with_row(s->row));
    Question q = {.row = s->row, .question = "Which fault is it?", .answer = answer};
    do
        k = (int)rng_below(&rng, CLAIM_FAULTS);
    while (!claim->faults[k].name);
    wrapped_say("", 3, "%s", claim->statement);
    wrapped_say("   measured:", 13, "%s\n", claim->quantity);
    double sound = show_run(claim, NULL), planted = show_run(claim, claim->faults[k].name);
    add(&q, &rng, claim->faults[k].what, "it takes the value from %.4g to %.4g", sound, planted);
    for (int i = 0; i < CLAIM_FAULTS && claim->faults[i].name; i++) {
        double value = i == k ? planted : claim_run(claim, claim->faults[i].name, 1, NULL).value;
        if (value < planted || value > planted || isnan(value) != isnan(planted))
            add(&q, &rng, claim->faults[i].what, "it gives %.4g, and %.4g was measured", value,
                planted);
    }
    while (all[n])
        n++;
    for (int i = 0; i < 8 * n; i++) {
        const Claim *other = all[rng_below(&rng, n)];
        if (other->row != s->row && !claim_has_fault(claim, other->faults[0].name))
            add(&q, &rng, other->faults[0].what,
                "this is a fault of another claim, of row %d: \"%s\"", other->row,
                other->statement);
    }
    snprintf(answer, TEXT, "%s (./gradus claims --break %d:%s)", claim->faults[k].what, s->row,
             claim->faults[k].name);
    return question_ask(&q, NULL);
}

/* ---- other checks ---------------------------------------------------------------------------- */

static bool check_predict(const Step *s, const Checking *c)
{
    (void)c;
    char number[8];
    snprintf(number, sizeof number, "%d", chapter_with_row(s->row)->number);
    return lectures_ask(4, (char *[]){"ask", number, "--row", (char *)s->what, NULL}) == 0;
}

static bool check_change(const Step *s, const Checking *c)
{
    (void)c;
    return runs((char *[]){NULL, launcher(), "claims", "--try", (char *)s->what, NULL});
}

/* Asks for one of the guide's numbers in walks.tsv, which the guide does not print. */
static bool ask_of_guide(const char *guide, uint64_t seed)
{
    static const char file[] = LECTURES_FOLDER "/steps/walks.tsv";
    Rng rng = {.seed = seed};
    char name[STEP_WHAT], after[TEXT], typed[TEXT], asked[3 * TEXT];
    double value;
    Finding f = {0};
    int n = 0;
    char *list = text_read(file, NULL);
    for (char *line = list, *next; line; line = next) {
        next = text_cut(line);
        if (sscanf(line, "%63[^\t]\t%1023[^\t]\t%1023[^\t]\t%lf", name, after, typed, &value) !=
                4 ||
            strcmp(name, guide) != 0 || rng_below(&rng, ++n) > 0)
            continue;
        f.value = value;
        snprintf(asked, sizeof asked,
                 "After the guide's first `%s`, type `%s`: which number is the answer, after any "
                 "\"$1 =\"?",
                 after, typed);
    }
    free(list);
    const Question q = {.question = asked,
                        .within = 1e-3,
                        .quantity = "what gdb answers there",
                        .answer = "the guide does not print it",
                        .misconception = "other places of the program have other numbers"};
    return n > 0 && question_ask(&q, &f);
}

/* The guide of `./gradus debug stepping` is lectures/04-attention/stepping.md. */
static bool check_walk(const Step *s, const Checking *c)
{
    char path[STEP_PATH];
    FileStatus found;
    int i = 0;
    do
        snprintf(path, sizeof path, "%s/%s/%s.md", LECTURES_FOLDER, chapters[i]->folder, s->what);
    while (!disk_look(path, &found) && chapters[++i]);
    wrapped_say("", 3,
                "Type ./gradus debug %s in a second terminal, and there what lectures%s has after "
                "\"(gdb)\".\n",
                s->what, path + strlen(LECTURES_FOLDER));
    return ask_of_guide(s->what, c->seed);
}

/* Hands the homework out, or grades all of it, or one function. */
static bool grade(const Step *s, const Checking *c)
{
    char name[STEP_WHAT], function[STEP_WHAT] = "", file[STEP_PATH + 2 * STEP_WHAT];
    FileStatus found;
    sscanf(s->what, "%63[^:]:%63s", name, function);
    snprintf(file, sizeof file, "%s/%s/%s.c", c->folder, name, name);
    const bool there = disk_look(file, &found), alone = there && *function;
    if (!there)
        *strrchr(file, '/') = 0;
    printf("   ./gradus %s %s '%s'%s%s\n\n", there ? "grade" : "handout", name, file,
           alone ? " --function " : "", alone ? function : "");
    bool ok = runs((char *[]){NULL, launcher(), there ? "grade" : "handout", name, file,
                              alone ? "--function" : NULL, function, NULL});
    if (ok && !there)
        wrapped_say("", 3,
                    "Read %s/README.md, and write %s in %s.c beside it; this step, begun again, "
                    "grades it.\n",
                    file, *function ? function : "its functions", name);
    return ok && there;
}

/* A mystery is a run of its own at each try: what a wrong answer was told does not help the
 * next. */
static bool check_find(const Step *s, const Checking *c)
{
    char run[16], chapter[8];
    snprintf(run, sizeof run, "%d", 1 + (int)(c->seed % 1000000));
    snprintf(chapter, sizeof chapter, "%d", mystery_chapter(s->what));
    return mystery_chapter(s->what)
               ? lectures_mystery(4, (char *[]){"mystery", run, "--chapter", chapter, NULL}) == 0
               : grade(s, c);
}

/* Grades what the program calls of the homeworks, compiles it with them, and runs it. */
static bool check_milestone(const Step *s, const Checking *c)
{
    return runs((char *[]){NULL, GRADUS_MILESTONE, (char *)s->what, (char *)c->folder, NULL});
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static const Kind kinds[] = {
    {"predict", check_predict,
     "Predict before anything is measured; the step is done when all answers are right. Then read "
     "section %d of lectures/%s/README.md (./gradus lecture %d --html).\n"},
    {"break", check_break, "A fault is planted in what a claim of this row measures. Name it.\n"},
    {"change", check_change,
     "Solve the exercise of section %d of lectures/%s/README.md in the copy of exercises*.c that "
     "is "
     "named below, and begin this step again. As it stands:\n"},
    {"walk", check_walk, NULL},
    {"write", grade, NULL},
    {"find", check_find, NULL},
    {"milestone", check_milestone, NULL},
};

Step step_make(const char *kind, int row, const char *what, int minutes)
{
    Step s = {.kind = kinds, .row = row, .minutes = minutes};
    if (row)
        snprintf(s.what, sizeof s.what, "%d", row);
    else
        snprintf(s.what, sizeof s.what, "%s", what);
    snprintf(s.key, sizeof s.key, "%.10s %s", kind, s.what);
    while (strcmp(s.kind->name, kind) != 0)
        s.kind++;
    return s;
}

bool step_check(const Step *s, uint64_t seed)
{
    const char *folder = getenv("GRADUS_HOMEWORK");
    const Chapter *chapter = chapter_with_row(s->row);
    if (chapter)
        wrapped_say("", 3, s->kind->says, s->row, chapter->folder, chapter->number);
    return s->kind->check(s, &(Checking){folder && *folder ? folder : "homework", seed});
}
