/* gallery.c: every fault by curve, map and gradient, as a page and as a poster; and whether the
 * numbers of these pictures tell the faults apart. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/latex.h"
#include "lectures/runner/page.h"
#include "lectures/runner/text_stream.h"

#include "examples/common/example.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 1024 };

/* A run of each fault; NULL after an error. */
static Run *train_all(const Fault *const *faults, int count, uint64_t seed)
{
    Run *runs = calloc((size_t)count, sizeof *runs);
    Progress p = progress_begin("runs", count, false);
    bool ok = runs != NULL;
    for (int i = 0; ok && i < count; i++) {
        ok = run_train(&runs[i], faults[i], seed);
        run_free(&runs[i]);
        progress_show(&p, i + 1, "%s", faults[i]->name);
    }
    progress_end(&p);
    if (!ok)
        free(runs);
    return ok ? runs : NULL;
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* Blocks that gallery.gp draws: curves, map, gradients of each layer at first and at last. */
static void put_data(FILE *out, const Run *r)
{
    for (int k = 0; k < POINTS; k++)
        fprintf(out, "%g %g %g %g\n", r->at[k], r->training[k], r->held[k], r->entropy);
    fprintf(out, "\n\n");
    for (int k = 0; k < r->map_side * r->map_side; k++)
        fprintf(out, "%d %d %.3f\n", k % r->map_side, k / r->map_side, (double)r->map[k]);
    fprintf(out, "\n\n");
    for (const Number *n = r->number; n < r->number + r->count - 1; n++)
        if (n->of == GRADIENTS && n[1].of == GRADIENTS) { /* not the norm of all, after them */
            fprintf(out, "\"%.*s\" %g %g\n", (int)strcspn(n->name, ","), n->name, n->value + 1e-12,
                    n[1].value + 1e-12);
            n++;
        }
    fprintf(out, "\n\n");
}

static void put_names(FILE *out, const Run *r, int i)
{
    bool words = r->model != PICTURES;
    fprintf(out, "Name[%d] = '%s'; Title[%d] = \"%s: %s\"; Words[%d] = %d; Side[%d] = %d\n", i,
            r->fault->name, i, r->fault->name, r->fault->what, i, words, i, r->map_side);
    fprintf(out, "Below[%d] = '%.40s'; Below[%d] = '%.40s'\n", 2 * i - 1, words ? r->text[0] : "",
            2 * i, words ? r->text[r->texts - 1] : "pictures on a grid of z");
}

/* Writes gallery.gp: names and numbers of the runs before what this folder's file draws. */
static bool write_script(const char *folder, const Run *runs, int n)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/gallery.gp", folder);
    char *drawing = text_read(LECTURES_FOLDER "/mystery/gallery.gp", NULL);
    FILE *out = drawing ? fopen(path, "w") : NULL;
    if (!out) {
        free(drawing);
        return example_fail("%s cannot be written", path);
    }
    fprintf(out, "count = %d\narray Below[%d]\n", n, 2 * n);
    fprintf(out, "array Name[%d]\narray Title[%d]\narray Words[%d]\narray Side[%d]\n", n, n, n, n);
    for (int i = 0; i < n; i++)
        put_names(out, &runs[i], i + 1);
    fprintf(out, "$runs << EOD\n");
    for (int i = 0; i < n; i++)
        put_data(out, &runs[i]);
    fprintf(out, "EOD\n%s", drawing);
    free(drawing);
    return fclose(out) == 0 || example_fail("%s cannot be written", path);
}

/* ---- the page -------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const Run *runs, int n, char path[PATH])
{
    snprintf(path, PATH, "%s/gallery.md", folder);
    FILE *out = fopen(path, "w");
    if (!out)
        return example_fail("%s cannot be written", path);
    fprintf(out,
            "# What gives a fault away\n\n"
            "Each picture: the losses beside the entropy, the attention weights of the first block "
            "(of the autoencoder: pictures on a grid of z), and the norms of the gradients by "
            "layer, at the first steps and at the last. Below the curves stands a text that the "
            "model drew, below the map the beam's. The sound runs are the last pictures. "
            "`./gradus mystery 7` hides one of these faults.\n");
    for (int i = 0; i < n; i++) {
        const Fault *f = runs[i].fault;
        fprintf(out, "\n## %s: %s\n\n", f->name, f->what);
        if (f->clue)
            fprintf(out, "%s. `./gradus claims --explain %d`\n\n", f->clue, f->row);
        if (plot_has_gnuplot())
            fprintf(out, "![%s](%s-%d.png)\n", f->name, f->name, i);
    }
    return fclose(out) == 0 || example_fail("%s cannot be written", path);
}

bool gallery_write(const char *out, const Fault *const *faults, int count, uint64_t seed)
{
    char path[PATH];
    Run *runs = train_all(faults, count, seed);
    bool ok = runs && write_script(out, runs, count);
    ok = ok && (!plot_has_gnuplot() || latex_gnuplot(out, "gallery.gp"));
    ok = ok && write_text(out, runs, count, path) &&
         text_page(NULL, NULL, false, path, out, "gallery", seed);
    if (ok)
        printf("%s: gallery.html%s\n", out,
               plot_has_gnuplot() ? ", poster.pdf" : "; no gnuplot, so no pictures");
    free(runs);
    return ok;
}

/* ---- telling faults apart -------------------------------------------------------------------- */

static int nearest(const Run *r, const Run *known, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (known[i].model == r->model &&
            (best < 0 || run_distance(r, &known[i]) < run_distance(r, &known[best])))
            best = i;
    return best;
}

double gallery_separability(const Fault *const *faults, int count, uint64_t seed)
{
    enum { OTHERS = 3 };
    int right = 0;
    Run *known = train_all(faults, count, seed), *others = known;
    for (int s = 1; others && s <= OTHERS; s++) {
        others = train_all(faults, count, seed + (uint64_t)s);
        for (int i = 0; others && i < count; i++) {
            const Fault *taken = faults[nearest(&others[i], known, count)];
            right += taken == faults[i];
            if (taken != faults[i])
                printf("seed %d: %s is taken for %s\n", (int)seed + s, faults[i]->name,
                       taken->name);
        }
        free(others);
    }
    free(known);
    if (!others)
        return (double)NAN;
    double share = (double)right / (OTHERS * count);
    printf("%d of %d runs are named rightly: %.0f %%\n", right, OTHERS * count, 100 * share);
    return share;
}
