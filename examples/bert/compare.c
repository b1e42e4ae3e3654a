/* compare.c: does pre-training pay?
 *
 * Five seeds. Each pre-trains a model on sentences without labels, and fine-tunes it on a few with labels; and trains
 * the same model on the same labelled sentences from nothing: for as many steps as the fine-tuning took, and for as many
 * as pre-training and fine-tuning took together. The numbers of a seed belong together: what counts is the mean of
 * their differences, in its standard errors. Z "Encoder transformers": transfer learning. */
#include "examples/bert/settings.h"

#include <math.h>

enum { SEEDS = 5, WAYS = 3 };

/* Percent right, pre-trained and in the two ways from nothing. */
typedef double Row[WAYS];

static bool compare_seed(const Settings *s, const Corpus *c, int seed, Row right)
{
    Params *p = params_new((uint64_t)seed);
    Bert m;
    char what[48];
    const int64_t longer = s->tune_steps + s->common.steps;
    snprintf(what, sizeof what, "seed %d, pre-training", seed);
    bool ok = p && bert_init(&m, p, config_of(s, c)) && pretrain(s, &m, p, c, seed, what);
    if (ok) {
        right[0] = 100 * finetune(s, p, c, seed, s->tune_steps);
        right[1] = 100 * finetune(s, NULL, c, seed, s->tune_steps);
        right[2] = 100 * finetune(s, NULL, c, seed, longer);
        ok = !isnan(right[0] + right[1] + right[2]);
    }
    params_free(p);
    return ok;
}

/* The mean over the seeds of (pre-trained - one way from nothing), and how many standard errors that is. */
static void print_difference(Row *right, int way, const char *what)
{
    double mean = 0, squares = 0;
    for (int i = 0; i < SEEDS; i++)
        mean += (right[i][0] - right[i][way]) / SEEDS;
    for (int i = 0; i < SEEDS; i++)
        squares += pow(right[i][0] - right[i][way] - mean, 2);
    const double error = sqrt(squares / (SEEDS - 1) / SEEDS);
    printf("%-34s %+5.1f, standard error %.1f: %.1f standard errors\n", what, mean, error,
           mean / error);
}

bool run_comparison(const Settings *s, const Corpus *c)
{
    Row right[SEEDS], mean = {0};
    printf("percent right on 1000 held-out reviews, learned from %d labelled ones\n\n"
           "%-6s %14s %14s %14s\n%-6s %14s %14s %14s\n%-6s %14d %14d %14d\n",
           s->labelled, "", "pre-trained", "from nothing", "from nothing", "", "", "", "longer",
           "steps", s->tune_steps, s->tune_steps, s->tune_steps + s->common.steps);
    for (int i = 0; i < SEEDS; i++) {
        if (!compare_seed(s, c, s->common.seed + i, right[i]))
            return false;
        printf("seed %-1d %14.1f %14.1f %14.1f\n", s->common.seed + i, right[i][0], right[i][1],
               right[i][2]);
        fflush(stdout);
        for (int k = 0; k < WAYS; k++)
            mean[k] += right[i][k] / SEEDS;
    }
    printf("mean   %14.1f %14.1f %14.1f\n\n", mean[0], mean[1], mean[2]);
    print_difference(right, 1, "ahead of as many steps");
    print_difference(right, 2, "ahead of as many steps in all");
    return true;
}
