/* finetune.c: fine-tunes the model to classify sentences from few labels.
 *
 * Pre-training did not use the hidden state at <class>. Now a linear layer on it predicts the class
 * of the whole sentence, and all weights are trained further. "From scratch" means the same model
 * and the same sentences in the same order, with the weights from before pre-training. */
#include "examples/bert/settings.h"
#include "examples/common/batch.h"
#include "examples/common/order.h"

#include <math.h>
#include <string.h>

enum { BATCH = 16, TEST = 1000 };

/* The peak learning rate, after pre-training and from scratch. */
static const double highest_rate = 1e-3;

static Tensor *class_of(const Bert *m, Tape *tape, const Batch *b)
{
    return bert_class(m, bert_hidden(m, batch_ids(b, tape), batch_lengths(b, tape)));
}

static double test(const Bert *m, const Reviews *r, Batch *b)
{
    enum { AT_ONCE = 100 };
    Tape *tape = tape_new(0);
    int right = 0, asked = 0;
    if (tape)
        tape->no_grad = true;
    for (int first = r->train; tape && first < r->ids.count; first += AT_ONCE) {
        int which[AT_ONCE], B = 0;
        while (B < AT_ONCE && first + B < r->ids.count)
            which[B] = first + B, B++;
        tape_reset(tape);
        if (!batch_fill(b, &r->ids, r->labels, which, B, 0))
            break;
        Tensor *logits = class_of(m, tape, b);
        if (tensor_is_poison(logits))
            break;
        for (int i = 0; i < B; i++, asked++)
            right += (logits->data[2 * i + 1] > logits->data[2 * i]) == b->targets[i];
    }
    tape_free(tape);
    return asked == r->ids.count - r->train ? (double)right / asked : (double)NAN;
}

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer. */
static double tune_step(const Bert *m, Params *p, Adam *adam, Tape *tape, const Batch *b,
                        double *norm)
{
    tape_reset(tape);
    Tensor *logits = class_of(m, tape, b);
    Tensor *loss = ag_cross_entropy(logits, batch_labels(b, tape));
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

/* Copies all weights except those of the new classification layer. */
static void copy_weights(Params *to, const Params *from)
{
    for (int i = 0; i < to->count; i++) {
        const Tensor *w = params_find(from, to->weight[i]->name);
        if (w && strncmp(w->name, "classes.", 8) != 0)
            memcpy(to->weight[i]->data, w->data, (size_t)tensor_size(w) * sizeof(real));
    }
}

double finetune(const Settings *s, const Params *from, const Corpus *c)
{
    const uint64_t seed = (uint64_t)s->common.seed;
    Params *p = params_new(seed);
    Bert m;
    Batch batch = {0};
    Order order = {0};
    Reviews r = {0};
    Run run = {.common = &s->common,
               .total = s->tune_steps,
               .what = from ? "fine-tuning" : "from scratch",
               .unit = "sentences",
               .per_step = BATCH,
               .unsaved = true,
               .decay = 0.01,
               .state = {.params = p}};
    bool ok = p && bert_init(&m, p, config_of(s, c)) && batch_init(&batch, LONGEST) &&
              reviews_open(&r, c, s->labelled, TEST, seed) &&
              order_init(&order, s->labelled, BATCH, seed) && run_begin(&run);
    if (ok && from)
        copy_weights(p, from);
    while (ok && run_more(&run)) {
        run.adam.rate = nn_warmup_linear(run.step, run.total / 10, run.total, highest_rate, 0);
        if (!batch_fill(&batch, &r.ids, r.labels, order_batch(&order, run.step), BATCH, 0))
            break;
        double norm, loss = tune_step(&m, p, &run.adam, run.tape, &batch, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
    }
    const double right = ok && run_end(&run) ? test(&m, &r, &batch) : (double)NAN;
    order_free(&order);
    batch_free(&batch);
    reviews_free(&r);
    params_free(p);
    return right;
}
