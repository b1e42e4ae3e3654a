/* ablate.c: which parts of the classifier its accuracy depends on: it is trained again without
 * positional encodings, and as a bag of words.
 *
 * Without positional encodings self-attention computes the same for every order of the words, so
 * that a review which praises one thing and criticises another cannot be told from the review with
 * both exchanged. A bag of words (no layers, no positional encodings, mean pooling) is the mean of
 * the embeddings: "not" adds the same vector before every word. */
#include "examples/classify/settings.h"

enum { SEEDS = 3, MODELS = 3, COLUMNS = DATA_REVIEW_KINDS + 1 };

typedef double Row[COLUMNS]; /* percent right, by kind, and of all */

static bool train_one(const Settings *s, const Texts *t, int model, int seed, Row row)
{
    static const char *const what[MODELS] = {"full model", "no positions", "bag of words"};
    Params *p = params_new((uint64_t)seed);
    Classifier m;
    ClassifierConfig c = config_of(s, t);
    if (model > 0)
        c.position = POSITION_NONE;
    if (model == 2) {
        c.layers = 0;
        c.pool = POOL_MEAN;
    }
    bool ok = p && classifier_init(&m, p, c) && train(&m, p, t, &s->common, seed, what[model]);
    const int held_out = t->ids.count - t->train;
    for (int k = 0; ok && k < COLUMNS; k++)
        row[k] = 100 * score(&m, t, t->train, held_out, k < DATA_REVIEW_KINDS ? k : -1).accuracy;
    params_free(p);
    if (ok)
        printf("%-14s %4d %10.1f %10.1f %10.1f %10.1f\n", what[model], seed, row[0], row[1], row[2],
               row[3]);
    fflush(stdout);
    return ok;
}

bool run_ablation(const Settings *s, const Texts *t)
{
    printf("accuracy on %d held-out texts, in percent; chance is 50\n\n"
           "%-14s %4s %10s %10s %10s %10s\n",
           t->ids.count - t->train, "", "seed", "plain", "negated", "contrast", "all");
    for (int model = 0; model < MODELS; model++) {
        Row row, mean = {0};
        for (int i = 0; i < SEEDS; i++) {
            if (!train_one(s, t, model, s->common.seed + i, row))
                return false;
            for (int k = 0; k < COLUMNS; k++)
                mean[k] += row[k] / SEEDS;
        }
        printf("%-14s mean %10.1f %10.1f %10.1f %10.1f\n\n", "", mean[0], mean[1], mean[2],
               mean[3]);
    }
    return true;
}
