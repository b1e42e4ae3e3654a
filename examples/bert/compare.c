/* compare.c: measures the benefit of pre-training.
 *
 * For each of five seeds, a model is pre-trained on sentences without labels and fine-tuned on a
 * few with labels. The same model is also trained from scratch on the same labelled sentences, for
 * as many steps as fine-tuning took, and for as many as pre-training and fine-tuning took together.
 * The results of a seed are paired: the table has the mean of their differences and its standard
 * error. Z "Encoder transformers": transfer learning. */
#include "examples/bert/settings.h"

#include <math.h>

enum { SEEDS = 5, WAYS = 3 };

/* Accuracy in percent: pre-trained, and from scratch in both ways. */
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

/* Prints the mean over the seeds of (pre-trained - from scratch), also in standard errors. */
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
    printf("accuracy in percent on 1000 held-out reviews, trained on %d labelled ones\n\n"
           "%-6s %14s %14s %14s\n%-6s %14s %14s %14s\n%-6s %14d %14d %14d\n",
           s->labelled, "", "pre-trained", "from scratch", "from scratch", "", "", "", "longer",
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
    print_difference(right, 1, "gain over scratch, same fine-tuning steps");
    print_difference(right, 2, "gain over scratch, same total steps");
    return true;
}
