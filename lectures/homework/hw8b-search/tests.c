/* tests.c: the tests of homework 8b. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw8b.h"

#include <math.h>
#include <stdbool.h>

enum { ROWS = 7 };

typedef struct {
    int v;
    const real *table; /* (ROWS, v) */
    int late;          /* after so many times word 0 it is certain; -1: it never is */
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
    bool certain = n == m->late;
    for (int i = 0; i < n; i++)
        certain = certain && words[i] == 0;
    for (int w = 0; w < m->v && certain; w++)
        log_p[w] = w == 0 ? 0 : -64;
    if (certain)
        return;
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
    return (Table){v, table, -1};
}

/* Each word is a little more probable than the one before it. */
static Table rising_table(Case *c, int v, int late)
{
    real *table = case_given(c, "table", 2, ROWS, v);
    for (int i = 0; i < ROWS * v; i++)
        table[i] = (real)((i % v + case_random(c) / 2) / 32);
    return (Table){v, table, late};
}

static void log_probability_case(Case *c)
{
    int v = case_size(c, "v", 2, 4), n = case_size(c, "n", 1, 5);
    const int *words = case_integers(c, "words", 0, v - 1, 1, n);
    Table m = random_table(c, v);
    *case_output(c, "log_p", 0) = log_probability(words, n, v, next_word, &m);
}

/* Among three words or more, the last that is better than the first is often not the best. In every
 * fourth case there are as many words as there may be. */
static void greedy_case(Case *c)
{
    const int most = case_turn(c, "most_words", 0, 3) == 3;
    int v = case_size(c, "v", most ? WORDS_MOST : 3, most ? WORDS_MOST : 7);
    int n = case_size(c, "n", 1, 5);
    Table m = random_table(c, v);
    int *words = case_output_integers(c, "words", 1, n);
    *case_output(c, "log_p", 0) = greedy(words, n, v, next_word, &m);
}

/* In every eighth case the sequence is as long as it may be, and the last one is the best. */
static void exhaustive_case(Case *c)
{
    const int longest = case_turn(c, "is_longest", 0, 7) == 7;
    int v = case_size(c, "v", 2, longest ? 2 : 4);
    int n = case_size(c, "n", longest ? LONGEST : 1, longest ? LONGEST : 4);
    Table m = longest ? rising_table(c, v, -1) : random_table(c, v);
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
    Table m = {3, table, -1};
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

/* With an end word, this is the last one, and not the likeliest. Of four cases, one has the most
 * words and hypotheses that there may be. In two, the least probable beginning is the best one at
 * last: it is in a beam that keeps all pairs of words, and not in one of three of four words. */
static void beam_of(Case *c, int ends)
{
    enum { PAIRS = 1, THREE, MOST };
    const int turn = case_turn(c, "turn", 0, 3);
    static const int words_of[] = {0, 2, 4, WORDS_MOST}, beams[] = {0, 4, 3, BEAM_MOST};
    const int more = turn == PAIRS && ends; /* the end is no pair's first word */
    int low = turn ? words_of[turn] + more : 2, high = turn ? low : 4;
    int v = case_size(c, "v", low, high);
    int n =
        turn % MOST ? case_choice(c, "longest", 3, 3) : case_size(c, "longest", 1 + ends, 6 + ends);
    int beam = turn ? case_choice(c, "beam", beams[turn] + 2 * more, beams[turn] + 2 * more)
                    : case_choice(c, "beam", 1, 4);
    const int end = ends ? v - 1 : -1;
    real *alpha = case_given(c, "alpha", 0);
    *alpha = ends ? (real)case_turn(c, "two_alpha", 0, 4) / 2 : 0;
    Table m = turn % MOST ? rising_table(c, v, turn == PAIRS ? 2 : 1) : random_table(c, v);
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

/* One word may end the sequence at once. In odd cases the most probable open hypothesis wins at
 * last, and the second one could not; in even cases the winner has more words than the model has.
 * Behind the first word, word 0 is nearly certain. */
static void beam_stop_case(Case *c)
{
    const int two = case_turn(c, "open", 1, 2) == 2;
    int v = case_choice(c, "v", 2 + two, 2 + two), n = case_choice(c, "longest", 6, 6);
    real *alpha = case_given(c, "alpha", 0), *table = case_given(c, "table", 2, ROWS, v);
    *alpha = two ? 0 : 1;
    for (int i = 0; i < ROWS * v; i++)
        table[i] = i % v ? -(real)(i % v) / 4 : 12;
    table[0] = two ? (real)(1.5 + case_random(c) / 4) : 0;
    table[v - 1] = (real)(0.65 + case_random(c) * 0.45);
    table[1] = two ? 0 : table[1];
    Table m = {v, table, -1};
    int *words = case_output_integers(c, "words", 1, n);
    int *length = case_output_integers(c, "length", 0);
    real *score = case_output(c, "score", 0);
    *score = beam_search(words, length, v, n, *alpha, v, v - 1, next_word, &m);
}

const Test tests[] = {
    {"log_probability", "log_probability", "log p of a sequence", POINTS(13), log_probability_case},
    {"greedy", "greedy", "greedy search", POINTS(15), greedy_case},
    {"exhaustive", "exhaustive", "exhaustive search", POINTS(15), exhaustive_case, .cases = 24},
    {"exhaustive_example", "exhaustive", "where greedy search loses", POINTS(4),
     exhaustive_example_case, .cases = 1},
    {"may_stop", "may_stop", "when a beam search may stop", POINTS(15), may_stop_case, .cases = 45},
    {"beam", "beam_search", "beam search for n words", POINTS(21), beam_case, .cases = 24},
    {"beam_end", "beam_search", "beam search with an end and a length", POINTS(11), beam_end_case,
     .needs = "beam", .cases = 45},
    {"beam_stop", "beam_search", "beam search where an open hypothesis wins", POINTS(6),
     beam_stop_case, .needs = "beam"},
    {0},
};
