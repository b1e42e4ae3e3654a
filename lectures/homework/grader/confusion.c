/* confusion.c: is the assignment itself right? For its author.
 *
 *   the solution reaches all points, the stub none and hears what to do first;
 *   each function reaches its points where all others are stubs;
 *   each known mistake loses points, and is named, it and no other;
 *   two mistakes at once are not taken for a third. */
#include "grader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    double score, max_score;
    char named[400];
    bool compiled, changes_input;
    char first[1200]; /* of the first test that did not pass: its name and what was told */
} Tried;

static void tell_first(Tried *t, const Report *r)
{
    const TestResult *open = NULL;
    for (int i = r->count - 1; i >= 0; i--)
        open = r->test[i].state != PASSED ? &r->test[i] : open;
    const char *words = r->failure.length ? text_of(&r->failure)
                        : !r->compiled    ? text_of(&r->message)
                        : open            ? text_of(&open->feedback)
                                          : "";
    snprintf(t->first, sizeof t->first, "%.60s%s%.1000s", open && r->compiled ? open->row.name : "",
             open && r->compiled ? ": " : "", words);
    t->changes_input = open && strstr(words, " is an input, and was changed");
}

enum { TRIES = 3 };

/* Of a mistake only the tests of its function: in all others that function is the solution's, or
 * not run. Where the machine failed, such as for want of processes, the report says so, and it is
 * graded again. */
static Tried try_text(const Assignment *a, const Text *text, const char *function)
{
    char folder[PATH_SIZE], file[PATH_SIZE];
    GradeOptions o = {.function = function,
                      .seed = 1,
                      .only_case = -1,
                      .shown_only = function != NULL};
    Tried t = {.score = -1};
    Report *r = malloc(sizeof *r);
    if (!r || !folder_temporary(folder))
        quit("no folder to work in can be made");
    file_write(path_join(file, folder, a->source), text_of(text), text->length);
    grade(r, a, file, &o);
    for (int again = 1; r->failure.length && again < TRIES; again++) {
        report_free(r);
        sleep(2);
        grade(r, a, file, &o);
    }
    t.score = r->score;
    t.max_score = r->max_score;
    t.compiled = r->compiled;
    tell_first(&t, r);
    for (int i = 0; i < r->count; i++)
        if (r->test[i].diagnosis[0] && !strstr(t.named, r->test[i].diagnosis)) {
            size_t used = strlen(t.named);
            snprintf(t.named + used, sizeof t.named - used, "%s%s", used ? " " : "",
                     r->test[i].diagnosis);
        }
    report_free(r);
    free(r);
    folder_remove(folder);
    return t;
}

static void print_first(const char *words)
{
    Text text = {0};
    text_indent(&text, "    ", words);
    fputs(text_of(&text), stdout);
    text_free(&text);
}

/* The hand-out changes nothing: if it seems to change an input, the solution does. */
static bool check_inputs(const Tried *stub)
{
    if (stub->changes_input)
        printf("WRONG: the solution changes an input (a case_input or case_given)\n");
    return !stub->changes_input;
}

static bool check_text(const Assignment *a, const char *name, const Text *text,
                       const char *function, double wanted)
{
    Tried t = try_text(a, text, function);
    bool right = t.compiled && t.score == (wanted < 0 ? t.max_score : wanted);
    right = (wanted != 0 || check_inputs(&t)) && right;
    printf("%-28s %5g of %g  %s\n", name, t.score, t.max_score,
           right ? "as it should be" : "WRONG");
    if (!right)
        print_first(t.first);
    fflush(stdout);
    return right;
}

static bool check_ends(const Assignment *a, const Text *solution)
{
    Text stub = {0};
    homework_text(a, STUB, NULL, &stub);
    bool good = check_text(a, "solution", solution, NULL, -1);
    good = check_text(a, "stub", &stub, NULL, 0) && good;
    text_free(&stub);
    return good;
}

static bool check_alone(const Assignment *a)
{
    bool good = true;
    for (int f = 0; f < a->functions; f++) {
        char name[80];
        Text text = {0};
        snprintf(name, sizeof name, "%s alone", a->function[f]);
        homework_text(a, ONE_SOLVED, a->function[f], &text);
        good = check_text(a, name, &text, a->function[f], -1) && good;
        text_free(&text);
    }
    return good;
}

/* ---- one mistake ----------------------------------------------------------------------------- */

/* Named it alone? Quickly: does it find its lines? */
static bool check_mistake(const Assignment *a, const Mistake *m, const Text *solution, bool quick)
{
    Text changed = {0}, why = {0};
    bool applied = mistake_apply(m, text_of(solution), &changed, &why);
    if (!applied || quick) {
        printf("%s", text_of(&why));
        text_free(&changed);
        text_free(&why);
        return applied;
    }
    Tried t = try_text(a, &changed, m->function);
    bool right = t.compiled && t.score < t.max_score && strcmp(t.named, m->id) == 0;
    printf("%-28s %5g of %g  %s\n", m->id, t.score, t.max_score,
           right                    ? "named"
           : !t.compiled            ? "DOES NOT COMPILE"
           : t.score == t.max_score ? "NOT CAUGHT"
                                    : "NAMED AS:");
    if (!right)
        printf("    %s\n", t.compiled && t.named[0] ? t.named : t.first);
    fflush(stdout);
    text_free(&changed);
    text_free(&why);
    return right;
}

/* ---- two at once ----------------------------------------------------------------------------- */

/* Both changes, if the second still finds its lines. */
static bool apply_both(const Mistake *m, const Mistake *other, const Text *solution, Text *both)
{
    Text one = {0}, why = {0};
    bool good = strcmp(m->function, other->function) == 0 &&
                mistake_apply(m, text_of(solution), &one, &why) &&
                mistake_apply(other, text_of(&one), both, &why);
    text_free(&one);
    text_free(&why);
    return good;
}

/* Is there one in the list that is these two? */
static bool is_both(const Mistakes *m, const char *named, const Text *solution, const Text *both)
{
    bool same = false;
    for (int i = 0; i < m->count && !same; i++) {
        Text one = {0}, why = {0};
        same = strcmp(m->at[i].id, named) == 0 &&
               mistake_apply(&m->at[i], text_of(solution), &one, &why) &&
               strcmp(text_of(&one), text_of(both)) == 0;
        text_free(&one);
        text_free(&why);
    }
    return same;
}

/* Each of the two may be named, where it hides the other; a third one only if it is the two. */
static bool are_named(const Mistakes *m, int i, int j, const char *named, const Text *solution,
                      const Text *both)
{
    char words[400];
    snprintf(words, sizeof words, "%s", named);
    for (char *word = strtok(words, " ,"); word; word = strtok(NULL, " ,"))
        if (strcmp(word, m->at[i].id) != 0 && strcmp(word, m->at[j].id) != 0 &&
            !is_both(m, word, solution, both))
            return false;
    return true;
}

static bool check_pair(const Assignment *a, const Mistakes *m, int i, int j, const Text *solution,
                       const Text *both)
{
    Tried t = try_text(a, both, m->at[i].function);
    bool right = t.compiled && t.score < t.max_score && are_named(m, i, j, t.named, solution, both);
    if (!right)
        printf("%s and %s at once: %5g of %g, %s %s\n", m->at[i].id, m->at[j].id, t.score,
               t.max_score, t.compiled ? "named as" : "does not compile", t.named);
    fflush(stdout);
    return right;
}

/* Each mistake together with the next of its function that it can stand beside. */
static bool check_pairs(const Assignment *a, const Mistakes *m, const Text *solution)
{
    int pairs = 0, right = 0;
    for (int i = 0; i < m->count; i++)
        for (int j = i + 1, found = 0; j < m->count && !found; j++) {
            Text both = {0};
            found = apply_both(&m->at[i], &m->at[j], solution, &both);
            if (found) {
                pairs++;
                right += check_pair(a, m, i, j, solution, &both);
            }
            text_free(&both);
        }
    printf("%d of %d pairs at once are not taken for a third mistake\n", right, pairs);
    return right == pairs;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool check_mistakes(const Assignment *a, const Mistakes *m, const Text *solution, bool quick)
{
    int right = 0;
    for (int i = 0; i < m->count; i++)
        right += check_mistake(a, &m->at[i], solution, quick);
    printf(quick ? "%d of %d mistakes find their lines in the solution\n"
                 : "%d of %d mistakes are named, each as itself and nothing else\n",
           right, m->count);
    return right == m->count;
}

static bool check_homework(const Assignment *a, const Mistakes *m, const Text *solution)
{
    if (!homework_sound(a))
        return false;
    bool good = check_ends(a, solution);
    good = check_alone(a) && good;
    good = check_mistakes(a, m, solution, false) && good;
    return check_pairs(a, m, solution) && good;
}

int confusion(const Assignment *a, bool quick)
{
    Mistakes mistakes;
    Text solution = {0}, why = {0};
    homework_text(a, SOLUTION, NULL, &solution);
    if (!mistakes_read(&mistakes, a, &why))
        quit("%s", text_of(&why));
    bool good = quick ? check_mistakes(a, &mistakes, &solution, true)
                      : check_homework(a, &mistakes, &solution);
    mistakes_free(&mistakes);
    text_free(&solution);
    return good ? 0 : 1;
}
