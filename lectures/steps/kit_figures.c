/* kit_figures.c: see kit.h. */
#include "lectures/steps/kit.h"

#include "lectures/runner/latex.h"
#include "lectures/runner/text_stream.h"

#include "examples/common/example.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>

/* The figures of a row that no slide has shown yet, numbered in the order of the slides. */
static void list_row(Kit *k, int row)
{
    for (const Figure *const *f = chapter_figures(chapter_with_row(row)); *f; f++) {
        if ((*f)->row != row)
            continue;
        int n = k->figure_count++;
        if (n == KIT_FIGURES)
            options_refuse("more than %d figures", KIT_FIGURES);
        k->figures[n].figure = *f;
        snprintf(k->figures[n].name, KIT_NAME, "%02d-%s", n + 1, (*f)->name);
    }
}

/* A figure's script without the lines that choose its own file. */
static void add_script(FILE *out, char *script)
{
    fprintf(out, "\nreset\n");
    for (char *line = script, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        if (strncmp(line, "set terminal ", 13) != 0 && strncmp(line, "set output", 10) != 0 &&
            strncmp(line, "unset output", 12) != 0)
            fwrite(line, 1, (size_t)(end - line), out);
    }
}

/* The scripts of all figures one after the other draw the pages of one file. The terminal is that
 * of the first script. */
static bool write_all(const Kit *k, const char *folder)
{
    char path[2 * STEP_PATH];
    snprintf(path, sizeof path, "%s/all.gp", folder);
    FILE *out = fopen(path, "w");
    bool ok = out != NULL;
    for (int i = 0; ok && i < k->figure_count; i++) {
        snprintf(path, sizeof path, "%s/%s.gp", folder, k->figures[i].name);
        char *script = text_read(path, NULL), *terminal;
        ok = script && (terminal = strstr(script, "set terminal pdfcairo")) != NULL;
        if (ok && i == 0)
            fprintf(out,
                    "# Run by gnuplot in this folder: all figures as the pages of one file.\n"
                    "%.*s\nset output '../figures.pdf'\n",
                    (int)strcspn(terminal, "\n"), terminal);
        if (ok)
            add_script(out, script);
        free(script);
    }
    if (ok)
        fprintf(out, "unset output\n");
    if (out && fclose(out) != 0)
        ok = false;
    return ok || example_fail("%s: expected the script of a figure with its PDF", path);
}

bool kit_figures(Kit *k)
{
    char folder[STEP_PATH + 16], stem[2 * STEP_PATH];
    for (const Slide *s = slides; s->title; s++)
        for (int i = 0; s->lecture == k->letter && i < SLIDE_ROWS && s->rows[i]; i++)
            if (kit_slide_of_row(k, s->rows[i]) == s)
                list_row(k, s->rows[i]);
    snprintf(folder, sizeof folder, "%s/figures", k->folder);
    Progress p = progress_begin("figures", k->figure_count, k->quiet);
    for (int i = 0; i < k->figure_count; i++) {
        snprintf(stem, sizeof stem, "%s/%s", folder, k->figures[i].name);
        const Sketch s = {stem, PLOT_PDF, true, k->seed};
        if (!k->figures[i].figure->draw(&s))
            return false;
        progress_show(&p, i + 1, "%s", k->figures[i].name);
    }
    progress_end(&p);
    return !plot_has_gnuplot() || (write_all(k, folder) && latex_gnuplot(folder, "all.gp"));
}
