/* word2vec.c: skip-gram and CBOW with negative sampling (row 7).     Mikolov et al. 2013; Levy and Goldberg 2014
 *                                              Z "Word2Vec: Continuous bag-of-words and skip-grams"
 *   skip-gram  L = -log s(w.x) - sum over k contexts x' ~ p(x) of log s(-w.x'),      s(z) = 1 / (1 + exp(-z))
 *   CBOW       the same with h = the mean of the context vectors in place of w, and words in place of x
 *
 * Where L is least, each product is known:
 *   1  a pair (w, x) comes with probability p(w, x) as a pair of the text, with k p(w) p(x) as a negative one
 *   2  -p log s(z) - q log s(-z) is least at s(z) = p / (p + q), which is z = log p / q
 *   3  so  w.x = log p(w, x) / (k p(w) p(x)) = PMI(w, x) - log k   wherever the dimensions suffice */
#include "lectures/02-tokens/word2vec.h"

enum { SENTENCES = 64, STEPS = 2000, NEGATIVES_MAX = 5 };
static const double rate = 0.03;

double vectors_product(const double a[DIMENSIONS], const double b[DIMENSIONS])
{
    double sum = 0;
    for (int i = 0; i < DIMENSIONS; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- training --------------------------------------------------------------------------------------------------- */

/* One batch: rows of one token that fits and k that were drawn, and what they should fit to. */
typedef struct {
    int rows, k;
    int given[SENTENCES * WINDOW]; /* skip-gram (rows): w; CBOW (rows, WINDOW): contexts */
    int tested[SENTENCES * WINDOW * (NEGATIVES_MAX + 1)]; /* (rows, 1 + k) */
} Pairs;

/* Skip-gram: a row for each context word of each sentence. The negatives are context words of other sentences: p(x). */
static void skip_gram_pairs(Pairs *b, World world, Rng *rng)
{
    int *tested = b->tested;
    b->rows = SENTENCES * WINDOW;
    for (int s = 0; s < b->rows; s += WINDOW) {
        int word = (int)rng_below(rng, WORDS);
        for (int i = 0; i < WINDOW; i++) {
            b->given[s + i] = word;
            *tested++ = world_draw(world, rng, word);
            for (int k = 0; k < b->k; k++)
                *tested++ = world_draw(world, rng, (int)rng_below(rng, WORDS));
        }
    }
}

/* CBOW: a row for each sentence: its contexts, then its word and k other ones. */
static void cbow_pairs(Pairs *b, World world, Rng *rng)
{
    int *tested = b->tested;
    b->rows = SENTENCES;
    for (int s = 0; s < SENTENCES; s++) {
        int word = (int)rng_below(rng, WORDS);
        for (int i = 0; i < WINDOW; i++)
            b->given[s * WINDOW + i] = world_draw(world, rng, word);
        *tested++ = word;
        for (int k = 0; k < b->k; k++)
            *tested++ = (int)rng_below(rng, WORDS);
    }
}

/* -log s(fits) - sum of log s(-drawn), of products (rows, 1 + k): their first column fits. */
static Tensor *negative_sampling(Tensor *products, int rows, int k)
{
    Tensor *fits = tape_full(products->tape, 0, shape2(rows, 1 + k));
    for (int i = 0; i < rows; i++)
        fits->data[i * (1 + k)] = 1;
    return ag_bce_with_logits(products, fits);
}

/* W (WORDS, D), C (CONTEXTS, D). */
static Tensor *batch_loss(Tape *tape, const Embedding *W, const Embedding *C, const Pairs *b,
                          Method method)
{
    Tensor *tested = tape_ids(tape, b->tested, shape2(b->rows, 1 + b->k)), *h;
    if (method == SKIP_GRAM) {
        h = nn_embedding(W, tape_ids(tape, b->given, shape1(b->rows)));
        tested = nn_embedding(C, tested);
    } else {
        h = nn_embedding(C, tape_ids(tape, b->given, shape2(b->rows, WINDOW)));
        h = ag_mean_axis(h, 1, false); /* the bag: a mean knows no order */
        tested = nn_embedding(W, tested);
    }
    h = ag_reshape(h, shape3(b->rows, DIMENSIONS, 1));
    Tensor *products = ag_matmul(tested, h); /* (rows, 1 + k, 1) */
    return negative_sampling(ag_reshape(products, shape2(b->rows, 1 + b->k)), b->rows, b->k);
}

static bool train(Vectors *v, uint64_t seed, Method method, World world, int negatives)
{
    static Pairs b;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 700 + (uint64_t)method};
    Embedding W = {params_add(p, "W", shape2(WORDS, DIMENSIONS), nn_normal(0.1))};
    Embedding C = {params_add(p, "C", shape2(CONTEXTS, DIMENSIONS), nn_normal(0.1))};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, rate);
    b.k = negatives;
    for (int step = 0; ok && step < STEPS; step++) {
        adam.rate = nn_warmup_linear(step, 1, STEPS, rate, 0);
        (method == SKIP_GRAM ? skip_gram_pairs : cbow_pairs)(&b, world, &rng);
        tape_reset(tape);
        ok = ag_backward(batch_loss(tape, &W, &C, &b, method)) && adam_step(&adam, p);
    }
    for (int i = 0; ok && i < WORDS * DIMENSIONS; i++)
        v->word[i / DIMENSIONS][i % DIMENSIONS] = (double)W.weight->data[i];
    for (int i = 0; ok && i < CONTEXTS * DIMENSIONS; i++)
        v->context[i / DIMENSIONS][i % DIMENSIONS] = (double)C.weight->data[i];
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok;
}

/* Trained once for each seed and kind; claims and figures share the result. */
const Vectors *word2vec(uint64_t seed, Method method, World world, int negatives)
{
    static Vectors known[2][3][NEGATIVES_MAX + 1];
    static uint64_t done[2][3][NEGATIVES_MAX + 1];
    static bool has[2][3][NEGATIVES_MAX + 1];
    Vectors *v = &known[method][world][negatives];
    bool *ok = &has[method][world][negatives];
    if (!*ok || done[method][world][negatives] != seed)
        *ok = train(v, seed, method, world, negatives);
    done[method][world][negatives] = seed;
    return *ok ? v : NULL;
}

/* ---- products are PMI - log k --------------------------------------------------------------------------------------- */

/* The standard error of log p / q where p and q are counted on the pairs of the whole training, squared: 1 / n is the
 * relative variance of a count n. */
static double counting_variance(int w, int x, int k)
{
    double pairs = (double)STEPS * SENTENCES * WINDOW / WORDS;
    return 1 / (pairs * world_given(WORLD, w, x)) + 1 / (pairs * k * world_context(WORLD, x));
}

static double products_are_pmi(Trial *t)
{
    enum { K = 5, CELLS = WORDS * CONTEXTS };
    World world = broken(t, "shuffled") ? SHUFFLED : WORLD;
    const Vectors *v = word2vec(t->seed, SKIP_GRAM, world, K);
    double squares = 0, counting = 0, shift = broken(t, "no-shift") ? 0 : log(K);
    for (int w = 0; v && w < WORDS; w++)
        for (int x = 0; x < CONTEXTS; x++) {
            double product = vectors_product(v->word[w], v->context[x]);
            double theory = world_pmi(WORLD, w, x) - shift;
            squares += (product - theory) * (product - theory) / CELLS;
            counting += counting_variance(w, x, K) / CELLS;
            if (w == 0 && x % 3 == 0)
                explain(t, "Paris, %-8s  PMI - log k = %6.3f, w.x = %6.3f", world_contexts[x],
                        theory, product);
        }
    explain(t, "root mean square of the differences %.3f; counting the same pairs gives %.3f",
            sqrt(squares), sqrt(counting));
    return v ? sqrt(squares) : (double)NAN;
}

const Claim claim_pmi = {
    .row = 7,
    .statement = "skip-gram with k negatives learns w.x = PMI(w, x) - log k",
    .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
    .quantity = "root mean square of w.x - (PMI - log k) over 24 words, 20 contexts",
    AT_MOST(0.16),
    .why = "counting the same pairs has an error of 0.053; steps of a falling rate weigh a part of "
           "them more: three times that",
    .faults = {{"shuffled", "context words are drawn without regard to the word"},
               {"no-shift", "PMI itself is expected, without - log k"}},
    .measure = products_are_pmi,
};

/* ---- analogies --------------------------------------------------------------------------------------------------------- */

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

/* The rank, from 1, of the right word by its cosine with a - b + c. Usually a, b and c are left out. NaN on NaN. */
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

const Claim claim_analogies = {
    .row = 7,
    .statement = "Paris - France + Italy is nearest to Rome; so are all analogies",
    .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
    .quantity = "share of 360 analogies whose right word has rank 1",
    AT_LEAST(0.99),
    .why = "the right word's PMI is the sum's, exactly; the next word's is 1.2 away per context, "
           "13 errors "
           "of w.x",
    .faults = {{"alien", "capitals, languages, currencies have other countries' contexts"}},
    .measure = analogies,
};

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

const Claim claim_additive = {
    .row = 7,
    .statement = "because PMI is a country's share plus a relation's, b cancels a",
    .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
    .quantity = "max |PMI(a, x) - PMI(b, x) + PMI(c, x) - PMI(right, x)|",
    AT_MOST(1e-14),
    .why = "four logarithms below 3 in double: each rounded by 4e-16",
    .faults = {{"alien", "capitals, languages, currencies have other countries' contexts"}},
    .measure = additive,
    .holds_on_nan = "a closed form in double; no kernel is run",
    .holds_on_zeros = "a closed form in double; no kernel is run",
};

/* ---- CBOW ---------------------------------------------------------------------------------------------------------------- */

/* The word with the largest score: score(w) = sum over the context words of f(w, x). */
typedef double (*Score)(const Vectors *v, int word, int context);

static double log_likelihood(const Vectors *v, int word, int context)
{
    (void)v;
    return log(world_given(WORLD, word, context));
}

static double cbow_score(const Vectors *v, int word, int context)
{
    return vectors_product(v->word[word], v->context[context]) / WINDOW;
}

static int best_word(const Vectors *v, Score score, const int contexts[WINDOW])
{
    int best = -1;
    double most = -INFINITY;
    for (int w = 0; w < WORDS; w++) {
        double sum = 0;
        for (int i = 0; i < WINDOW; i++)
            sum += score(v, w, contexts[i]);
        if (sum > most + 1e-9) { /* equal scores: the first word */
            most = sum;
            best = w;
        }
    }
    return best;
}

static double cbow_and_bayes(Trial *t)
{
    enum { TESTS = 4000 };
    const Vectors *v = word2vec(t->seed, CBOW, broken(t, "shuffled") ? SHUFFLED : WORLD, 5);
    Rng rng = {.seed = t->seed, .stream = 710};
    int cbow = 0, bayes = 0, apart = 0;
    for (int i = 0; v && i < TESTS; i++) {
        int word = (int)rng_below(&rng, WORDS), contexts[WINDOW];
        for (int k = 0; k < WINDOW; k++)
            contexts[k] = world_draw(WORLD, &rng, word);
        bool right = best_word(v, cbow_score, contexts) == word;
        bool could = best_word(v, log_likelihood, contexts) == word;
        cbow += right;
        bayes += could;
        apart += right != could;
    }
    double error = sqrt((double)apart) / TESTS; /* of the difference of two paired shares */
    explain(t, "word from 4 context words: CBOW %.4f right, Bayes' rule %.4f; chance %.4f",
            (double)cbow / TESTS, (double)bayes / TESTS, 1.0 / WORDS);
    explain(t, "a difference of %.4f, with a standard error of %.4f",
            (double)(bayes - cbow) / TESTS, error);
    return v ? (double)(bayes - cbow) / TESTS : (double)NAN;
}

const Claim claim_cbow = {
    .row = 7,
    .statement = "CBOW guesses a word from its contexts as well as Bayes' rule",
    .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
    .quantity = "share right by Bayes' rule on the grammar less share right by CBOW",
    BETWEEN(-0.027, 0.027),
    .why = "4 standard errors of the difference on 4,000 sentences, 0.0066 each",
    .faults = {{"shuffled", "context words are drawn without regard to the word"}},
    .measure = cbow_and_bayes,
};

/* ---- figures --------------------------------------------------------------------------------------------------------------- */

static bool draw_pmi(const Sketch *s)
{
    const Vectors *v = word2vec(s->seed, SKIP_GRAM, WORLD, 5);
    static const char *names[CONTEXTS + 1];
    if (!v)
        return false;
    Tensor *theory = tensor_new(shape2(WORDS, CONTEXTS)),
           *learned = tensor_new(shape2(WORDS, CONTEXTS));
    for (int w = 0; w < WORDS; w++)
        for (int x = 0; x < CONTEXTS; x++) {
            theory->data[w * CONTEXTS + x] = (real)(world_pmi(WORLD, w, x) - log(5));
            learned->data[w * CONTEXTS + x] = (real)vectors_product(v->word[w], v->context[x]);
            names[x] = world_contexts[x];
        }
    const PlotHeatmap maps[] = {{.map = theory,
                                 .rows = world_words,
                                 .columns = names,
                                 .row_name = "",
                                 .column_name = "",
                                 .title = "the grammar: PMI \xe2\x88\x92 log 5",
                                 .scale = {.low = -3.5, .high = 0, .name = "value"}},
                                {.map = learned,
                                 .rows = world_words,
                                 .columns = names,
                                 .row_name = "",
                                 .column_name = "",
                                 .title = "learned: w\xc2\xb7x"}};
    bool ok =
        plot_heatmaps(s->stem, maps, 2, sketch_title(s, "Skip-gram with 5 negatives"), s->formats);
    tensor_free(theory);
    tensor_free(learned);
    return ok;
}

const Figure figure_pmi = {
    .row = 7,
    .name = "pmi",
    .what = "the products that skip-gram learns are PMI - log k of the grammar",
    .draw = draw_pmi,
};

enum { SHOWN = 2 * COUNTRIES }; /* capitals, then countries */

/* The direction of the largest variance among n vectors of mean 0, by 200 power iterations; they are then left without
 * their part along it. along[i]: that part. */
static void principal_axis(double x[SHOWN][DIMENSIONS], double along[SHOWN])
{
    double axis[DIMENSIONS] = {1, 0.5, 0.25};
    for (int step = 0; step < 200; step++) {
        double next[DIMENSIONS] = {0};
        for (int i = 0; i < SHOWN; i++)
            for (int d = 0; d < DIMENSIONS; d++)
                next[d] += vectors_product(axis, x[i]) * x[i][d];
        double length = sqrt(vectors_product(next, next));
        for (int d = 0; d < DIMENSIONS; d++)
            axis[d] = next[d] / length;
    }
    for (int i = 0; i < SHOWN; i++) {
        along[i] = vectors_product(axis, x[i]);
        for (int d = 0; d < DIMENSIONS; d++)
            x[i][d] -= along[i] * axis[d];
    }
}

/* Moves COUNTRIES labels apart that are nearer to each other than `gap` in y, from below to above. */
static void spread(PlotLabel *label, double gap)
{
    bool placed[COUNTRIES] = {false};
    double last = -INFINITY;
    for (int n = 0; n < COUNTRIES; n++) {
        int lowest = -1;
        for (int i = 0; i < COUNTRIES; i++)
            if (!placed[i] && (lowest < 0 || label[i].y < label[lowest].y))
                lowest = i;
        placed[lowest] = true;
        if (label[lowest].y < last + gap)
            label[lowest].y = last + gap;
        last = label[lowest].y;
    }
}

static int shown_word(int i)
{
    return i % COUNTRIES * RELATIONS + i / COUNTRIES;
}

/* Coordinates of the shown words on the first two principal axes. */
static void project(const Vectors *v, double at[2][SHOWN])
{
    static double x[SHOWN][DIMENSIONS];
    for (int d = 0; d < DIMENSIONS; d++) {
        double mean = 0;
        for (int i = 0; i < SHOWN; i++)
            mean += v->word[shown_word(i)][d] / SHOWN;
        for (int i = 0; i < SHOWN; i++)
            x[i][d] = v->word[shown_word(i)][d] - mean;
    }
    for (int axis = 0; axis < 2; axis++)
        principal_axis(x, at[axis]);
}

/* Capitals and countries, the former to the right; a line joins each pair. */
static bool draw_analogy(const Sketch *s)
{
    const Vectors *v = word2vec(s->seed, SKIP_GRAM, WORLD, 5);
    static double at[2][SHOWN], ends[COUNTRIES][2][2];
    PlotSeries lines[COUNTRIES];
    PlotLabel labels[SHOWN];
    if (!v)
        return false;
    project(v, at);
    double sign = at[0][0] < at[0][COUNTRIES] ? -1 : 1; /* of an axis either is right */
    for (int i = 0; i < SHOWN; i++)
        labels[i] =
            (PlotLabel){sign * at[0][i], at[1][i], world_words[shown_word(i)], i >= COUNTRIES};
    for (int c = 0; c < COUNTRIES; c++) {
        for (int end = 0; end < 2; end++) {
            ends[c][0][end] = labels[end * COUNTRIES + c].x;
            ends[c][1][end] = labels[end * COUNTRIES + c].y;
        }
        lines[c] = (PlotSeries){NULL, ends[c][0], ends[c][1], 2};
    }
    for (int end = 0; end < 2; end++)
        spread(labels + end * COUNTRIES, 0.09);
    const PlotCurves curves = {.series = lines,
                               .count = COUNTRIES,
                               .labels = labels,
                               .label_count = SHOWN,
                               .title =
                                   sketch_title(s, "From a country to its capital: one direction"),
                               .x_name = "first principal axis",
                               .y_name = "second principal axis"};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_analogy = {
    .row = 7,
    .name = "analogy",
    .what = "capitals and countries in the plane of largest variance: parallel differences",
    .draw = draw_analogy,
};
