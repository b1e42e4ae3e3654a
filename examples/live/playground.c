/* playground.c: a training run, step by step. See live.h.
 *
 * What sentences_train of examples/attention does, with the same random numbers, but for files and
 * the progress bar: the same seed gives the same losses. */
#include "examples/live/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    Tape *tape; /* NULL: no step yet */
    SentenceBatch batch;
    Adam adam;
    Rng rng;
    int64_t step;
    double *squares; /* of each weight: the sum of its gradient's squares in the last step */
} run;

void playground_end(void)
{
    adam_free(&run.adam);
    data_batch_free(&run.batch);
    tape_free(run.tape);
    free(run.squares);
    memset(&run, 0, sizeof run);
}

static bool begin(void)
{
    const LiveSettings *s = &live_model.settings;
    if (!live_params)
        return tensor_fail("live_train: there is no model; expected live_begin first");
    if (run.tape)
        return true;
    run.rng = (Rng){.seed = (uint64_t)s->seed, .stream = 1};
    run.tape = tape_new((uint64_t)s->seed);
    run.squares = calloc((size_t)live_params->count, sizeof *run.squares);
    bool ok = run.tape && run.squares && data_batch_init(&run.batch, s->batch) &&
              adamw_init(&run.adam, live_params, s->rate, SENTENCES_DECAY);
    if (ok)
        run.tape->training = true;
    else
        playground_end();
    return ok;
}

/* The layer of a weight: "blocks.0" of "blocks.0.attn.in_proj_weight", "norm" of "norm.weight". */
static size_t layer_length(const char *name)
{
    size_t length = strcspn(name, ".");
    return strncmp(name, "blocks.", 7) == 0 ? length + 1 + strcspn(name + length + 1, ".") : length;
}

/* Before the optimiser's step, which clears the gradients. */
static void keep_squares(void)
{
    const Params *p = live_params;
    for (int i = 0; i < p->count; i++) {
        run.squares[i] = 0;
        for (int64_t k = 0; p->weight[i]->grad && k < tensor_size(p->weight[i]); k++)
            run.squares[i] += (double)p->weight[i]->grad[k] * (double)p->weight[i]->grad[k];
    }
}

/* The length of the gradient of each layer in the last step: shortened, where all together are
 * longer than 1. */
static void put_layers(Page *out)
{
    const Params *p = live_params;
    page_key_array(out, "layers");
    for (int i = 0; i < p->count;) {
        char name[TENSOR_NAME_MAX + 1];
        const size_t length = layer_length(p->weight[i]->name);
        double squares = 0;
        snprintf(name, sizeof name, "%.*s", (int)length, p->weight[i]->name);
        for (; i < p->count && layer_length(p->weight[i]->name) == length &&
               memcmp(p->weight[i]->name, name, length) == 0;
             i++)
            squares += run.squares[i];
        page_array(out);
        page_text(out, name);
        page_number(out, sqrt(squares));
        page_end(out);
    }
    page_end(out);
}

static bool draw(const LiveSettings *s)
{
    const Quiz seen = {.split = DATA_TRAIN, .kind = -1};
    return s->set ? sets_draw(&run.batch, &run.rng)
                  : sentences_draw(&run.batch, live_model.grammar, &run.rng, seen);
}

/* One step, as train_step of the example; the answer gets its loss. A step with a loss that is not
 * finite is an error, since the page goes on training. */
static bool train(const LiveSettings *s, Page *answer)
{
    const SentenceBatch *batch = &run.batch;
    run.adam.rate = sentences_rate(run.step, s->steps, s->rate);
    if (!draw(s))
        return false;
    tape_reset(run.tape);
    Tensor *logits = sentences_logits(&live_model.model, run.tape, batch);
    Tensor *loss = ag_cross_entropy(logits, tape_ids(run.tape, batch->labels, shape1(batch->B)));
    const double value = (double)tensor_item(loss);
    page_number(answer, value);
    if (!ag_backward(loss))
        return false;
    params_clip_grad(live_params, 1);
    keep_squares();
    if (!isfinite(value))
        return tensor_fail("live_train: the loss of step %lld is %g; expected a number, as a lower "
                           "learning rate gives",
                           (long long)run.step + 1, value);
    run.step += adam_step(&run.adam, live_params);
    return !tensor_failed();
}

int live_train(int steps)
{
    enum { STEPS_MAX = 100 };
    const LiveSettings *s = &live_model.settings;
    bool ok = begin();
    Page *answer = page_data_new("live_train");
    page_key_array(answer, "losses");
    for (int i = 0; ok && i < steps && i < STEPS_MAX && run.step < s->steps; i++)
        ok = train(s, answer);
    page_end(answer);
    page_key_count(answer, "step", run.step);
    if (ok)
        put_layers(answer);
    return live_answer_data(ok, answer, NULL, NULL);
}

int live_test(int sentences)
{
    if (!live_params) {
        tensor_fail("live_test: there is no model; expected live_begin first");
        return live_error();
    }
    const Quiz held_out = {.split = DATA_HELD_OUT, .kind = -1, .sentences = sentences};
    const LiveModel *l = &live_model;
    return live_answer("{\"accuracy\": %.9g}",
                       l->settings.set ? sets_accuracy(&l->model, sentences)
                                       : sentences_accuracy(&l->model, l->grammar, held_out));
}
