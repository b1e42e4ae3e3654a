/* align.c: align and translate (row 4).            V "Recall the Translate and Align Model in RNNs"
 *
 *   e_ti = v . tanh(W s_(t-1) + U z_i),  gamma_t = softmax over i of e_t,  c_t = sum_i gamma_ti z_i
 *
 * z_i (hidden) are the states of the encoder, s_(t-1) (hidden) the decoder's before word t. gamma_t
 * is a distribution over the source words and c_t the expectation of z under it. The models:
 * translating.h. */
#include "lectures/01-recurrence/translating.h"

enum { PAIRS = 64 };

/* ---- gamma is a distribution ----------------------------------------------------------------- */

/* The largest |sum over the real words of gamma - 1| of a padded batch, over all steps. */
static double off_one(Tape *tape, const PairBatch *b)
{
    double worst = 0;
    for (int t = 0; t < b->T; t++) {
        char name[TENSOR_NAME_MAX];
        snprintf(name, sizeof name, t ? "align.A#%d" : "align.A", t + 1);
        Tensor *A = tape_find(tape, name); /* (B, 1, S) */
        for (int k = 0; k < b->B; k++) {
            double sum = 0;
            for (int i = 0; i < b->from_length[k]; i++) {
                double weight = (double)A->data[k * b->S + i];
                sum += weight >= 0 ? weight : (double)NAN;
            }
            worst = values_worst(worst, fabs(sum - 1));
        }
    }
    return worst;
}

static double gamma_sums(Trial *t)
{
    static Translating m;
    SentencePair pairs[PAIRS];
    SentenceAlignment gold;
    PairBatch batch;
    Tape *tape = trial_tape(t);
    translating_begin(&m, WITH_ATTENTION, t->seed);
    for (int i = 0; i < PAIRS; i++)
        translating_draw(&m, trial_rng(t, 140), &pairs[i], &gold);
    pairs_init(&batch, PAIRS);
    pairs_fill(&batch, pairs, PAIRS);
    tape->keep_maps = true;
    int full[PAIRS];
    for (int i = 0; i < PAIRS; i++)
        full[i] = broken(t, "padding-seen") ? batch.S : batch.from_length[i];
    Tensor *lengths = tape_ids(tape, full, shape1(PAIRS));
    Tensor *z = translator_encode(&m.model, tape, &batch);
    aligner_decode(&m.model.aligner, z, lengths, tape_ids(tape, batch.in, shape2(PAIRS, batch.T)));
    double worst = off_one(tape, &batch);
    explain(t, "%d sentences, padded to %d Spanish words, %d steps: max |sum gamma - 1| = %.2g",
            PAIRS, batch.S, batch.T, worst);
    pairs_free(&batch);
    translating_end(&m);
    return worst;
}

/* ---- scores by the formula, and the context -------------------------------------------------- */

/* Row r of a weight (n, C) times x (C). */
static double row_times(const Tensor *w, int r, const real *x)
{
    double sum = 0;
    int64_t C = w->shape.dim[1];
    for (int64_t c = 0; c < C; c++)
        sum += (double)w->data[r * C + c] * (double)x[c];
    return sum;
}

/* v . tanh(W s + U z) in double. */
static double score_of(const AdditiveAttention *a, const real *s, const real *z)
{
    double sum = 0;
    for (int k = 0; k < a->query.weight->shape.dim[0]; k++)
        sum += (double)a->score.weight->data[k] *
               tanh(row_times(a->query.weight, k, s) + row_times(a->key.weight, k, z));
    return sum;
}

/* The largest difference of c_t from the lines of the formula, for one query s and S states z. */
static double context_error(const AdditiveAttention *a, const Tensor *s, const Tensor *z,
                            const Tensor *c, bool dot)
{
    int64_t S = z->shape.dim[1], n = z->shape.dim[2];
    double e[DATA_WORDS_MAX], total = 0, worst = 0;
    for (int64_t i = 0; i < S; i++) {
        e[i] = 0;
        for (int64_t k = 0; dot && k < n; k++)
            e[i] += (double)s->data[k] * (double)z->data[i * n + k];
        e[i] = exp(dot ? e[i] : score_of(a, s->data, z->data + i * n));
        total += e[i];
    }
    for (int64_t k = 0; k < n; k++) {
        double sum = 0;
        for (int64_t i = 0; i < S; i++)
            sum += e[i] / total * (double)z->data[i * n + k];
        worst = values_worst(worst, fabs(sum - (double)c->data[k]));
    }
    return values_largest(c) > 0 ? worst : (double)NAN;
}

static double context_by_formula(Trial *t)
{
    static Translating m;
    Rng *rng = trial_rng(t, 141);
    Tape *tape = trial_tape(t);
    double worst = 0;
    translating_begin(&m, WITH_ATTENTION, t->seed);
    const Aligner *a = &m.model.aligner;
    for (int k = 0; k < 20; k++) {
        SentencePair pair;
        SentenceAlignment gold;
        PairBatch batch;
        translating_draw(&m, rng, &pair, &gold);
        pairs_init(&batch, 1);
        pairs_fill(&batch, &pair, 1);
        tape_reset(tape);
        Tensor *z = translator_encode(&m.model, tape, &batch);
        Tensor *s = values_normal(tape, rng, shape3(1, 1, a->config.hidden), 0.5);
        Tensor *c = nn_additive_attention(&a->align, s, z, NULL, (Mask){0}, NULL);
        worst = values_worst(worst, context_error(&a->align, s, z, c, broken(t, "dot-product")));
        pairs_free(&batch);
    }
    explain(t, "20 sentences: max |c_t - sum_i softmax(v . tanh(W s + U z_i)) z_i| = %.2g", worst);
    translating_end(&m);
    return worst;
}

const Claim align_claims[] = {
    {4, gamma_sums, "gamma_t is a distribution over the words of the source, none of it on padding",
     .slides = {"V: Recall the Translate and Align Model in RNNs"},
     .quantity = "largest |sum of gamma_ti over the real words - 1|, 64 sentences in one batch",
     AT_MOST(2e-6, "a softmax of at most 32 floats: 32 roundings of 6e-8"),
     .faults = {{"padding-seen", "padding counts as words"}}},
    {4, context_by_formula, "c_t = sum_i gamma_ti z_i, and e_ti = v . tanh(W s_(t-1) + U z_i)",
     .slides = {"V: Recall the Translate and Align Model in RNNs"},
     .quantity = "largest |c_t - the formula in double|, 20 sentences",
     AT_MOST(2e-5, "scores up to 10, sums of 48 floats: 1e-5 relative in a weight, states below 1"),
     .faults = {{"dot-product", "the score is s . z_i, without a network"}}},
    {0},
};
