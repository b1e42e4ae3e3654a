/* plan.c: a path as weeks. See steps.h. */
#include "lectures/runner/wrapped.h"
#include "lectures/steps/steps.h"

#include <string.h>

/* A column of the plan: words, each once, separated by commas. */
typedef struct {
    char text[1024];
} List;

static void add_word(List *l, const char *word)
{
    size_t n = strlen(l->text), k = strlen(word);
    for (const char *at = strstr(l->text, word); at; at = strstr(at + 1, word))
        if ((at == l->text || at[-1] == ' ') && (!at[k] || at[k] == ','))
            return;
    snprintf(l->text + n, sizeof l->text - n, "%s%s", n ? ", " : "", word);
}

enum { ROWS, EXERCISES, HOMEWORK, MILESTONES, ALSO, LISTS };
static const char *const list_names[LISTS] = {"rows", "exercises", "homework", "milestone", "also"};

static void add_to(List lists[LISTS], const Step *s)
{
    char word[STEP_KEY], function[STEP_WHAT];
    snprintf(word, sizeof word, "%s", s->what);
    if (s->kind == STEP_CHANGE)
        add_word(&lists[EXERCISES], word);
    else if (s->row)
        add_word(&lists[ROWS], word);
    else if (s->kind == STEP_MILESTONE)
        add_word(&lists[MILESTONES], word);
    else if (s->kind == STEP_WRITE || s->kind == STEP_FIND) {
        split_task(s->what, word, function);
        add_word(&lists[HOMEWORK], word);
    } else {
        snprintf(word, sizeof word, "%s", s->kind == STEP_WALK ? s->what : "READING.md");
        add_word(&lists[ALSO], word);
    }
}

static int minutes_of(const Path *p)
{
    int minutes = 0;
    for (int i = 0; i < p->count; i++)
        minutes += p->steps[i].minutes;
    return minutes;
}

/* The step with which the week after `week` begins: it has, with what is before it, that share of
 * all minutes, and at least one step is left for each week that follows. */
static int end_of_week(const Path *p, int first, int week, int weeks)
{
    int minutes = 0, i = 0, all = minutes_of(p);
    for (; i < p->count &&
           (i <= first || 2 * minutes + p->steps[i].minutes <= 2 * all * week / weeks);
         i++)
        minutes += p->steps[i].minutes;
    int most = p->count - (weeks - week);
    return week == weeks ? p->count : i < most ? i : most;
}

static void print_week(FILE *out, int week, double hours, const List lists[LISTS], const char *exam)
{
    fprintf(out, "\nweek %d, %.1f hours\n", week, hours);
    for (int k = 0; k < LISTS; k++)
        if (*lists[k].text) {
            fprintf(out, "  %-11s", list_names[k]);
            wrapped_print(lists[k].text, 13);
        }
    if (*exam) {
        fprintf(out, "  %-11s", "exam");
        wrapped_print(exam, 13);
    }
}

static void row_of_week(FILE *out, int week, double hours, const List lists[LISTS],
                        const char *exam)
{
    fprintf(out, "| %d | %.1f |", week, hours);
    for (int k = 0; k < LISTS; k++)
        fprintf(out, " %s |", lists[k].text);
    fprintf(out, " %s |\n", exam);
}

/* In the middle, and at the end: of the rows since the last one. */
static void exam_of(int week, int weeks, int *since, char *text, size_t size)
{
    text[0] = 0;
    if (weeks < 4 || (week != (weeks + 1) / 2 && week != weeks))
        return;
    snprintf(text, size, "on the rows of weeks %d to %d", *since, week);
    *since = week + 1;
}

void plan_print(FILE *out, const Path *p, int weeks, bool markdown)
{
    double hours = minutes_of(p) / 60.0;
    int first = 0, since = 1;
    if (markdown)
        fprintf(out,
                "# %s\n\n%d weeks, %.0f hours: about %.1f a week. Numbers are rows of "
                "lectures/README.md.\n\n"
                "| week | hours | rows | exercises | homework | milestones | also | exam |\n"
                "|---|---|---|---|---|---|---|---|\n",
                p->title, weeks, hours, hours / weeks);
    else
        fprintf(out, "%s\n%d weeks, %.0f hours: about %.1f a week\n", p->title, weeks, hours,
                hours / weeks);
    for (int week = 1; week <= weeks; week++) {
        List lists[LISTS] = {0};
        int end = end_of_week(p, first, week, weeks), minutes = 0;
        char exam[64];
        for (int i = first; i < end; i++) {
            add_to(lists, &p->steps[i]);
            minutes += p->steps[i].minutes;
        }
        exam_of(week, weeks, &since, exam, sizeof exam);
        (markdown ? row_of_week : print_week)(out, week, minutes / 60.0, lists, exam);
        first = end;
    }
}
