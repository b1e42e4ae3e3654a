/* tests.c: the tests of homework 8. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw8.h"

#include <math.h>

static void perplexity_case(Case *c)
{
    int texts = case_size(c, "texts", 1, 4), longest = case_size(c, "longest", 1, 6);
    real *log_p = case_given(c, "log_p", 2, texts, longest);
    int *length = case_given_integers(c, "length", 1, texts);
    for (int i = 0; i < texts * longest; i++)
        log_p[i] = -(real)fabs(case_normal(c)) - (real)0.03125;
    for (int i = 0; i < texts; i++)
        length[i] = 1 + (int)(case_random(c) * longest);
    *case_output(c, "perplexity", 0) = perplexity(log_p, length, texts, longest);
}

/* Multiples of 1/2, so that equal logits are common. */
static void temperature_of(Case *c, double t, double offset)
{
    int v = case_size(c, "v", 2, 8);
    real *logits = case_given(c, "logits", 1, v);
    for (int i = 0; i < v; i++)
        logits[i] = (real)(offset + round(case_normal(c) * 2) / 2);
    *case_given(c, "t", 0) = (real)t;
    temperature(case_output(c, "prob", 1, v), logits, v, (real)t);
}

static void temperature_case(Case *c)
{
    int eight = case_turn(c, "eight_t", 1, 12); /* the last one stands for infinity */
    temperature_of(c, eight < 12 ? eight / 8.0 : (double)INFINITY, 0);
}

static void temperature_large_case(Case *c)
{
    temperature_of(c, case_turn(c, "t", 1, 3), 4096);
}

static void temperature_zero_case(Case *c)
{
    temperature_of(c, 0, 0);
}

/* Multiples of 1/64, none of them 0: sums are exact, and equal ones are common. */
static real *distribution(Case *c, int v)
{
    real *prob = case_given(c, "prob", 1, v);
    for (int i = 0; i < v; i++)
        prob[i] = (real)1 / 64;
    for (int left = 64 - v; left > 0; left -= left < 6 ? 1 : 6)
        prob[(int)(case_random(c) * v)] += (real)(left < 6 ? 1 : 6) / 64;
    return prob;
}

/* The most probable word is the last one, and before it are pairs of equally probable ones. */
static real *rising(Case *c, int v)
{
    real *prob = case_given(c, "prob", 1, v);
    for (int i = 0; i < v; i++)
        prob[i] = (real)(1 + i / 2) / 64;
    for (int i = 0; i < v - 1; i++)
        prob[v - 1] -= prob[i];
    prob[v - 1] += 1 - (real)(1 + (v - 1) / 2) / 64;
    return prob;
}

static void top_k_case(Case *c)
{
    int turn = case_turn(c, "turn", 0, 3), v = turn < 3 ? case_size(c, "v", 2, 8) : 5;
    int k = turn < 2 ? case_choice(c, "k", 1, v + 2) : turn - 1; /* of two equal words, the first */
    const real *prob = turn ? rising(c, v) : distribution(c, v);
    top_k(case_output(c, "kept", 1, v), prob, v, k);
}

/* p is the probability of the first words plus `share` of the last of the nucleus: 1/2, so that no
 * rounding decides, or 1, where the sum is exactly p. */
static void top_p_of(Case *c, double share)
{
    int turn = case_turn(c, "turn", 0, 3), v = turn < 2 ? case_size(c, "v", 2, 8) : 5;
    int size = turn < 2 ? case_choice(c, "nucleus", 1, v - 1) : turn - 1;
    const real *prob = turn < 2 ? distribution(c, v) : rising(c, v);
    double p = 0;
    for (int i = 0; i < v; i++) {
        int rank = 0;
        for (int j = 0; j < v; j++)
            rank += prob[j] > prob[i] || (prob[j] == prob[i] && j < i);
        p += (rank < size - 1 ? 1 : rank == size - 1 ? share : 0) * (double)prob[i];
    }
    *case_given(c, "p", 0) = (real)p;
    real *kept = case_output(c, "kept", 1, v);
    *case_output_integers(c, "count", 0) = top_p(kept, prob, v, (real)p);
}

static void top_p_case(Case *c)
{
    top_p_of(c, 0.5);
}

static void top_p_exact_case(Case *c)
{
    top_p_of(c, 1);
}

/* u is 0, or a multiple of 1/128, of which each second one may equal a sum. */
static void draw_case(Case *c)
{
    int v = case_size(c, "v", 2, 8);
    real *prob = distribution(c, v);
    if (case_turn(c, "first_is_zero", 0, 1)) {
        prob[v - 1] += prob[0];
        prob[0] = 0;
    }
    real *u = case_given(c, "u", 0);
    *u = case_turn(c, "u_is_zero", 0, 3) == 1 ? 0 : (real)(int)(case_random(c) * 128) / 128;
    *case_output_integers(c, "word", 0) = draw(prob, v, *u);
}

/* The sum stays below u, as it can after rounding; the last word may have probability 0. */
static void draw_end_case(Case *c)
{
    int v = case_size(c, "v", 2, 8);
    real *prob = distribution(c, v), *u = case_given(c, "u", 0);
    for (int i = 0; i < v; i++)
        prob[i] *= 1 - (real)1 / 1024;
    if (case_turn(c, "last_is_zero", 0, 1)) {
        prob[0] += prob[v - 1];
        prob[v - 1] = 0;
    }
    *u = 1 - (real)1 / 2048;
    *case_output_integers(c, "word", 0) = draw(prob, v, *u);
}

const Test tests[] = {
    {"perplexity", "perplexity", "perplexity of texts", POINTS(19), perplexity_case, .cases = 24},
    {"temperature", "temperature", "softmax with a temperature up to infinity", POINTS(19),
     temperature_case, .cases = 24},
    {"temperature_large", "temperature", "large logits", POINTS(6), temperature_large_case,
     .needs = "temperature"},
    {"temperature_zero", "temperature", "temperature 0", POINTS(11), temperature_zero_case,
     .needs = "temperature", .cases = 24},
    {"top_k", "top_k", "the k most probable words", POINTS(13), top_k_case, .cases = 24},
    {"top_p", "top_p", "the nucleus", POINTS(17), top_p_case, .cases = 24},
    {"top_p_exact", "top_p", "the nucleus whose sum is exactly p", POINTS(5), top_p_exact_case,
     .needs = "top_p", .cases = 24},
    {"draw", "draw", "a word is drawn", POINTS(8), draw_case, .cases = 45},
    {"draw_end", "draw", "a word is drawn where the sum stays below u", POINTS(2), draw_end_case,
     .needs = "draw"},
    {0},
};
