/* material.c: what a step is about. See steps.h. */
#include "lectures/mystery/mystery.h"
#include "lectures/runner/text_stream.h"
#include "lectures/steps/milestones.h"
#include "lectures/steps/steps.h"

#include "tensor/io/disk.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

const Row *row_with(int number)
{
    for (const Row *row = rows; row->number; row++)
        if (row->number == number)
            return row;
    return NULL;
}

const Chapter *chapter_with_row(int number)
{
    for (int i = 0; chapters[i]; i++)
        if (number >= chapters[i]->first_row && number <= chapters[i]->last_row)
            return chapters[i];
    return NULL;
}

/* ---- READING.md ------------------------------------------------------------------------------ */

/* Makes one line of the text up to the next empty line or numbered answer; returns what follows. */
static char *one_line(char *text)
{
    char *end = text;
    for (; *end && !(end[0] == '\n' && (end[1] == '\n' || !end[1])); end++)
        if (*end == '\n') {
            char *after = end + 1 + strspn(end + 1, " ");
            if (after[0] >= '1' && after[0] <= '9' && after == end + 1)
                break; /* the next answer */
            *end = ' ';
            memmove(end + 1, after, strlen(after) + 1);
        }
    char *rest = *end ? end + 1 : end;
    *end = 0;
    return rest;
}

/* Takes "[text](address)" for "text". */
static void drop_links(char *text)
{
    for (char *open = strchr(text, '['); open; open = strchr(open, '[')) {
        char *close = strstr(open, "]("), *end = close ? strchr(close, ')') : NULL;
        if (!end)
            return;
        size_t inside = (size_t)(close - open - 1);
        memmove(open, open + 1, inside);
        memmove(open + inside, end + 1, strlen(end + 1) + 1);
    }
}

bool reading_stop(int number, char *text[STOP_TEXTS], char **whole)
{
    char mark[32];
    *whole = text_read(LECTURES_FOLDER "/../READING.md", NULL);
    if (!*whole)
        return false;
    snprintf(mark, sizeof mark, "\n## %d. ", number);
    text[STOP_TITLE] = strstr(*whole, mark);
    size_t skipped = strlen(mark);
    snprintf(mark, sizeof mark, "*Question %d.* ", number);
    text[STOP_QUESTION] = strstr(*whole, mark);
    size_t asked = strlen(mark);
    char *answers = strstr(*whole, "\n## Answers");
    snprintf(mark, sizeof mark, "\n%d. ", number);
    text[STOP_ANSWER] = answers ? strstr(answers, mark) : NULL;
    if (!text[STOP_TITLE] || !text[STOP_QUESTION] || !text[STOP_ANSWER]) {
        free(*whole);
        return false;
    }
    text[STOP_TITLE] += skipped;
    text[STOP_QUESTION] += asked;
    text[STOP_ANSWER] += strlen(mark);
    for (int i = STOP_TEXTS - 1; i >= 0;
         i--) { /* from the end: the texts before it keep their place */
        one_line(text[i]);
        drop_links(text[i]);
    }
    return true;
}

/* ---- guides and homeworks -------------------------------------------------------------------- */

bool guide_of(const char *name, char *path, size_t size)
{
    FileStatus found;
    char whole[STEP_PATH];
    for (int i = 0; chapters[i] && strncmp(name, "stepping", 8) == 0; i++) {
        snprintf(path, size, "%s/%s.md", chapters[i]->folder, name);
        snprintf(whole, sizeof whole, "%s/%s", LECTURES_FOLDER, path);
        if (disk_look(whole, &found) && found.kind == FILE_REGULAR)
            return true;
    }
    return false;
}

/* The folder of a homework, from the tables of GUIDE.md: "| [hw1](hw1-tensor-ops/) | what | ". */
static bool folder_of(const char *name, char folder[STEP_WHAT])
{
    char mark[STEP_WHAT + 8];
    char *guide = text_read(LECTURES_FOLDER "/homework/GUIDE.md", NULL);
    snprintf(mark, sizeof mark, "\n| [%s](", name);
    const char *at = guide ? strstr(guide, mark) : NULL;
    if (at) {
        at += strlen(mark);
        snprintf(folder, STEP_WHAT, "%.*s", (int)strcspn(at, "/)"), at);
    }
    free(guide);
    return at != NULL;
}

/* The first quoted text from `at` on; returns what follows it, or NULL. */
static const char *quoted(const char *at, char text[STEP_WHAT])
{
    const char *open = at ? strchr(at, '"') : NULL, *close = open ? strchr(open + 1, '"') : NULL;
    if (!close)
        return NULL;
    snprintf(text, STEP_WHAT, "%.*s", (int)(close - open - 1), open + 1);
    return close + 1;
}

/* Adds the names of the tests, of one function or of all, from the table of tests.c. */
static void gather_tests(const char *source, const char *function, Homework *h)
{
    char test[STEP_WHAT], of[STEP_WHAT];
    size_t n = 0;
    const char *at = source ? strstr(source, "\nconst Test tests[]") : NULL;
    while (at && (at = strstr(at, "\n    {\"")) != NULL) {
        if (!(at = quoted(at, test)) || !(at = quoted(at, of)))
            return;
        if (!function || strcmp(of, function) == 0)
            n += (size_t)snprintf(h->tests + n, n < sizeof h->tests ? sizeof h->tests - n : 0,
                                  "%s%s", n ? " " : "", test);
    }
}

bool homework_named(const char *name, const char *function, Homework *h)
{
    char path[STEP_PATH];
    *h = (Homework){0};
    if (!folder_of(name, h->folder))
        return false;
    snprintf(path, sizeof path, "%s/homework/%s/README.md", LECTURES_FOLDER, h->folder);
    char *text = text_read(path, NULL);
    if (text)
        snprintf(h->what, sizeof h->what, "%.*s", (int)strcspn(text, "\n"),
                 text + strspn(text, "# "));
    h->what[strcspn(h->what, "\n")] = 0;
    free(text);
    snprintf(path, sizeof path, "%s/homework/%s/tests.c", LECTURES_FOLDER, h->folder);
    text = text_read(path, NULL);
    gather_tests(text, function, h);
    free(text);
    return !function || *h->tests;
}

void split_task(const char *what, char homework[STEP_WHAT], char function[STEP_WHAT])
{
    size_t n = strcspn(what, ":");
    snprintf(homework, STEP_WHAT, "%.*s", (int)n, what);
    snprintf(function, STEP_WHAT, "%s", what[n] ? what + n + 1 : "");
}

/* ---- titles ---------------------------------------------------------------------------------- */

static void title_of_guide(const char *name, char *text, size_t size)
{
    char path[STEP_PATH], whole[STEP_PATH + sizeof LECTURES_FOLDER];
    snprintf(text, size, "%s", name);
    if (!guide_of(name, path, sizeof path))
        return;
    snprintf(whole, sizeof whole, "%s/%s", LECTURES_FOLDER, path);
    char *guide = text_read(whole, NULL);
    if (guide)
        snprintf(text, size, "%.*s", (int)strcspn(guide + 2, "\n"), guide + 2);
    free(guide);
}

const char *step_title(const Step *s, char *text, size_t size)
{
    char *stop[STOP_TEXTS], *whole, homework[STEP_WHAT], function[STEP_WHAT];
    Homework h;
    snprintf(text, size, "%s", s->what);
    if (s->row) {
        snprintf(text, size, "row %d: %s", s->row, row_with(s->row)->what);
    } else if (s->kind == STEP_READ && reading_stop(atoi(s->what + 8), stop, &whole)) {
        snprintf(text, size, "READING.md, %s: %s", s->what + 8, stop[STOP_TITLE]);
        free(whole);
    } else if (s->kind == STEP_MILESTONE) {
        snprintf(text, size, "%s", milestone_named(s->what)->what);
    } else if (s->kind == STEP_WALK) {
        title_of_guide(s->what, text, size);
    } else if (mystery_chapter(s->what)) {
        snprintf(text, size, "a model with a hidden fault, of a subject of chapter %d",
                 mystery_chapter(s->what));
    } else if (s->kind == STEP_FIND) {
        snprintf(text, size, "%s: a program that is wrong in one line", s->what);
    } else if (s->kind == STEP_WRITE) {
        split_task(s->what, homework, function);
        if (homework_named(homework, NULL, &h))
            snprintf(text, size, "%s%s%s", h.what, *function ? ": " : "", function);
    }
    return text;
}
