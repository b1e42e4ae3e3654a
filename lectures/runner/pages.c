/* pages.c: see pages.h; and `./gradus book`. The data of the chapters are a list of
 *
 *   {"number", "folder", "figures": [{"name", "what", "computed"}],
 *    "questions": [{"row", "question", "answer", "misconception", "choices": [...]}],
 *    "live": [{"kind", "after", "numbers": {NAME: [...]}, "labels": [FIRST, CONTROLS]}]}
 *
 * whose live figures are in it where the page gets the library. */
#include "lectures/runner/pages.h"

#include "lectures/runner/commands.h"

#include "examples/common/example.h"
#include "examples/common/options.h"
#include "tensor/io/json.h"
#include "tensor/io/disk.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char program[] = LECTURES_FOLDER "/pages/pages.py";

/* ---- JSON ------------------------------------------------------------------------------------ */

/* "key": "text", after a comma unless it is the first of its object. A text NULL is empty. */
static void put_text(FILE *out, const char *comma, const char *key, const char *text)
{
    char one[JSON_CHARACTER];
    size_t length;
    fprintf(out, key ? "%s\"%s\": \"" : "%s\"", comma, key);
    for (size_t left = text ? strlen(text) : 0, taken; left > 0; text += taken, left -= taken) {
        taken = json_character(text, left, one, &length);
        fwrite(one, 1, length, out);
    }
    fputc('"', out);
}

static void put_question(FILE *out, const Question *q)
{
    fprintf(out, "{\"row\": %d", q->row);
    put_text(out, ", ", "question", q->question);
    put_text(out, ", ", "answer", q->answer);
    put_text(out, ", ", "misconception", q->misconception);
    fputs(", \"choices\": [", out);
    for (int i = 0; i < QUESTION_CHOICES && q->choices[i].text; i++) {
        fprintf(out, "%s{\"right\": %s", i ? ", " : "", i + 1 == q->right ? "true" : "false");
        put_text(out, ", ", "text", q->choices[i].text);
        put_text(out, ", ", "reason", q->choices[i].reason);
        fputs("}", out);
    }
    fputs("]}", out);
}

static void put_numbers(FILE *out, const ComputedFigure *f)
{
    const char *name;
    const real *numbers;
    int count;
    for (int n = 0; computed_numbers(f, n, &name, &numbers, &count); n++) {
        put_text(out, n ? ", " : "", NULL, name);
        for (int i = 0; i < count; i++)
            fprintf(out, isfinite(numbers[i]) ? "%s%.9g" : "%snull", i ? ", " : ": [",
                    (double)numbers[i]);
        fputs("]", out);
    }
}

/* A figure that the library computes: what it shows first, and its controls. */
static bool put_live(FILE *out, const char *comma, const Figure *figure, uint64_t seed)
{
    const ComputedFigure *f = figure->computed;
    if (figure->give && !figure->give(seed))
        return false;
    const char *first = computed_first(f);
    if (!first)
        return false;
    fprintf(out, "%s{\"kind\": \"computed\", \"after\": \"figure-%s\", \"labels\": [", comma,
            f->name);
    put_text(out, "", NULL, first);
    put_text(out, ", ", NULL, computed_controls(f));
    fputs("], \"numbers\": {", out);
    put_numbers(out, f);
    fputs("}}", out);
    return true;
}

static bool put_chapter(FILE *out, const Chapter *c, bool live, uint64_t seed)
{
    const Figure *const *figures = chapter_figures(c);
    const char *comma = "";
    fprintf(out, "{\"number\": %d", c->number);
    put_text(out, ", ", "folder", c->folder);
    fputs(", \"figures\": [", out);
    for (const Figure *const *f = figures; *f; f++) {
        fprintf(out, "%s{\"computed\": %s", f == figures ? "" : ", ",
                (*f)->computed ? "true" : "false");
        put_text(out, ", ", "name", (*f)->name);
        put_text(out, ", ", "what", (*f)->what);
        fputs("}", out);
    }
    fputs("], \"questions\": [", out);
    for (const Question *q = c->questions; q && q->row; q++) {
        fputs(q == c->questions ? "" : ", ", out);
        put_question(out, q);
    }
    fputs("], \"live\": [", out);
    for (const Figure *const *f = figures; live && *f; f++)
        if ((*f)->computed) {
            if (!put_live(out, comma, *f, seed))
                return false;
            comma = ",\n";
        }
    fputs("]}", out);
    return true;
}

/* Writes the data of one chapter, or of all, to a file. */
static bool write_data(const char *path, const Chapter *only, bool live, uint64_t seed)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return tensor_fail("pages: %s cannot be written; expected a folder to write to", path);
    const char *comma = "[";
    bool ok = true;
    for (int i = 0; chapters[i] && ok; i++)
        if (!only || only == chapters[i]) {
            fputs(comma, out);
            ok = put_chapter(out, chapters[i], live, seed);
            comma = ",\n";
        }
    fputs("]\n", out);
    return (fclose(out) == 0 || tensor_fail("pages: the disk of %s is full", path)) && ok;
}

/* ---- pages.py -------------------------------------------------------------------------------- */

/* Runs it with these arguments, closed by NULL; words[0] and words[1] are for the interpreter and
 * the program. */
static int run(const char **words)
{
    char python[PATH_MAX];
    SystemProcess p;
    if (!system_find_program("python3", python, sizeof python)) {
        fprintf(stderr, "pages: found no python3; expected one, for pages are written by it\n");
        return PAGES_NO_ENVIRONMENT;
    }
    words[0] = python;
    words[1] = program;
    fflush(stdout);
    return system_start(&p, (char *const *)words, 0) == 0 ? system_wait(&p) : 1;
}

/* The same with the chapters' data: words[4] becomes their file, which is in the folder words[3]
 * until the program has ended. */
static int run_with_data(const char **words, const Chapter *only, bool live, int seed)
{
    char data[PATH_MAX];
    snprintf(data, sizeof data, "%s/pages-%ld.json", words[3], system_process_id());
    words[4] = data;
    const bool ok = write_data(data, only, live, (uint64_t)seed);
    if (!ok)
        fprintf(stderr, "%s\n", tensor_error());
    const int status = ok ? run(words) : 1;
    disk_remove(data);
    return status;
}

int chapter_pages(const Chapter *only, bool live, const char *out, uint64_t seed)
{
    const char *words[] = {NULL, NULL, "chapters", out, NULL, live ? GRADUS_LIVE : NULL, NULL};
    return run_with_data(words, only, live, (int)seed);
}

int text_pages(const char *path)
{
    const char *words[] = {NULL, NULL, "text", path, NULL};
    return run(words);
}

int lectures_book(int argc, char **argv)
{
    const char *out = "out/book";
    int seed = 1;
    bool live = false;
    const Option table[] = {
        {"out", OPTION_TEXT, &out, "DIR", "the folder", 0, 0},
        {"seed", OPTION_INT, &seed, "N", "of all random numbers", 0, 1e9},
        {"live", OPTION_FLAG, &live, NULL, "with the library in the chapters that use it", 0, 0},
        {0},
    };
    options_parse(argc, argv, "All chapters and other texts, as a site.", table);
    options_need_folder("out", out);
    const char *words[] = {NULL, NULL, "book", out, NULL, live ? GRADUS_LIVE : NULL, NULL};
    return run_with_data(words, NULL, live, seed);
}
