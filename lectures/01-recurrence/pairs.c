/* pairs.c: how many sentences a GRU and a Transformer need (row 5).       V "RNNs vs. Transformers"
 *
 * Both read a sentence and answer at its last word: is a review praise or blame, although it
 * negates ("not dull") and contrasts? They are trained on N sentences, in steps of 16, 300 or 1,200
 * of them, and are asked about sentences with other combinations of words. Four times the steps
 * change none of the results by more than 0.02. */
#include "lectures/01-recurrence/recurrence.h"

#include "data/corpora/corpora.h"

enum { WIDTH = 16, BATCH = 16, TESTS = 400, ENOUGH = 300, MOST_SENTENCES = 3000, RUNS = 4 };

typedef enum { GRU, TRANSFORMER } Kind;
static const char *const kind_names[] = {"GRU", "Transformer"};

/* ---- the two readers ------------------------------------------------------------------------- */

typedef struct {
    Kind kind;
    Embedding embedding;
    RNN rnn;
    PositionalEncoding position;
    TransformerBlock block;
    Norm norm;
    Linear head;
} Reader;

static bool reader_init(Reader *r, Params *p, Kind kind, const Grammar *g)
{
    *r = (Reader){.kind = kind};
    bool ok =
        nn_embedding_init(&r->embedding, p, "embedding", data_grammar_words(g)->count, WIDTH) &&
        nn_linear_init(&r->head, p, "head", WIDTH, data_grammar_labels(g)->count, true);
    if (kind == GRU)
        return ok && nn_rnn_init(&r->rnn, p, "gru", RNN_GRU, WIDTH, WIDTH, 1);
    return ok &&
           nn_position_init(&r->position, p, "position", POSITION_SINUSOIDAL, DATA_WORDS_MAX,
                            WIDTH) &&
           nn_transformer_block_init(&r->block, p, "block",
                                     (BlockConfig){.channels = WIDTH, .heads = 4}) &&
           nn_layernorm_init(&r->norm, p, "norm", WIDTH);
}

/* Logits (B, answers) from the last word of each sentence. */
static Tensor *reader_answer(const Reader *r, Tape *tape, const SentenceBatch *b)
{
    int last[TESTS];
    Tensor *x = nn_embedding(&r->embedding, tape_ids(tape, b->ids, shape2(b->B, b->T)));
    if (r->kind == GRU) {
        x = nn_rnn(&r->rnn, x, NULL);
    } else {
        Mask mask = {.lengths = tape_ids(tape, b->lengths, shape1(b->B))};
        x = nn_norm(&r->norm, nn_transformer_block(&r->block, nn_position(&r->position, x), mask));
    }
    for (int i = 0; i < b->B; i++)
        last[i] = i * b->T + b->lengths[i] - 1;
    x = ag_embedding(ag_reshape(x, shape2(-1, WIDTH)), tape_ids(tape, last, shape1(b->B)));
    return nn_linear(&r->head, x);
}

/* ---- training on N sentences ----------------------------------------------------------------- */

static bool train(const Reader *r, Params *p, Tape *tape, const Sentence *known, int N, int steps,
                  Rng *rng)
{
    SentenceBatch batch;
    Sentence drawn[BATCH];
    Adam adam = {0};
    bool ok = data_batch_init(&batch, BATCH) && adam_init(&adam, p, 0.01);
    for (int step = 0; ok && step < steps; step++) {
        for (int b = 0; b < BATCH; b++)
            drawn[b] = known[rng_below(rng, N)];
        data_batch_fill(&batch, drawn, BATCH);
        tape_reset(tape);
        Tensor *loss = ag_cross_entropy(reader_answer(r, tape, &batch),
                                        tape_ids(tape, batch.labels, shape1(BATCH)));
        ok = ag_backward(loss);
        params_clip_grad(p, 1);
        ok = ok && adam_step(&adam, p);
    }
    adam_free(&adam);
    data_batch_free(&batch);
    return ok;
}

/* The share of TESTS held-out sentences that are answered rightly; NaN where no logit was
 * computed. */
static double test(const Reader *r, Tape *tape, const Grammar *g, Rng *rng)
{
    static Sentence asked[TESTS];
    SentenceBatch batch;
    int right = 0, answers = data_grammar_labels(g)->count;
    for (int i = 0; i < TESTS; i++)
        data_grammar_draw(g, rng, DATA_HELD_OUT, &asked[i]);
    if (!data_batch_init(&batch, TESTS))
        return (double)NAN;
    data_batch_fill(&batch, asked, TESTS);
    tape_reset(tape);
    tape->no_grad = true;
    Tensor *logits = reader_answer(r, tape, &batch);
    double largest = values_largest(logits);
    for (int i = 0; i < TESTS; i++) {
        const real *row = logits->data + i * answers;
        int best = 0;
        for (int k = 1; k < answers; k++)
            best = row[k] > row[best] ? k : best;
        right += best == batch.labels[i];
    }
    data_batch_free(&batch);
    return largest > 0 ? (double)right / TESTS : (double)NAN;
}

/* More sentences get more steps. shuffled: each sentence has the answer of another one. */
static double accuracy_after(uint64_t seed, Kind kind, int N, bool shuffled)
{
    static Sentence known[MOST_SENTENCES];
    Grammar *g = data_reviews_new();
    Rng rng = {.seed = seed, .stream = 150};
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    static Reader r;
    double accuracy = (double)NAN;
    for (int i = 0; i < N; i++)
        data_grammar_draw(g, &rng, DATA_TRAIN, &known[i]);
    for (int i = 0, first = known[0].label; shuffled && i < N; i++)
        known[i].label = i < N - 1 ? known[i + 1].label : first;
    if (reader_init(&r, p, kind, g) && train(&r, p, tape, known, N, N > ENOUGH ? 1200 : 300, &rng))
        accuracy = test(&r, tape, g, &rng);
    tape_free(tape);
    params_free(p);
    data_grammar_free(g);
    return accuracy;
}

/* ---- the difference -------------------------------------------------------------------------- */

/* The accuracy of the GRU less that of the Transformer. */
static double gru_needs_less(Trial *t)
{
    double x[2][RUNS], difference[RUNS];
    for (int run = 0; run < RUNS; run++) {
        for (Kind kind = GRU; kind <= TRANSFORMER; kind++)
            x[kind][run] =
                accuracy_after(t->seed * 100 + (uint64_t)run, kind, ENOUGH, broken(t, "shuffled"));
        difference[run] = x[GRU][run] - x[TRANSFORMER][run];
    }
    for (Kind kind = GRU; kind <= TRANSFORMER; kind++)
        explain(t, "%-11s %d sentences: %.3f +- %.3f of %d held-out ones right", kind_names[kind],
                ENOUGH, values_mean(x[kind], RUNS).mean, values_mean(x[kind], RUNS).error, TESTS);
    Mean e = values_mean(difference, RUNS);
    explain(t, "difference %+.3f +- %.3f", e.mean, e.error);
    return e.mean;
}

const Claim pairs_claims[] = {
    {5, gru_needs_less,
     "from 300 reviews with labels a GRU learns more than a Transformer, one layer of 16 channels "
     "each",
     .slides = {"V: RNNs vs. Transformers"},
     .quantity = "accuracy of the GRU less that of the Transformer, held-out reviews, mean of 4",
     AT_LEAST(0.05, "0.18 was found, runs scatter by 0.04: an error of 0.02, and 6 of them are "
                    "left"),
     .faults = {{"shuffled", "each review has another one's answer"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_sentences(const Sketch *s)
{
    enum { POINTS = 5 };
    static const int numbers[POINTS] = {30, 100, 300, 1000, 3000};
    double x[POINTS], y[2][POINTS], error[2][POINTS], runs[RUNS];
    const double *errors[2] = {error[GRU], error[TRANSFORMER]};
    PlotSeries series[2];
    for (Kind kind = GRU; kind <= TRANSFORMER; kind++) {
        for (int i = 0; i < POINTS; i++) {
            for (int run = 0; run < RUNS; run++)
                runs[run] = accuracy_after(s->seed * 100 + (uint64_t)run, kind, numbers[i], false);
            x[i] = numbers[i];
            y[kind][i] = values_mean(runs, RUNS).mean;
            error[kind][i] = values_mean(runs, RUNS).error;
        }
        series[kind] = (PlotSeries){kind_names[kind], x, y[kind], POINTS};
    }
    const PlotCurves curves = {.series = series,
                               .errors = errors,
                               .count = 2,
                               .title = sketch_title(s, "What is learned from N reviews"),
                               .x_name = "sentences N",
                               .log_x = true,
                               .y_name = "held-out sentences right",
                               .y_low = 0,
                               .y_high = 1.05};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure pairs_figures[] = {
    {5, "sentences", draw_sentences,
     .what = "held-out accuracy by the number of reviews: a GRU needs fewer of them"},
    {0},
};
