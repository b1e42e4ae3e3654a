/* test_masking.c: the corruption of masked language modelling. Counted shares are compared with
 * those of the definition, within 5 standard deviations of a binomial count: 1 seed in a million
 * fails by chance. */
#include "tests/harness/test.h"

#include "autograd/autograd.h"
#include "data/data.h"

#include <math.h>
#include <string.h>

enum { MASK = 1, FIRST = 4, TOKENS = 54, N = 200000 };

static int32_t before[N], ids[N], targets[N];

/* Every fifth token is a special one, the others go through all words. */
static void fill(void)
{
    for (int i = 0; i < N; i++)
        before[i] = i % 5 == 0 ? i % FIRST : FIRST + i % (TOKENS - FIRST);
    memcpy(ids, before, sizeof ids);
}

/* count of n tries, each with probability p */
static void check_share(const char *what, double count, double n, double p)
{
    CHECK(fabs(count / n - p) <= 5 * sqrt(p * (1 - p) / n), "%s: %g of %g; expected %g", what,
          count, n, p);
}

TEST(shares_of_chosen_masked_random_and_kept_tokens)
{
    const Masking m = data_bert_masking(MASK, FIRST, TOKENS);
    Rng rng = {.seed = 8};
    int text = 0, chosen = 0, masked = 0, other = 0, same = 0, wrong = 0, into[TOKENS] = {0};
    fill();
    REQUIRE(data_mask_tokens(&m, &rng, ids, targets, N), "%s", tensor_error());
    for (int i = 0; i < N; i++) {
        const bool special = before[i] < FIRST;
        text += !special;
        wrong +=
            targets[i] == DATA_IGNORE ? ids[i] != before[i] : special || targets[i] != before[i];
        if (targets[i] == DATA_IGNORE)
            continue;
        chosen++;
        masked += ids[i] == MASK;
        same += ids[i] == before[i];
        other += ids[i] != MASK && ids[i] != before[i];
        wrong += ids[i] != MASK && (ids[i] < FIRST || ids[i] >= TOKENS);
        if (ids[i] != MASK && ids[i] != before[i])
            into[ids[i]]++;
    }
    CHECK(wrong == 0, "%d tokens are neither as they were nor as they should be", wrong);
    check_share("chosen", chosen, text, 0.15);
    check_share("masked", masked, chosen, 0.8);
    /* a random token is the old one in one of 50 cases */
    check_share("another token", other, chosen, 0.1 * 49 / 50);
    check_share("as it was", same, chosen, 0.1 + 0.1 / 50);
    for (int w = FIRST; w < TOKENS; w++)
        check_share("a random token", into[w], other, 1.0 / 50);
}

/* The same stream gives the same mask, another one another: static and dynamic masking. */
TEST(a_stream_is_a_mask)
{
    static int32_t again[N], other[N];
    const Masking m = data_bert_masking(MASK, FIRST, TOKENS);
    Rng a = {.seed = 3, .stream = 7}, b = {.seed = 3, .stream = 8};
    int equal = 0, chosen = 0;
    fill();
    data_mask_tokens(&m, &a, ids, targets, N);
    memcpy(ids, before, sizeof ids);
    a.position = 0;
    data_mask_tokens(&m, &a, ids, again, N);
    memcpy(ids, before, sizeof ids);
    data_mask_tokens(&m, &b, ids, other, N);
    CHECK(memcmp(targets, again, sizeof targets) == 0, "the same stream, another mask");
    for (int i = 0; i < N; i++) {
        chosen += targets[i] != DATA_IGNORE;
        equal += targets[i] != DATA_IGNORE && other[i] != DATA_IGNORE;
    }
    check_share("chosen by two streams", equal, chosen, 0.15);
}

/* Only chosen tokens count: the logits at all other positions get a gradient of exactly 0, and the
 * loss is the mean over the chosen ones. */
TEST(what_is_not_chosen_gets_no_gradient)
{
    enum { PLACES = 40 };
    static real logits[PLACES * TOKENS];
    const Masking m = data_bert_masking(MASK, FIRST, TOKENS);
    Rng rng = {.seed = 4};
    int chosen = 0, touched = 0, missed = 0;
    double loss = 0;
    fill();
    REQUIRE(data_mask_tokens(&m, &rng, ids, targets, PLACES), "%s", tensor_error());
    for (int i = 0; i < PLACES * TOKENS; i++)
        logits[i] = (real)rng_normal(&rng);
    Tape *tape = tape_new(1);
    Tensor *x = tape_leaf(tape, logits, shape2(PLACES, TOKENS));
    Tensor *y = ag_cross_entropy_ignore(x, tape_ids(tape, targets, shape1(PLACES)), DATA_IGNORE);
    CHECK(ag_backward(y), "%s", tensor_error());
    for (int i = 0; i < PLACES; i++) {
        double sum = 0;
        chosen += targets[i] != DATA_IGNORE;
        for (int w = 0; w < TOKENS; w++) {
            touched += targets[i] == DATA_IGNORE && x->grad[i * TOKENS + w] != 0;
            missed += targets[i] != DATA_IGNORE && x->grad[i * TOKENS + w] == 0;
            sum += exp((double)logits[i * TOKENS + w]);
        }
        if (targets[i] != DATA_IGNORE)
            loss += log(sum) - (double)logits[i * TOKENS + targets[i]];
    }
    CHECK(chosen > 2 && chosen < PLACES / 2, "%d chosen", chosen);
    CHECK(touched == 0, "%d gradients where nothing was asked", touched);
    CHECK(missed == 0, "%d chosen positions without a gradient", missed);
    CHECK_CLOSE(tensor_item(y), loss / chosen, 1e-5); /* float sums of 54 terms */
    tape_free(tape);
}

TEST(all_and_nothing_masked)
{
    Masking all = {1, 1, 0, MASK, FIRST, TOKENS}, none = {0, 1, 0, MASK, FIRST, TOKENS};
    Rng rng = {.seed = 1};
    int masked = 0;
    fill();
    CHECK(data_mask_tokens(&none, &rng, ids, targets, N) && !memcmp(ids, before, sizeof ids),
          "nothing is chosen, and something changed");
    CHECK(data_mask_tokens(&all, &rng, ids, targets, N), "%s", tensor_error());
    for (int i = 0; i < N; i++)
        masked += before[i] >= FIRST ? ids[i] == MASK : ids[i] == before[i];
    CHECK(masked == N, "all are chosen, and %d of %d are as they should be", masked, N);
    CHECK(data_mask_tokens(&all, &rng, ids, targets, 0), "nothing to mask");
}

TEST(bad_shares)
{
    const Masking bad[] = {{1.5, 0.8, 0.1, MASK, FIRST, TOKENS},
                           {0.15, -0.1, 0.1, MASK, FIRST, TOKENS},
                           {0.15, 0.8, 0.3, MASK, FIRST, TOKENS},
                           {NAN, 0.8, 0.1, MASK, FIRST, TOKENS},
                           {0.15, 0.8, 0.1, -1, FIRST, TOKENS},
                           {0.15, 0.8, 0.1, MASK, FIRST, FIRST}};
    Rng rng = {.seed = 1};
    fill();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(!data_mask_tokens(&bad[i], &rng, ids, targets, N), "masking %zu", i);
        CHECK_ERROR(i < 4 ? "expected shares from 0 to 1" : "at least one token");
        CHECK(memcmp(ids, before, sizeof ids) == 0, "masking %zu changed an id", i);
    }
}
