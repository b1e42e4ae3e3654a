/* neighbours.c: on which letters the answer at a mask depends (row 45; the model: bert.c).
 *
 *   A_tj = 0 in all heads and layers: the mask at t reads nothing from letter j
 *
 * In the language of source.c a letter depends on its two neighbours alone, given all others. A
 * model that has learnt this needs the arcs to both, and no other. All 729 sequences are asked,
 * each with its probability, so that no number is an estimate. */
#include "lectures/06-language/language.h"

#include <stdlib.h>

/* By how much -log q of the letter at t rises without the arc from t to letter j, on average over
 * the language; 0 for j = t. */
static double rise(const Filler *f, Tape *tape, int t, int j)
{
    static double whole[SEQUENCES], without[SEQUENCES];
    double sum = 0;
    if (!filler_log_q(f, tape, t, 1u << t, -1, whole) ||
        !filler_log_q(f, tape, t, 1u << t, j, without))
        return (double)NAN;
    for (int i = 0; i < SEQUENCES; i++)
        sum += source_p(all_sequences() + i * LENGTH, LENGTH) * (whole[i] - without[i]);
    return sum;
}

/* The least rise of any arc to a neighbour, less the most of any other; masks that have two
 * neighbours. apart: how far away a neighbour stands. */
static double neighbours_less_others(Trial *t, const Filler *f, Tape *tape, int apart)
{
    double least = (double)NAN, most = 0;
    for (int at = 1; f && at < LENGTH - 1; at++) {
        double r[LENGTH];
        for (int j = 0; j < LENGTH; j++) {
            r[j] = rise(f, tape, at, broken(t, "spared") ? -1 : j);
            if (abs(j - at) == apart)
                least = least <= r[j] ? least : r[j];
            else if (j != at)
                most = values_worst(most, r[j]);
        }
        explain(t, "letter %d: without the arc to 1, 2, ... 6 %.3f %.3f %.3f %.3f %.3f %.3f",
                at + 1, r[0], r[1], r[2], r[3], r[4], r[5]);
    }
    return least - most;
}

static double needs_both_neighbours(Trial *t)
{
    Tape *tape = trial_tape(t);
    double difference = (double)NAN;
    tape->no_grad = true;
    for (int k = 0; k < FILLERS; k++) {
        explain(t, "rise of the loss, in nats, after %d steps", filler_steps[k]);
        difference =
            neighbours_less_others(t, filler_of(t->seed, k), tape, broken(t, "two-away") ? 2 : 1);
    }
    return difference;
}

const Claim neighbours_claims[] = {
    {45, needs_both_neighbours,
     "an encoder's answer at a mask depends on its arcs to both neighbours, and on no other",
     .slides = {"Z: Encoder transformers"},
     .quantity = "rise of the loss without an arc: the least of the neighbours', less the most of "
                 "the others', in nats",
     AT_LEAST(0.15, "without one neighbour no answer is better than h(1/4) = 0.56 nats, with both "
                    "0.26 is the least: half of the difference, since in two layers the rest may "
                    "come by way of other letters"),
     .faults = {{"spared", "nothing is cut"},
                {"two-away", "the letters two places away count as neighbours"}}},
    {0},
};
