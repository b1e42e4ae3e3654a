/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 4 --try 18` runs those of row 18. As they stand they compute something else, so their claims FAIL;
 * `--try 18:solved` measures a solution in the function's place. */
#include "lectures/04-attention/attention.h"

/* ---- row 18: a temperature --------------------------------------------------------------------------------- */

/* Change it: the weights of scores at temperature tau, softmax(scores / tau): tau > 1 makes them more equal. */
static Tensor *with_temperature(Tensor *scores, double tau)
{
    (void)tau;
    return ag_softmax(scores);
}

static Tensor *with_temperature_solved(Tensor *scores, double tau)
{
    return ag_softmax(ag_scale(scores, (real)(1 / tau)));
}

/* The odds of two keys whose scores differ by 3 are e^(3 / tau). */
static double temperature(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    double worst = 0;
    for (double tau = 0.5; tau <= 4; tau *= 2) {
        Tensor *scores = tape_input(tape, (real[]){3, 0}, shape2(1, 2));
        Tensor *a = broken(t, "solved") ? with_temperature_solved(scores, tau)
                                        : with_temperature(scores, tau);
        double odds = (double)a->data[0] / (double)a->data[1];
        explain(t, "tau = %.1f: log odds %.4f, expected %.4f", tau, log(odds), 3 / tau);
        worst = values_worst(worst, fabs(log(odds) - 3 / tau));
    }
    tape_free(tape);
    return worst;
}

static const Claim exercise_temperature = {
    .row = 18,
    .statement = "with_temperature: softmax(scores / tau)",
    .slides = {"Z: Self-attention"},
    .quantity = "max |log odds - 3 / tau| for tau = 1/2 to 4",
    AT_MOST(1e-4),
    .why = "the log of a ratio of two floats: rounded by some 1e-7 of e^6",
    .faults = {{"solved", "a solution in the place of with_temperature"}},
    .measure = temperature,
};

const Claim *const attention_exercises[] = {&exercise_temperature, NULL};
