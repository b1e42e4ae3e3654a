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

static void top_k_case(Case *c)
{
    int v = case_size(c, "v", 2, 8), k = case_choice(c, "k", 1, v + 2);
    const real *prob = distribution(c, v);
    top_k(case_output(c, "kept", 1, v), prob, v, k);
}

/* p is the probability of the first words plus `share` of the last of the nucleus: 1/2, so that no
 * rounding decides, or 1, where the sum is exactly p. */
static void top_p_of(Case *c, double share)
{
    int v = case_size(c, "v", 2, 8), size = case_choice(c, "nucleus", 1, v - 1);
    const real *prob = distribution(c, v);
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

enum { ROWS = 7 };

typedef struct {
    int v;
    const real *table; /* (ROWS, v) */
} Table;

/* The row depends on all words, and the scale on their number, so that no two sequences are equally
 * probable. The scale is 1 for the first two words. */
static void next_word(real *log_p, const int *words, int n, const void *model)
{
    const Table *m = model;
    unsigned row = 0;
    double sum = 0, scale = 1 + 0.1 * n * (n - 1);
    for (int i = 0; i < n; i++)
        row = (row * 3 + (unsigned)words[i] + 1) % ROWS;
    for (int w = 0; w < m->v; w++)
        sum += exp(scale * (double)m->table[(int)row * m->v + w]);
    for (int w = 0; w < m->v; w++)
        log_p[w] = (real)(scale * (double)m->table[(int)row * m->v + w] - log(sum));
}

static Table random_table(Case *c, int v)
{
    real *table = case_given(c, "table", 2, ROWS, v);
    for (int i = 0; i < ROWS * v; i++)
        table[i] = (real)case_normal(c);
    return (Table){v, table};
}

static void log_probability_case(Case *c)
{
    int v = case_size(c, "v", 2, 4), n = case_size(c, "n", 1, 5);
    const int *words = case_integers(c, "words", 0, v - 1, 1, n);
    Table m = random_table(c, v);
    *case_output(c, "log_p", 0) = log_probability(words, n, v, next_word, &m);
}

static void greedy_case(Case *c)
{
    int v = case_size(c, "v", 2, 4), n = case_size(c, "n", 1, 5);
    Table m = random_table(c, v);
    int *words = case_output_integers(c, "words", 1, n);
    *case_output(c, "log_p", 0) = greedy(words, n, v, next_word, &m);
}

static void exhaustive_case(Case *c)
{
    int v = case_size(c, "v", 2, 4), n = case_size(c, "n", 1, 4);
    Table m = random_table(c, v);
    int *words = case_output_integers(c, "words", 1, n);
    *case_output(c, "log_p", 0) = exhaustive(words, n, v, next_word, &m);
}

/* The README's model; row 0 is for the first word, row 1 + i for the word after word i. */
static void exhaustive_example_case(Case *c)
{
    static const double p[] = {.6, .3, .1, 1. / 3, 1. / 3, 1. / 3, .05, .05, .9, .45, .35, .2};
    real *table = case_given(c, "table", 2, ROWS, 3);
    for (int i = 0; i < ROWS * 3; i++)
        table[i] = i < 12 ? (real)log(p[i]) : 0;
    Table m = {3, table};
    int *words = case_output_integers(c, "words", 1, 2);
    *case_output(c, "log_p", 0) = exhaustive(words, 2, 3, next_word, &m);
}

/* best lies near a score that the open hypothesis might have now, next, or at the end; with alpha =
 * 0 also on it. */
static void may_stop_case(Case *c)
{
    static const double factors[] = {0.95, 1.05, 0.7, 1.4, 1};
    int n = case_choice(c, "n", 1, 4), longest = n + case_choice(c, "more", 1, 4);
    int turn = case_turn(c, "turn", 0, 14);
    real *best = case_given(c, "best", 0), *log_p = case_given(c, "log_p", 0);
    real *alpha = case_given(c, "alpha", 0);
    *alpha = turn % 5 == 4 ? 0 : (real)(0.25 + case_random(c));
    *log_p = -(real)fabs(case_normal(c)) - 1;
    int words = turn < 5 ? longest : turn < 10 ? n : n + 1;
    *best = (real)((double)*log_p * factors[turn % 5] / pow(words, (double)*alpha));
    *case_output_integers(c, "stop", 0) = may_stop(*best, *log_p, n, longest, *alpha);
}

/* With an end word, this is the last one, and not the likeliest. */
static void beam_of(Case *c, int ends)
{
    int v = case_size(c, "v", 2, 4), n = case_size(c, "longest", 1 + ends, 6 + ends);
    int beam = case_choice(c, "beam", 1, 4), end = ends ? v - 1 : -1;
    real *alpha = case_given(c, "alpha", 0);
    *alpha = ends ? (real)case_turn(c, "two_alpha", 0, 3) / 2 : 0;
    Table m = random_table(c, v);
    int *words = case_output_integers(c, "words", 1, n);
    int *length = case_output_integers(c, "length", 0);
    real *score = case_output(c, "score", 0);
    *score = beam_search(words, length, beam, n, *alpha, v, end, next_word, &m);
}

static void beam_case(Case *c)
{
    beam_of(c, 0);
}

static void beam_end_case(Case *c)
{
    beam_of(c, 1);
}

const Test tests[] = {
    {"perplexity", "perplexity", "perplexity of texts", POINTS(10), perplexity_case, .cases = 24},
    {"temperature", "temperature", "softmax with a temperature up to infinity", POINTS(10),
     temperature_case, .cases = 24},
    {"temperature_large", "temperature", "large logits", POINTS(3), temperature_large_case,
     .needs = "temperature"},
    {"temperature_zero", "temperature", "temperature 0", POINTS(6), temperature_zero_case,
     .needs = "temperature", .cases = 24},
    {"top_k", "top_k", "the k most probable words", POINTS(7), top_k_case, .cases = 24},
    {"top_p", "top_p", "the nucleus", POINTS(9), top_p_case, .cases = 24},
    {"top_p_exact", "top_p", "the nucleus whose sum is exactly p", POINTS(3), top_p_exact_case,
     .needs = "top_p", .cases = 24},
    {"draw", "draw", "a word is drawn", POINTS(4), draw_case, .cases = 45},
    {"draw_end", "draw", "a word is drawn where the sum stays below u", POINTS(1), draw_end_case,
     .needs = "draw"},
    {"log_probability", "log_probability", "log p of a sequence", POINTS(6), log_probability_case},
    {"greedy", "greedy", "greedy search", POINTS(7), greedy_case},
    {"exhaustive", "exhaustive", "exhaustive search", POINTS(7), exhaustive_case, .cases = 24},
    {"exhaustive_example", "exhaustive", "where greedy search loses", POINTS(2),
     exhaustive_example_case, .cases = 1},
    {"may_stop", "may_stop", "when a beam search may stop", POINTS(7), may_stop_case, .cases = 45},
    {"beam", "beam_search", "beam search for n words", POINTS(10), beam_case, .cases = 24},
    {"beam_end", "beam_search", "beam search with an end and a length", POINTS(8), beam_end_case,
     .needs = "beam", .cases = 45},
    {0},
};
