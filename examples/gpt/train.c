/* train.c: the training loop on windows of the text.
 *
 *   loss = mean over B T positions of -log p(x_(t+1) | x_1 ... x_t)
 *
 * One forward pass gives the predictions at all T positions, because the causal mask hides later
 * tokens from each. (Lecture B, "Training Transformer-based LM"; the settings are those of
 * nanoGPT's README for a CPU.) */
#include "examples/common/run.h"
#include "examples/gpt/gpt.h"

#include <stdlib.h>

enum { VALIDATION_BATCH = 16, VALIDATIONS = 5 };

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

static bool loop(const Settings *settings, const Gpt *m, Params *p, const TokenisedText *t,
                 Run *run, Windows *w)
{
    Adam *adam = run->state.adam;
    Tape *tape = run->state.tape;
    while (run_more(run)) {
        adam->rate = nn_warmup_cosine(run->step, run->total / 20, run->total, settings->common.rate,
                                      settings->common.rate / 10);
        if (!data_text_windows(&t->text, DATA_TEXT_TRAIN, run->state.rng, w->B, w->T, w->x, w->y))
            return false;
        Slice s;
        while (run_slice(run, w->B, &s)) {
            const int at = s.from * w->T;
            tape_reset(tape);
            Tensor *loss = loss_of(m, tape, w->x + at, w->y + at, s.count, w->T);
            if (!run_backward(run, loss, (double)s.count / w->B))
                return false;
        }
        double norm = params_clip_grad(p, 1);
        if (!adam_step(adam, p))
            return false;
        run_step(run, run->loss, norm, NULL);
        if (run_due(run, VALIDATIONS))
            run_measure(run, "validation", validation_loss(m, tape, t), NULL);
    }
    return true;
}

bool train(const Settings *s, const Gpt *m, Params *p, const TokenisedText *t)
{
    Adam adam = {0};
    Windows w = {0};
    Rng rng = {.seed = (uint64_t)s->common.seed, .stream = 1};
    Tape *tape = example_tape((uint64_t)s->common.seed);
    bool ok = tape && windows_init(&w, s->batch, m->config.longest) &&
              adamw_init(&adam, p, s->common.rate, 0.1);
    adam.beta2 = 0.99;
    Run run = {.common = &s->common,
               .total = s->common.steps,
               .unit = "tokens",
               .per_step = (double)w.B * w.T,
               .y_name = "loss (nats a token)",
               .state = {.params = p, .adam = &adam, .tape = tape, .rng = &rng, .rngs = 1}};
    ok = ok && run_begin(&run);
    if (ok) {
        loop(s, m, p, t, &run, &w); /* run_end reports whether the loop was completed */
        ok = run_end(&run);
    }
    adam_free(&adam);
    tape_free(tape);
    free(w.x);
    return ok;
}
