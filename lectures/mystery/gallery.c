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

static int run_count(void)
{
    return fault_count() + MODELS; /* and the sound runs */
}

/* Run i: of fault i, or after them a sound one. */
static const Fault *fault_of(int i, Model *model)
{
    int n = fault_count();
    *model = i < n ? mystery_faults()[i].model : (Model)(i - n);
    return i < n ? &mystery_faults()[i] : NULL;
}

static const char *name_of(const Fault *f)
{
    return f ? f->name : "sound";
}

static const char *about(const Run *r)
{
    return r->fault ? r->fault->what : trained[r->model].about;
}

/* Every sample-th run of a seed; NULL after an error. */
static Run *train_all(uint64_t seed, int sample, bool quiet)
{
    int n = run_count();
    Run *runs = calloc((size_t)n, sizeof *runs);
    Progress p = progress_begin("runs", n, quiet);
    bool ok = runs != NULL;
    for (int i = 0; ok && i < n; i += sample) {
        Model model;
        const Fault *f = fault_of(i, &model);
        ok = run_train(&runs[i], f, model, seed);
        run_free(&runs[i]);
        progress_show(&p, i + 1, "%s", name_of(f));
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
        fprintf(out, "%d %d %.3f\n", k % r->map_side, k / r->map_side, (double)r->map[0][k]);
    fprintf(out, "\n\n");
    int first = 0, layers = 0;
    while (r->number[first].of != GRADIENTS)
        first++;
    while (r->number[first + layers].of == GRADIENTS)
        layers++;
    layers /= 2; /* the last is the norm of all */
    for (const Number *n = r->number + first; n < r->number + first + layers; n++)
        fprintf(out, "\"%.*s\" %g %g\n", (int)strcspn(n->name, ","), n->name, n->value + 1e-12,
                n[layers].value + 1e-12);
    fprintf(out, "\n\n");
}

static void put_names(FILE *out, const Run *r, int i)
{
    bool words = r->model != PICTURES;
    fprintf(out, "Name[%d] = '%s'; Title[%d] = \"%s: %s\"; Words[%d] = %d; Side[%d] = %d\n", i,
            name_of(r->fault), i, name_of(r->fault), about(r), i, words, i, r->map_side);
    fprintf(out, "Below[%d] = '%.40s'; Below[%d] = '%.40s'\n", 2 * i - 1, words ? r->text[0] : "",
            2 * i, words ? r->text[r->texts - 1] : "pictures on a grid of z");
}

/* Writes runs.dat, and gallery.gp with the runs' names before what this folder's file draws. */
static bool write_script(const char *folder, const Run *runs)
{
    char path[PATH], script[PATH];
    int n = run_count();
    snprintf(path, sizeof path, "%s/runs.dat", folder);
    snprintf(script, sizeof script, "%s/gallery.gp", folder);
    char *drawing = text_read(LECTURES_FOLDER "/mystery/gallery.gp", NULL);
    FILE *data = fopen(path, "w"), *out = data ? fopen(script, "w") : NULL;
    if (drawing && out)
        fprintf(out,
                "count = %d\narray Name[%d]\narray Title[%d]\narray Words[%d]\narray Side[%d]\n"
                "array Below[%d]\n",
                n, n, n, n, n, 2 * n);
    for (int i = 0; drawing && out && i < n; i++) {
        put_data(data, &runs[i]);
        put_names(out, &runs[i], i + 1);
    }
    bool ok = drawing && out && fputs(drawing, out) >= 0;
    ok = data && fclose(data) == 0 && ok;
    ok = out && fclose(out) == 0 && ok;
    free(drawing);
    return ok || example_fail("%s and gallery.gp cannot be written", path);
}

/* ---- the page -------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const Run *runs, char path[PATH])
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
    for (int i = 0; i < run_count(); i++) {
        const Fault *f = runs[i].fault;
        fprintf(out, "\n## %s: %s\n\n", name_of(f), about(&runs[i]));
        if (f)
            fprintf(out, "%s. `./gradus claims --explain %d`\n\n", f->clue, f->row);
        if (plot_has_gnuplot())
            fprintf(out, "![%s](%s-%d.png)\n", name_of(f), name_of(f), i);
    }
    return fclose(out) == 0 || example_fail("%s cannot be written", path);
}

bool gallery_write(const char *out, uint64_t seed, bool quiet)
{
    char path[PATH];
    Run *runs = train_all(seed, 1, quiet);
    bool ok = runs && write_script(out, runs);
    ok = ok && (!plot_has_gnuplot() || latex_gnuplot(out, "gallery.gp"));
    ok = ok && write_text(out, runs, path) &&
         text_page(NULL, NULL, false, path, out, "gallery", seed);
    if (ok)
        printf("%s: gallery.html%s\n", out,
               plot_has_gnuplot() ? ", poster.pdf, poster.png" : "; no gnuplot, so no pictures");
    free(runs);
    return ok;
}

/* ---- telling faults apart -------------------------------------------------------------------- */

static int nearest(const Run *r, const Run *known, int sample)
{
    int best = -1;
    for (int i = 0; i < run_count(); i += sample)
        if (known[i].model == r->model &&
            (best < 0 || run_distance(r, &known[i]) < run_distance(r, &known[best])))
            best = i;
    return best;
}

double gallery_separability(uint64_t seed, int seeds, int sample, bool quiet)
{
    int right = 0, all = 0, n = run_count();
    static Run r;
    Run *known = train_all(seed, sample, quiet);
    if (!known)
        return (double)NAN;
    for (int s = 1; s <= seeds; s++)
        for (int i = 0; i < n; i += sample) {
            Model model;
            const Fault *f = fault_of(i, &model), *taken;
            if (!run_train(&r, f, model, seed + (uint64_t)s))
                return (double)NAN;
            run_free(&r);
            taken = known[nearest(&r, known, sample)].fault;
            all++;
            right += taken == f;
            if (taken != f)
                printf("seed %d: %s is taken for %s\n", (int)seed + s, name_of(f), name_of(taken));
        }
    free(known);
    printf("%d of %d runs are named rightly: %.0f %%\n", right, all, 100.0 * right / all);
    return (double)right / all;
}
