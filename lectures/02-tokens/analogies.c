/* analogies.c: v(Paris) - v(France) + v(Italy) is near v(Rome) (row 7; the vectors: word2vec.h).
 *                                              Z "Word2Vec: Continuous bag-of-words and skip-grams"
 *   1  skip-gram learns w.x = PMI(w, x) - log k (word2vec.c)
 *   2  in the grammar PMI(w, x) = f(country of w, x) + g(relation of w, x): a context tells one or the other
 *   3  so PMI(Paris, x) - PMI(France, x) = g(capital, x) - g(country, x), whatever the country
 *   4  and Paris - France + Italy has the products with all contexts that Rome has */
#include "lectures/02-tokens/word2vec.h"

/* v(Paris) - v(France) + v(Italy): the analogy a - b + c, and the word that should be nearest. */
typedef struct {
    int a, b, c, right;
} Analogy;

static Analogy analogy(int country, int relation, int other_country, int other_relation)
{
    return (Analogy){.a = country * RELATIONS + relation,
                     .b = country * RELATIONS + other_relation,
                     .c = other_country * RELATIONS + other_relation,
                     .right = other_country * RELATIONS + relation};
}

static double cosine(const double *a, const double *b)
{
    return vectors_product(a, b) / sqrt(vectors_product(a, a) * vectors_product(b, b));
}

/* The rank, from 1, of the right word by its cosine with a - b + c. Usually a, b and c are left
 * out. NaN on NaN. */
static double analogy_rank(const Vectors *v, Analogy q, bool all_words)
{
    double sought[DIMENSIONS], rank = 1;
    for (int i = 0; i < DIMENSIONS; i++)
        sought[i] = v->word[q.a][i] - v->word[q.b][i] + v->word[q.c][i];
    double best = cosine(sought, v->word[q.right]);
    for (int w = 0; w < WORDS; w++)
        if (w != q.right && (all_words || (w != q.a && w != q.b && w != q.c)))
            rank += cosine(sought, v->word[w]) >= best;
    return isfinite(best) ? rank : (double)NAN;
}

/* The share of all analogies whose right word has rank 1. */
static double share_of_rank_one(const Vectors *v, bool all_words)
{
    double first = 0;
    int count = 0;
    for (int i = 0; i < WORDS * WORDS; i++) {
        Analogy q = analogy(i / WORDS / RELATIONS, i / WORDS % RELATIONS, i % WORDS / RELATIONS,
                            i % RELATIONS);
        if (q.a == q.c || q.a == q.b || q.b == q.c)
            continue;
        double rank = analogy_rank(v, q, all_words);
        first += isnan(rank) ? rank : rank == 1;
        count++;
    }
    return first / count;
}

static double analogies(Trial *t)
{
    const Vectors *v = word2vec(t->seed, SKIP_GRAM, broken(t, "alien") ? ALIEN : WORLD, 5);
    if (!v)
        return (double)NAN;
    double share = share_of_rank_one(v, false);
    explain(t, "Paris - France + Italy: Rome has rank %g of 21",
            analogy_rank(v, analogy(0, 0, 1, 1), false));
    explain(t, "of 360 analogies %.3f have rank 1; %.3f where a, b and c may be the answer, too",
            share, share_of_rank_one(v, true));
    return share;
}

/* Why: PMI(w, x) = f(country of w, x) + g(relation of w, x). No training. */
static double additive(Trial *t)
{
    World world = broken(t, "alien") ? ALIEN : WORLD;
    double worst = 0, apart = 0;
    for (int i = 0; i < WORDS * WORDS; i++)
        for (int x = 0; x < CONTEXTS; x++) {
            Analogy q = analogy(i / WORDS / RELATIONS, i / WORDS % RELATIONS, i % WORDS / RELATIONS,
                                i % RELATIONS);
            double sum =
                world_pmi(world, q.a, x) - world_pmi(world, q.b, x) + world_pmi(world, q.c, x);
            worst = values_worst(worst, fabs(sum - world_pmi(world, q.right, x)));
            apart =
                values_worst(apart, fabs(world_pmi(world, q.a, x) - world_pmi(world, q.right, x)));
        }
    explain(t,
            "max over 576 analogies, 20 contexts: |PMI of a - b + c, less that of the right word| "
            "= %.2g",
            worst);
    explain(t, "PMI of a and of the right word differ by up to %.2f", apart);
    return worst;
}

const Claim analogies_claims[] = {
    {7, analogies,
     "Rome is the nearest word to Paris - France + Italy, and of the grammar's 360 analogies at "
     "least 99 % hold likewise",
     .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
     .quantity = "share of 360 analogies whose right word has rank 1",
     AT_LEAST(0.99, "the right word's PMI is the sum's, exactly; the next word's is 1.2 away per "
                    "context, 13 errors of w.x"),
     .faults = {{"alien", "countries, languages and currencies have other countries' contexts"}}},
    {7, additive,
     "PMI is a country's part plus a relation's, so that a - b + c has the PMIs of the right word",
     .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
     .quantity = "max |PMI(a, x) - PMI(b, x) + PMI(c, x) - PMI(right, x)|",
     AT_MOST(1e-14, "four logarithms below 3 in double: each rounded by 4e-16"),
     .faults = {{"alien", "countries, languages and currencies have other countries' contexts"}},
     HOLDS_POISONED("a closed form in double; no kernel is run")},
    {0},
};
