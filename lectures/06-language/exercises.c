/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 6 --try 38` runs those of row 38. As they stand they compute something else, so their claims FAIL;
 * `--try 38:solved` measures a solution instead of the function. */
#include "lectures/06-language/language.h"

/* A claim about a function that a student changes: its value is at most `most_`. */
#define EXERCISE(row_, statement_, slide_, quantity_, most_, why_, measure_)                   \
    {                                                                                          \
        .row = (row_), .statement = (statement_), .slides = {slide_}, .quantity = (quantity_), \
        AT_MOST(most_), .why = (why_),                                                         \
        .faults = {{"solved", "a solution instead of the function"}}, .measure = (measure_),   \
    }

/* ---- row 38: perplexity ------------------------------------------------------------------------------------------- */

/* Now: the mean of 1 / p over n tokens, p (n) their probabilities. Change it: the perplexity, exp of the mean of
 * -log p: the size of the vocabulary of equally likely tokens that is as hard to predict. */
static double perplexity(const double *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += 1 / p[i];
    return sum / n;
}

static double perplexity_solved(const double *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum -= log(p[i]) / n;
    return exp(sum);
}

/* Of sequences under a GPT: exp of the library's loss. */
static double perplexity_right(Trial *t)
{
    enum { N = 8 };
    int x[N * LENGTH];
    double p[N * LENGTH];
    const Writer *w = writer_of(t->seed, HONEST);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 690};
    for (int i = 0; i < N; i++)
        source_draw(&rng, x + i * LENGTH);
    Tensor *logits = w ? writer_logits(&w->model, tape, HONEST, x, N) : tensor_poison();
    Tensor *q = ag_softmax(logits);
    double loss =
        (double)tensor_item(ag_cross_entropy(logits, tape_ids(tape, x, shape2(N, LENGTH))));
    for (int i = 0; w && i < N * LENGTH; i++)
        p[i] = (double)q->data[i * LETTERS + x[i]];
    double got = broken(t, "solved") ? perplexity_solved(p, N * LENGTH) : perplexity(p, N * LENGTH);
    explain(t, "%d letters: got %.5f, exp(loss) = %.5f; of the language exp(H / 6) = %.5f",
            N * LENGTH, got, exp(loss), exp(source_entropy() / LENGTH));
    tape_free(tape);
    return fabs(got - exp(loss));
}

static const Claim exercise_perplexity =
    EXERCISE(38, "perplexity: exp of the mean of -log p", "V: Training the Transformer",
             "|perplexity - exp(ag_cross_entropy)|", 1e-4, "rounding of numbers near 2",
             perplexity_right);

const Claim *const language_exercises[] = {
    &exercise_perplexity,
    NULL,
};
