/* train.c: training and testing on sentences. See train.h.
 *
 * A step draws sentences, pads them to one batch, runs the encoder, computes the cross-entropy of
 * the answer at the queried word alone, and runs backward. Everything the step computes lives on
 * the tape until the next tape_reset; only the weights remain. */
#include "examples/attention/train.h"

#include <math.h>

enum { CURVE_SENTENCES = 400, CURVE_POINTS = 40, QUIZ_BATCH = 100, QUIZ_SEED = 4711 };

bool sentences_draw(SentenceBatch *batch, const Grammar *g, Rng *rng, Quiz quiz)
{
    Sentence s[BATCH_MAX];
    for (int b = 0; b < batch->capacity; b++) {
        do {
            if (!data_grammar_draw(g, rng, quiz.split, &s[b]))
                return false;
        } while (quiz.kind >= 0 && (int)s[b].kind != quiz.kind);
    }
    return data_batch_fill(batch, s, batch->capacity);
}

Tensor *sentences_logits(const Model *m, Tape *tape, const SentenceBatch *batch)
{
    Tensor *ids = tape_ids(tape, batch->ids, shape2(batch->B, batch->T));
    Tensor *lengths = tape_ids(tape, batch->lengths, shape1(batch->B));
    Tensor *positions = tape_ids(tape, batch->queries, shape1(batch->B));
    return model_answer(m, ids, lengths, positions);
}

int sentences_right(const Model *m, Tape *tape, const SentenceBatch *batch)
{
    tape_reset(tape);
    const Tensor *answers = ag_argmax(sentences_logits(m, tape, batch), -1, false);
    if (tensor_is_poison(answers))
        return -1;
    int right = 0;
    for (int b = 0; b < batch->B; b++)
        right += answers->ids[b] == batch->labels[b];
    return right;
}

double sentences_accuracy(const Model *m, const Grammar *g, Quiz quiz)
{
    Tape *tape = tape_new(0);
    SentenceBatch batch = {0};
    Rng rng = {.seed = QUIZ_SEED};
    int asked = 0, right = 0;
    if (tape && data_batch_init(&batch, QUIZ_BATCH)) {
        tape->no_grad = true;
        while (asked < quiz.sentences && sentences_draw(&batch, g, &rng, quiz)) {
            right += sentences_right(m, tape, &batch);
            asked += batch.B;
        }
    }
    data_batch_free(&batch);
    tape_free(tape);
    return asked ? (double)right / asked : 0;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer. */
static double train_step(const Model *m, Params *p, Adam *adam, Tape *tape,
                         const SentenceBatch *batch, double *norm)
{
    tape_reset(tape);
    Tensor *logits = sentences_logits(m, tape, batch);
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, batch->labels, shape1(batch->B)));
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

double sentences_rate(int64_t step, int64_t steps, double peak)
{
    return nn_warmup_cosine(step, steps / 10, steps, peak, 0);
}

bool sentences_train(const Model *m, Params *p, const Grammar *g, const Common *c)
{
    const Quiz seen = {.split = DATA_TRAIN, .kind = -1};
    const Quiz held_out = {.split = DATA_HELD_OUT, .kind = -1, .sentences = CURVE_SENTENCES};
    Rng rng = {.seed = (uint64_t)c->seed, .stream = 1};
    SentenceBatch batch = {0};
    Run run = {.common = c,
               .total = c->steps,
               .unit = "sentences",
               .per_step = SENTENCES_BATCH,
               .also = {"accuracy"},
               .y_name = "loss, accuracy",
               .decay = SENTENCES_DECAY,
               .state = {.params = p, .rng = &rng, .rngs = 1}};
    bool ok = data_batch_init(&batch, SENTENCES_BATCH) && run_begin(&run);
    while (ok && run_more(&run)) {
        double norm;
        run.adam.rate = sentences_rate(run.step, c->steps, c->rate);
        if (!sentences_draw(&batch, g, &rng, seen))
            break;
        double loss = train_step(m, p, &run.adam, run.tape, &batch, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
        if (run_due(&run, CURVE_POINTS))
            run_measure(&run, "held out", (double)NAN,
                        (double[]){sentences_accuracy(m, g, held_out)});
    }
    ok = ok && run_end(&run);
    data_batch_free(&batch);
    return ok;
}
