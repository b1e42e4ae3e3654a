/* test_claims.c: what a claim's trial owns, and how a claim is named (lectures/runner/claims.h). */
#include "tests/harness/test.h"

#include "lectures/runner/claims.h"
#include "lectures/runner/values.h"

static double no_number(Trial *t)
{
    return t->claim->row;
}

static const Claim table[] = {
    {1, no_number, "a mask hides the future", .variant = 3},
    {1, no_number, "a mask hides padding", .variant = 0},
    {1, no_number, "a mask", .variant = 0},
    {2, no_number, "a mask hides the past", .variant = 0},
    {0},
};
static const Claim *const listed[] = {&table[0], &table[1], &table[2], &table[3], NULL};

TEST(a_beginning_names_one_claim)
{
    CHECK(claim_stating(listed, 1, "a mask hides the") == &table[0], "row 1, the future");
    CHECK(claim_stating(listed, 2, "a mask hides the") == &table[3], "row 2, the past");
    CHECK(claim_stating(listed, 1, "a mask hides padding") == &table[1], "the whole statement");
}

/* "a mask" is a statement, and "a mask hides" the beginning of two. */
TEST(several_claims_are_none)
{
    CHECK(claim_stating(listed, 1, "a mask") == &table[2], "a statement that others begin with");
    CHECK(!claim_stating(listed, 1, "a mask hides"), "the beginning of two");
    CHECK(!claim_stating(listed, 1, "mask"), "words from the middle");
    CHECK(!claim_stating(listed, 3, "a mask"), "a row without claims");
}

/* Numbers of one stream go on where the last call ended; another stream has others. */
TEST(a_stream_goes_on)
{
    Trial t = {.claim = table, .seed = 7};
    Rng same = {.seed = 7, .stream = 40};
    double first = rng_normal(&same), second = rng_normal(&same);
    CHECK(rng_normal(trial_rng(&t, 40)) == first, "the first number");
    double other = rng_normal(trial_rng(&t, 41));
    CHECK(rng_normal(trial_rng(&t, 40)) == second, "the second, after a number of stream 41");
    CHECK(other != first, "streams 40 and 41 begin with %g", other);
    trial_free(&t);
}

TEST(normal_numbers_are_of_the_stream)
{
    Trial t = {.claim = table, .seed = 7};
    Tape *tape = tape_new(7);
    Rng rng = {.seed = 7, .stream = 40};
    Tensor *wanted = values_normal(tape, &rng, shape2(3, 4), 1);
    Tensor *found = trial_normal(&t, 40, shape2(3, 4));
    CHECK(values_difference(wanted, found) == 0, "they differ by %g",
          values_difference(wanted, found));
    CHECK(values_difference(found, trial_normal(&t, 40, shape2(3, 4))) > 0, "twice the same");
    tape_free(tape);
    trial_free(&t);
}

/* One tape, so that tensors of two helpers can be added; parameters are other ones at each call. */
TEST(a_trial_has_one_tape)
{
    Trial t = {.claim = table, .seed = 7};
    Tape *tape = trial_tape(&t);
    Params *one = trial_params(&t), *two = trial_params(&t);
    CHECK(tape == trial_tape(&t), "a second tape");
    CHECK(one != two && one->seed == 7, "parameters");
    trial_free(&t);
}

static double leaky(Trial *t)
{
    params_add(trial_params(t), "w", shape1(1000), nn_constant(0));
    return values_largest(trial_normal(t, 1, shape1(1000))) * t->claim->variant;
}

/* A run frees what it handed out (the sanitizers' build would say otherwise), and the next run
 * begins anew. */
TEST(a_run_frees_what_it_opened)
{
    const Claim claim = {1, leaky, "opens all", AT_LEAST(1, "a normal number is above 1/3"),
                         .variant = 3};
    double first = claim_run(&claim, NULL, 5, NULL).value;
    Finding second = claim_run(&claim, NULL, 5, NULL);
    CHECK(second.value == first && second.verdict == HOLDS, "%g, then %g", first, second.value);
}
