/* finetune.c: a classifier on top of a pretrained encoder, trained on a file of labelled texts, and saved as a folder that
 * transformers loads (AutoModelForSequenceClassification). The encoder stays as it is but for its last --open-layers. */
#include "examples/common/run.h"
#include "examples/pretrained/pretrained.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, CLASSES = 64, LONGEST = 128 };

typedef struct {
    Labelled texts;
    Tokens *rows;
    int train; /* the others are for testing */
} Corpus;

static bool corpus_open(Corpus *c, const Settings *s, const Tokeniser *t, int64_t longest)
{
    *c = (Corpus){0};
    if (!data_labelled_read(&c->texts, s->finetune))
        return false;
    c->rows = calloc((size_t)c->texts.count, sizeof *c->rows);
    bool ok = c->rows != NULL;
    for (int i = 0; ok && i < c->texts.count; i++)
        ok = data_tokens(t, (TokenInput){.text = c->texts.texts[i], .longest = longest},
                         &c->rows[i]);
    Rng rng = {.seed = (uint64_t)s->common.seed,
               .stream = 1}; /* a file may be sorted by its labels */
    for (int i = c->texts.count - 1; ok && i > 0; i--) {
        int j = (int)rng_below(&rng, i + 1);
        Tokens row = c->rows[i];
        int32_t label = c->texts.labels[i];
        c->rows[i] = c->rows[j];
        c->rows[j] = row;
        c->texts.labels[i] = c->texts.labels[j];
        c->texts.labels[j] = label;
    }
    c->train = c->texts.count - (c->texts.count + 9) / 10;
    if (ok && (c->train < 1 || c->texts.names.count < 2 || c->texts.names.count > CLASSES))
        options_refuse("--finetune: %s has %d texts of %d labels; expected at least 10, of 2 to %d",
                       s->finetune, c->texts.count, c->texts.names.count, CLASSES);
    return ok;
}

static void corpus_close(Corpus *c)
{
    for (int i = 0; c->rows && i < c->texts.count; i++)
        data_tokens_free(&c->rows[i]);
    free(c->rows);
    data_labelled_free(&c->texts);
}

/* Logits of the texts which[0..count-1], whose labels go into labels. */
static Tensor *logits_of(const Corpus *c, const Pretrained *m, Tape *tape, const int *which,
                         int count, int32_t *labels)
{
    Tokens rows[BATCH];
    TokenBatch b = {0};
    for (int i = 0; i < count; i++) {
        rows[i] = c->rows[which[i]];
        labels[i] = c->texts.labels[which[i]];
    }
    if (!data_token_batch(&b, rows, count, m->config.pad))
        return tensor_poison();
    Tensor *ids = tape_ids(tape, b.ids, shape2(b.B, b.T)),
           *lengths = tape_ids(tape, b.lengths, shape1(b.B));
    data_token_batch_free(&b);
    return nn_pretrained_classify(m, nn_pretrained_run(m, ids, NULL, lengths, NULL));
}

static double accuracy(const Corpus *c, const Pretrained *m, Tape *tape, double *loss)
{
    int right = 0, tested = c->texts.count - c->train;
    bool training = tape->training, no_grad = tape->no_grad;
    tape->training = false;
    tape->no_grad = true;
    *loss = 0;
    for (int from = c->train; from < c->texts.count; from += BATCH) {
        int32_t labels[BATCH], which[BATCH];
        int n = c->texts.count - from < BATCH ? c->texts.count - from : BATCH;
        for (int i = 0; i < n; i++)
            which[i] = from + i;
        tape_reset(tape);
        Tensor *y = logits_of(c, m, tape, which, n, labels);
        *loss += (double)tensor_item(ag_cross_entropy(y, tape_ids(tape, labels, shape1(n)))) * n /
                 tested;
        for (int i = 0; i < n; i++)
            right +=
                nn_greedy(y->data + i * shape_last(y->shape), shape_last(y->shape)) == labels[i];
    }
    tape->training = training;
    tape->no_grad = no_grad;
    return (double)right / tested;
}

static bool train(const Settings *s, const Corpus *c, Pretrained *m, Tape *tape)
{
    int per_epoch = (c->train + BATCH - 1) / BATCH,
        *order = malloc((size_t)c->train * sizeof *order);
    Rng rng = {.seed = (uint64_t)s->common.seed};
    Adam adam;
    if (!order || !adamw_init(&adam, m->params, s->common.rate, 0.01))
        return false;
    Run run = {.common = &s->common,
               .total = s->common.steps ? s->common.steps : (int64_t)s->common.epochs * per_epoch,
               .unit = "texts",
               .per_step = BATCH,
               .also = {"accuracy"},
               .state = {.params = m->params, .adam = &adam, .tape = tape, .rng = &rng, .rngs = 1}};
    tape->training = true;
    bool ok = run_begin(&run);
    while (ok && run_more(&run)) {
        int at = (int)(run.step % per_epoch),
            n = c->train - at * BATCH < BATCH ? c->train - at * BATCH : BATCH;
        int32_t labels[BATCH];
        for (int i = 0; at == 0 && i < c->train; i++)
            order[i] = i;
        if (at == 0)
            rng_shuffle(&rng, order, c->train);
        adam.rate = nn_warmup_linear(run.step, run.total / 10, run.total, s->common.rate, 0);
        tape_reset(tape);
        Tensor *y = logits_of(c, m, tape, order + at * BATCH, n, labels);
        Tensor *loss = ag_cross_entropy(y, tape_ids(tape, labels, shape1(n)));
        if (!ag_backward(loss))
            break;
        double value = (double)tensor_item(loss), norm = params_clip_grad(m->params, 1);
        if (!adam_step(&adam, m->params))
            break;
        run_step(&run, value, norm, NULL);
        if (run_due(&run, 8)) {
            double test, share = accuracy(c, m, tape, &test);
            run_measure(&run, "test", test, &share);
        }
    }
    ok = ok && run_end(&run);
    adam_free(&adam);
    free(order);
    return ok;
}

bool finetune(const Settings *s, const Tokeniser *t, Tape *tape)
{
    Corpus c;
    Pretrained m;
    char folder[512];
    int64_t longest = LONGEST;
    if (!corpus_open(&c, s, t, longest))
        return false;
    PretrainedOptions options = {.classes = c.texts.names.count, .seed = (uint64_t)s->common.seed};
    bool ok = nn_pretrained_load(&m, s->model, options);
    if (ok) {
        nn_pretrained_summary(stdout, &m);
        params_freeze(m.params, "pooler", false);
        for (int i = 0; i < s->open_layers && i < m.config.layers; i++)
            params_freeze(m.params,
                          params_format(m.params, "blocks.%d", (int)m.config.layers - 1 - i),
                          false);
        printf("%d texts for training, %d for testing, %d labels; %lld numbers are trained\n",
               c.train, c.texts.count - c.train, c.texts.names.count,
               (long long)params_trained(m.params));
        ok = train(s, &c, &m, tape);
        double loss = 0, share = ok ? accuracy(&c, &m, tape, &loss) : 0;
        snprintf(folder, sizeof folder, "%s/model", s->common.out);
        ok = ok && nn_pretrained_save(&m, folder, c.texts.names.words);
        if (ok)
            printf("accuracy on the texts for testing: %.3f; saved in %s\n", share, folder);
        nn_pretrained_free(&m);
    }
    corpus_close(&c);
    return ok;
}
