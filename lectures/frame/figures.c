/* figures.c: draws a chapter's figures, and the sheet of all. See figures.h. */
#include "lectures/frame/figures.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIGURE_PATH = 512 };

const char *sketch_title(const Sketch *s, const char *title)
{
    return s->titles ? title : NULL;
}

bool figures_draw(const Figure *const *figures, const char *folder, unsigned formats, bool titles,
                  const char *name, uint64_t seed)
{
    bool found = false;
    for (; *figures; figures++) {
        char stem[FIGURE_PATH];
        if (name && strcmp(name, (*figures)->name) != 0)
            continue;
        snprintf(stem, sizeof stem, "%s/%s", folder, (*figures)->name);
        const Sketch s = {.stem = stem, .formats = formats, .titles = titles, .seed = seed};
        if (!(*figures)->draw(&s))
            return false;
        printf("%s: %s\n", stem, (*figures)->what);
        fflush(stdout);
        found = true;
    }
    return found || tensor_fail("figures: there is no \"%s\"", name ? name : "");
}

/* ---- the sheet of all -------------------------------------------------------------------------------- */

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

/* In its folder, so that the script names its files as they are. */
static bool run_gnuplot(const char *folder, const char *script)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0)
            execlp("gnuplot", "gnuplot", "--default-settings", script, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return tensor_fail("figures: cannot run gnuplot");
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           tensor_fail("figures: gnuplot failed at %s/%s", folder, script);
}

bool figures_contact_sheet(const Figure *const *figures, const char *folder)
{
    char path[FIGURE_PATH];
    if (!plot_has_gnuplot())
        return true;
    snprintf(path, sizeof path, "%s/contact.gp", folder);
    AtomicFile *file = atomic_open(path);
    if (!file)
        return false;
    write_sheet(atomic_stream(file), figures);
    return atomic_commit(file) && run_gnuplot(folder, "contact.gp");
}
