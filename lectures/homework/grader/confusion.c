/* confusion.c: is the assignment itself right? For its author.
 *
 *   the solution reaches all points, the stub none and hears what to do first;
 *   each known mistake loses points, and is named, it and no other: a matrix, which must be diagonal. */
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

static Tried try_text(const Assignment *a, const Text *text)
{
    char folder[PATH_SIZE], file[PATH_SIZE], name[48];
    GradeOptions o = {.seed = 1, .only_case = -1, .diagnose = true};
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
        Tried t = try_text(a, &text);
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
    Tried t = try_text(a, &changed);
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
    good = good && named == m.count;
    mistakes_free(&m);
    text_free(&solution);
    return good ? 0 : 1;
}
