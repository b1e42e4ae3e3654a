/* gallery.c: runs of all faults as pictures on a page and as a poster. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/figures.h"
#include "lectures/runner/pages.h"

#include "examples/common/example.h"
#include "examples/common/progress.h"

enum { SEED = 1 };

static void put_lines(FILE *out, const Run *r, Measure of)
{
    for (const Line *line = r->line; line < r->line + r->lines; line++)
        if (line->of == of)
            fprintf(out, "%s\t%g\t%g\n", line->name, line->value[0], line->value[1]);
    fputs("\n\n", out);
}

/* Four blocks, which gallery.gp draws: names and texts; losses; the map; gradients. */
static void put_run(FILE *out, const Run *r)
{
    const Tensor *map = r->map.map;
    fprintf(out, "%s\t%s\t%s", r->fault->name, r->learner->name, r->fault->what);
    for (const Line *line = r->line; line < r->line + r->lines; line++)
        if (line->of == SAMPLES && !line->values)
            fprintf(out, "\t%s", line->name);
    fputs("\n\n\n", out);
    put_lines(out, r, LOSSES);
    for (int64_t i = 0; i < tensor_size(map); i++)
        fprintf(out, "%.3f%c", (double)map->data[i],
                (i + 1) % shape_last(map->shape) ? '\t' : '\n');
    fputs("\n\n", out);
    put_lines(out, r, GRADIENTS);
}

static void put_section(FILE *page, const Fault *f)
{
    fprintf(page, "\n## %s: %s\n\n", f->name, f->what);
    if (f->row)
        fprintf(page, "%s. `./gradus claims --explain %d`\n\n", f->clue, f->row);
    if (plot_has_gnuplot())
        fprintf(page, "![%s](%s-%s.png)\n", f->name, f->name, f->learner->name);
}

/* Trains a run of each fault, and writes what gnuplot draws and the page's text. */
static bool write_runs(FILE *data, FILE *page)
{
    static Run r;
    const Fault *faults = mystery_faults();
    int count = 0;
    bool ok = true;
    while (*faults[count].name)
        count++;
    Progress p = progress_begin("runs", count, false);
    fputs("# What gives a fault away\n\n"
          "Each picture: the losses beside the entropy, the attention weights of the first block "
          "(of the autoencoder: pictures on a grid of z), and the norms of the gradients by layer, "
          "at the first 10 steps and at the last 10; the rightmost is that of all, clipped. Below "
          "the curves stands a text that the model drew, below the map the beam's. The sound runs "
          "are the last pictures. `./gradus mystery 7` hides one of these faults.\n",
          page);
    for (int i = 0; ok && i < count; i++) {
        ok = run_train(&r, &faults[i], SEED);
        if (ok)
            put_run(data, &r);
        put_section(page, &faults[i]);
        run_free(&r);
        progress_show(&p, i + 1, "%s", faults[i].name);
    }
    progress_end(&p);
    return ok;
}

bool gallery_write(const char *folder)
{
    char table[EXAMPLE_PATH], text[EXAMPLE_PATH];
    int status = 0;
    snprintf(table, sizeof table, "%s/gallery.tsv", folder);
    snprintf(text, sizeof text, "%s/gallery.md", folder);
    FILE *data = fopen(table, "w"), *page = fopen(text, "w");
    bool ok = data && page && write_runs(data, page);
    ok = data && fclose(data) == 0 && ok;
    ok = page && fclose(page) == 0 && ok;
    if (!ok)
        return example_fail("%s and %s cannot be written", table, text);
    ok = figures_gnuplot(folder, LECTURES_FOLDER "/mystery/gallery.gp") &&
         (status = text_pages(text)) % PAGES_NO_ENVIRONMENT == 0;
    if (ok)
        printf("%s: gallery.%s%s\n", folder, status ? "md" : "html",
               plot_has_gnuplot() ? ", poster.pdf" : "; no gnuplot, so no pictures");
    return ok;
}
