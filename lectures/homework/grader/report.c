/* report.c: a Report as text, and as JSON, from which ROOT/instructor makes the other formats; and
 * what that program must know of a homework. */
#include "grader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *state_word(TestState s)
{
    static const char *const words[] = {"passed", "failed", "blocked", "not there"};
    return words[s];
}

/* May the student read the feedback? */
static bool told(const Report *r, const TestResult *t)
{
    return !t->row.hidden || r->tell == TELL_ALL;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_test(const Report *r, const TestResult *t, int number, Text *to)
{
    static const char *const paints[] = {"\033[32m", "\033[31m", "\033[33m", "\033[33m"};
    if (t->row.hidden && r->tell == TELL_NOTHING)
        return;
    text_print(to, "%s%-9s%s %2d. %s  (%g of %d)%s\n", r->colour ? paints[t->state] : "",
               state_word(t->state), r->colour ? "\033[0m" : "", number, t->row.title, t->score,
               t->row.points, t->row.hidden ? "  [hidden]" : "");
    if (t->feedback.length && told(r, t))
        text_indent(to, "             ", text_of(&t->feedback));
}

/* What to do first, for a student who has just begun. */
static const TestResult *first_open(const Report *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->test[i].state != PASSED && !r->test[i].row.hidden)
            return &r->test[i];
    return NULL;
}

void report_text(const Report *r, Text *to)
{
    const TestResult *first = first_open(r);
    text_print(to, "%s: %s\n\n", r->title, r->file);
    if (r->message.length) {
        text_indent(to, "  ", text_of(&r->message));
        text_put(to, "\n");
    }
    for (int i = 0; r->compiled && i < r->count; i++)
        text_test(r, &r->test[i], i + 1, to);
    text_print(to, "\n%g of %g points.\n", r->score, r->max_score);
    if (r->compiled && r->whole && r->score == 0 && first)
        text_print(to, "Begin with %s; the README says what it computes.\n", first->row.function);
    else if (r->compiled && r->whole && first)
        text_print(to, "Next: %s.\n", first->row.title);
    if (r->isolation.length)
        text_put(to, text_of(&r->isolation));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The report is UTF-8 without other control characters (clean.c). */
static void put_string(Text *to, const char *words)
{
    static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
    text_put(to, "\"");
    for (; *words; words++) {
        const char *at = strchr(special, *words);
        if (at)
            text_print(to, "\\%c", letter[at - special]);
        else
            text_add(to, words, 1);
    }
    text_put(to, "\"");
}

/* The form with ' for ", for each $ the next string in quotes, for each # the next number, and for
 * each ? the next truth value. */
static void put_json(Text *to, const char *form, ...)
{
    va_list values;
    va_start(values, form);
    for (; *form; form++)
        if (*form == '$')
            put_string(to, va_arg(values, const char *));
        else if (*form == '#')
            text_print(to, "%.10g", va_arg(values, double));
        else if (*form == '?')
            text_put(to, va_arg(values, int) ? "true" : "false");
        else
            text_add(to, *form == '\'' ? "\"" : form, 1);
    va_end(values);
}

/* Nobody outside the course sees a hidden test; "tell" says what the student does. */
static const char *visibility(const Report *r, const TestResult *t)
{
    if (!t->row.hidden)
        return "visible";
    return r->tell == TELL_NOTHING ? "hidden" : r->visibility;
}

void report_json(const Report *r, Text *to)
{
    static const char *const tell[] = {"all", "name", "nothing"};
    put_json(to,
             "{\n  'assignment': $,\n  'title': $,\n  'file': $,\n  'failure': $,\n"
             "  'message': $,\n  'isolation': $,\n  'tell': $,\n  'score': #,\n"
             "  'max_score': #,\n  'seconds': #,\n  'compiled': ?,\n  'no_c': ?,\n  'tests': [",
             r->assignment, r->title, r->file, text_of(&r->failure), text_of(&r->message),
             text_of(&r->isolation), tell[r->tell], r->score, r->max_score, r->seconds, r->compiled,
             r->no_c);
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        put_json(to,
                 "\n    {'name': $, 'title': $, 'function': $, 'status': $, 'score': #, "
                 "'max_score': #, 'diagnosis': $, 'feedback': $, 'hidden': ?, 'visibility': $}",
                 t->row.name, t->row.title, t->row.function, state_word(t->state), t->score,
                 (double)t->row.points, t->diagnosis, told(r, t) ? text_of(&t->feedback) : "",
                 t->row.hidden, visibility(r, t));
        text_put(to, i + 1 < r->count ? "," : "");
    }
    text_put(to, "\n  ]\n}\n");
}

void assignment_json(const Assignment *a, Text *to)
{
    char seed[2][24] = {"", ""};
    if (a->overlay.seed)
        snprintf(seed[0], sizeof *seed, SEED_FORMAT, (unsigned long long)a->overlay.seed);
    snprintf(seed[1], sizeof *seed, "%llu", (unsigned long long)second_seed(a));
    put_json(to,
             "{'id': $, 'name': $, 'title': $, 'source': $, 'header': $, 'folder': $, 'cache': $, "
             "'lab': $, 'held': ?, 'seed': $, 'second_seed': $, 'library': [",
             a->id, a->name, a->title, a->source, a->header, a->folder, a->cache, a->project,
             submissions_are_held(), seed[0], seed[1]);
    for (int i = 0; a->project[0] && lab_folder(i); i++)
        if (*lab_folder(i))
            put_json(to, i ? ", $" : "$", lab_folder(i));
    put_json(to, "], 'tests': [");
    for (int i = 0; i < a->count; i++)
        put_json(to, i ? ", {'name': $, 'points': #}" : "{'name': $, 'points': #}", a->test[i].name,
                 (double)a->test[i].points);
    text_put(to, "]}\n");
}
