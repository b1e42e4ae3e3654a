/* train.c: the training loop.
 *
 *   loss = mean over all words of -sum_v q(v) log p(v | words before it, source),
 *   q(v) = 1 - s for the target, plus s / V for every word
 *
 * One forward pass predicts all words of a target, because the causal mask hides later words (V
 * "Training the Transformer"; B "Training Transformer-based LM"). A batch has sentences of similar
 * length, which keeps padding small. Smoothing s, Adam's betas and the schedule are those of
 * "Attention is all you need", 5.3 and 5.4. */
#include "examples/common/run.h"
#include "examples/translate/settings.h"

#include <math.h>
#include <stdlib.h>

enum { POOL = 16, MEASURED = 10, QUICK = 256 };

/* ---- the pairs of a step --------------------------------------------------------------------- */

/* The number of batches that are drawn at once and sorted. */
typedef struct {
    const Translations *data;
    uint64_t seed;
    int batch;
    int64_t number;              /* of the current pool; -1: none       */
    SentencePair *drawn, *pairs; /* unsorted; sorted     */
    int order[POOL];             /* of its batches       */
} Pool;

static bool pool_init(Pool *p, const Translations *data, uint64_t seed, int batch)
{
    const size_t count = (size_t)batch * POOL;
    *p = (Pool){.data = data, .seed = seed, .batch = batch, .number = -1};
    p->drawn = example_alloc(2 * count * sizeof *p->drawn);
    p->pairs = p->drawn + (p->drawn ? count : 0);
    return p->drawn != NULL;
}

/* Sorts the drawn pairs by the length of their English sentences; the sort is stable. */
static void sort_by_length(Pool *p)
{
    int n = 0;
    for (int length = 0; length <= DATA_WORDS_MAX; length++)
        for (int i = 0; i < p->batch * POOL; i++)
            if (p->drawn[i].english_length == length)
                p->pairs[n++] = p->drawn[i];
}

/* The pairs of step 0, 1, 2, ..., which depend on seed and step alone; NULL with an error. */
static const SentencePair *pool_batch(Pool *p, int64_t step)
{
    const int64_t number = step / POOL;
    Rng rng = {.seed = p->seed, .stream = 2 + (uint64_t)number};
    for (int i = 0; number != p->number && i < p->batch * POOL; i++)
        if (!data_translations_draw(p->data, &rng, DATA_TRAIN, &p->drawn[i], NULL))
            return NULL;
    if (number != p->number) {
        sort_by_length(p);
        for (int i = 0; i < POOL; i++)
            p->order[i] = i;
        rng_shuffle(&rng, p->order, POOL);
        p->number = number;
    }
    return p->pairs + p->order[step % POOL] * p->batch;
}

/* ---- training -------------------------------------------------------------------------------- */

static Tensor *training_loss(const Settings *s, const Translator *t, Tape *tape, const PairBatch *b)
{
    Tensor *out = tape_ids(tape, b->out, shape2(b->B, b->T));
    return ag_cross_entropy_smooth(translator_logits(t, tape, b), out, DATA_IGNORE,
                                   (real)s->smoothing);
}

/* The paper's schedule with its peak at `rate`: factor / sqrt(C warmup) is the peak. */
static double rate_at(const Settings *s, int64_t step)
{
    return nn_noam(step, 1, s->warmup, s->common.rate * sqrt(s->warmup));
}

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer. */
static double train_step(const Settings *s, const Translator *t, Params *p, Adam *adam, Tape *tape,
                         const PairBatch *b, double *norm)
{
    tape_reset(tape);
    Tensor *loss = training_loss(s, t, tape, b);
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

bool train(const Settings *s, const Translator *t, Params *p, const Corpus *d)
{
    Score now;
    PairBatch batch = {0};
    Pool pool = {0};
    Run run = {.common = &s->common,
               .total = s->common.steps,
               .unit = "pairs",
               .per_step = s->batch,
               .also = {"exact"},
               .y_name = "loss (nats a word), share exact",
               .beta2 = 0.98,
               .epsilon = 1e-9,
               .state = {.params = p}};
    bool ok = pairs_init(&batch, s->batch) &&
              pool_init(&pool, d->all, (uint64_t)s->common.seed, s->batch) && run_begin(&run);
    while (ok && run_more(&run)) {
        const SentencePair *pairs = pool_batch(&pool, run.step);
        if (!pairs)
            break;
        run.adam.rate = rate_at(s, run.step);
        pairs_fill(&batch, pairs, pool.batch);
        double norm, loss = train_step(s, t, p, &run.adam, run.tape, &batch, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
        if (run_due(&run, MEASURED) && score(t, d, QUICK, &now))
            run_measure(&run, "held out", now.loss, (double[]){now.all.exact});
    }
    ok = ok && run_end(&run);
    pairs_free(&batch);
    free(pool.drawn);
    return ok;
}
