/* characters.c: see characters.h. */
#include "examples/attention/characters.h"

#include <math.h>
#include <stdlib.h>

enum { WINDOWS_MAX = 64, LOSS_BATCHES = 20, LOSS_SEED = 4711 };

/* Windows of characters and, for each position, the next character. */
typedef struct {
    int B, T;
    int32_t x[WINDOWS_MAX * CHARACTERS_T], y[WINDOWS_MAX * CHARACTERS_T];
} Windows;

/* The mean cross-entropy of the next character over all positions. */
static Tensor *loss_of(const Model *m, Tape *tape, const Windows *w)
{
    Shape shape = shape2(w->B, w->T);
    Tensor *logits = model_everywhere(m, tape_ids(tape, w->x, shape));
    return ag_cross_entropy(logits, tape_ids(tape, w->y, shape));
}

double characters_loss(const Model *m, const Text *text)
{
    Tape *tape = tape_new(0);
    Windows *w = example_alloc(sizeof *w);
    Rng rng = {.seed = LOSS_SEED};
    double sum = 0;
    int batches = 0;
    if (tape && w) {
        *w = (Windows){.B = 32, .T = m->config.longest};
        tape->no_grad = true;
        for (; batches < LOSS_BATCHES; batches++) {
            if (!data_text_windows(text, DATA_TEXT_VALIDATION, &rng, w->B, w->T, w->x, w->y))
                break;
            tape_reset(tape);
            sum += (double)tensor_item(loss_of(m, tape, w));
        }
    }
    free(w);
    tape_free(tape);
    return batches ? sum / batches : 0;
}

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer. */
static double train_step(const Model *m, Params *p, Adam *adam, Tape *tape, const Windows *w,
                         double *norm)
{
    tape_reset(tape);
    Tensor *loss = loss_of(m, tape, w);
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

static bool train(const Model *m, Params *p, const Text *text, TrainConfig c, Adam *adam,
                  Tape *tape, Windows *w)
{
    Rng rng = {.seed = (uint64_t)c.seed, .stream = 1};
    Run run = {.common = c.common,
               .total = c.steps,
               .what = c.what,
               .unit = "characters",
               .per_step = (double)w->B * w->T,
               .y_name = "loss (nats a character)",
               .state = {.params = p, .adam = adam, .tape = tape, .rng = &rng, .rngs = 1}};
    if (!run_begin(&run))
        return false;
    tape->training = true;
    while (run_more(&run)) {
        double rate = c.common->rate;
        adam->rate = nn_warmup_cosine(run.step, c.steps / 20, c.steps, rate, rate / 10);
        if (!data_text_windows(text, DATA_TEXT_TRAIN, &rng, w->B, w->T, w->x, w->y))
            break;
        double norm, loss = train_step(m, p, adam, tape, w, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
    }
    return run_end(&run);
}

bool characters_train(const Model *m, Params *p, const Text *text, TrainConfig c)
{
    Tape *tape = tape_new((uint64_t)c.seed);
    Windows *w = example_alloc(sizeof *w);
    Adam adam = {0};
    bool ok = tape && w && adamw_init(&adam, p, c.common->rate, 0.01);
    if (ok) {
        *w = (Windows){.B = c.batch < WINDOWS_MAX ? c.batch : WINDOWS_MAX, .T = m->config.longest};
        ok = train(m, p, text, c, &adam, tape, w);
    }
    adam_free(&adam);
    free(w);
    tape_free(tape);
    return ok;
}
