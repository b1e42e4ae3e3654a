/* material.c: what a step is about. See steps.h. */
#include "lectures/mystery/mystery.h"
#include "lectures/runner/text_stream.h"
#include "lectures/steps/milestones.h"
#include "lectures/steps/steps.h"

#include "tensor/io/disk.h"

#include <stdlib.h>
#include <string.h>

/* ---- READING.md ------------------------------------------------------------------------------ */

/* Copies the paragraph after the mark, in one line: up to an empty line, or to the next answer,
 * which begins with its number; of a link, its text. False where the mark is not there. */
static bool paragraph(char text[STOP_TEXT], const char *from, const char *format, int number)
{
    char mark[32];
    size_t n = 0;
    snprintf(mark, sizeof mark, format, number);
    const char *at = from ? strstr(from, mark) : NULL;
    for (at = at ? at + strlen(mark) : ""; *at && n + 1 < STOP_TEXT; at++) {
        if (*at == '\n' && (strchr("\n", at[1]) || (at[1] >= '0' && at[1] <= '9')))
            break;
        if (*at == '\n')
            at += strspn(at + 1, " ");
        if (*at == ']' && at[1] == '(')
            at += strcspn(at, ")");
        else if (*at != '[')
            text[n++] = *at == '\n' ? ' ' : *at;
    }
    text[n] = 0;
    return n > 0;
}

bool reading_stop(Stop *s, int number)
{
    char *text = text_read(LECTURES_FOLDER "/../READING.md", NULL);
    bool there = text && paragraph(s->title, text, "\n## %d. ", number) &&
                 paragraph(s->question, text, "\n*Question %d.* ", number) &&
                 paragraph(s->answer, strstr(text, "\n## Answers"), "\n%d. ", number);
    free(text);
    return there;
}

/* ---- guides and homeworks -------------------------------------------------------------------- */

/* The heading of a text in lectures/, without its marks. False where there is no such file. */
static bool title_of(const char *path, char title[STEP_TITLE])
{
    char whole[STEP_PATH];
    snprintf(whole, sizeof whole, "%s/%s", LECTURES_FOLDER, path);
    char *text = text_read(whole, NULL);
    if (text) {
        text_cut(text);
        snprintf(title, STEP_TITLE, "%s", text + strspn(text, "# "));
    }
    free(text);
    return text != NULL;
}

bool guide_of(const char *name, char path[STEP_PATH])
{
    char title[STEP_TITLE];
    for (int i = 0; chapters[i] && strncmp(name, "stepping", 8) == 0; i++) {
        snprintf(path, STEP_PATH, "%s/%s.md", chapters[i]->folder, name);
        if (title_of(path, title))
            return true;
    }
    return false;
}

/* Adds the names of the tests, of one function or of all, from the table of tests.c: lines such as
 * {"softmax_large", "softmax", ... */
static void gather_tests(const char *source, Homework *h)
{
    char test[STEP_WHAT], of[STEP_WHAT];
    size_t n = 0;
    for (const char *at = source; at && (at = strstr(at, "\n    {\"")) != NULL; at++)
        if (sscanf(at, " {\"%63[^\"]\", \"%63[^\"]\"", test, of) == 2 &&
            (!h->function || strcmp(of, h->function) == 0) && n < sizeof h->tests)
            n += (size_t)snprintf(h->tests + n, sizeof h->tests - n, "%s%s", n ? " " : "", test);
}

/* Its folder stands in the tables of GUIDE.md: "| [hw1](hw1-tensor-ops/) | what | ". */
bool homework_named(Homework *h, const char *what)
{
    char mark[STEP_WHAT + 8], path[STEP_PATH], folder[STEP_WHAT] = "";
    const char *colon = strchr(what, ':');
    *h = (Homework){.function = colon ? colon + 1 : NULL};
    snprintf(h->name, sizeof h->name, "%.*s", (int)strcspn(what, ":"), what);
    snprintf(mark, sizeof mark, "\n| [%s](", h->name);
    char *text = text_read(LECTURES_FOLDER "/homework/GUIDE.md", NULL);
    const char *row = text ? strstr(text, mark) : NULL;
    if (row)
        sscanf(row + strlen(mark), "%63[^/)]", folder);
    free(text);
    snprintf(path, sizeof path, "homework/%s/README.md", folder);
    if (!*folder || !title_of(path, h->title))
        return false;
    snprintf(path, sizeof path, "%s/homework/%s/tests.c", LECTURES_FOLDER, folder);
    text = text_read(path, NULL);
    gather_tests(text ? strstr(text, "\nconst Test tests[]") : NULL, h);
    free(text);
    return !h->function || *h->tests;
}

/* ---- titles ---------------------------------------------------------------------------------- */

const char *step_title(const Step *s, char text[STEP_PATH])
{
    Stop stop;
    Homework h;
    char path[STEP_PATH], title[STEP_TITLE] = "";
    snprintf(text, STEP_PATH, "%s", s->what);
    if (s->row) {
        snprintf(text, STEP_PATH, "row %d: %s", s->row, row_with(s->row)->what);
    } else if (s->kind == STEP_READ && reading_stop(&stop, atoi(s->what + 8))) {
        snprintf(text, STEP_PATH, "READING.md, %s: %s", s->what + 8, stop.title);
    } else if (s->kind == STEP_MILESTONE) {
        snprintf(text, STEP_PATH, "%s", milestone_named(s->what)->what);
    } else if (s->kind == STEP_WALK && guide_of(s->what, path) && title_of(path, title)) {
        snprintf(text, STEP_PATH, "%s", title);
    } else if (mystery_chapter(s->what)) {
        snprintf(text, STEP_PATH, "a model with a hidden fault, of a subject of chapter %d",
                 mystery_chapter(s->what));
    } else if (s->kind == STEP_FIND) {
        snprintf(text, STEP_PATH, "%s: a program that is wrong in one line", s->what);
    } else if (homework_named(&h, s->what)) {
        snprintf(text, STEP_PATH, "%s%s%s", h.title, h.function ? ": " : "",
                 h.function ? h.function : "");
    }
    return text;
}
