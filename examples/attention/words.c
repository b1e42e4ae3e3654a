/* words.c: training and testing on sentences. See words.h.
 *
 * A step: draw sentences, pad them to one batch, run the encoder, look at the queried word alone, and go
 * back from the cross-entropy of its answer. Everything the step makes lives on the tape until the next
 * tape_reset; only the weights stay. */
#include "examples/attention/words.h"

#include "examples/common/progress.h"

enum { CURVE_SENTENCES = 400, QUIZ_BATCH = 100, QUIZ_SEED = 4711 };

/* Draws sentences until the batch is full. */
static bool draw_batch(SentenceBatch *batch, const Grammar *g, Rng *rng, Quiz quiz)
{
    Sentence s[BATCH_MAX];
    for (int b = 0; b < batch->room; b++) {
        do {
            if (!data_grammar_draw(g, rng, quiz.split, &s[b]))
                return false;
        } while (quiz.kind >= 0 && (int)s[b].kind != quiz.kind);
        if (quiz.mask_cue)
            data_sentence_mask_cue(&s[b]);
    }
    return data_batch_fill(batch, s, batch->room);
}

/* The batch's answers: logits (B, answers). */
static Tensor *forward(const Model *m, Tape *tape, const SentenceBatch *batch)
{
    Tensor *ids = tape_ids(tape, batch->ids, shape2(batch->B, batch->T));
    Tensor *lengths = tape_ids(tape, batch->lengths, shape1(batch->B));
    Tensor *places = tape_ids(tape, batch->queries, shape1(batch->B));
    return model_answer(m, ids, lengths, places);
}

static int best(const real *logits, int64_t n)
{
    int most = 0;
    for (int i = 1; i < n; i++)
        if (logits[i] > logits[most])
            most = i;
    return most;
}

/* How many of the batch's answers are right; -1 after an error. */
static int count_right(const Model *m, Tape *tape, const SentenceBatch *batch)
{
    tape_reset(tape);
    Tensor *logits = forward(m, tape, batch);
    if (tensor_is_poison(logits))
        return -1;
    int right = 0;
    int64_t n = shape_last(logits->shape);
    for (int b = 0; b < batch->B; b++)
        right += best(logits->data + b * n, n) == batch->labels[b];
    return right;
}

double words_accuracy(const Model *m, const Grammar *g, Quiz quiz)
{
    Tape *tape = tape_new(0);
    SentenceBatch batch = {0};
    Rng rng = {.seed = QUIZ_SEED};
    int asked = 0, right = 0;
    if (tape && data_batch_init(&batch, QUIZ_BATCH)) {
        tape->no_grad = true;
        while (asked < quiz.sentences && draw_batch(&batch, g, &rng, quiz)) {
            right += count_right(m, tape, &batch);
            asked += batch.B;
        }
    }
    data_batch_free(&batch);
    tape_free(tape);
    return asked ? (double)right / asked : 0;
}

int words_answer(const Model *m, const Sentence *s, double *probability)
{
    Tape *tape = tape_new(0);
    int answer = -1;
    if (tape) {
        tape->no_grad = true;
        Tensor *ids = tape_ids(tape, s->ids, shape2(1, s->length));
        Tensor *p = ag_softmax(model_answer(m, ids, NULL, tape_ids(tape, &s->query, shape1(1))));
        if (!tensor_is_poison(p)) {
            answer = best(p->data, tensor_size(p));
            if (probability)
                *probability = (double)p->data[answer];
        }
    }
    tape_free(tape);
    return answer;
}

/* ---- training --------------------------------------------------------------------------------------------- */

/* One step of training; the loss, or -1 after an error. */
static double train_step(const Model *m, Params *p, Adam *adam, Tape *tape,
                         const SentenceBatch *batch)
{
    tape_reset(tape);
    Tensor *logits = forward(m, tape, batch);
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, batch->labels, shape1(batch->B)));
    if (!ag_backward(loss))
        return -1;
    params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : -1;
}

static void add_point(Curve *curve, const Model *m, const Grammar *g, int step, double loss)
{
    Quiz quiz = {.split = DATA_HELD_OUT, .kind = -1, .sentences = CURVE_SENTENCES};
    if (curve->points == CURVE_POINTS)
        return;
    curve->step[curve->points] = step;
    curve->loss[curve->points] = loss;
    curve->accuracy[curve->points] = words_accuracy(m, g, quiz);
    curve->points++;
}

static void train(const Model *m, Params *p, const Grammar *g, TrainConfig c, Curve *curve,
                  Adam *adam, Tape *tape, SentenceBatch *batch)
{
    Rng rng = {.seed = (uint64_t)c.seed, .stream = 1};
    Progress progress = progress_begin(c.what, c.steps, c.quiet);
    int stretch = c.steps / CURVE_POINTS > 0 ? c.steps / CURVE_POINTS : 1;
    double sum = 0, shown = 0;
    tape->training = true;
    for (int step = 0; step < c.steps; step++) {
        adam->rate = nn_warmup_cosine(step, c.steps / 10, c.steps, c.rate, 0);
        if (!draw_batch(batch, g, &rng, (Quiz){.split = DATA_TRAIN, .kind = -1}))
            break;
        double loss = train_step(m, p, adam, tape, batch);
        if (loss < 0)
            break;
        sum += loss;
        if ((step + 1) % stretch == 0) {
            shown = sum / stretch;
            sum = 0;
            if (curve)
                add_point(curve, m, g, step + 1, shown);
        }
        progress_show(&progress, step + 1, "loss %.3f", shown > 0 ? shown : loss);
    }
    progress_end(&progress);
}

double words_train(const Model *m, Params *p, const Grammar *g, TrainConfig c, Curve *curve)
{
    double began = seconds();
    Tape *tape = tape_new((uint64_t)c.seed);
    SentenceBatch batch = {0};
    Adam adam = {0};
    if (tape && data_batch_init(&batch, c.batch) && adamw_init(&adam, p, c.rate, 0.01))
        train(m, p, g, c, curve, &adam, tape, &batch);
    adam_free(&adam);
    data_batch_free(&batch);
    tape_free(tape);
    return seconds() - began;
}
