/* test_batch_slices.c: the gradient of a batch from those of its slices, on one process and on
 * several, which here are threads. The sum is compared bit by bit with the same slices' gradients
 * that the test itself adds in the order of a binary tree. */
#include "nn/slices.h"
#include "tests/harness/test.h"
#include "tests/nn/mailboxes.h"

#include <stdlib.h>
#include <string.h>

/* Halves of the gradients' 6,534 numbers have odd lengths. */
enum { IN = 51, HIDDEN = 71, OUT = 40, BATCH = 8, STEPS = 3 };

typedef struct {
    Params *params;
    Tape *tape;
    Linear up, down;
} Model;

static bool model_open(Model *m)
{
    m->params = params_new(3);
    m->tape = tape_new(3);
    if (!m->params || !m->tape)
        return false;
    m->tape->training = true;
    return nn_linear_init(&m->up, m->params, "up", IN, HIDDEN, true) &&
           nn_linear_init(&m->down, m->params, "down", HIDDEN, OUT, false);
}

static void model_close(Model *m)
{
    tape_free(m->tape);
    params_free(m->params);
}

/* The mean loss of the batch's rows from .. from + count - 1. */
static Tensor *loss_of(Model *m, int from, int count)
{
    static _Thread_local real x[BATCH * IN];
    int labels[BATCH];
    Rng rng = {.seed = 5};
    for (int i = 0; i < BATCH * IN; i++)
        x[i] = (real)rng_normal(&rng);
    for (int i = 0; i < BATCH; i++)
        labels[i] = i % OUT;
    tape_reset(m->tape);
    Tensor *rows = tape_input(m->tape, x + from * IN, shape2(count, IN));
    /* Two nodes use the weights of up. */
    Tensor *h = ag_add(ag_relu(nn_linear(&m->up, rows)), nn_linear(&m->up, ag_relu(rows)));
    nn_linear(&m->down, h); /* a node that uses weights, and that no gradient reaches */
    h = ag_dropout(h, (real)0.1);
    return ag_cross_entropy(nn_linear(&m->down, h),
                            tape_ids(m->tape, labels + from, shape1(count)));
}

/* A step of the training whose batch is cut into so many slices. */
typedef struct {
    Model *m;
    int slices, step;
} Step;

static Tensor *slice_loss(void *context, int slice)
{
    const Step *s = context;
    const int rows = BATCH / s->slices;
    s->m->tape->step = (uint64_t)(s->step * s->slices + slice);
    return ag_scale(loss_of(s->m, slice * rows, rows), (real)1 / (real)s->slices);
}

/* ---- one process ----------------------------------------------------------------------------- */

static void copy_gradient(const Model *m, real *to)
{
    for (int i = 0; i < m->params->count; i++) {
        const Tensor *w = m->params->weight[i];
        memcpy(to, w->grad, (size_t)tensor_size(w) * sizeof *to);
        to += tensor_size(w);
    }
}

/* The gradients of 8 slices, each alone, of m's weights; returns the sum of their losses. */
static double gradients_alone(Model *m, real *slice[BATCH])
{
    double loss = 0;
    for (int k = 0; k < BATCH; k++) {
        m->tape->step = (uint64_t)k;
        params_zero_grad(m->params);
        Tensor *share = ag_scale(loss_of(m, k, 1), (real)1 / BATCH);
        CHECK(ag_backward(share), "%s", tensor_error());
        loss += tensor_item(share);
        copy_gradient(m, slice[k]);
    }
    params_zero_grad(m->params);
    return loss;
}

TEST(a_binary_tree)
{
    Model m;
    Slices s;
    REQUIRE(model_open(&m) && nn_slices_init(&s, m.params, NULL, BATCH), "%s", tensor_error());
    const int64_t n = params_size(m.params);
    real *slice[BATCH], *sum = malloc((size_t)n * sizeof *sum);
    for (int k = 0; k < BATCH; k++)
        slice[k] = malloc((size_t)n * sizeof **slice);
    double loss = gradients_alone(&m, slice);
    CHECK(nn_slices_gradient(&s, slice_loss, &(Step){&m, BATCH, 0}), "%s", tensor_error());
    CHECK_CLOSE(s.loss, loss, 1e-5);
    copy_gradient(&m, sum);
    int64_t tree = 0, in_turn = 0;
    for (int64_t i = 0; i < n; i++) {
        real g[BATCH], left = slice[0][i];
        for (int k = 0; k < BATCH; k++)
            g[k] = slice[k][i];
        tree += sum[i] != ((g[0] + g[1]) + (g[2] + g[3])) + ((g[4] + g[5]) + (g[6] + g[7]));
        for (int k = 1; k < BATCH; k++)
            left += g[k];
        in_turn += sum[i] != left;
    }
    CHECK(tree == 0, "%lld of %lld numbers differ from the tree's", (long long)tree, (long long)n);
    CHECK(in_turn > n / 10, "only %lld differ from the sum in turn: the test is blind",
          (long long)in_turn);
    for (int k = 0; k < BATCH; k++)
        free(slice[k]);
    free(sum);
    nn_slices_free(&s);
    model_close(&m);
}

/* ---- several processes ----------------------------------------------------------------------- */

typedef struct {
    int slices;
    bool ok, stop[STEPS];
    int asks; /* the step in which this process asks to stop; -1: in none */
    double loss[STEPS];
    real *weights;
    Adam adam;
} Outcome;

static void train(const Group *group, void *context)
{
    Outcome *o = context;
    Model m;
    Slices s = {0};
    Adam adam = {0};
    o->ok = model_open(&m) && nn_slices_init(&s, m.params, group, o->slices) &&
            adamw_init(&adam, m.params, 0.01, 0.1);
    for (int step = 0; o->ok && step < STEPS; step++) {
        s.stop = step == o->asks;
        o->ok = nn_slices_gradient(&s, slice_loss, &(Step){&m, o->slices, step}) &&
                adam_step(&adam, m.params);
        o->loss[step] = s.loss;
        o->stop[step] = s.stop;
    }
    real *to = o->weights;
    for (int i = 0; to && i < m.params->count; i++) {
        memcpy(to, m.params->weight[i]->data,
               (size_t)tensor_size(m.params->weight[i]) * sizeof *to);
        to += tensor_size(m.params->weight[i]);
    }
    o->adam = adam;
    nn_slices_free(&s);
    model_close(&m);
}

static const int64_t weights = (IN + 1) * HIDDEN + HIDDEN * OUT;

static void open_outcomes(Outcome *o, int size)
{
    for (int i = 0; i < size; i++)
        o[i] = (Outcome){.slices = BATCH,
                         .asks = -1,
                         .weights = calloc((size_t)weights, sizeof *o->weights)};
}

static void close_outcomes(Outcome *o, int size)
{
    for (int i = 0; i < size; i++) {
        free(o[i].weights);
        adam_free(&o[i].adam);
    }
}

/* Of losses, weights and Adam's state. */
TEST(the_same_bits)
{
    Outcome one[1], many[MAILBOX_PROCESSES];
    open_outcomes(one, 1);
    train(NULL, one);
    CHECK(one->ok && one->loss[STEPS - 1] < one->loss[0], "it learns nothing");
    for (int size = 1; size <= MAILBOX_PROCESSES; size *= 2) {
        open_outcomes(many, size);
        CHECK(mailboxes_run(size, train, many, sizeof *many, -1), "no threads");
        for (int i = 0; i < size; i++) {
            CHECK(many[i].ok, "process %d of %d failed", i, size);
            CHECK(memcmp(many[i].loss, one->loss, sizeof one->loss) == 0,
                  "process %d of %d: loss %.9g, alone %.9g", i, size, many[i].loss[STEPS - 1],
                  one->loss[STEPS - 1]);
            CHECK(memcmp(many[i].weights, one->weights, (size_t)weights * sizeof(real)) == 0,
                  "process %d of %d: other weights", i, size);
        }
        const Adam *a = &many[0].adam, *b = &one->adam;
        CHECK(a->m && a->size == weights && a->steps == b->steps &&
                  memcmp(a->m, b->m, (size_t)weights * sizeof *a->m) == 0 &&
                  memcmp(a->v, b->v, (size_t)weights * sizeof *a->v) == 0,
              "%d processes: another state of Adam", size);
        close_outcomes(many, size);
    }
    close_outcomes(one, 1);
}

TEST(one_stops_all)
{
    Outcome many[4];
    open_outcomes(many, 4);
    many[2].asks = 1;
    CHECK(mailboxes_run(4, train, many, sizeof *many, -1), "no threads");
    for (int i = 0; i < 4; i++)
        CHECK(!many[i].stop[0] && many[i].stop[1] && !many[i].stop[2], "process %d: %d %d %d", i,
              many[i].stop[0], many[i].stop[1], many[i].stop[2]);
    close_outcomes(many, 4);
}

/* A process that cannot send: no process takes a step with a part of the gradient. */
TEST(a_broken_connection)
{
    for (int after = 0; after < 6; after++) {
        Outcome many[2];
        open_outcomes(many, 2);
        CHECK(mailboxes_run(2, train, many, sizeof *many, after), "no threads");
        CHECK(!many[0].ok && !many[1].ok, "after %d exchanges a process went on", after);
        close_outcomes(many, 2);
    }
}

/* ---- bad input ------------------------------------------------------------------------------- */

TEST(refusals)
{
    Model m;
    Slices s;
    REQUIRE(model_open(&m), "%s", tensor_error());
    REFUSES(nn_slices_init, "slices is NULL", NULL, m.params, NULL, 8);
    REFUSES(nn_slices_init, "params is NULL", &s, NULL, NULL, 8);
    static const int bad[] = {-8, 0, 3, 512};
    for (int i = 0; i < 4; i++)
        REFUSES(nn_slices_init, "expected a power of two up to 256", &s, m.params, NULL, bad[i]);
    REFUSES(nn_slices_init, "3 processes for 8 slices of a batch; expected a power of two up to 8",
            &s, m.params, &(Group){.size = 3}, 8);
    REFUSES(nn_slices_init, "expected a power of two up to 2", &s, m.params, &(Group){.size = 4},
            2);
    Group wrong = {.size = 2, .rank = 2};
    REFUSES(nn_slices_init, "rank 2 of 2 processes; expected 0 to 1", &s, m.params, &wrong, 2);
    nn_slices_free(&s);
    nn_slices_free(NULL);
    model_close(&m);
}

/* The loss of slice 0 alone. */
static Tensor *one_loss(void *context, int slice)
{
    return slice == 0 ? slice_loss(context, slice) : NULL;
}

TEST(refused_steps)
{
    Model m;
    Slices s, none = {0};
    Step step = {&m, 2, 0};
    REQUIRE(model_open(&m) && nn_slices_init(&s, m.params, NULL, 2), "%s", tensor_error());
    REFUSES(nn_slices_gradient, "expected those of nn_slices_init", &none, slice_loss, &step);
    CHECK(!nn_slices_gradient(&s, one_loss, &step), "a slice without a loss is accepted");
    CHECK_REFUSAL("ag_backward", "the tensor is NULL");
    params_zero_grad(m.params);
    CHECK(nn_slices_gradient(&s, slice_loss, &step), "%s", tensor_error());
    params_freeze(m.params, "down", true);
    REFUSES(nn_slices_gradient, "register and freeze all weights before it", &s, slice_loss, &step);
    nn_slices_free(&s);
    model_close(&m);
}

static bool attempt(void *context)
{
    Slices s;
    bool ok = nn_slices_init(&s, context, NULL, 4);
    nn_slices_free(&s);
    return ok;
}

TEST(out_of_memory)
{
    Model m;
    REQUIRE(model_open(&m), "%s", tensor_error());
    CHECK_OUT_OF_MEMORY(attempt, m.params);
    model_close(&m);
}
