/* figures.c: draws a chapter's figures, and the sheet of all. See figures.h. */
#include "lectures/runner/figures.h"

#include "examples/common/example.h"
#include "tensor/files.h"
#include "tensor/io/disk.h"

#include <string.h>

enum { FIGURE_PATH = SKETCH_STEM - 8 }; /* without the number of a frame */

const char *sketch_title(const Sketch *s, const char *title)
{
    return s->titles ? title : NULL;
}

PlotHeatmap sketch_picture(const Tensor *pixels, const char *title)
{
    return (PlotHeatmap){.map = pixels,
                         .title = title,
                         .row_name = "",
                         .column_name = "",
                         .pixels = true,
                         .scale = {.grey = true}};
}

Sketch sketch_frame(const Sketch *s, int frame, char stem[SKETCH_STEM])
{
    Sketch one = *s;
    snprintf(stem, SKETCH_STEM, "%s-%d", s->stem, frame);
    one.stem = stem;
    return one;
}

/* FOLDER/BEFORE NAME AFTER; false, with an error, where that is too long. */
static bool join(char path[FIGURE_PATH], const char *folder, const char *before, const char *name,
                 const char *after)
{
    return snprintf(path, FIGURE_PATH, "%s/%s%s%s", folder, before, name, after) < FIGURE_PATH ||
           tensor_fail("figures: the path %s/%s is too long", folder, name);
}

static bool draw(const Figure *f, const char *folder, unsigned formats, bool titles, uint64_t seed)
{
    char stem[FIGURE_PATH];
    const Sketch s = {.stem = stem, .formats = formats, .titles = titles, .seed = seed};
    return join(stem, folder, "", f->name, "") && f->draw(&s);
}

bool figures_draw(const Figure *const *figures, const char *folder, unsigned formats, bool titles,
                  const char *name, uint64_t seed)
{
    bool found = false;
    for (; *figures; figures++) {
        const Figure *f = *figures;
        if (name && strcmp(name, f->name) != 0)
            continue;
        if (!draw(f, folder, formats, titles, seed))
            return false;
        printf("%s/%s: %s\n", folder, f->name, f->what);
        fflush(stdout);
        found = true;
    }
    return found || tensor_fail("figures: there is no \"%s\"; expected a figure of the chapter",
                                name ? name : "");
}

/* ---- a script of several pictures ------------------------------------------------------------ */

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

/* gnuplot on FOLDER/SCRIPT, run in its folder; true where there is no gnuplot. False, with an
 * error, where it fails. */
static bool run_gnuplot(const char *folder, const char *script)
{
    char program[FIGURE_PATH], command[2 * FIGURE_PATH], said[1024];
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

/* ---- the sheet of all ------------------------------------------------------------------------ */

/* Small pictures in rows, one out of `every` of their points, as a script of gnuplot. */
static void write_sheet(FILE *out, const Figure *const *figures)
{
    enum { ACROSS = 4, WIDTH = 480, HEIGHT = 270, NAME = 30 };
    int count = 0;
    for (int i = 0; figures[i]; i++)
        count++;
    int across = count < ACROSS ? count : ACROSS, down = (count + across - 1) / across;
    fprintf(out,
            "# Run by gnuplot in this directory: all figures on one sheet.\n"
            "set terminal pngcairo size %d,%d font 'sans-serif,13' background '#ffffff'\n"
            "set output 'contact.png'\n"
            "unset key\nunset border\nunset tics\n"
            "set lmargin 0; set rmargin 0; set bmargin 0; set tmargin 2\n"
            "set multiplot layout %d,%d\n",
            across * WIDTH, down * (HEIGHT + NAME), down, across);
    for (int i = 0; figures[i]; i++)
        fprintf(out,
                "set title '%d  %s' noenhanced\nplot './%s.png' binary filetype=png every 4:4 "
                "with rgbimage\n",
                figures[i]->row, figures[i]->name, figures[i]->name);
    fputs("unset multiplot\nunset output\n", out);
}

bool figures_contact_sheet(const Figure *const *figures, const char *folder)
{
    char path[FIGURE_PATH];
    if (!plot_has_gnuplot())
        return true;
    AtomicFile *file = join(path, folder, "contact", "", ".gp") ? tensor_file_open(path) : NULL;
    if (!file)
        return false;
    write_sheet(tensor_file_stream(file), figures);
    return tensor_file_commit(file) && run_gnuplot(folder, "contact.gp");
}
