/* lectures.c: the program of all chapters.
 *
 *   lectures figures [N] [options]  the pictures; --course J: in the order of its slides
 *   lectures mystery [N] [options]  a model with a hidden fault, to be named
 *   lectures facts [N SEED]         what it knows of its chapters, as JSON (facts.h)
 *   lectures answers [options]      measures what a program in Python asks for (answers.c)
 *   lectures COMMAND [words]        another one, which commands.py carries out
 *
 * `./gradus claims 4` is build/lectures/lectures claims 4. */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "examples/common/look.h"
#include "lectures/runner/facts.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/values.h"

#include "examples/common/options.h"
#include "plot/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the command line asks for ---------------------------------------------------------- */

char *take_word(int *argc, char **argv)
{
    char *word = *argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
    if (word)
        memmove(argv + 1, argv + 2, sizeof *argv * (size_t)(--*argc));
    return word;
}

const Chapter *take_chapter(int *argc, char **argv)
{
    const char *word = take_word(argc, argv);
    const Chapter *c = word ? chapter_named(word) : NULL;
    if (word && !c) {
        char known[256] = "";
        for (int i = 0; chapters[i]; i++)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%d %s", i ? ", " : "",
                     chapters[i]->number, strchr(chapters[i]->folder, '-') + 1);
        options_refuse("there is no chapter \"%s\"; there are: %s", word, known);
    }
    return c;
}

/* ---- figures --------------------------------------------------------------------------------- */

typedef struct {
    const char *out;
    unsigned formats;
    bool titles;
    const char *only; /* NULL: all           */
    uint64_t seed;
    bool list; /* their names alone   */
} Drawing;

/* Draws the list into OUT/NAME, with a sheet of all; false after an error, which it prints. */
static bool draw_all(const Drawing *d, const char *name, const Figure *const *figures)
{
    char folder[512];
    for (const Figure *const *f = figures; d->list && *f; f++)
        printf("%s\n", (*f)->name);
    if (d->list)
        return true;
    snprintf(folder, sizeof folder, "%s/%s", d->out, name);
    if (figures_draw(figures, folder, d->formats, d->titles, d->only, d->seed) &&
        (d->only || !(d->formats & PLOT_PNG) || figures_contact_sheet(figures, folder)))
        return true;
    fprintf(stderr, "%s\n", tensor_error());
    return false;
}

static int figures(int argc, char **argv)
{
    int seed = 1, threads = 0;
    bool quiet = false, list = false;
    LookOptions look = {0};
    const char *out = "out/lectures", *only = NULL, *course = NULL;
    const Chapter *chapter = take_chapter(&argc, argv);
    const Option table[] = {
        LOOK_OPTIONS(look),
        {"out", OPTION_TEXT, &out, "DIR", "the folder; each chapter has its own in it", 0, 0},
        {"only", OPTION_TEXT, &only, "NAME", "one figure", 0, 0},
        {"course", OPTION_TEXT, &course, "V", "those of V, B, H, Z or J, numbered by its slides", 0,
         0},
        {"list", OPTION_FLAG, &list, NULL, "their names, and draw none", 0, 0},
        {"seed", OPTION_INT, &seed, "N", "of all random numbers", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "0: as many as there are", 0, 1024},
        {"quiet", OPTION_FLAG, &quiet, NULL, "do not say what is drawn", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Draws the figures of a chapter, of a lecture, or of all chapters.",
                  table);
    if (!list)
        options_need_folder("out", out);
    values_exit_on_error();
    tensor_set_threads(threads);
    unsigned formats = look_set(&look);
    if (only && !chapter)
        options_refuse("--only: expected a chapter before it, as in: figures 4 --only %s", only);
    if (quiet && !freopen("/dev/null", "w", stdout))
        options_refuse("cannot be quiet: no /dev/null");
    if (course && (chapter || only || !lecture_with(course)))
        options_refuse(
            "--course: found '%s'; expected V, B, H, Z or J, without a chapter or --only", course);
    const Drawing d = {out, formats, !look.no_title, only, (uint64_t)seed, list};
    if (course && !draw_all(&d, course, lecture_figures(*course)))
        return 1;
    for (int i = 0; chapters[i] && !course; i++)
        if ((!chapter || chapter == chapters[i]) &&
            !draw_all(&d, chapters[i]->folder, chapter_figures(chapters[i])))
            return 1;
    if (!list && !plot_has_gnuplot())
        printf("no gnuplot, so no pictures: scripts and data only\n");
    return 0;
}

/* A question about no claim is refused before anything runs. */
static void check_questions(void)
{
    for (int i = 0; chapters[i]; i++)
        for (const Question *q = chapters[i]->questions; q && q->row; q++)
            chapter_asked(chapters[i], q);
}

/* ---- which command --------------------------------------------------------------------------- */

/* The facts of all chapters; or of one, or "all", with what its live figures show. */
static int facts(int argc, char **argv)
{
    const bool live = argc > 2;
    values_exit_on_error();
    return !facts_write(stdout, live ? chapter_named(argv[1]) : NULL, live,
                        live ? (uint64_t)atoi(argv[2]) : 1);
}

/* Runs commands.py, which leaves no files beside it, with these words. */
static int python(const char *program, int argc, char **argv)
{
    enum { WORDS = 64 };
    char python3[PROGRAM_MAX],
        *words[WORDS + 5] = {python3, "-B", LECTURES_FOLDER "/runner/commands.py", (char *)program};
    Program p;
    if (argc > WORDS)
        options_refuse("found %d words; expected at most %d", argc, WORDS);
    if (!plot_program_find("python3", python3))
        options_refuse("found no python3 on PATH; expected one, which runs this command");
    for (int i = 0; i < argc; i++)
        words[4 + i] = argv[i];
    return !plot_program_start(&p, words, 0, "gradus") ? 1 : plot_program_end(&p) ? 0 : p.status;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv); /* NULL: commands.py does */
    } commands[] = {{"figures", figures}, {"mystery", lectures_mystery},
                    {"facts", facts},     {"answers", lectures_answers},
                    {"claims", NULL},     {"ask", NULL},
                    {"lecture", NULL},    {"book", NULL},
                    {"exam", NULL},       {"steps", NULL}};
    check_questions();
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            char name[32];
            snprintf(name, sizeof name, "./gradus %s", argv[1]);
            options_program(name);
            return commands[i].run ? commands[i].run(argc - 1, argv + 1)
                                   : python(argv[0], argc - 1, argv + 1);
        }
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    fprintf(help ? stdout : stderr,
            "usage: lectures claims|ask|figures|lecture|book|steps|exam|mystery|facts|answers "
            "...\n");
    return help ? 0 : 2;
}
