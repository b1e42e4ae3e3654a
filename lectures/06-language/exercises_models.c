/* exercises_models.c: the exercises of rows 43 to 47 (exercises.c). */
#include "lectures/06-language/exercises.h"

/* ---- row 43: pooling -------------------------------------------------------------------------------------------------- */

/* Now: the mean over all T tokens of each text, padding included. Change it: over its first lengths[b]. x (B, T, C),
 * pooled (B, C). */
static void pool(const real *x, const int *lengths, int B, int T, int C, double *pooled)
{
    (void)lengths;
    for (int i = 0; i < B * C; i++) {
        pooled[i] = 0;
        for (int t = 0; t < T; t++)
            pooled[i] += (double)x[(i / C * T + t) * C + i % C] / T;
    }
}

static void pool_solved(const real *x, const int *lengths, int B, int T, int C, double *pooled)
{
    for (int i = 0; i < B * C; i++) {
        pooled[i] = 0;
        for (int t = 0; t < lengths[i / C]; t++)
            pooled[i] += (double)x[(i / C * T + t) * C + i % C] / lengths[i / C];
    }
}

static void pool_wrong_over_T(const real *x, const int *lengths, int B, int T, int C,
                              double *pooled)
{
    for (int i = 0; i < B * C; i++) {
        pooled[i] = 0;
        for (int t = 0; t < lengths[i / C]; t++)
            pooled[i] += (double)x[(i / C * T + t) * C + i % C] / T;
    }
}

/* Against the library's mean over each text by itself. */
static double pool_right(Trial *t)
{
    enum { B = 3, T = 7, C = 4 };
    static const int lengths[B] = {7, 4, 1};
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 697};
    Tensor *x = values_normal(tape, &rng, shape3(B, T, C), 1);
    double pooled[B * C], worst = 0;
    TRIED(t, pool, pool_solved, pool_wrong_over_T)(x->data, lengths, B, T, C, pooled);
    for (int b = 0; b < B; b++) {
        Tensor *text = ag_copy(ag_slice(ag_slice(x, 0, b, b + 1), 1, 0, lengths[b]));
        const Tensor *mean = ag_mean_axis(text, 1, false);
        for (int c = 0; c < C; c++)
            worst = values_worst(worst, fabs(pooled[b * C + c] - (double)mean->data[c]));
        explain(t, "text of %d of %d tokens: apart by %.2g so far", lengths[b], T, worst);
    }
    tape_free(tape);
    return worst;
}

const Claim exercise_text_mean =
    EXERCISE(43, "pool: the mean over a text's own tokens",
             "J: Transformer Encoder for Text Classification",
             "max |pool - mean of the text alone|", 1e-5, "rounding of numbers near 1", pool_right,
             {"over_T", "the sum of the text divided by T"});

/* ---- row 44: how much more data ------------------------------------------------------------------------------------------ */

/* excess = c n^exponent, for n words to train on. Now: n times `less`. Change it: the words that are needed where the
 * excess is to be `less` times smaller (2: half of it); exponent < 0. */
static double words_needed(double n, double less, double exponent)
{
    (void)exponent;
    return n * less;
}

static double words_needed_solved(double n, double less, double exponent)
{
    return n * pow(less, -1 / exponent);
}

static double words_needed_wrong_exponent(double n, double less, double exponent)
{
    return n * pow(less, -exponent);
}

static double words_right(Trial *t)
{
    double worst = 0;
    for (double exponent = -1; exponent <= -0.25; exponent += 0.25)
        for (double less = 2; less <= 8; less *= 2) {
            double n = TRIED(t, words_needed, words_needed_solved,
                             words_needed_wrong_exponent)(1000, less, exponent);
            double factor = pow(1000, exponent) / pow(n, exponent);
            explain(t, "exponent %.2f: %.0f words for %.0f times less; by the law %.3f times less",
                    exponent, n, less, factor);
            worst = values_worst(worst, fabs(factor / less - 1));
        }
    return worst;
}

const Claim exercise_words_needed =
    EXERCISE(44, "words_needed: from a power law", "B: Ready for LLMs!",
             "max |excess / excess as asked - 1|", 1e-9, "a closed form in double", words_right,
             {"exponent", "less to the exponent, not to its inverse"});

/* ---- row 45: whole words ------------------------------------------------------------------------------------------ */

/* Pieces of words: word[i] is the number of the word that piece i belongs to, chosen[i] whether it was chosen. Now: the
 * chosen pieces are masked. Change it: all pieces of a word are masked if one of them was chosen (whole word masking),
 * so that no word can be read off its other pieces. */
static void whole_words(const int *word, const bool *chosen, int n, bool *masked)
{
    (void)word;
    for (int i = 0; i < n; i++)
        masked[i] = chosen[i];
}

static void whole_words_solved(const int *word, const bool *chosen, int n, bool *masked)
{
    for (int i = 0; i < n; i++) {
        masked[i] = false;
        for (int k = 0; k < n; k++)
            masked[i] |= chosen[k] && word[k] == word[i];
    }
}

static void whole_words_wrong_later(const int *word, const bool *chosen, int n, bool *masked)
{
    for (int i = 0; i < n; i++)
        masked[i] = chosen[i] || (i > 0 && word[i] == word[i - 1] && masked[i - 1]);
}

/* Words of 1 to 3 pieces, of which 15 % are chosen. */
static double whole_right(Trial *t)
{
    enum { N = 300 };
    int word[N], wrong = 0, of_word[N] = {0};
    bool chosen[N], masked[N];
    Rng rng = {.seed = t->seed, .stream = 696};
    for (int i = 0, k = 0; i < N; k++)
        for (int pieces = 1 + (int)rng_below(&rng, 3); pieces > 0 && i < N; pieces--)
            word[i++] = k;
    for (int i = 0; i < N; i++) {
        chosen[i] = rng_uniform(&rng) < 0.15;
        of_word[word[i]] += chosen[i];
    }
    TRIED(t, whole_words, whole_words_solved, whole_words_wrong_later)(word, chosen, N, masked);
    for (int i = 0; i < N; i++)
        wrong += masked[i] != (of_word[word[i]] > 0);
    explain(t, "%d pieces: %d are masked wrongly", N, wrong);
    return wrong;
}

const Claim exercise_whole_words =
    EXERCISE(45, "whole_words: a word is masked as a whole", "Z: Encoder transformers",
             "pieces of 300 that are masked wrongly", 0,
             "a piece is masked where a piece of its word is chosen, and nowhere else", whole_right,
             {"later", "only the pieces after the chosen one"});

/* ---- row 46: merging by hand ---------------------------------------------------------------------------------------- */

/* Now: W + B A, written into w (out, in). Change it: what LoRA computes, W + (alpha / r) B A; scale is alpha / r. */
static void merged(const Lora *l, double scale, real *w)
{
    int64_t out = l->base.weight->shape.dim[0], in = l->base.weight->shape.dim[1];
    int64_t r = l->lora_A->shape.dim[0];
    (void)scale;
    for (int64_t i = 0; i < out * in; i++) {
        double sum = 0;
        for (int64_t k = 0; k < r; k++)
            sum +=
                (double)l->lora_B->data[i / in * r + k] * (double)l->lora_A->data[k * in + i % in];
        w[i] = (real)((double)l->base.weight->data[i] + sum);
    }
}

static void merged_solved(const Lora *l, double scale, real *w)
{
    int64_t out = l->base.weight->shape.dim[0], in = l->base.weight->shape.dim[1];
    int64_t r = l->lora_A->shape.dim[0];
    for (int64_t i = 0; i < out * in; i++) {
        double sum = 0;
        for (int64_t k = 0; k < r; k++)
            sum +=
                (double)l->lora_B->data[i / in * r + k] * (double)l->lora_A->data[k * in + i % in];
        w[i] = (real)((double)l->base.weight->data[i] + scale * sum);
    }
}

static void merged_wrong_base(const Lora *l, double scale, real *w)
{
    merged_solved(l, 1, w);
    for (int64_t i = 0; i < tensor_size(l->base.weight); i++)
        w[i] *= (real)scale;
}

static void merged_wrong_alpha(const Lora *l, double scale, real *w)
{
    merged_solved(l, scale * (double)l->lora_A->shape.dim[0], w);
}

static double merged_right(Trial *t)
{
    enum { IN = 6, OUT = 4, RANK = 2 };
    Params *p = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 695};
    Linear base;
    Lora lora;
    real w[OUT * IN];
    nn_linear_init(&base, p, "base", IN, OUT, false);
    nn_lora_init(&lora, p, "lora", base, RANK, 8);
    for (int i = 0; i < OUT * RANK; i++)
        lora.lora_B->data[i] = (real)rng_normal(&rng);
    TRIED(t, merged, merged_solved, merged_wrong_base, merged_wrong_alpha)(&lora, 8.0 / RANK, w);
    Tensor *x = values_normal(tape, &rng, shape2(3, IN), 1);
    double off = values_difference(nn_lora(&lora, x),
                                   ag_linear(x, tape_input(tape, w, shape2(OUT, IN)), NULL));
    explain(t, "alpha = 8, r = 2: max |adapted - merged| = %.2g", off);
    tape_free(tape);
    params_free(p);
    return off;
}

const Claim exercise_lora_merged =
    EXERCISE(46, "merged: W + (alpha / r) B A", "Z: Large language models (LLMs)",
             "max |nn_lora - the merged matrix|", 1e-5, "rounding of numbers of size 10",
             merged_right, {"base", "W is scaled, too"}, {"alpha", "alpha B A, not divided by r"});

/* ---- row 47: a task as text -------------------------------------------------------------------------------------------- */

/* Two tasks as one: ids of a source for "which letter is larger, a or b?" and for "is a equal to b?". Now: only the two
 * letters. Change it: a prefix first, that tells the tasks apart: the id `letters` for the first task and letters + 1 for
 * the second. Returns the length. */
static int as_text(int task, int a, int b, int letters, int ids[3])
{
    (void)task, (void)letters;
    ids[0] = a;
    ids[1] = b;
    return 2;
}

static int as_text_solved(int task, int a, int b, int letters, int ids[3])
{
    ids[0] = letters + task;
    ids[1] = a;
    ids[2] = b;
    return 3;
}

static int as_text_wrong_alone(int task, int a, int b, int letters, int ids[3])
{
    (void)a, (void)b;
    ids[0] = letters + task;
    return 1;
}

static int as_text_wrong_same(int task, int a, int b, int letters, int ids[3])
{
    (void)task;
    return as_text_solved(0, a, b, letters, ids);
}

static int as_text_wrong_last(int task, int a, int b, int letters, int ids[3])
{
    ids[0] = a;
    ids[1] = b;
    ids[2] = letters + task;
    return 3;
}

/* Each question about each pair of letters: the prefix of its task, then both letters. */
static double text_right(Trial *t)
{
    enum { LETTERS_8 = 8, QUESTIONS = 2 * LETTERS_8 * LETTERS_8 };
    int wrong = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        int task = i % 2, a = i / 2 % LETTERS_8, b = i / 2 / LETTERS_8, x[3] = {-1, -1, -1};
        int n = TRIED(t, as_text, as_text_solved, as_text_wrong_alone, as_text_wrong_same,
                      as_text_wrong_last)(task, a, b, LETTERS_8, x);
        wrong += n != 3 || x[0] != LETTERS_8 + task || x[1] != a || x[2] != b;
    }
    explain(t, "two tasks, 64 pairs of letters: %d of %d texts are wrong", wrong, QUESTIONS);
    return wrong;
}

const Claim exercise_prefix =
    EXERCISE(47, "as_text: a prefix tells the task",
             "V: Next Two Lectures: Iterations of Transformers",
             "texts of 128 that are not a prefix and the two letters", 0,
             "each task has its own first id, which is no letter; the letters follow", text_right,
             {"alone", "the prefix alone"}, {"same", "one prefix for both tasks"},
             {"last", "the prefix after the letters"});
