/* figures.c: draws a chapter's figures, and the sheet of all. See figures.h. */
#include "lectures/runner/figures.h"

#include "examples/common/example.h"
#include "plot/own.h"
#include "tensor/files.h"

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
    return tensor_file_commit(file) && join(path, folder, "contact", "", "") &&
           plot_script_run(path, "figures");
}
