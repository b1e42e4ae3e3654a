/* gallery.c: every fault by curve, map and gradient, as a page and as a poster; and whether the
 * numbers of these pictures tell the faults apart. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/latex.h"
#include "lectures/runner/page.h"

#include "examples/common/example.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 1024, ACROSS = 4 };

/* Viridis, and the lines of curves and gradients. */
static const char setup[] =
    "reset; unset colorbox\n"
    "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
    "set style line 1 lc rgb '#0072b2' lw 2 pt 7 ps 0.4\n"
    "set style line 2 lc rgb '#d55e00' lw 2 pt 5 ps 0.4\n"
    "set style line 3 lc rgb '#009e73' lw 2 pt 7 ps 0.4\n"
    "set style line 4 lc rgb '#cc79a7' lw 2 pt 5 ps 0.4\n";

static int run_count(void)
{
    return fault_count() + MODELS; /* and the sound runs */
}

/* Run i: of fault i, or after them a sound one. */
static const Fault *fault_of(int i, Model *model)
{
    int n = fault_count();
    *model = i < n ? faults[i].model : (Model)(i - n);
    return i < n ? &faults[i] : NULL;
}

static const char *name_of(const Fault *f)
{
    return f ? f->name : "sound";
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

/* Blocks of data: $c0 the curves of run 0, $m0 its map, $g0 gradients at first and at last. */
static void write_data(FILE *out, const Run *r, int i)
{
    fprintf(out, "$c%d << END\n", i);
    for (int k = 0; k < POINTS; k++)
        fprintf(out, "%g %g %g %g\n", r->at[k], r->training[k], r->held[k], r->entropy);
    fprintf(out, "END\n$m%d << END\n", i);
    for (int k = 0; k < r->map_side * r->map_side; k++)
        fprintf(out, "%.3f%c", (double)r->map[0][k], (k + 1) % r->map_side ? ' ' : '\n');
    fprintf(out, "END\n$g%d << END\n", i);
    int layers = 0;
    for (int k = 0; k < r->count; k++)
        layers += r->number[k].of == GRADIENTS;
    layers /= 2; /* the last is the norm of all */
    for (int k = 0; k < r->count; k++)
        if (r->number[k].of == GRADIENTS) {
            for (int g = 0; g < layers; g++)
                fprintf(out, "\"%.*s\" %g %g\n", (int)strcspn(r->number[k + g].name, ","),
                        r->number[k + g].name, r->number[k + g].value + 1e-12,
                        r->number[k + g + layers].value + 1e-12);
            break;
        }
    fprintf(out, "END\n");
}

/* Three panels, below the name of the fault: curves, map, gradients. */
static void write_panels(FILE *out, const Run *r, int i)
{
    bool words = r->model != PICTURES;
    const Fault *f = r->fault;
    fprintf(out,
            "set label 1 \"%s: %s\" at graph 0,1.1 noenhanced\nset key top right samplen 1\n"
            "set xlabel '%.40s' noenhanced\nset xtics %d norotate; set ytics auto; unset logscale\n"
            "set yrange [0:%d]; set xrange [0:*]\n"
            "plot $c%d u 1:2 w lp ls 1 t 'training', '' u 1:3 w lp ls 2 t 'held-out', "
            "'' u 1:4 w l dt 2 lc 'black' t 'entropy'\nunset label 1\n",
            name_of(f), f ? f->what : trained(r->model)->about, words ? r->text[0] : "",
            words ? 200 : 500, words ? 4 : 20, i);
    fprintf(out,
            "set xlabel '%.40s' noenhanced\nunset key; unset xtics; unset ytics\n"
            "set xrange [-0.5:%d.5]; set yrange [%d.5:-0.5]; set cbrange [0:1]\n"
            "plot $m%d matrix w image\n",
            words ? r->text[r->texts - 1] : "pictures on a grid of z", r->map_side - 1,
            r->map_side - 1, i);
    fprintf(out,
            "set xlabel ''\nset key bottom left samplen 1\nset format y '10^{%%T}'\n"
            "set xtics rotate by 90 right noenhanced; set ytics auto\n"
            "set xrange [-0.5:*]; set yrange [1e-9:1e3]; set logscale y\n"
            "plot $g%d u 0:2:xtic(1) w lp ls 3 t 'first', '' u 0:3 w lp ls 4 t 'last'\n"
            "set format y '%%g'\n",
            i);
}

static bool write_script(const char *folder, const Run *runs)
{
    char path[PATH];
    int n = run_count(), down = (n + ACROSS - 1) / ACROSS;
    snprintf(path, sizeof path, "%s/gallery.gp", folder);
    FILE *out = fopen(path, "w");
    if (!out)
        return example_fail("%s cannot be written", path);
    fprintf(out, "# Run by gnuplot in this folder: a picture of each fault, and the poster.\n");
    for (int i = 0; i < n; i++)
        write_data(out, &runs[i], i);
    for (int i = 0; i < n; i++) {
        fprintf(out,
                "%sset terminal pngcairo size 1080,330 font 'sans-serif,12' background '#ffffff'\n"
                "set output '%s-%d.png'\nset multiplot layout 1,3\nset tmargin 3\n",
                setup, name_of(runs[i].fault), i);
        write_panels(out, &runs[i], i);
        fprintf(out, "unset multiplot\nunset output\n");
    }
    for (int pdf = 0; pdf < 2; pdf++) {
        fprintf(out,
                "%sset terminal %s font 'sans-serif,13' background '#ffffff'\n"
                "set output 'poster.%s'\n"
                "set multiplot layout %d,%d margins 0.02,0.99,0.03,0.955 spacing 0.02,0.042 title "
                "'What gives a fault away: losses, attention of the first block, gradients by "
                "layer' font ',28'\n",
                setup, pdf ? "pdfcairo size 33.1in,46.8in" : "pngcairo size 2979,4212",
                pdf ? "pdf" : "png", down, 3 * ACROSS);
        for (int i = 0; i < n; i++)
            write_panels(out, &runs[i], i);
        fprintf(out, "unset multiplot\nunset output\n");
    }
    return fclose(out) == 0 || example_fail("%s cannot be written", path);
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
        fprintf(out, "\n## %s: %s\n\n", name_of(f), f ? f->what : trained(runs[i].model)->about);
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
