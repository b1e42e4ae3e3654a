/* pretrain.c: masked language modelling.
 *
 *   loss = the mean over chosen positions of -log p(word | the words around it)
 *
 * The loss ignores all other positions: their logits get a gradient of exactly zero. Each sentence
 * has one fixed mask for the whole training (as in BERT), or a new one every epoch (dynamic
 * masking: RoBERTa, Liu et al. 2019). */
#include "examples/bert/settings.h"
#include "examples/common/batch.h"
#include "examples/common/order.h"

#include <math.h>

enum { BATCH = 64, MEASURED = 20, MASK_SEED = 15 };

/* Masks words of the batch. The random stream of a sequence is its number plus `turn` times the
 * number of sequences, so that the same turn gives the same masks. */
static bool mask(Batch *b, const Sequences *s, const int *which, const Masking *m, uint64_t seed,
                 int64_t turn)
{
    bool ok = true;
    for (int i = 0; ok && i < b->B; i++) {
        Rng rng = {.seed = rng_hash(seed, "masks"),
                   .stream = (uint64_t)which[i] + (uint64_t)turn * (uint64_t)s->count};
        const int64_t row = (int64_t)i * b->T;
        ok = data_mask_tokens(m, &rng, b->ids + row, b->targets + row, b->T);
    }
    return ok;
}

static Tensor *loss_of(const Bert *m, Tape *tape, const Batch *b, Tensor **logits)
{
    *logits = bert_words(m, bert_hidden(m, batch_ids(b, tape), batch_lengths(b, tape)));
    Tensor *targets = tape_ids(tape, b->targets, shape2(b->B, b->T));
    return ag_cross_entropy_ignore(*logits, targets, DATA_IGNORE);
}

/* ---- the test -------------------------------------------------------------------------------- */

static bool add_guesses(Guesses *sum, const Bert *m, Tape *tape, const Batch *b)
{
    Tensor *logits;
    tape_reset(tape);
    Tensor *loss = loss_of(m, tape, b, &logits);
    if (tensor_is_poison(loss))
        return false;
    const int64_t V = shape_last(logits->shape);
    int asked = 0;
    for (int64_t i = 0; i < (int64_t)b->B * b->T; i++) {
        asked += b->targets[i] != DATA_IGNORE;
        sum->right += nn_greedy(logits->data + i * V, V) == b->targets[i];
    }
    sum->loss += asked * (double)tensor_item(loss);
    sum->asked += asked;
    return true;
}

Guesses guess_held_out(const Bert *m, const Corpus *c)
{
    const Masking masking = data_bert_masking(DATA_MASK, FIRST_TOKEN, c->words.count);
    Guesses sum = {0};
    Batch batch;
    Tape *tape = tape_new(0);
    bool ok = batch_init(&batch, LONGEST) && tape;
    if (tape)
        tape->no_grad = true;
    for (int first = 0; ok && first < c->held_out.count; first += BATCH) {
        int which[BATCH], B = 0;
        while (B < BATCH && first + B < c->held_out.count)
            which[B] = first + B, B++;
        ok = batch_fill(&batch, &c->held_out, NULL, which, B, 0) &&
             mask(&batch, &c->held_out, which, &masking, MASK_SEED, 0) &&
             add_guesses(&sum, m, tape, &batch);
    }
    batch_free(&batch);
    tape_free(tape);
    sum.loss /= sum.asked;
    sum.right /= sum.asked;
    return sum;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One training step. Returns the loss, the mean over the chosen positions of the batch, or NaN
 * after an error; *norm is the length of the gradient, which is shortened to 1 where it is
 * longer. */
static double train_step(const Bert *m, Params *p, Adam *adam, Tape *tape, const Batch *batch,
                         double *norm)
{
    Tensor *logits;
    tape_reset(tape);
    Tensor *loss = loss_of(m, tape, batch, &logits);
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

bool pretrain(const Settings *s, const Bert *m, Params *p, const Corpus *c)
{
    const Masking masking = data_bert_masking(DATA_MASK, FIRST_TOKEN, c->words.count);
    const int B = c->train.count < BATCH ? c->train.count : BATCH;
    Batch batch = {0};
    Order order = {0};
    bool ok = batch_init(&batch, LONGEST) &&
              order_init(&order, c->train.count, B, (uint64_t)s->common.seed);
    Run run = {.common = &s->common,
               .total = ok ? example_steps(&s->common, order_steps(&order)) : 0,
               .unit = "sentences",
               .per_step = B,
               .also = {"right"},
               .y_name = "loss, accuracy",
               .decay = 0.01,
               .state = {.params = p}};
    ok = ok && run_begin(&run);
    while (ok && run_more(&run)) {
        const int *which = order_batch(&order, run.step);
        const int64_t turn = s->dynamic ? run.step / order_steps(&order) : 0;
        run.adam.rate = nn_warmup_linear(run.step, run.total / 20, run.total, s->common.rate, 0);
        if (!batch_fill(&batch, &c->train, NULL, which, B, 0) ||
            !mask(&batch, &c->train, which, &masking, order.seed, turn))
            break;
        double norm, loss = train_step(m, p, &run.adam, run.tape, &batch, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
        if (run_due(&run, MEASURED)) {
            const Guesses g = guess_held_out(m, c);
            run_measure(&run, "held out", g.loss, (double[]){g.right});
        }
    }
    ok = ok && run_end(&run);
    order_free(&order);
    batch_free(&batch);
    return ok;
}
