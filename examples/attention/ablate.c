/* ablate.c: ablations. The same model without the words that decide, and without positional
 * encoding.
 *
 * If the cue is masked, both answers are equally probable, so no model can be better than chance.
 * If the order of two nouns is the cue, a model without positional encoding sees a set of words and
 * is at chance, too; its first layer then sees all words, since a window would reveal which words
 * are near. */
#include "examples/attention/settings.h"

enum { BATCH = 64, SEEDS = 3 };

/* Percentages of correct answers on held-out sentences. */
typedef struct {
    double whole, cue_masked, order, no_position_order;
} Ablation;

/* Trains one model with positional encoding and one without, and tests both. */
static bool ablate_seed(const Settings *s, const Grammar *g, int seed, Ablation *a)
{
    for (int with_position = 1; with_position >= 0; with_position--) {
        Params *p = params_new((uint64_t)seed);
        Model m;
        char what[48];
        snprintf(what, sizeof what, "seed %d, %s positions", seed,
                 with_position ? "with" : "without");
        ModelConfig config = sentence_config(s, g, POSITION_SINUSOIDAL);
        if (!with_position) {
            config.position = POSITION_NONE;
            config.window = 0;
        }
        if (!p || !begin_model(&m, p, config))
            return false;
        TrainConfig train = {.common = &s->common,
                             .seed = seed,
                             .batch = BATCH,
                             .steps = steps_of(s),
                             .what = what,
                             .one_of_many = true};
        if (!sentences_train(&m, p, g, train))
            return false;
        Quiz quiz = {.split = DATA_HELD_OUT, .kind = -1, .sentences = QUIZ_SENTENCES};
        Quiz order = {.split = DATA_HELD_OUT, .kind = DATA_ORDER, .sentences = QUIZ_SENTENCES};
        if (with_position) {
            a->whole = 100 * sentences_accuracy(&m, g, quiz);
            a->order = 100 * sentences_accuracy(&m, g, order);
            quiz.mask_cue = true;
            a->cue_masked = 100 * sentences_accuracy(&m, g, quiz);
        } else {
            a->no_position_order = 100 * sentences_accuracy(&m, g, order);
        }
        params_free(p);
    }
    return true;
}

static bool ablate(const Settings *s, const Grammar *g)
{
    Ablation a[SEEDS], mean = {0};
    for (int i = 0; i < SEEDS; i++)
        if (!ablate_seed(s, g, s->common.seed + i, &a[i]))
            return false;
    printf(
        "correct answers on %d held-out sentences, in percent; chance between the two answers is "
        "50\n\n",
        QUIZ_SENTENCES);
    printf("%-6s %10s %14s %16s %26s\n", "seed", "all", "cue masked", "order decides",
           "order, without positions");
    for (int i = 0; i < SEEDS; i++) {
        printf("%-6d %10.1f %14.1f %16.1f %26.1f\n", s->common.seed + i, a[i].whole,
               a[i].cue_masked, a[i].order, a[i].no_position_order);
        mean.whole += a[i].whole / SEEDS;
        mean.cue_masked += a[i].cue_masked / SEEDS;
        mean.order += a[i].order / SEEDS;
        mean.no_position_order += a[i].no_position_order / SEEDS;
    }
    printf("%-6s %10.1f %14.1f %16.1f %26.1f\n", "mean", mean.whole, mean.cue_masked, mean.order,
           mean.no_position_order);
    return true;
}

bool run_ablation(const Settings *s)
{
    Grammar *g = data_grammar_new();
    bool ok = g && ablate(s, g);
    data_grammar_free(g);
    return ok;
}
