/* test_mystery.c: what `./gradus mystery` says of its data and faults: the entropies, summed over
 * all that can be drawn; and that the measurements tell the faults apart: the run of another seed
 * that is nearest to those of a first seed has the same fault, four times in five. */
#include "lectures/mystery/mystery.h"
#include "tests/harness/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double nats_of(double p)
{
    return p > 0 ? -p * log(p) : 0;
}

/* ---- entropies ------------------------------------------------------------------------------- */

/* By the probabilities of each pair of letters before token i. */
TEST(entropy_of_sentences)
{
    enum { PAIRS = LETTERS * LETTERS };
    double pair[PAIRS] = {1}, nats = 0, tokens = 0;
    for (int i = 0; i < SENTENCE_MOST; i++) {
        double next[PAIRS] = {0};
        for (int k = 0; k < PAIRS; k++) {
            int x[SENTENCE_MOST] = {0};
            if (i >= 2)
                x[i - 2] = LETTER + k / LETTERS;
            if (i >= 1)
                x[i - 1] = LETTER + k % LETTERS;
            for (int token = 0; token < WORDS; token++) {
                double p = letters_p(x, i, token);
                nats += pair[k] * nats_of(p);
                tokens += pair[k] * p;
                if (token >= LETTER)
                    next[k % LETTERS * LETTERS + token - LETTER] += pair[k] * p;
            }
        }
        memcpy(pair, next, sizeof pair);
    }
    for (int k = 0; k < PAIRS; k++)
        CHECK_CLOSE(pair[k], 0, 1e-12); /* no sentence is longer */
    CHECK_CLOSE(language.entropy, nats / tokens, 5e-6);
    CHECK_CLOSE(deep.entropy, nats / tokens, 5e-6);
}

/* Over all 2^16 pictures of 4 x 4 pixels: a row or a column is black, and each pixel is the other
 * one with probability 0.05. */
TEST(entropy_of_pictures)
{
    double nats = 0;
    for (int picture = 0; picture < 1 << 16; picture++) {
        double p = 0;
        for (int bar = 0; bar < 8; bar++) {
            double each = 1.0 / 8;
            for (int k = 0; k < 16; k++) {
                bool black = bar < 4 ? k / 4 == bar : k % 4 == bar - 4;
                each *= black == (picture >> k & 1) ? 0.95 : 0.05;
            }
            p += each;
        }
        nats += nats_of(p);
    }
    CHECK_CLOSE(pictures.entropy, nats, 5e-6);
}

/* ---- telling faults apart -------------------------------------------------------------------- */

/* The mean over the numbers of each measurement of |a - b| / (|a| + |b| + 0.05), added up over all
 * measurements. */
static double distance(const Run *a, const Run *b)
{
    double sum[MEASURES] = {0}, all = 0;
    int count[MEASURES] = {0};
    for (int i = 0; i < a->lines; i++)
        for (int k = 0; k < a->line[i].values; k++) {
            double x = a->line[i].value[k], y = b->line[i].value[k];
            double apart = fabs(x - y) / (fabs(x) + fabs(y) + 0.05);
            sum[a->line[i].of] += isfinite(apart) ? apart : isfinite(x) != isfinite(y);
            count[a->line[i].of]++;
        }
    for (int m = 0; m < MEASURES; m++)
        all += count[m] ? sum[m] / count[m] : 0;
    return all;
}

static bool train(Run *r, const Fault *fault, int seed)
{
    bool ok = CHECK(run_train(r, fault, (uint64_t)seed), "%s: %s", fault->name, tensor_error());
    run_free(r);
    return ok;
}

TEST(the_nearest_run_has_the_same_fault)
{
    enum { SEEDS = 4 };
    static Run known[FAULTS_MOST], other;
    const Fault *faults = mystery_faults;
    int count = 0, right = 0, all = 0;
    tensor_set_threads(1);
    for (; *faults[count].name; count++)
        REQUIRE(train(&known[count], &faults[count], 1), "seed 1");
    for (int seed = 2; seed <= SEEDS; seed++)
        for (int i = 0; i < count; i++, all++) {
            const Run *nearest = NULL;
            REQUIRE(train(&other, &faults[i], seed), "seed %d", seed);
            for (const Run *r = known; r < known + count; r++)
                if (r->learner == other.learner &&
                    (!nearest || distance(&other, r) < distance(&other, nearest)))
                    nearest = r;
            right += nearest->fault == &faults[i];
            if (nearest->fault != &faults[i])
                printf("seed %d: %s is taken for %s\n", seed, faults[i].name, nearest->fault->name);
        }
    printf("%d of %d runs are named rightly\n", right, all);
    CHECK(right >= 0.8 * all, "%d of %d", right, all);
}
