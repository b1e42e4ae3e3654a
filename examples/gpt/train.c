/* train.c: the training loop on windows of the text.
 *
 *   loss = mean over B T positions of -log p(x_(t+1) | x_1 ... x_t)
 *
 * One forward pass gives the predictions at all T positions, because the causal mask hides later
 * tokens from each. (Lecture B, "Training Transformer-based LM"; the settings are those of
 * nanoGPT's README for a CPU.) */
#include "examples/common/run.h"
#include "examples/gpt/gpt.h"

#include <math.h>
#include <stdlib.h>

enum { VALIDATION_BATCH = 16 };

/* B windows of T tokens and the next token at each position, in one block of memory. */
typedef struct {
    int B, T;
    int32_t *x, *y;
} Windows;

static bool windows_init(Windows *w, int B, int T)
{
    *w = (Windows){.B = B, .T = T, .x = example_alloc(2 * (size_t)B * (size_t)T * sizeof *w->x)};
    w->y = w->x + (w->x ? B * T : 0);
    return w->x != NULL;
}

static Tensor *loss_of(const Gpt *m, Tape *tape, const int32_t *x, const int32_t *y, int B, int T)
{
    Tensor *logits = nn_gpt(m, tape_ids(tape, x, shape2(B, T)));
    return ag_cross_entropy(logits, tape_ids(tape, y, shape2(B, T)));
}

/* ---- validation ------------------------------------------------------------------------------ */

/* The sum of the losses of `count` consecutive windows from `from` on. */
static double sum_of_windows(const Gpt *m, Tape *tape, const int32_t *from, int count, int T)
{
    tape_reset(tape);
    return (double)tensor_item(loss_of(m, tape, from, from + 1, count, T)) * count * T;
}

double validation_loss(const Gpt *m, Tape *tape, const TokenisedText *t)
{
    const int T = m->config.longest;
    const int32_t *at = t->text.ids + t->text.train;
    int64_t asked = t->text.count - t->text.train - 1, left = asked;
    double sum = 0;
    tape->no_grad = true;
    while (left > 0) {
        int64_t windows = left / T > VALIDATION_BATCH ? VALIDATION_BATCH : left / T;
        int width = windows > 0 ? T : (int)left; /* the last one is shorter */
        int count = windows > 0 ? (int)windows : 1;
        sum += sum_of_windows(m, tape, at, count, width);
        at += count * width;
        left -= count * width;
    }
    tape->no_grad = false;
    return sum / (double)asked;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer. */
static double train_step(const Gpt *m, Params *p, Adam *adam, Tape *tape, const Windows *w,
                         double *norm)
{
    tape_reset(tape);
    Tensor *loss = loss_of(m, tape, w->x, w->y, w->B, w->T);
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

typedef struct {
    const Gpt *m;
    const Windows *w;
    Tape *tape;
} Shared;

static Tensor *part_loss(void *context, int from, int count)
{
    const Shared *s = context;
    const int at = from * s->w->T;
    return loss_of(s->m, s->tape, s->w->x + at, s->w->y + at, count, s->w->T);
}

/* The same step on a batch that is cut into slices, which several processes may share. */
static double shared_step(const Gpt *m, Run *run, int slices, const Windows *w, double *norm)
{
    Shared shared = {m, w, run->state.tape};
    double loss = processes_gradient(run, slices, w->B, part_loss, &shared);
    if (isnan(loss))
        return loss;
    *norm = params_clip_grad(run->state.params, 1);
    return adam_step(run->state.adam, run->state.params) ? loss : (double)NAN;
}

/* Early stopping: a model that no longer gets better on the validation part begins to learn the
 * training part by heart. number: the best loss so far, and the validations since then, which a
 * checkpoint keeps. */
static void stop_early(const Settings *s, Run *run, double validation)
{
    double *number = run->state.number;
    run_measure(run, "validation", validation, NULL);
    bool better = validation < number[0];
    number[0] = better ? validation : number[0];
    number[1] = better ? 0 : number[1] + 1;
    if (s->patience > 0 && number[1] >= s->patience)
        run->total = run->step;
}

/* run_end reports whether the loop was completed. */
static void loop(const Settings *s, const Gpt *m, const TokenisedText *t, Run *run, Windows *w)
{
    const double rate = s->common.rate;
    while (run_more(run)) {
        run->adam.rate = nn_warmup_cosine(run->step, run->total / 20, run->total, rate, rate / 10);
        if (!data_text_windows(&t->text, DATA_TEXT_TRAIN, run->state.rng, w->B, w->T, w->x, w->y))
            return;
        double norm = 0, loss = s->slices > 0 ? shared_step(m, run, s->slices, w, &norm)
                                              : train_step(m, run->state.params, &run->adam,
                                                           run->tape, w, &norm);
        if (isnan(loss))
            return;
        run_step(run, loss, norm, NULL);
        if (run_due(run, VALIDATIONS))
            stop_early(s, run, validation_loss(m, run->tape, t));
    }
}

bool train(const Settings *s, const Gpt *m, Params *p, const TokenisedText *t)
{
    Windows w = {0};
    Rng rng = {.seed = (uint64_t)s->common.seed, .stream = 1};
    bool ok = windows_init(&w, s->batch, m->config.longest);
    double number[2] = {(double)INFINITY, 0};
    Run run = {.common = &s->common,
               .total = s->common.steps,
               .unit = "tokens",
               .per_step = (double)w.B * w.T,
               .y_name = "loss (nats a token)",
               .several = s->slices > 0,
               .silent = processes_silent(),
               .decay = 0.1,
               .beta2 = 0.99,
               .state = {.params = p,
                         .rng = &rng,
                         .rngs = 1,
                         .number = number,
                         .numbers = s->patience > 0 ? 2 : 0}};
    ok = ok && run_begin(&run);
    if (ok) {
        loop(s, m, t, &run, &w);
        if (!tensor_failed())
            processes_end();
        ok = run_end(&run);
    }
    free(w.x);
    return ok;
}
