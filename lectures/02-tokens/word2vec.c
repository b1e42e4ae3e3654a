/* word2vec.c: skip-gram and CBOW (row 7).
 * Mikolov et al. 2013a, b; Levy and Goldberg 2014; Z "Word2Vec: Continuous bag-of-words and
 * skip-grams"
 *
 *   skip-gram  predicts each context x from the word w:  p(x | w) = softmax over all contexts of w.x
 *   CBOW       predicts the word w from its contexts:    p(w | contexts) = softmax over all words of w.h, h = mean of x
 *
 * Negative sampling replaces the softmax over a whole vocabulary by 1 + k yes-or-no questions:
 *   skip-gram  L = -log s(w.x) - sum over k contexts x' ~ p(x) of log s(-w.x'),  s(z) = 1 / (1 + exp(-z))
 *   CBOW       the same with h in place of w, and words in place of x
 *
 * Where L of skip-gram is least, each product is known:
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

/* ---- training -------------------------------------------------------------------------------- */

/* One batch: rows of one token that fits and k that were drawn, and what they should fit to. */
typedef struct {
    int rows, k;
    int given[SENTENCES * WINDOW]; /* skip-gram (rows): w; CBOW (rows, WINDOW): contexts */
    int tested[SENTENCES * WINDOW * (NEGATIVES_MAX + 1)]; /* (rows, 1 + k) */
} Pairs;

/* Skip-gram: a row for each context word of each sentence. The negatives are context words of other
 * sentences: p(x). */
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
    if (method == SOFTMAX) { /* no negatives: all contexts compete */
        h = nn_embedding(W, tape_ids(tape, b->given, shape1(b->rows)));
        Tensor *logits = ag_linear(h, tape_param(tape, C->weight), NULL);
        return ag_cross_entropy(logits, tape_ids(tape, b->tested, shape1(b->rows)));
    }
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
    Embedding W = {.weight = params_add(p, "W", shape2(WORDS, DIMENSIONS), nn_normal(0.1))};
    Embedding C = {.weight = params_add(p, "C", shape2(CONTEXTS, DIMENSIONS), nn_normal(0.1))};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, rate);
    b.k = negatives;
    for (int step = 0; ok && step < STEPS; step++) {
        adam.rate = nn_warmup_linear(step, 1, STEPS, rate, 0);
        (method == CBOW ? cbow_pairs : skip_gram_pairs)(&b, world, &rng);
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
    static Vectors known[METHODS][3][NEGATIVES_MAX + 1];
    static Made done[METHODS][3][NEGATIVES_MAX + 1];
    Vectors *v = &known[method][world][negatives];
    Made *made = &done[method][world][negatives];
    if (!made_for(made, seed))
        made->is = train(v, seed, method, world, negatives);
    return made->is ? v : NULL;
}

/* ---- products are PMI - log k ---------------------------------------------------------------- */

/* The standard error of log p / q where p and q are counted on the pairs of the whole training,
 * squared: 1 / n is the relative variance of a count n. */
static double counting_variance(int w, int x, double k)
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

/* The mean of w.x - PMI over all words and contexts. */
double skip_gram_shift(Trial *t)
{
    const Vectors *v = word2vec(t->seed, SKIP_GRAM, WORLD, 5);
    double mean = 0;
    for (int w = 0; v && w < WORDS; w++)
        for (int x = 0; x < CONTEXTS; x++)
            mean += (vectors_product(v->word[w], v->context[x]) - world_pmi(WORLD, w, x)) /
                    (WORDS * CONTEXTS);
    return v ? mean : (double)NAN;
}

/* ---- skip-gram's own softmax ----------------------------------------------------------------- */

static double softmax_learns(Trial *t)
{
    enum { CELLS = WORDS * CONTEXTS };
    bool sampled = broken(t, "negatives"), shuffled = broken(t, "shuffled");
    const Vectors *v = word2vec(t->seed, sampled ? SKIP_GRAM : SOFTMAX, shuffled ? SHUFFLED : WORLD,
                                sampled ? 5 : 0);
    double squares = 0, counting = 0;
    for (int w = 0; v && w < WORDS; w++) {
        double sum = 0;
        for (int x = 0; x < CONTEXTS; x++)
            sum += exp(vectors_product(v->word[w], v->context[x]));
        for (int x = 0; x < CONTEXTS; x++) {
            double log_p = vectors_product(v->word[w], v->context[x]) - log(sum);
            double theory = log(world_given(WORLD, w, x));
            squares += (log_p - theory) * (log_p - theory) / CELLS;
            counting += counting_variance(w, x, INFINITY) / CELLS;
            if (w == 0 && x % 3 == 0)
                explain(t, "Paris, %-8s  log p(x | w) = %6.3f, log softmax %6.3f",
                        world_contexts[x], theory, log_p);
        }
    }
    explain(t, "root mean square of the differences %.3f; counting the same pairs gives %.3f",
            sqrt(squares), sqrt(counting));
    return v ? sqrt(squares) : (double)NAN;
}

/* ---- CBOW ------------------------------------------------------------------------------------ */

/* The word with the largest score: score(w) = sum over the context words of f(w, x). */
typedef double (*Score)(const Vectors *v, int word, int context);

static double log_likelihood(const Vectors *v, int word, int context)
{
    (void)v;
    return log(world_given(WORLD, word, context));
}

/* Of CBOW w.h; of skip-gram, PMI summed over the contexts: Bayes' rule for equally likely words. */
static double mean_score(const Vectors *v, int word, int context)
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
    const Vectors *other = word2vec(t->seed, SKIP_GRAM, WORLD, 5);
    Rng *rng = trial_rng(t, 710);
    int cbow = 0, bayes = 0, apart = 0, skip_gram = 0;
    for (int i = 0; v && other && i < TESTS; i++) {
        int word = (int)rng_below(rng, WORDS), contexts[WINDOW];
        for (int k = 0; k < WINDOW; k++)
            contexts[k] = world_draw(WORLD, rng, word);
        bool right = best_word(v, mean_score, contexts) == word;
        skip_gram += best_word(other, mean_score, contexts) == word;
        bool could = best_word(v, log_likelihood, contexts) == word;
        cbow += right;
        bayes += could;
        apart += right != could;
    }
    double error = sqrt((double)apart) / TESTS; /* of the difference of two paired shares */
    explain(t, "word from 4 context words: CBOW %.4f right, Bayes' rule %.4f; chance %.4f",
            (double)cbow / TESTS, (double)bayes / TESTS, 1.0 / WORDS);
    explain(t, "with the vectors of skip-gram, the largest sum of w.x: %.4f",
            (double)skip_gram / TESTS);
    explain(t, "a difference of %.4f, with a standard error of %.4f",
            (double)(bayes - cbow) / TESTS, error);
    return v && other ? (double)(bayes - cbow) / TESTS : (double)NAN;
}

const Claim word2vec_claims[] = {
    {7, products_are_pmi, "skip-gram with k negatives learns w.x = PMI(w, x) - log k",
     .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
     .quantity = "root mean square of w.x - (PMI - log k) over 24 words, 20 contexts",
     AT_MOST(0.16, "counting the same pairs has an error of 0.053; steps of a falling rate weigh "
                   "a part of them more: three times that"),
     .faults = {{"shuffled", "context words are drawn without regard to the word"},
                {"no-shift", "PMI itself is expected, without - log k"}}},
    {7, softmax_learns, "skip-gram with its softmax over all contexts learns log p(x | w)",
     .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
     .quantity = "root mean square of log softmax(w.x) - log p(x | w) over 24 words, 20 contexts",
     AT_MOST(0.13, "counting the same pairs has an error of 0.050; steps of a falling rate weigh "
                   "a part of them more: 2.6 times that"),
     .faults = {{"shuffled", "context words are drawn without regard to the word"},
                {"negatives", "the vectors of negative sampling: its products are PMI - log k"}}},
    {7, cbow_and_bayes, "CBOW guesses a word from its contexts as well as Bayes' rule",
     .slides = {"Z: Word2Vec: Continuous bag-of-words and skip-grams"},
     .quantity = "share right by Bayes' rule on the grammar less share right by CBOW",
     BETWEEN(-0.027, 0.027, "4 standard errors of the difference on 4,000 sentences, 0.0066 each"),
     .faults = {{"shuffled", "context words are drawn without regard to the word"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

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

const Figure word2vec_figures[] = {
    {7, "pmi", draw_pmi,
     .what = "the products that skip-gram learns are PMI - log k of the grammar"},
    {0},
};
