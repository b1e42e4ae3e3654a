/* report.c: a Report for people: text, Markdown; and what all formats share. */
#include "grader.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

const Format formats[] = {
    {"text", report_text}, {"markdown", report_markdown},   {"gradescope", report_gradescope},
    {"json", report_json}, {"classroom", report_classroom}, {NULL, NULL},
};

const Format *format_find(const char *name)
{
    for (const Format *f = formats; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const char *state_word(TestState s)
{
    static const char *const words[] = {"passed", "failed", "blocked", "not there"};
    return words[s];
}

bool told(const Report *r, const TestResult *t)
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

/* ---- Markdown -------------------------------------------------------------------------------- */

/* In a cell, a bar would end it; in a paragraph, < would begin HTML. */
static void put_cell(Text *to, const char *words)
{
    for (; *words; words++)
        if (strchr("|<>*_`\\", *words))
            text_print(to, "\\%c", *words);
        else
            text_add(to, words, 1);
}

void report_markdown(const Report *r, Text *to)
{
    text_put(to, "# ");
    put_cell(to, r->title);
    text_print(to, "\n\n**%g of %g points**\n\n", r->score, r->max_score);
    if (r->message.length)
        text_indent(to, "    ", text_of(&r->message));
    text_put(to, "\n| test | result | points |\n|---|---|---|\n");
    for (int i = 0; i < r->count; i++) {
        const TestResult *t = &r->test[i];
        if (t->row.hidden && r->tell == TELL_NOTHING)
            continue;
        text_put(to, "| ");
        put_cell(to, t->row.title);
        text_print(to, " | %s | %g of %d |\n", state_word(t->state), t->score, t->row.points);
    }
    for (int i = 0; i < r->count; i++)
        if (r->test[i].feedback.length && told(r, &r->test[i])) {
            text_put(to, "\n## ");
            put_cell(to, r->test[i].row.title);
            text_put(to, "\n\n");
            text_indent(to, "    ", text_of(&r->test[i].feedback));
        }
}
