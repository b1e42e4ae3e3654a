/* plan.c: a path as weeks. See steps.h. */
#include "lectures/steps/steps.h"

#include <string.h>

enum { COLUMNS = 6, LIST = 1024, ROW_MOST = 64 };
static const char *const columns[COLUMNS] = {"rows", "exercises", "homework",
                                             "find", "walk",      "milestone"};

/* Adds a word to a list, once. */
static void add_word(char list[LIST], const char *word, int k)
{
    size_t n = strlen(list);
    for (const char *at = list; (at = strstr(at, " ")) != NULL;)
        if (strncmp(++at, word, (size_t)k) == 0 && (!at[k] || at[k] == ','))
            return;
    snprintf(list + n, LIST - n, "%s %.*s", n ? "," : "", k, word);
}

static int minutes_of(const Path *p, int first, int end)
{
    int minutes = 0;
    for (int i = first; i < end; i++)
        minutes += p->steps[i].minutes;
    return minutes;
}

/* The step with which the week after `week` begins: it has, with what is before it, that share of
 * all minutes, and at least one step is left for each week that follows. */
static int end_of_week(const Path *p, int first, int week, int weeks)
{
    int minutes = 0, i = 0, all = minutes_of(p, 0, p->count), most = p->count - (weeks - week);
    for (; i < p->count &&
           (i <= first || 2 * minutes + p->steps[i].minutes <= 2 * all * week / weeks);
         i++)
        minutes += p->steps[i].minutes;
    return week == weeks ? p->count : i < most ? i : most;
}

/* An exam on the path's rows from step `first` to before `end`, as the command exam takes them:
 * "16,17,21". */
static void print_exam(FILE *out, const Path *p, int first, int end)
{
    bool has[ROW_MOST] = {false};
    const char *comma = "";
    if (p->name[0] && !p->name[1]) /* one of the lectures */
        fprintf(out, "- exam: ./gradus exam --course %s --rows ", p->name);
    else
        fprintf(out, "- exam: on rows ");
    for (int i = first; i < end; i++)
        has[p->steps[i].row < ROW_MOST ? p->steps[i].row : 0] = true;
    for (int row = 1; row < ROW_MOST; row++)
        if (has[row]) {
            fprintf(out, "%s%d", comma, row);
            comma = ",";
        }
    fputc('\n', out);
}

static void print_week(FILE *out, const Path *p, int week, int first, int end)
{
    char lists[COLUMNS][LIST] = {""};
    for (int i = first; i < end; i++)
        for (int k = 0; k < COLUMNS; k++)
            if (strcmp(columns[k], p->steps[i].kind->column) == 0)
                add_word(lists[k], p->steps[i].what, (int)strcspn(p->steps[i].what, ":"));
    fprintf(out, "\n### Week %d: %.1f hours\n\n", week, minutes_of(p, first, end) / 60.0);
    for (int k = 0; k < COLUMNS; k++)
        if (*lists[k])
            fprintf(out, "- %s:%s\n", columns[k], lists[k]);
}

void plan_print(FILE *out, const Path *p, int weeks)
{
    double hours = minutes_of(p, 0, p->count) / 60.0;
    fprintf(out,
            "## A plan of %d weeks\n\n%.0f hours: about %.1f a week. Numbers are rows of lectures/README.md.\n",
            weeks, hours, hours / weeks);
    for (int week = 1, first = 0, since = 0, end; week <= weeks; week++, first = end) {
        end = end_of_week(p, first, week, weeks);
        print_week(out, p, week, first, end);
        if (weeks < 4 || (week != (weeks + 1) / 2 && week != weeks))
            continue;
        print_exam(out, p, since, end);
        since = end;
    }
}
