/* exercises_map.c: the exercise of row 1. */
#include "lectures/01-recurrence/recurrence.h"

/* One step of a recurrence, h -> a h + u, or several of them together, which are such a step again. */
typedef struct {
    double a, u;
} Step;

/* Now: the second step alone. Change it: the step that does what `first` and then `second` do. */
static Step combine(Step first, Step second)
{
    (void)first;
    return second;
}

static Step combine_solved(Step first, Step second)
{
    return (Step){second.a * first.a, second.a * first.u + second.u};
}

static Step combine_wrong_swapped(Step first, Step second)
{
    return combine_solved(second, first);
}

static Step combine_wrong_added(Step first, Step second)
{
    return (Step){second.a * first.a, first.u + second.u};
}

/* All n steps as one, by halves: their combination may be taken in any grouping. */
static Step all_steps(Step (*join)(Step, Step), const Step *step, int n)
{
    if (n == 1)
        return *step;
    return join(all_steps(join, step, n / 2), all_steps(join, step + n / 2, n - n / 2));
}

static double by_halves(Trial *t)
{
    enum { STEPS = 64 };
    Step step[STEPS];
    Rng rng = {.seed = t->seed, .stream = 130};
    double h = 0, worst = 0;
    for (int i = 0; i < STEPS; i++) {
        step[i] = (Step){.a = rng_uniform(&rng), .u = rng_normal(&rng)};
        h = step[i].a * h + step[i].u;
        Step all =
            all_steps(TRIED(t, combine, combine_solved, combine_wrong_swapped, combine_wrong_added),
                      step, i + 1);
        worst = values_worst(worst, fabs(all.u - h));
    }
    explain(t, "%d steps one by one and by halves, from h = 0: max difference %.2g", STEPS, worst);
    return worst;
}

const Claim exercise_combine =
    EXERCISE(1, "combine: two steps of a recurrence as one step", "H: Complexity",
             "max |h by halves - h one by one|, 1 to 64 steps", 1e-12,
             "rounding in double of numbers up to 10 in 64 steps", by_halves,
             {"swapped", "the second step comes first"},
             {"added", "u of the first step is not multiplied"});
