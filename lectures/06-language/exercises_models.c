/* exercises_models.c: the exercises of rows 43 to 47 (exercises.c). */
#include "lectures/06-language/exercises.h"

/* ---- row 45: whole words --------------------------------------------------------------------- */

/* Pieces of words: word[i] is the number of the word that piece i belongs to, chosen[i] whether it
 * was chosen. Now: the chosen pieces are masked. Change it: all pieces of a word are masked if one
 * of them was chosen (whole word masking), so that no word can be read off its other pieces. */
static void whole_words(const int *word, const bool *chosen, int n, bool *masked)
{
    (void)word;
    for (int i = 0; i < n; i++)
        masked[i] = chosen[i];
}

/* Words of 1 to 3 pieces, of which 15 % are chosen, in one of two texts the first and the last. */
static double whole_right(Trial *t)
{
    enum { TEXTS = 2, N = 150 };
    int wrong = 0;
    Rng *rng = trial_rng(t, 696);
    for (int text = 0; text < TEXTS; text++) {
        int word[N], of_word[N] = {0};
        bool chosen[N], masked[N];
        for (int i = 0, k = 0; i < N; k++)
            for (int pieces = 1 + (int)rng_below(rng, 3); pieces > 0 && i < N; pieces--)
                word[i++] = k;
        for (int i = 0; i < N; i++) {
            chosen[i] = i % (N - 1) ? rng_uniform(rng) < 0.15 : text > 0;
            of_word[word[i]] += chosen[i];
        }
        for (int i = 0; i < N; i++)
            masked[i] = of_word[word[i]] == 0; /* is to be overwritten */
        TRIED(t, whole_words, whole_words_solved, whole_words_wrong_later)(word, chosen, N, masked);
        for (int i = 0; i < N; i++)
            wrong += masked[i] != (of_word[word[i]] > 0);
    }
    explain(t, "%d pieces: %d are masked wrongly", TEXTS * N, wrong);
    return wrong;
}

/* ---- row 46: which rank ---------------------------------------------------------------------- */

/* Now: the number of singular values, sigma[0] >= sigma[1] >= ..., that are at least `share` of the
 * largest. Change it: the least rank r with which LoRA can learn a change of these n singular
 * values so that what is missing has a norm (the root of the sum of its squared entries) of at most
 * `share` of the whole change's. */
static int rank_needed(const double *sigma, int n, double share)
{
    int r = 0;
    while (r < n && sigma[r] >= share * sigma[0])
        r++;
    return r;
}

/* Against matrices diag(sigma), of which the best change of rank r keeps the first r entries
 * (Eckart and Young 1936). */
static double rank_right(Trial *t)
{
    enum { N = 12, CASES = 200 };
    Rng *rng = trial_rng(t, 695);
    int wrong = 0;
    for (int i = 0; i < CASES; i++) {
        double sigma[N], share = 0.02 + 0.9 * rng_uniform(rng),
                         fall = 0.3 + 0.65 * rng_uniform(rng);
        int r = N;
        for (int k = 0; k < N; k++)
            sigma[k] = i > 0 ? 5 * pow(fall, k) : 0; /* no change has the rank 0 */
        for (int k = N - 1; k >= 0; k--) {           /* the norm of what rank k leaves */
            double left = 0, whole = 0;
            for (int j = 0; j < N; j++) {
                whole = hypot(whole, sigma[j]);
                left = j >= k ? hypot(left, sigma[j]) : 0;
            }
            r = left <= share * whole ? k : r;
        }
        int got = TRIED(t, rank_needed, rank_needed_solved, rank_needed_wrong_sums,
                        rank_needed_wrong_squared)(sigma, N, share);
        if (i < 4)
            explain(t, "singular values fall by %.2f, share %.2f: rank %d, got %d", fall, share, r,
                    got);
        wrong += got != r;
    }
    return wrong;
}

/* ---- row 47: T5's own training --------------------------------------------------------------- */

/* Text to text without labels (span corruption: Raffel et al. 2020). hidden[i]: word i is to be
 * predicted. Now: hidden words are left out of the source, and are the target. Change it: in the
 * source each *span* of hidden words becomes one sentinel, the ids SENTINEL, SENTINEL + 1, ... in
 * their order; the target has each sentinel, followed by its words:
 *
 *     I [swam across] the river to get to the [other] bank
 *     source: I <0> the river to get to the <1> bank        target: <0> swam across <1> other
 *
 * (T5 ends the target with one more sentinel, which is left out here.) Writes source and target, up
 * to TEXT + 2 ids each, and their lengths. */
static void corrupt(const int *x, const bool *hidden, int n, int *source, int *target,
                    int length[2])
{
    length[0] = length[1] = 0;
    for (int i = 0; i < n; i++)
        if (hidden[i])
            target[length[1]++] = x[i];
        else
            source[length[0]++] = x[i];
}

/* How many sentinels there are, SENTINEL, SENTINEL + 1, ...; below 0 where they are others. */
static int sentinels(const int *ids, int n)
{
    int next = SENTINEL;
    for (int i = 0; i < n && next >= 0; i++)
        if (ids[i] >= SENTINEL)
            next = ids[i] == next ? next + 1 : -1;
    return next - SENTINEL;
}

/* Puts the words after each sentinel of the target into the source in its place; returns the
 * length. */
static int restored(const int *source, const int *target, const int length[2], int *x)
{
    int n = 0;
    for (int i = 0; i < length[0]; i++) {
        int at = 0;
        if (source[i] < SENTINEL)
            x[n++] = source[i];
        while (source[i] >= SENTINEL && at < length[1] && target[at] != source[i])
            at++;
        for (at++; source[i] >= SENTINEL && at < length[1] && target[at] < SENTINEL; at++)
            if (n < 2 * PAIR)
                x[n++] = target[at];
    }
    return n;
}

static void explain_ids(const Trial *t, const char *what, const int *ids, int n)
{
    char line[256] = "";
    for (int i = 0, at = 0; i < n && at < (int)sizeof line - 8; i++)
        at += snprintf(line + at, 8, ids[i] < SENTINEL ? " %d" : " <%d>",
                       ids[i] < SENTINEL ? ids[i] : ids[i] - SENTINEL);
    explain(t, "the first %s:%s", what, line);
}

/* Texts that cannot be put together again, or whose source and target have another length than
 * theirs. */
static double corrupt_right(Trial *t)
{
    enum { CASES = 100 };
    Rng *rng = trial_rng(t, 699);
    int wrong = 0;
    for (int c = 0; c < CASES; c++) {
        int x[TEXT], source[2 * PAIR], target[2 * PAIR], back[3 * PAIR], length[2], spans = 0;
        int kept = 0;
        bool hidden[TEXT];
        for (int i = 0; i < TEXT; i++) {
            x[i] = (int)rng_below(rng, WORDS_32);
            hidden[i] = i / 3 == c % 5 || rng_uniform(rng) < 0.3; /* at least one span of three */
            spans += hidden[i] && (i == 0 || !hidden[i - 1]);
            kept += !hidden[i];
        }
        for (int i = 0; i < 2 * PAIR; i++)
            source[i] = target[i] = 1; /* is to be overwritten */
        TRIED(t, corrupt, corrupt_solved, corrupt_wrong_words, corrupt_wrong_same)
        (x, hidden, TEXT, source, target, length);
        if (c == 0) {
            explain_ids(t, "text", x, TEXT);
            explain_ids(t, "source", source, length[0]);
            explain_ids(t, "target", target, length[1]);
        }
        bool same = length[0] == kept + spans && length[1] == TEXT - kept + spans &&
                    sentinels(target, length[1]) == spans &&
                    restored(source, target, length, back) == TEXT;
        for (int i = 0; i < TEXT && same; i++)
            same = back[i] == x[i];
        wrong += !same;
    }
    explain(t, "%d texts of %d words: %d are not the pair of source and target that T5 learns",
            CASES, TEXT, wrong);
    return wrong;
}

const Claim language_exercises_models[] = {
    EXERCISE(45, "whole_words: a word is masked as a whole", "Z: Encoder transformers",
             "pieces of 300 that are masked wrongly", 0,
             "a piece is masked where a piece of its word is chosen, and nowhere else", whole_right,
             {"later", "only the pieces after the chosen one"}),
    EXERCISE(46, "rank_needed: the least rank that leaves a share of the change",
             "Z: Large language models (LLMs)", "wrong ranks, of 200 changes of 12 singular values",
             0, "Eckart and Young: the best change of rank r leaves the other singular values",
             rank_right, {"sums", "singular values are added up, not their squares"},
             {"squared", "the share is taken for that of the squared norm"}),
    EXERCISE(47, "corrupt: hidden spans become sentinels, and the target names them",
             "V: Next Two Lectures: Iterations of Transformers",
             "texts of 100 that source and target do not give back", 0,
             "each word is in exactly one of both, each span's sentinel in both", corrupt_right,
             {"words", "a sentinel for each hidden word"}, {"same", "one sentinel for all spans"}),
    {0},
};
