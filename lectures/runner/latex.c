/* latex.c: from a script of plot.h to one whose texts LaTeX sets. See latex.h.
 *
 * What changes, line by line:
 *
 *   set terminal svg ...                   cairolatex, 16 cm wide
 *   set label 'a_b' at 1,2 ... font ',22'  set label tex(22, 'a\_b') ...
 *   plot ... title 'a_b'                   title 'a\_b'
 *   using 1:2:3 with labels font ',22'     using 1:2:(label(22, strcol(3))) ...; and the data file is escaped as a whole
 */
#define _GNU_SOURCE
#include "lectures/runner/latex.h"

#include "examples/common/example.h"
#include "gradus.h"
#include "tensor/io/disk.h"
#include "tensor/system/system.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 600, SPECS = 8 };

/* ---- characters ------------------------------------------------------------------------------ */

/* What LaTeX takes for a command, or has no letter for. */
static const struct {
    const char *character, *latex;
} escapes[] = {
    {"_", "\\_"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"$", "\\$"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"|", "$|$"},
    {"<", "$<$"},
    {">", "$>$"},
    {"\xe2\x88\x92", "$-$"},
    {"\xe2\x88\x9e", "$\\infty$"},
    {"\xcf\x80", "$\\pi$"},
    {"\xe2\x88\x9a", "$\\surd$"},
    {"\xc2\xb7", "$\\cdot$"},
    {"\xc2\xa0", "~"},
    {"\xe2\x80\xa6", "\\dots{}"},
};

/* A label from a data file goes through gnuplot's escapes twice, when it is read and when it is
 * placed: there each backslash is written four times. */
static void put_latex(FILE *out, const char *latex, bool data)
{
    for (; *latex; latex++) {
        if (*latex == '\\' && data)
            fputs("\\\\\\", out);
        fputc(*latex, out);
    }
}

/* Writes the character at text; returns how many bytes it has. */
static size_t put_escaped(FILE *out, const char *text, bool data)
{
    if (*text == '\\') { /* in plot.h's data files it stands twice */
        put_latex(out, "\\textbackslash{}", data);
        return data && text[1] == '\\' ? 2 : 1;
    }
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        size_t n = strlen(escapes[i].character);
        if (strncmp(text, escapes[i].character, n) == 0) {
            put_latex(out, escapes[i].latex, data);
            return n;
        }
    }
    fputc(*text, out);
    return 1;
}

/* ---- the script ------------------------------------------------------------------------------ */

/* A single quote within a text, as plot.h's scripts write it. */
static const char quote[] = "'.\"\\047\".'";

/* Writes the string that begins at text, with its quotes; returns what follows it. */
static const char *put_string(FILE *out, const char *text)
{
    fputc(*text++, out);
    while (*text) {
        if (strncmp(text, quote, sizeof quote - 1) == 0) {
            fputs(quote, out);
            text += sizeof quote - 1;
        } else if (*text == '\'') {
            fputc(*text++, out);
            break;
        } else {
            text += put_escaped(out, text, false);
        }
    }
    return text;
}

/* The size in "font ',22'" of a line; 0 if there is none. */
static double font_of(const char *line)
{
    const char *at = strstr(line, "font ',");
    return at ? strtod(at + 7, NULL) : 0;
}

/* set KIND 'TEXT' ... font ',N' */
static void put_setting(FILE *out, const char *line, const char *offset)
{
    const char *text = strchr(line, '\'');
    fprintf(out, "%.*stex(%g, ", (int)(text - line), line, font_of(line));
    text = put_string(out, text);
    fprintf(out, ")%s%s", offset, text);
}

/* The ends of the parts A:B:C of a using, none inside of parentheses or strings. Returns how
 * many. */
static int split_using(const char *from, const char *end[SPECS])
{
    int n = 0, depth = 0;
    bool inside = false;
    for (; *from && n < SPECS; from++) {
        inside ^= *from == '\'';
        depth += !inside && *from == '(';
        depth -= !inside && *from == ')';
        if (!inside && depth == 0 && (*from == ':' || *from == ' ')) {
            end[n++] = from;
            if (*from == ' ')
                break;
        }
    }
    return n;
}

/* One part of a plot command: ... using A:B:TEXT[:COLOUR] with labels ..., or ... title 'TEXT' */
static void put_plot(FILE *out, const char *line)
{
    const char *using = strstr(line, "using "), *labels = strstr(line, " with labels"), *end[SPECS];
    const char *title = strstr(line, " title '");
    if (title) {
        fprintf(out, "%.*s", (int)(title + 7 - line), line);
        fputs(put_string(out, title + 7), out);
    } else if (labels && using && split_using(using + 6, end) >= 3) {
        const char *text = end[1] + 1;
        int length = (int)(end[2] - text);
        fprintf(out, "%.*s(label(%g, ", (int)(text - line), line, font_of(labels));
        fprintf(out, *text == '(' ? "%.*s" : "strcol(%.*s)", length, text);
        fprintf(out, "))%s", end[2]);
    } else {
        fputs(line, out);
    }
}

/* A page of plot.h is 1280 points wide, of which font sizes are counted; 16 cm are 453.5 of
 * LaTeX's. Labels of a plot command go through gnuplot's escapes once more than those of a setting:
 * there a backslash stands twice. */
static void put_terminal(FILE *out, const char *line)
{
    int width = 1280, height = 720;
    char paper[16] = "#ffffff";
    sscanf(line, "set terminal svg size %d,%d", &width, &height);
    const char *background = strstr(line, "background '");
    if (background)
        sscanf(background, "background '%15[^']'", paper);
    const double cm = width == 640 ? 8.4 : 16, point = cm * 72 / 2.54 / width;
    fprintf(
        out,
        "tex(size, text) = sprintf('\\fontsize{%%.2f}{%%.2f}\\selectfont %%s', %.4f * size, "
        "%.4f * size, text)\n"
        "label(size, text) = sprintf('\\\\fontsize{%%.2f}{%%.2f}\\\\selectfont %%s', %.4f * size, "
        "%.4f * size, text)\n"
        "set terminal cairolatex pdf colourtext size %gcm,%.4gcm background '%s' fontscale 0.3 "
        "pointscale 0.4 header '\\fontsize{6.4}{7.7}\\selectfont' linewidth 0.6\n",
        point, 1.2 * point, point, 1.2 * point, cm, cm * height / width, paper);
}

/* gnuplot sets names of axes and entries of the legend by the width that it assumes for letters;
 * with small ones (fontscale) a legend keeps to its line, and the names are pushed out of the way
 * of the numbers. */
static const struct {
    const char *begins, *offset;
} settings[] = {
    {"set label '", ""},
    {"set title '", ""},
    {"set xlabel '", " offset 0,-1.2"},
    {"set ylabel '", " offset -5,0"},
    {"set cblabel '", " offset 4,0"},
};

static void put_line(FILE *out, const char *line, const char *name)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strncmp(line, settings[i].begins, strlen(settings[i].begins)) == 0) {
            put_setting(out, line, settings[i].offset);
            return;
        }
    const char *sample = strncmp(line, "set key", 7) == 0 ? strstr(line, "samplen 3") : NULL;
    if (sample)
        fprintf(out, "%.*ssamplen 2 width -3%s", (int)(sample - line), line, sample + 9);
    else if (strncmp(line, "set terminal", 12) == 0)
        put_terminal(out, line);
    else if (strncmp(line, "set output picture", 18) == 0)
        fprintf(out, "set output '%s-latex.tex'\n", name);
    else if (strncmp(line, "data = ", 7) == 0)
        fprintf(out, "data = './%s-latex.tsv'\n", name);
    else if (strstr(line, "picture = ") == NULL)
        put_plot(out, line);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* FROM rewritten as TO: a script line by line, data character by character. */
static bool rewrite(const char *from, const char *to, const char *script_name)
{
    char *text = data_file_text(from, NULL);
    AtomicFile *file = text ? tensor_file_open(to) : NULL;
    FILE *out = tensor_file_stream(file);
    for (char *at = text; out && *at;) {
        if (!script_name) {
            at += put_escaped(out, at, true);
            continue;
        }
        char *next = at + strcspn(at, "\n");
        next += *next == '\n';
        char first = *next;
        *next = 0;
        put_line(out, at, script_name);
        *next = first;
        at = next;
    }
    data_file_free(text);
    return file && tensor_file_commit(file);
}

/* gnuplot's command to change the folder; an apostrophe is doubled between apostrophes. */
static bool put_cd(char *command, size_t size, const char *folder)
{
    size_t n = (size_t)snprintf(command, size, "cd '");
    for (; *folder && n + 3 < size; folder++) {
        if (*folder == '\'')
            command[n++] = '\'';
        command[n++] = *folder;
    }
    snprintf(command + n, size - n, "'");
    return !*folder;
}

bool latex_gnuplot(const char *folder, const char *script)
{
    char program[PATH_BYTES], command[2 * PATH_BYTES], said[1024];
    char *argv[] = {program, "--default-settings", "-e", command, (char *)script, NULL};
    SystemProcess gnuplot;
    if (!system_find_program("gnuplot", program, sizeof program))
        return true;
    if (!put_cd(command, sizeof command, folder) || system_start(&gnuplot, argv, 2) != 0)
        return example_fail("figures: cannot run gnuplot in %s", folder);
    ssize_t first = disk_read(gnuplot.stream, said, sizeof said - 1), more = first;
    while (more > 0) { /* its warnings of a map's gaps are not the reader's */
        char rest[1024];
        more = disk_read(gnuplot.stream, rest, sizeof rest);
    }
    said[first > 0 ? first : 0] = 0;
    return system_wait(&gnuplot) == 0 ||
           example_fail("figures: gnuplot failed at %s/%s: %s", folder, script, said);
}

bool latex_figure(const char *drawn, const char *folder, const char *name)
{
    static const char *const ends[] = {".gp", ".tsv"};
    char from[PATH_BYTES], to[PATH_BYTES], script[PATH_BYTES];
    for (int i = 0; i < 2; i++) {
        snprintf(from, sizeof from, "%s/%s%s", drawn, name, ends[i]);
        snprintf(to, sizeof to, "%s/%s-latex%s", folder, name, ends[i]);
        if (!rewrite(from, to, i == 0 ? name : NULL))
            return false;
    }
    snprintf(script, sizeof script, "%s-latex.gp", name);
    return latex_gnuplot(folder, script);
}

static void remove_folder(const char *folder)
{
    DIR *files = opendir(folder);
    for (struct dirent *file; files && (file = readdir(files));) {
        char path[2 * PATH_BYTES];
        snprintf(path, sizeof path, "%s/%.200s", folder, file->d_name);
        if (file->d_name[0] != '.')
            system_unlink(path);
    }
    if (files)
        closedir(files);
    rmdir(folder);
}

bool latex_draw(const char *stem, bool (*draw)(const char *stem, const void *what),
                const void *what)
{
    enum { FOLDER = 256 };
    const char *slash = system_last_slash(stem), *name = slash ? slash + 1 : stem;
    char folder[FOLDER], drawn[2 * FOLDER], inside[3 * FOLDER];
    if (strlen(stem) >= FOLDER)
        return example_fail("figures: the path %s is too long", stem);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - stem) : 1, slash ? stem : ".");
    snprintf(drawn, sizeof drawn, "%s/.%s-latex", *folder ? folder : "/", name);
    snprintf(inside, sizeof inside, "%s/%s", drawn, name);
    bool ok = draw(inside, what) && latex_figure(drawn, *folder ? folder : "/", name);
    remove_folder(drawn);
    return ok;
}
