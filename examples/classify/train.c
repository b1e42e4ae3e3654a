/* train.c: the training loop, and the test. See train.h. */
#include "examples/classify/train.h"

#include "examples/common/order.h"

#include <math.h>

enum { BATCH = 32, TESTED = 64, MEASURED = 20, QUICK = 400 };

static Tensor *logits_of(const Classifier *m, Tape *tape, const Batch *b)
{
    return classifier_logits(m, batch_ids(b, tape), batch_lengths(b, tape));
}

/* ---- the test -------------------------------------------------------------------------------- */

/* Adds a batch's correct labels and losses to the sums. */
static bool add_scores(Score *sum, const Classifier *m, Tape *tape, const Batch *b)
{
    tape_reset(tape);
    Tensor *logits = logits_of(m, tape, b);
    Tensor *loss = ag_cross_entropy(logits, batch_labels(b, tape));
    if (tensor_is_poison(loss))
        return false;
    const Tensor *answers = ag_argmax(logits, -1, false);
    for (int i = 0; i < b->B; i++)
        sum->accuracy += answers->ids[i] == b->targets[i];
    sum->loss += b->B * (double)tensor_item(loss);
    sum->count += b->B;
    return true;
}

Score score(const Classifier *m, const Texts *t, int first, int count, int kind)
{
    Score sum = {0};
    Batch batch;
    int which[TESTED], B = 0;
    Tape *tape = tape_new(0);
    bool ok = batch_init(&batch, t->longest) && tape;
    if (tape)
        tape->no_grad = true;
    for (int i = first; ok && i < first + count; i++) {
        if (kind < 0 || t->kinds[i] == kind)
            which[B++] = i;
        if (B == TESTED || (B > 0 && i + 1 == first + count)) {
            ok = batch_fill(&batch, &t->ids, t->labels, which, B, 0) &&
                 add_scores(&sum, m, tape, &batch);
            B = 0;
        }
    }
    batch_free(&batch);
    tape_free(tape);
    if (sum.count)
        sum.accuracy /= sum.count, sum.loss /= sum.count;
    return sum;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer. */
static double train_step(const Classifier *m, Params *p, Adam *adam, Tape *tape, const Batch *b,
                         double *norm)
{
    tape_reset(tape);
    Tensor *logits = logits_of(m, tape, b);
    Tensor *loss = ag_cross_entropy(logits, batch_labels(b, tape));
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

bool train(const Classifier *m, Params *p, const Texts *t, const Common *c)
{
    Batch batch = {0};
    Order order = {0};
    const int B = t->train < BATCH ? t->train : BATCH, held_out = t->ids.count - t->train;
    bool ok = batch_init(&batch, t->longest) && order_init(&order, t->train, B, (uint64_t)c->seed);
    Run run = {.common = c,
               .total = ok ? example_steps(c, order_steps(&order)) : 0,
               .unit = "texts",
               .per_step = B,
               .also = {"accuracy"},
               .y_name = "loss, accuracy",
               .decay = 0.01,
               .state = {.params = p}};
    ok = ok && run_begin(&run);
    while (ok && run_more(&run)) {
        run.adam.rate = nn_warmup_cosine(run.step, run.total / 10, run.total, c->rate, 0);
        if (!batch_fill(&batch, &t->ids, t->labels, order_batch(&order, run.step), B, 0))
            break;
        double norm, loss = train_step(m, p, &run.adam, run.tape, &batch, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
        if (run_due(&run, MEASURED)) {
            const Score now = score(m, t, t->train, held_out < QUICK ? held_out : QUICK, -1);
            run_measure(&run, "held out", now.loss, (double[]){now.accuracy});
        }
    }
    ok = ok && run_end(&run);
    order_free(&order);
    batch_free(&batch);
    return ok;
}
