/* tests.c: the tests of homework 6. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw6.h"

#include <string.h>

enum { MERGES_MOST = 12 };

/* Few different ids, so that pairs and runs are common. Of every four cases, one has the same id
 * everywhere, and one is left over; one has the same pair again and again. */
static void merge_case(Case *c)
{
    int kinds = case_turn(c, "kinds", 0, 3), pairs = case_size(c, "pairs", 2 * (kinds < 2), 7);
    int n =
        kinds == 0 ? 2 * pairs : case_choice(c, "n", kinds == 1 ? 2 * pairs + 1 : 1, 2 * pairs + 1);
    int *before = case_given_integers(c, "before", 1, n);
    for (int i = 0; i < n; i++)
        before[i] = 97 + (kinds ? (int)(case_random(c) * kinds) : i % 2);
    Merge pair = {case_choice(c, "left", 97, kinds ? 96 + kinds : 97),
                  case_choice(c, "right", kinds ? 97 : 98, kinds ? 96 + kinds : 98)};
    int *ids = case_output_integers(c, "ids", 1, n), *left = case_output_integers(c, "count", 0);
    for (int i = 0; i < n; i++)
        ids[i] = before[i];
    int count = *left = merge(ids, n, pair, 256);
    for (int i = count < 0 ? 0 : count; i < n; i++)
        ids[i] = 0; /* what stands there is not asked for */
}

/* In half of the cases a text whose pairs are equally frequent: the first pair to be found has to
 * be replaced by that with the smaller right token, or with the smaller left one, or to stay; or
 * one whose last pair is rarer, and would come first. */
static void frequent_case(Case *c)
{
    static const char *const texts[] = {"acab", "cbad", "abac", "abcdefef", "bcbcab"};
    int turn = case_turn(c, "turn", 0, 9), ties = turn % 2;
    int length = ties ? (int)strlen(texts[turn / 2]) : 1;
    int n = case_size(c, "n", length, 14), kinds = case_choice(c, "kinds", 1, 4);
    int *ids = case_given_integers(c, "ids", 1, n);
    if (ties && (turn > 6 || n < 8)) /* one letter more makes one pair more frequent */
        n = length;
    for (int i = 0; i < n; i++)
        ids[i] = ties ? texts[turn / 2][i % length] : 97 + (int)(case_random(c) * kinds);
    Merge pair = {0, 0};
    *case_output_integers(c, "count", 0) = most_frequent(&pair, ids, n);
    int *found = case_output_integers(c, "pair", 1, 2);
    found[0] = pair.left;
    found[1] = pair.right;
}

/* In every fourth case the first is the largest byte. */
static int *letters(Case *c, const char *name, unsigned char *bytes, int n)
{
    int *codes = case_given_integers(c, name, 1, n), top = case_turn(c, "top_byte", 0, 3) == 3;
    for (int i = 0; i < n; i++) {
        double draw = case_random(c);
        codes[i] = draw < 0.05 ? (int)(case_random(c) * 256) : 97 + (int)(draw * draw * 5);
        codes[i] = top && i == 0 ? 255 : codes[i];
        bytes[i] = (unsigned char)codes[i];
    }
    return codes;
}

/* In every third case the text has more pairs than may be merged. */
static void repeat(int *codes, unsigned char *bytes, int n, const char *pattern)
{
    for (int i = 0, length = (int)strlen(pattern); i < n; i++)
        bytes[i] = (unsigned char)(codes[i] = pattern[i % length]);
}

static void train_case(Case *c)
{
    int many = case_turn(c, "many_pairs", 0, 2) == 2, n = case_size(c, "n", many ? 16 : 1, 40);
    int most = case_choice(c, "most", 1, many ? 2 : MERGES_MOST);
    unsigned char bytes[n];
    Merge merges[MERGES_MOST] = {{0, 0}};
    int *codes = letters(c, "bytes", bytes, n);
    if (many)
        repeat(codes, bytes, n, "a");
    int count = train(merges, most, bytes, n);
    *case_output_integers(c, "count", 0) = count;
    int *found = case_output_integers(c, "merges", 2, most, 2);
    for (int i = 0; i < most; i++) { /* what follows the last merge is free */
        found[2 * i] = i < count ? merges[i].left : 0;
        found[2 * i + 1] = i < count ? merges[i].right : 0;
    }
}

/* The merges of one text, and another text. In every fourth case bc is merged first, then ab, then
 * bc bc; so in abc the second merge must not come first, and a token is made of made ones. */
static int merges_of(Case *c, Merge *merges, int length, unsigned char *bytes, int n)
{
    unsigned char text[BYTES_MOST];
    int nested = case_turn(c, "nested", 0, 3) == 1, *codes = letters(c, "text", text, length);
    if (nested)
        repeat(codes, text, length, "bcbcbcabab");
    int count = train(merges, case_choice(c, "most", nested ? 3 : 1, MERGES_MOST), text, length);
    codes = letters(c, "bytes", bytes, n);
    if (nested)
        repeat(codes, bytes, n, "abcbcbc");
    else if (n > 2)
        repeat(codes + n - 2, bytes + n - 2, 2, "yz");
    if (count >= 0 && count <= MERGES_MOST)
        merges[count] = (Merge){'y', 'z'}; /* the one after the last is not to be used */
    return count;
}

static void encode_case(Case *c)
{
    int n = case_size(c, "n", case_turn(c, "long", 0, 3) == 1 ? 7 : 1, 20);
    int length = case_choice(c, "length", 20, 40);
    unsigned char bytes[n];
    Merge merges[MERGES_MOST + 1];
    int count = merges_of(c, merges, length, bytes, n);
    int *ids = case_output_integers(c, "ids", 1, n), *left = case_output_integers(c, "count", 0);
    int tokens = *left = encode(ids, bytes, n, merges, count);
    for (int i = tokens < 0 ? 0 : tokens; i < n; i++)
        ids[i] = 0;
}

static void decode_case(Case *c)
{
    enum { CAPACITY = BYTES_MOST };
    int n = case_size(c, "n", case_turn(c, "long", 0, 3) == 1 ? 7 : 1, 20), ids[CAPACITY];
    int length = case_choice(c, "length", 20, 40);
    unsigned char bytes[CAPACITY], back[CAPACITY + 1];
    Merge merges[MERGES_MOST + 1];
    int count = merges_of(c, merges, length, bytes, n);
    int tokens = encode(ids, bytes, n, merges, count);
    for (int i = 0; i <= CAPACITY; i++)
        back[i] = 255;
    *case_output_integers(c, "count", 0) = decode(back, ids, tokens, merges);
    int *decoded = case_output_integers(c, "decoded", 1, n + 1);
    for (int i = 0; i <= n; i++)
        decoded[i] = back[i];
}

typedef struct {
    int m, k, d;
    const real *word, *context, *negatives;
} Sample;

static Sample sample_of(Case *c, int bag, double scale)
{
    Sample s = {.m = bag ? case_size(c, "m", 1, 4) : 1, .k = case_size(c, "k", 1, 4)};
    s.d = case_size(c, "d", 1, 5);
    s.word = case_input_scaled(c, "word", scale, 1, s.d);
    s.context = case_input_scaled(c, "context", scale, 2, s.m, s.d);
    s.negatives = case_input(c, "negatives", 2, s.k, s.d);
    return s;
}

static void skip_gram_case(Case *c)
{
    Sample s = sample_of(c, 0, 1);
    *case_output(c, "loss", 0) = skip_gram(s.word, s.context, s.negatives, s.k, s.d);
}

static void skip_gram_large_case(Case *c)
{
    Sample s = sample_of(c, 0, 64);
    *case_output(c, "loss", 0) = skip_gram(s.word, s.context, s.negatives, s.k, s.d);
}

/* L = dloss times the loss, with dloss = 1. */
static void skip_gram_backward_case(Case *c)
{
    Sample s = sample_of(c, 0, 1);
    real *dword = case_sum(c, "dword", 1, s.d), *dcontext = case_sum(c, "dcontext", 2, s.m, s.d);
    *case_given(c, "dloss", 0) = 1;
    skip_gram_backward(dword, dcontext, case_sum(c, "dnegatives", 2, s.k, s.d), s.word, s.context,
                       s.negatives, s.k, s.d);
}

static void cbow_case(Case *c)
{
    Sample s = sample_of(c, 1, 1);
    *case_output(c, "loss", 0) = cbow(s.context, s.word, s.negatives, s.m, s.k, s.d);
}

static void cbow_backward_case(Case *c)
{
    Sample s = sample_of(c, 1, 1);
    real *dword = case_sum(c, "dword", 1, s.d), *dcontext = case_sum(c, "dcontext", 2, s.m, s.d);
    *case_given(c, "dloss", 0) = 1;
    cbow_backward(dcontext, dword, case_sum(c, "dnegatives", 2, s.k, s.d), s.context, s.word,
                  s.negatives, s.m, s.k, s.d);
}

/* Of six cases, in three a given word is nearer to b - a + c than the answer is, and in one another
 * word is the same as the answer. */
static void rank_case(Case *c)
{
    enum { A_NEARER = 1, B_NEARER, C_NEARER, TIE };
    int turn = case_turn(c, "turn", 0, 5);
    int v = case_size(c, "v", turn == TIE ? 5 : 4, 9), d = case_size(c, "d", 2, 4);
    real *vectors = case_given(c, "vectors", 2, v, d);
    for (int i = 0; i < v * d; i++)
        vectors[i] = (real)(case_normal(c) * (1 + i / d % 3)) + (real)0.0625;
    int a = case_choice(c, "a", 0, v - 1), word[5];
    for (int i = 0; i < 5; i++)
        word[i] = (a + i) % v * d; /* a, b, c, the answer, another one */
    for (int e = 0; e < d; e++) {
        real *at = vectors + e, shift = at[word[0]];
        if (turn == A_NEARER) { /* b - a + c = a */
            at[word[1]] += 2 * shift;
            at[word[2]] = 2 * shift - at[word[1]];
        } else if (turn == B_NEARER) { /* c = a */
            at[word[2]] = shift;
        } else if (turn == C_NEARER) { /* b = a */
            at[word[1]] = shift;
        } else if (turn == TIE) {
            at[word[4]] = at[word[3]];
        }
    }
    *case_output_integers(c, "rank", 0) =
        analogy_rank(vectors, v, d, a, (a + 1) % v, (a + 2) % v, (a + 3) % v);
}

const Test tests[] = {
    {"merge", "merge", "merge a pair", POINTS(8), merge_case, .cases = 24},
    {"frequent", "most_frequent", "the most frequent pair", POINTS(12), frequent_case, .cases = 45},
    {"train", "train", "learn byte pairs", POINTS(12), train_case, .cases = 24},
    {"encode", "encode", "encode a text", POINTS(10), encode_case, .cases = 24},
    {"decode", "decode", "decode it again", POINTS(8), decode_case, .cases = 24},
    {"skip_gram", "skip_gram", "skip-gram", POINTS(8), skip_gram_case},
    {"skip_gram_large", "skip_gram", "large products", POINTS(3), skip_gram_large_case,
     .needs = "skip_gram"},
    {"skip_gram_backward", "skip_gram_backward", "skip-gram, backward", POINTS(12),
     skip_gram_backward_case, .forward = skip_gram_case,
     .gradients = "dword:word dcontext:context dnegatives:negatives", .upstream = "dloss:loss"},
    {"cbow", "cbow", "CBOW", POINTS(7), cbow_case},
    {"cbow_backward", "cbow_backward", "CBOW, backward", POINTS(10), cbow_backward_case,
     .forward = cbow_case, .gradients = "dword:word dcontext:context dnegatives:negatives",
     .upstream = "dloss:loss"},
    {"rank", "analogy_rank", "the rank of an analogy", POINTS(10), rank_case, .cases = 45},
    {0},
};
