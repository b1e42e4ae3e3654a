/* confusion.c: is the assignment itself right? For its author.
 *
 *   the solution reaches all points, the stub none and hears what to do first;
 *   each known mistake loses points, and is named, it and no other: a matrix, which must be diagonal;
 *   two mistakes at once are not taken for a third. */
#include "grader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double score, max_score;
    char named[400];
    bool compiled;
    char first[200];
} Tried;

/* Of a mistake only the tests of its function: in all others that function is the solution's, or not run. */
static Tried try_text(const Assignment *a, const Text *text, const char *function)
{
    char folder[PATH_SIZE], file[PATH_SIZE], name[48];
    GradeOptions o = {.function = function,
                      .seed = 1,
                      .only_case = -1,
                      .diagnose = true,
                      .numbers_only = function != NULL};
    Tried t = {.score = -1};
    Report *r = malloc(sizeof *r);
    if (!r || !folder_temporary(folder))
        quit("no folder to work in can be made");
    snprintf(name, sizeof name, "%s.c", a->id);
    file_write(path_join(file, folder, name), text_of(text), text->length);
    grade(r, a, file, &o);
    t.score = r->score;
    t.max_score = r->max_score;
    t.compiled = r->compiled;
    snprintf(t.first, sizeof t.first, "%.199s",
             text_of(r->compiled ? &r->test[0].feedback : &r->message));
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

static bool read_marked(const Assignment *a, bool solution, Text *text)
{
    char path[PATH_SIZE], name[48];
    Text marked = {0};
    snprintf(name, sizeof name, "%s.c", a->id);
    bool good = file_read(path_join(path, a->folder, name), &marked) &&
                (solution ? marked_solution : marked_stub)(text_of(&marked), text);
    text_free(&marked);
    return good;
}

static bool check_ends(const Assignment *a)
{
    bool good = true;
    for (int solution = 1; solution >= 0; solution--) {
        Text text = {0};
        if (!read_marked(a, solution, &text))
            quit("%s: the marks BEGIN SOLUTION and END SOLUTION do not pair", a->name);
        Tried t = try_text(a, &text, NULL);
        bool right = t.compiled && t.score == (solution ? t.max_score : 0);
        printf("%-28s %5g of %g  %s\n", solution ? "solution" : "stub", t.score, t.max_score,
               right ? "as it should be" : "WRONG");
        if (!right)
            printf("    %s\n", t.first);
        good = good && right;
        text_free(&text);
    }
    return good;
}

/* Named it alone? */
static bool check_mistake(const Assignment *a, const Mistake *m, const Text *solution)
{
    Text changed = {0}, why = {0};
    if (!mistake_apply(m, text_of(solution), &changed, &why)) {
        printf("%-28s cannot be applied: %s", m->id, text_of(&why));
        text_free(&changed);
        text_free(&why);
        return false;
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

/* ---- two at once ------------------------------------------------------------------------------------ */

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

/* ---- all of it -------------------------------------------------------------------------------------- */

int confusion(const Assignment *a)
{
    Mistakes m;
    Text why = {0}, solution = {0};
    bool good = check_ends(a);
    if (!mistakes_read(&m, a, &why))
        quit("%s", text_of(&why));
    if (!read_marked(a, true, &solution))
        return 1;
    int named = 0;
    for (int i = 0; i < m.count; i++)
        named += check_mistake(a, &m.at[i], &solution);
    printf("%d of %d mistakes are named, each as itself and nothing else\n", named, m.count);
    good = check_pairs(a, &m, &solution) && good && named == m.count;
    mistakes_free(&m);
    text_free(&solution);
    return good ? 0 : 1;
}
