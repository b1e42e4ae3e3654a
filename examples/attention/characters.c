/* characters.c: see characters.h. */
#include "examples/attention/characters.h"

#include "examples/common/progress.h"

#include <stdlib.h>

enum { WINDOWS_MAX = 64, LOSS_BATCHES = 20, LOSS_SEED = 4711 };

/* Windows of characters and, for each place, the character that follows. */
typedef struct {
    int B, T;
    int32_t x[WINDOWS_MAX * CHARACTERS_T], y[WINDOWS_MAX * CHARACTERS_T];
} Windows;

/* The mean cross-entropy of the next character over all places. */
static Tensor *loss_of(const Model *m, Tape *tape, const Windows *w)
{
    Shape shape = shape2(w->B, w->T);
    Tensor *logits = model_everywhere(m, tape_ids(tape, w->x, shape));
    return ag_cross_entropy(logits, tape_ids(tape, w->y, shape));
}

double characters_loss(const Model *m, const Text *text)
{
    Tape *tape = tape_new(0);
    Windows *w = calloc(1, sizeof *w);
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

static void train(const Model *m, Params *p, const Text *text, TrainConfig c, Curve *curve,
                  Adam *adam, Tape *tape, Windows *w)
{
    Rng rng = {.seed = (uint64_t)c.seed, .stream = 1};
    Progress progress = progress_begin(c.what, c.steps, c.quiet);
    int stretch = c.steps / CURVE_POINTS > 0 ? c.steps / CURVE_POINTS : 1;
    double sum = 0;
    tape->training = true;
    for (int step = 0; step < c.steps; step++) {
        adam->rate = nn_warmup_cosine(step, c.steps / 20, c.steps, c.rate, c.rate / 10);
        if (!data_text_windows(text, DATA_TEXT_TRAIN, &rng, w->B, w->T, w->x, w->y))
            return;
        tape_reset(tape);
        Tensor *loss = loss_of(m, tape, w);
        if (!ag_backward(loss))
            return;
        params_clip_grad(p, 1);
        if (!adam_step(adam, p))
            return;
        sum += (double)tensor_item(loss);
        progress_show(&progress, step + 1, "loss %.3f", (double)tensor_item(loss));
        if ((step + 1) % stretch == 0 && curve->points < CURVE_POINTS) {
            curve->step[curve->points] = step + 1;
            curve->loss[curve->points++] = sum / stretch;
            sum = 0;
        }
    }
    progress_end(&progress);
}

double characters_train(const Model *m, Params *p, const Text *text, TrainConfig c, Curve *curve)
{
    double began = seconds();
    Tape *tape = tape_new((uint64_t)c.seed);
    Windows *w = calloc(1, sizeof *w);
    Adam adam = {0};
    if (tape && w && adamw_init(&adam, p, c.rate, 0.01)) {
        *w = (Windows){.B = c.batch < WINDOWS_MAX ? c.batch : WINDOWS_MAX, .T = m->config.longest};
        train(m, p, text, c, curve, &adam, tape, w);
    }
    adam_free(&adam);
    free(w);
    tape_free(tape);
    return seconds() - began;
}
