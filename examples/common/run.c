/* run.c: see run.h. */
#include "examples/common/run.h"

#include "plot/tape/tape_page.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ctrl-C ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t stopped_by; /* the signal that requested the end; 0: none */

/* The second signal ends the program. */
static void remember(int number)
{
    signal(number, SIG_DFL);
    stopped_by = number;
}

static void on_interrupt(void (*handler)(int number))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
}

bool run_interrupted(void)
{
    return stopped_by != 0;
}

static bool is_main(const Run *r)
{
    return !r->part && !r->unsaved;
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* "metrics.tsv", or "metrics-tune.tsv" of the part "tune". */
static const char *file_of(const Run *r, const char *stem, const char *end, char *path)
{
    char name[128];
    snprintf(name, sizeof name, "%s%s%s%s", stem, r->part ? "-" : "", r->part ? r->part : "", end);
    return example_path(r->common, name, path);
}

static bool resume(Run *r)
{
    const char *path = r->common->resume;
    if (!is_main(r) || !path)
        return true;
    if (!nn_checkpoint_load(path, &r->state))
        return false;
    r->step = r->state.step;
    if (r->step > r->total)
        return tensor_fail("run_begin: %s: found a checkpoint after %lld steps; expected at most "
                           "the %lld of this run",
                           path, (long long)r->step, (long long)r->total);
    printf("continuing after step %lld of %lld\n", (long long)r->step, (long long)r->total);
    return true;
}

/* --html: from now on the tape is recorded, until backward has run. */
static bool begin_page(const Run *r)
{
    char path[EXAMPLE_PATH], title[EXAMPLE_PATH];
    if (!r->common->html || r->unsaved || r->silent)
        return true;
    snprintf(title, sizeof title, "%s: %s, step %lld", r->common->name, r->what,
             (long long)r->step + 1);
    return tape_page_begin(file_of(r, "tape", ".html", path), title, "");
}

/* Makes the tape and the optimiser that `state` lacks. */
static bool bring(Run *r)
{
    Checkpoint *s = &r->state;
    const double rate = r->common->rate;
    if (!s->tape) {
        s->tape = r->tape = tape_new((uint64_t)r->common->seed);
        if (!r->tape)
            return false;
        r->tape->training = true;
    }
    if (s->adam)
        return true;
    s->adam = &r->adam;
    bool ok = r->decay > 0 ? adamw_init(s->adam, s->params, rate, r->decay)
                           : adam_init(s->adam, s->params, rate);
    if (r->beta2 > 0)
        r->adam.beta2 = r->beta2;
    if (r->epsilon > 0)
        r->adam.epsilon = r->epsilon;
    return ok;
}

static void release(Run *r)
{
    adam_free(&r->adam);
    tape_free(r->tape);
    r->tape = NULL;
}

bool run_begin(Run *r)
{
    char path[EXAMPLE_PATH];
    r->unsaved |= r->common->trace != NULL; /* a traced run ends after one step */
    if (r->per_step == 0)
        r->per_step = 1;
    if (!r->unit)
        r->unit = "steps";
    if (!r->what)
        r->what = "training";
    if (!r->y_name)
        r->y_name = "loss";
    r->shown = (double)NAN;
    if (!bring(r) || !resume(r) || !begin_page(r) ||
        (!r->unsaved && !r->silent &&
         !metrics_open(&r->metrics, file_of(r, "metrics", ".tsv", path), r->common, r->also,
                       r->unit, r->step))) {
        release(r);
        return false;
    }
    stopped_by = 0;
    r->stop = false;
    if (is_main(r))
        on_interrupt(remember);
    r->progress = progress_begin(r->what, r->total, r->common->quiet);
    r->progress.first = r->step;
    r->progress.unit = r->unit;
    r->progress.per_step = r->per_step;
    r->last = seconds();
    return true;
}

static bool stopping(const Run *r)
{
    return r->several ? r->stop : run_interrupted();
}

bool run_more(const Run *r)
{
    return r->step < r->total && !stopping(r);
}

static bool save_checkpoint(Run *r, char *path)
{
    Checkpoint c = r->state;
    c.step = r->step;
    return r->silent || nn_checkpoint_save(file_of(r, "checkpoint", ".safetensors", path), &c);
}

void run_step(Run *r, double loss, double grad_norm, const double *also)
{
    double now = seconds();
    r->step++;
    metrics_row(&r->metrics,
                &(MetricsRow){.step = r->step,
                              .split = "train",
                              .loss = loss,
                              .also = also,
                              .rate = r->state.adam->rate,
                              .grad_norm = grad_norm,
                              .speed = now > r->last ? r->per_step / (now - r->last) : (double)NAN,
                              .seconds = now - r->progress.began});
    r->last = now;
    r->shown =
        isnan(r->shown) ? loss : r->shown + 0.05 * (loss - r->shown); /* smoothed for display */
    progress_show(&r->progress, r->step, "loss %.3f", r->shown);
    char path[EXAMPLE_PATH]; /* an error is pending then, and the next step reports it */
    if (r->common->checkpoint > 0 && r->step % r->common->checkpoint == 0 && is_main(r))
        save_checkpoint(r, path);
}

bool run_due(const Run *r, int64_t times)
{
    return !r->silent && r->step * times / r->total != (r->step - 1) * times / r->total;
}

void run_measure(Run *r, const char *split, double loss, const double *also)
{
    int i = 0;
    while (i < r->splits && strcmp(r->split[i], split) != 0)
        i++;
    if (i == r->splits && i < RUN_SPLITS)
        r->split[r->splits++] = split;
    r->last = seconds(); /* the evaluation's time does not count for the next step */
    metrics_row(&r->metrics, &(MetricsRow){.step = r->step,
                                           .split = split,
                                           .loss = loss,
                                           .also = also,
                                           .rate = (double)NAN,
                                           .grad_norm = (double)NAN,
                                           .speed = (double)NAN,
                                           .seconds = r->last - r->progress.began});
}

/* ---- the end --------------------------------------------------------------------------------- */

/* All columns of all splits in one picture. */
typedef struct {
    MetricsSeries series[(RUN_SPLITS + 1) * (METRICS_ALSO + 1)];
    PlotSeries drawn[(RUN_SPLITS + 1) * (METRICS_ALSO + 1)];
    char name[(RUN_SPLITS + 1) * (METRICS_ALSO + 1)][64];
    int count;
} Learning;

static bool add_series(Learning *l, const Run *r, const char *path, const char *split,
                       const char *column)
{
    MetricsSeries *s = &l->series[l->count];
    if (!metrics_read(path, split, column, s))
        return false;
    if (s->count == 0)
        return true;
    snprintf(l->name[l->count], sizeof l->name[0], "%s%s%s", column, r->splits ? ", " : "",
             r->splits ? split : "");
    l->drawn[l->count] =
        (PlotSeries){.name = l->name[l->count], .x = s->step, .y = s->value, .count = s->count};
    l->count++;
    return true;
}

static bool draw_learning(const Run *r)
{
    char path[EXAMPLE_PATH], stem[EXAMPLE_PATH];
    Learning *l = example_alloc(sizeof *l);
    bool ok = l != NULL;
    file_of(r, "metrics", ".tsv", path);
    for (int s = -1; ok && s < r->splits; s++) {
        const char *split = s < 0 ? "train" : r->split[s];
        ok = add_series(l, r, path, split, "loss");
        for (int i = 0; ok && r->also[i]; i++)
            ok = add_series(l, r, path, split, r->also[i]);
    }
    if (ok && l->count > 0 && l->series[0].count > 1) {
        PlotCurves curves = {.series = l->drawn,
                             .count = l->count,
                             .title = r->what,
                             .x_name = "step",
                             .y_name = r->y_name};
        ok = plot_curves(file_of(r, "learning", "", stem), &curves, PLOT_PNG | PLOT_SVG | PLOT_PDF);
    }
    free(l);
    return ok;
}

/* After Ctrl-C: saves everything that the next run needs, and prints the command that continues. */
static void leave(Run *r)
{
    char path[EXAMPLE_PATH];
    const int status = 128 + (stopped_by ? stopped_by : SIGTERM);
    if (!save_checkpoint(r, path))
        exit(1);
    fprintf(stderr, "stopped after step %lld of %lld; to continue:\n  ", (long long)r->step,
            (long long)r->total);
    example_resume_command(stderr, r->common, path);
    exit(status);
}

bool run_end(Run *r)
{
    char path[EXAMPLE_PATH];
    double took = progress_end(&r->progress);
    bool ok = metrics_close(&r->metrics);
    tape_page_end();
    if (is_main(r) && stopping(r) && r->step < r->total && !tensor_failed())
        leave(r);
    if (is_main(r))
        on_interrupt(SIG_DFL);
    release(r);
    if (r->step < r->total)
        return !tensor_failed() &&
               tensor_fail("run_end: the loop ended after step %lld of %lld; expected all steps, "
                           "with losses that are numbers (a lower --lr)",
                           (long long)r->step, (long long)r->total);
    if (r->unsaved)
        return ok;
    printf("%lld steps in %.1f s (seed %d, %s kernels, %d threads)\n",
           (long long)(r->total - r->progress.first), took, r->common->seed, tensor_kernels(),
           tensor_threads());
    if (r->common->html)
        printf("the first step, op by op, for a browser: %s\n", file_of(r, "tape", ".html", path));
    return ok && draw_learning(r);
}
