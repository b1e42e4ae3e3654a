/* plan.c: a path as weeks. See steps.h. */
#include "lectures/runner/wrapped.h"
#include "lectures/steps/steps.h"

#include <string.h>

enum { EXAM = 256, ROW_MOST = 64 };

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

/* The path's rows from step `first` to before `end` as --rows of the command exam takes them:
 * "16-19,21". */
static void rows_of(const Path *p, int first, int end, char *text, size_t size)
{
    bool has[ROW_MOST + 1] = {false};
    size_t n = 0;
    for (int i = first; i < end; i++)
        has[p->steps[i].row < ROW_MOST ? p->steps[i].row : 0] = true;
    for (int row = 1, last; row < ROW_MOST; row = last + 1) {
        for (last = row; has[row] && has[last + 1];)
            last++;
        if (has[row] && n < size)
            n += (size_t)snprintf(text + n, size - n, last > row ? "%s%d-%d" : "%s%d", n ? "," : "",
                                  row, last);
    }
}

/* In the middle, and at the end: of the rows since the last one, which began at step *since. */
static void exam_of(const Path *p, int week, int weeks, int end, int *since, char *text,
                    size_t size)
{
    char list[EXAM / 2] = "";
    text[0] = 0;
    if (weeks < 4 || (week != (weeks + 1) / 2 && week != weeks))
        return;
    rows_of(p, *since, end, list, sizeof list);
    if (p->name[0] && !p->name[1] && *list) /* one of the lectures */
        snprintf(text, size, "./gradus exam --course %c --rows %s", p->name[0], list);
    else
        snprintf(text, size, "on rows %s", list);
    *since = end;
}

void plan_print(FILE *out, const Path *p, int weeks, bool markdown)
{
    double hours = minutes_of(p) / 60.0;
    int first = 0, since = 0;
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
        char exam[EXAM];
        for (int i = first; i < end; i++) {
            add_to(lists, &p->steps[i]);
            minutes += p->steps[i].minutes;
        }
        exam_of(p, week, weeks, end, &since, exam, sizeof exam);
        (markdown ? row_of_week : print_week)(out, week, minutes / 60.0, lists, exam);
        first = end;
    }
}
