/* plot.c: pictures of one's own numbers:  ./gradus plot KIND FILE... [options]
 *
 * A program of its own, build/lectures/plot, which needs neither autograd nor the chapters.
 * All kinds have one table of options. An option that a kind cannot use is refused by name. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/plot_command.h"

#include "lectures/runner/figures.h"
#include "tensor/system/system.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kinds ------------------------------------------------------------------------------- */

#define COMMON " title no-title format size theme out name "
#define MAP    "labels rows columns x y legend range diverging item "
#define LINKS  "labels rows columns row item head "
#define BARS   "labels legend range "
#define CURVES "x y legend range log at join "
#define PAGE   " title out name labels rows columns "

static const struct {
    const char *name;
    PlotKind draw;
    const char *options, *files, *what;
} kinds[] = {
#define KIND(name, files, what, options) {#name, draw_##name, options, files, what},
#include "lectures/runner/plot_kinds.h"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int find_kind(const char *name)
{
    char known[128] = "";
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return i;
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 kinds[i].name);
    }
    options_refuse("there is no kind of picture \"%s\"; there are: %s", name, known);
}

static void print_kinds(void)
{
    printf("usage: ./gradus plot KIND FILE... [options]\n"
           "Draws the numbers of .npy, .npz, .safetensors, .csv and .tsv files.\n\n");
    for (int i = 0; i < KINDS; i++)
        printf("  %-8s %-8s %s\n", kinds[i].name, kinds[i].files, kinds[i].what);
    printf("\n./gradus plot KIND --help lists the options of a kind.\n");
}

static bool is_used(const char *options, const char *name)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(options, word) != NULL;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* The library's error without the function's name, and with the option that helps. */
static int report(const Wish *w)
{
    const char *error = tensor_error(), *colon = strstr(error, ": ");
    size_t n = strspn(error, "abcdefghijklmnopqrstuvwxyz0123456789_");
    bool library = strncmp(error, "plot_", 5) == 0 || strncmp(error, "tensor_", 7) == 0 ||
                   strncmp(error, "data_", 5) == 0;
    bool function = library && colon == error + n;
    size_t length = strlen(error);
    const char *end = "the name of one";
    bool nameless = length > strlen(end) && strcmp(error + length - strlen(end), end) == 0;
    fprintf(stderr, "./gradus plot %s: %s%s\n", w->kind, function ? colon + 2 : error,
            nameless ? ": --name NAME" : "");
    return 1;
}

static void print_notes(const Wish *w)
{
    for (const char *line = plot_notes(); *line; line += strcspn(line, "\n") + 1)
        fprintf(stderr, "./gradus plot %s: %.*s\n", w->kind, (int)strcspn(line, "\n"), line);
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* "out/plot/NAME" of a file's name without its end. */
static const char *default_stem(const char *file, char stem[512])
{
    const char *slash = system_last_slash(file), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    snprintf(stem, 512, "out/plot/%.*s", dot > name ? (int)(dot - name) : (int)strlen(name), name);
    return stem;
}

static const char *const ends[] = {".png", ".svg", ".pdf"};

static void print_written(const Wish *w)
{
    static const unsigned bits[] = {PLOT_PNG, PLOT_SVG, PLOT_PDF};
    if (!plot_has_gnuplot()) {
        printf("%s.gp and its data; no gnuplot, so no pictures\n", w->out);
        return;
    }
    for (int i = 0; i < 3; i++)
        if (w->formats & bits[i])
            printf("%s%s\n", w->out, ends[i]);
}

/* ---- the command line ------------------------------------------------------------------------ */

static void parse_range(Wish *w)
{
    char *end;
    if (!w->range)
        return;
    w->low = strtod(w->range, &end);
    bool fits = end != w->range && *end == ':' && end[1];
    if (fits)
        w->high = strtod(end + 1, &end);
    if (!fits || *end || !(w->low < w->high))
        options_refuse("--range: found '%s'; expected LOW:HIGH, two numbers, the smaller first",
                       w->range);
    w->ranged = true;
}

/* Takes the files, which stand before the options, out of the words. */
static void take_files(Wish *w, int *argc, char ***argv)
{
    while (*argc > 1 && ((*argv)[1][0] != '-' || !(*argv)[1][1])) {
        if (w->files == FILES_MAX)
            options_refuse("plot %s: found more than %d files; expected no more", w->kind,
                           FILES_MAX);
        w->file[w->files++] = (*argv)[1];
        ++*argv;
        --*argc;
    }
}

/* The rows of the table that a kind can use. */
static void keep_used(const Option *all, const char *options, Option *used)
{
    for (; all->name; all++)
        if (is_used(options, all->name))
            *used++ = *all;
    *used = (Option){0};
}

static void check_used(const Wish *w, const Option *table, const char *options)
{
    char uses[512] = "";
    for (const Option *o = table; o->name; o++)
        if (is_used(options, o->name))
            snprintf(uses + strlen(uses), sizeof uses - strlen(uses), " --%s", o->name);
    for (; table->name; table++)
        if (options_given(table->name) && !is_used(options, table->name))
            options_refuse("plot %s cannot use --%s; it uses%s", w->kind, table->name, uses);
}

/* Checks what only all options together tell, and completes them. */
static void complete(Wish *w, char stem[512])
{
    bool page = strcmp(w->kind, "page") == 0;
    parse_range(w);
    if (w->diverging && w->ranged && w->low != -w->high)
        options_refuse("--range: found '%s'; expected as much below 0 as above, as --diverging has "
                       "it",
                       w->range);
    w->formats = look_set(&w->look);
    if (!w->out)
        w->out = page ? "out/plot/attention.html" : default_stem(w->file[0], stem);
    if (page && !ends_in(w->out, ".html")) {
        options_need_file("out", w->out);
        if (snprintf(stem, 512, "%s.html", w->out) >= 512)
            options_refuse("--out: found %zu bytes; expected fewer than 500", strlen(w->out));
        w->out = stem;
    }
    for (int i = 0; !page && i < 3; i++) /* of a stem, each format has its own end */
        if (ends_in(w->out, ends[i]) && strlen(w->out) < 512) {
            snprintf(stem, 512, "%.*s", (int)strlen(w->out) - 4, w->out);
            w->out = stem;
        }
    char inside[600];
    snprintf(inside, sizeof inside, page ? "%s" : "%s.gp", w->out);
    options_need_file("out", inside);
}

enum { OPTIONS_MAX = 32 };

static int run(int argc, char **argv, int kind)
{
    char stem[512];
    Wish w = {.kind = kinds[kind].name, .item = 1, .head = 1};
    const Option table[OPTIONS_MAX] = {
        {"name", OPTION_TEXT, &w.name, "NAME", "the array in a file of several; A,B: each", 0, 0},
        {"labels", OPTION_TEXT, &w.labels, "FILE", "a label a line: of words, of rows and columns",
         0, 0},
        {"rows", OPTION_TEXT, &w.rows, "FILE", "labels of the rows alone", 0, 0},
        {"columns", OPTION_TEXT, &w.columns, "FILE", "labels of the columns alone", 0, 0},
        {"head", OPTION_INT, &w.head, "H", "of several heads; 0: their mean", 0, 1e6},
        {"item", OPTION_INT, &w.item, "B", "of several sequences, or layers", 1, 1e6},
        {"row", OPTION_TEXT, &w.row, "ROW", "the query: its number, from 1, or its label", 0, 0},
        {"at", OPTION_TEXT, &w.at, "NAME", "the column or array that holds x", 0, 0},
        {"join", OPTION_FLAG, &w.join, NULL,
         "a line goes on across empty cells, as of metrics on alternating rows", 0, 0},
        {"title", OPTION_TEXT, &w.title, "TEXT", "above it", 0, 0},
        {"x", OPTION_TEXT, &w.x, "TEXT", "the name of the x axis, or of the columns", 0, 0},
        {"y", OPTION_TEXT, &w.y, "TEXT", "the name of the y axis, or of the rows", 0, 0},
        {"legend", OPTION_TEXT, &w.legend, "A,B",
         "names of series; of the colour bar; of the classes 0, 1, ...", 0, 0},
        {"range", OPTION_TEXT, &w.range, "LOW:HIGH", "of the colours, bars or y; else the numbers'",
         0, 0},
        {"diverging", OPTION_FLAG, &w.diverging, NULL,
         "blue below 0, red above; in print hatched below 0", 0, 0},
        {"log", OPTION_MAYBE, &w.log, "x|y|xy", "logarithmic axes: y", 0, 0},
        LOOK_OPTIONS(w.look),
        {"out", OPTION_TEXT, &w.out, "STEM", "out/plot/NAME of the file, where none is given", 0,
         0},
        {0},
    };
    Option used[OPTIONS_MAX];
    take_files(&w, &argc, &argv);
    bool help = false;
    for (int i = 1; i < argc; i++)
        help = help || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    char program[64];
    snprintf(program, sizeof program, "./gradus plot %s %s", w.kind, kinds[kind].files);
    keep_used(table, kinds[kind].options, used);
    if (help)
        options_program(program);
    argv[0] = program;
    options_parse(argc, argv, kinds[kind].what, help ? used : table);
    check_used(&w, table, kinds[kind].options);
    if (w.files == 0)
        options_refuse("expected a file: plot %s %s [options]", w.kind, kinds[kind].files);
    complete(&w, stem);
    if (!kinds[kind].draw(&w))
        return report(&w);
    print_notes(&w);
    if (strcmp(w.kind, "page") == 0)
        printf("%s\n", w.out);
    else
        print_written(&w);
    return 0;
}

int main(int argc, char **argv)
{
    options_program("./gradus plot");
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_kinds();
        return 0;
    }
    if (argc < 2 || argv[1][0] == '-')
        options_refuse("expected: plot KIND FILE... [options] (plot --help lists the kinds)");
    int kind = find_kind(argv[1]);
    return run(argc - 1, argv + 1, kind);
}
