/* finetune.c: a classifier on top of a pretrained encoder, trained on a file of labelled texts, and
 * saved as a folder that transformers loads (AutoModelForSequenceClassification). The encoder stays
 * as it is but for its last --open-layers and, with --lora, a product of low rank that is added to
 * each layer's projection to queries, keys and values (Hu et al. 2021): W + 2 B A with B (3C, r)
 * and A (r, C). Before saving it is merged, so that the folder has the same weights as any
 * other. */
#include "examples/common/run.h"
#include "examples/pretrained/pretrained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, CLASSES = 64, LONGEST = 128 };

typedef struct {
    Labelled texts;
    Tokens *rows;
    int train; /* the others are for testing */
} Corpus;

/* The model that is trained. */
typedef struct {
    Pretrained m;
    Lora *lora; /* of each layer, or NULL */
} Tuned;

/* ---- texts ----------------------------------------------------------------------------------- */

static bool corpus_open(Corpus *c, const Settings *s, const Tokeniser *t, int64_t longest)
{
    *c = (Corpus){0};
    if (!data_labelled_read(s->finetune, &c->texts))
        return false;
    c->rows = example_alloc((size_t)c->texts.count * sizeof *c->rows);
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

/* ---- low-rank adaptation --------------------------------------------------------------------- */

enum { LORA_ALPHA_PER_RANK = 2 }; /* so that the scale alpha / r is 2 at every rank */

static bool lora_open(Tuned *t, int rank)
{
    t->lora = example_alloc((size_t)t->m.config.layers * sizeof *t->lora);
    bool ok = t->lora != NULL;
    for (int i = 0; ok && i < t->m.config.layers; i++) {
        char name[32];
        PretrainedAttention *a = &t->m.encoder.blocks[i].attn;
        snprintf(name, sizeof name, "lora.%d", i);
        ok = nn_lora_init(&t->lora[i], t->m.params, name,
                          (Linear){.weight = a->in_proj_weight, .bias = a->in_proj_bias}, rank,
                          LORA_ALPHA_PER_RANK * rank);
    }
    return ok;
}

/* Before a pass: the layers compute with W + s B A. */
static void lora_enter(Tuned *t, Tape *tape)
{
    for (int i = 0; t->lora && i < t->m.config.layers; i++)
        t->m.encoder.blocks[i].attn.in_proj_weight = nn_lora_weight(&t->lora[i], tape);
}

/* The sum becomes W. */
static bool lora_merge(Tuned *t)
{
    bool ok = true;
    for (int i = 0; t->lora && i < t->m.config.layers; i++) {
        t->m.encoder.blocks[i].attn.in_proj_weight = t->lora[i].base.weight;
        ok = ok && nn_lora_merge(&t->lora[i]);
    }
    free(t->lora);
    t->lora = NULL;
    return ok;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Logits of the texts which[0..count-1], whose labels go into labels. */
static Tensor *logits_of(const Corpus *c, Tuned *t, Tape *tape, const int *which, int count,
                         int32_t *labels)
{
    const Pretrained *m = &t->m;
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
    lora_enter(t, tape);
    return nn_pretrained_classify(m, nn_pretrained_run(m, ids, NULL, lengths, NULL));
}

static double accuracy(const Corpus *c, Tuned *t, Tape *tape, double *loss)
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
        Tensor *y = logits_of(c, t, tape, which, n, labels);
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

/* One training step on the texts which[0..count-1]. Returns the loss, or NaN after an error; *norm
 * is the length of the gradient, which is shortened to 1 where it is longer. */
static double train_step(const Corpus *c, Tuned *t, Adam *adam, Tape *tape, const int *which,
                         int count, double *norm)
{
    int32_t labels[BATCH];
    tape_reset(tape);
    Tensor *y = logits_of(c, t, tape, which, count, labels);
    Tensor *loss = ag_cross_entropy(y, tape_ids(tape, labels, shape1(count)));
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(t->m.params, 1);
    return adam_step(adam, t->m.params) ? (double)tensor_item(loss) : (double)NAN;
}

static bool train(const Settings *s, const Corpus *c, Tuned *t, Tape *tape)
{
    int per_epoch = (c->train + BATCH - 1) / BATCH,
        *order = example_alloc((size_t)c->train * sizeof *order);
    Rng rng = {.seed = (uint64_t)s->common.seed};
    Adam adam;
    if (!order || !adamw_init(&adam, t->m.params, s->common.rate, 0.01)) {
        free(order);
        return false;
    }
    Run run = {
        .common = &s->common,
        .total = s->common.steps ? s->common.steps : (int64_t)s->common.epochs * per_epoch,
        .unit = "texts",
        .per_step = BATCH,
        .also = {"accuracy"},
        .state = {.params = t->m.params, .adam = &adam, .tape = tape, .rng = &rng, .rngs = 1}};
    tape->training = true;
    bool ok = run_begin(&run);
    while (ok && run_more(&run)) {
        int at = (int)(run.step % per_epoch),
            n = c->train - at * BATCH < BATCH ? c->train - at * BATCH : BATCH;
        for (int i = 0; at == 0 && i < c->train; i++)
            order[i] = i;
        if (at == 0)
            rng_shuffle(&rng, order, c->train);
        adam.rate = nn_warmup_linear(run.step, run.total / 10, run.total, s->common.rate, 0);
        double norm, loss = train_step(c, t, &adam, tape, order + at * BATCH, n, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
        if (run_due(&run, 8)) {
            double test, share = accuracy(c, t, tape, &test);
            run_measure(&run, "test", test, &share);
        }
    }
    ok = ok && run_end(&run);
    adam_free(&adam);
    free(order);
    return ok;
}

/* Which weights are trained: the classifier with its pooler, the last layers, the adaptation. */
static bool choose_weights(Tuned *t, const Settings *s)
{
    Params *p = t->m.params;
    params_freeze(p, "pooler", false);
    for (int i = 0; i < s->open_layers && i < t->m.config.layers; i++)
        params_freeze(p, params_path(p, "blocks.%d", (int)t->m.config.layers - 1 - i), false);
    return s->lora == 0 || lora_open(t, s->lora);
}

/* Trains, tests and saves in the folder. */
static bool tune(Tuned *t, const Settings *s, const Corpus *c, Tape *tape, const char *folder)
{
    double loss = 0;
    if (!choose_weights(t, s))
        return false;
    printf("%d texts for training, %d for testing, %d labels; %lld numbers are trained\n", c->train,
           c->texts.count - c->train, c->texts.names.count, (long long)params_trained(t->m.params));
    bool ok = train(s, c, t, tape) && lora_merge(t);
    double share = ok ? accuracy(c, t, tape, &loss) : 0;
    ok = ok && nn_pretrained_save(folder, &t->m, c->texts.names.words);
    if (ok)
        printf("accuracy on the texts for testing: %.3f; saved in %s\n", share, folder);
    return ok;
}

bool finetune(const Settings *s, const Tokeniser *tokeniser, Tape *tape)
{
    Corpus c;
    Tuned t = {0};
    char folder[512];
    snprintf(folder, sizeof folder, "%s/model", s->common.out);
    options_need_folder("out", folder);
    if (!corpus_open(&c, s, tokeniser, LONGEST)) {
        corpus_close(&c);
        return false;
    }
    PretrainedOptions options = {.classes = c.texts.names.count, .seed = (uint64_t)s->common.seed};
    bool ok = nn_pretrained_load(s->model, &t.m, options);
    if (ok) {
        nn_pretrained_summary(stdout, &t.m);
        ok = tune(&t, s, &c, tape, folder);
        free(t.lora);
        nn_pretrained_free(&t.m);
    }
    corpus_close(&c);
    return ok;
}
