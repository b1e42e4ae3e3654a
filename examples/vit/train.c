/* train.c: see train.h. AdamW with the one-cycle learning rate schedule. */
#include "examples/vit/train.h"

#include <math.h>
#include <stdlib.h>

enum { TEST_BATCH = 100 };
#define WEIGHT_DECAY 0.01

/* Images and labels of one step. */
typedef struct {
    int B;
    real *x;
    int32_t *labels;
} Batch;

static bool batch_init(Batch *b, const Pictures *pictures, int B)
{
    *b = (Batch){.B = B,
                 .x = example_alloc((size_t)B * (size_t)pictures_size(pictures) * sizeof(real)),
                 .labels = example_alloc((size_t)B * sizeof(int32_t))};
    return b->x && b->labels;
}

static void batch_free(Batch *b)
{
    free(b->x);
    free(b->labels);
}

static Tensor *forward(const Model *m, Tape *tape, const Batch *b)
{
    const ModelConfig *c = &m->config;
    return vit_logits(m, tape_input(tape, b->x, shape4(b->B, c->colours, c->side, c->side)));
}

/* ---- the test -------------------------------------------------------------------------------- */

static bool test_batch(const Model *m, Tape *tape, const Batch *b, Test *t)
{
    tape_reset(tape);
    Tensor *logits = forward(m, tape, b);
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, b->labels, shape1(b->B)));
    if (tensor_is_poison(loss))
        return false;
    int classes = m->config.classes;
    for (int i = 0; i < b->B; i++)
        t->count[b->labels[i]][nn_greedy(logits->data + i * classes, classes)]++;
    t->loss += (double)tensor_item(loss) * b->B;
    return true;
}

bool vit_test(const Model *m, const Pictures *pictures, Test *t)
{
    Tape *tape = tape_new(0);
    Batch b;
    int all = pictures->test_count;
    bool ok = batch_init(&b, pictures, TEST_BATCH) && tape;
    *t = (Test){0};
    if (ok)
        tape->no_grad = true;
    for (int first = 0; ok && first < all; first += b.B) {
        b.B = all - first < TEST_BATCH ? all - first : TEST_BATCH;
        ok = pictures_test(pictures, first, b.B, b.x, b.labels) && test_batch(m, tape, &b, t);
    }
    for (int k = 0; k < m->config.classes; k++)
        t->accuracy += (double)t->count[k][k] / all;
    t->loss /= all;
    batch_free(&b);
    tape_free(tape);
    return ok;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is not shortened. */
static double train_step(const Model *m, Params *p, Adam *adam, Tape *tape, const Batch *b,
                         double *norm)
{
    tape_reset(tape);
    Tensor *logits = forward(m, tape, b);
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, b->labels, shape1(b->B)));
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_grad_norm(p);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

bool vit_train(const Model *m, Params *p, Pictures *pictures, const Common *c, int batch, int shift)
{
    Batch b;
    Test test;
    Run run = {.common = c,
               .total = example_steps(c, pictures->train_count / batch),
               .unit = "pictures",
               .per_step = batch,
               .also = {"accuracy"},
               .y_name = "loss, accuracy",
               .decay = WEIGHT_DECAY,
               .state = {.params = p}};
    bool ok = batch_init(&b, pictures, batch) && run_begin(&run);
    while (ok && run_more(&run)) {
        run.adam.rate = nn_one_cycle(run.step, run.total, c->rate);
        if (!pictures_batch(pictures, run.step, batch, b.x, b.labels))
            break;
        pictures_shift(pictures, b.x, batch, shift, (uint64_t)c->seed, run.step);
        double norm, loss = train_step(m, p, &run.adam, run.tape, &b, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
        if (run_due(&run, c->epochs) && vit_test(m, pictures, &test))
            run_measure(&run, "test", test.loss, (double[]){test.accuracy});
    }
    ok = ok && run_end(&run);
    batch_free(&b);
    return ok;
}
