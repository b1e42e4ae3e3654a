/* compare.c: RNNs against a Transformer, measured (V "RNNs vs. Transformers", J).
 *
 * The longest chain of dependent ops bounds the time with any number of processors. It is counted
 * on the tape of a forward pass: the depth of an op is one more than the largest depth of its
 * operands. */
#include "examples/common/progress.h"
#include "examples/translate/settings.h"

#include <stdlib.h>

enum { SIZES = 3, PAIRS = 64, TRIES = 5, KINDS = 2 };
static const int sizes[SIZES] = {4, 8, 16}; /* words of both sentences */

typedef struct {
    int64_t weights;
    int chain[SIZES];
    double training[SIZES], writing; /* seconds for a step of PAIRS pairs, and for a word */
    Score score;
} Measured;

/* ---- the longest chain ----------------------------------------------------------------------- */

/* The largest depth of a node. A view has the depth of its base. */
static int longest_chain(const Tape *tape)
{
    int *chain = example_alloc(((size_t)tape->nodes + 1) * sizeof *chain), longest = 0;
    for (int i = 0; chain && i < tape->nodes; i++) {
        const Node *n = tape->node[i];
        for (int k = 0; k < n->inputs; k++) {
            const Tensor *x = n->in[k];
            const Node *from = !x ? NULL : x->base ? x->base->node : x->node;
            int at = i - 1;
            while (from && at >= 0 && tape->node[at] != from)
                at--;
            if (from && at >= 0 && chain[at] > chain[i])
                chain[i] = chain[at];
        }
        chain[i]++;
        longest = chain[i] > longest ? chain[i] : longest;
    }
    free(chain);
    return longest;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Arbitrary pairs of `words` words each. */
static void fill_pairs(SentencePair *pairs, int count, int words)
{
    for (int i = 0; i < count; i++) {
        pairs[i] = (SentencePair){.spanish_length = words, .english_length = words};
        for (int k = 0; k < words; k++) {
            pairs[i].spanish[k] = DATA_PAIR_SPECIALS + (7 * i + 3 * k) % 100;
            pairs[i].english[k] = DATA_PAIR_SPECIALS + (5 * i + 11 * k) % 100;
        }
    }
}

/* The least time of TRIES steps, after one to warm up. */
static bool time_training(const Settings *s, const Translator *t, Params *p, Tape *tape, int size,
                          Measured *m)
{
    SentencePair pairs[PAIRS];
    PairBatch batch;
    if (!pairs_init(&batch, PAIRS))
        return false;
    fill_pairs(pairs, PAIRS, sizes[size]);
    pairs_fill(&batch, pairs, PAIRS);
    tape->no_grad = false;
    bool ok = true;
    m->training[size] = 1e9;
    for (int i = 0; ok && i <= TRIES; i++) {
        double began = seconds();
        tape_reset(tape);
        Tensor *loss = training_loss(s, t, tape, &batch);
        m->chain[size] = i == 0 ? longest_chain(tape) : m->chain[size];
        ok = ag_backward(loss);
        params_zero_grad(p);
        double took = seconds() - began;
        if (i > 0 && took < m->training[size])
            m->training[size] = took;
    }
    pairs_free(&batch);
    return ok;
}

/* Generates one sentence greedily; returns seconds a word, including <eos>. */
static bool time_writing(const Translator *t, const Corpus *d, Tape *tape, Measured *m)
{
    Writer w = {0};
    bool ok = writer_init(&w, t, 1);
    m->writing = 1e9;
    for (int i = 0; ok && i <= TRIES; i++) {
        double began = seconds();
        int words = 0;
        for (int k = 0; ok && k < 20; k++) {
            SentencePair pair = d->test[k];
            ok = translate_greedily(&w, tape, &pair, 1);
            words += pair.english_length + 1;
        }
        double took = (seconds() - began) / words;
        if (i > 0 && took < m->writing)
            m->writing = took;
    }
    writer_free(&w);
    return ok;
}

static bool measure(const Settings *s, const Corpus *d, ModelKind kind, Measured *m)
{
    Translator t;
    Params *p = params_new((uint64_t)s->common.seed);
    Tape *tape = tape_new(1);
    bool ok = p && tape && translator_init(&t, p, s, kind, d) &&
              train(s, &t, p, d, kind == ALIGNER ? "RNNs" : "Transformer");
    m->weights = ok ? params_size(p) : 0;
    for (int i = 0; ok && i < SIZES; i++)
        ok = time_training(s, &t, p, tape, i, m);
    ok = ok && time_writing(&t, d, tape, m) && score(&t, d, TESTS, &m->score);
    tape_free(tape);
    params_free(p);
    return ok;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_table(const Measured m[KINDS], const char *cell)
{
    printf("%-44s %12s %12s\n", "", "Transformer", cell);
    printf("%-44s %12lld %12lld\n", "weights", (long long)m[0].weights, (long long)m[1].weights);
    for (int i = 0; i < SIZES; i++)
        printf("longest chain of ops, %2d words %26d %12d\n", sizes[i], m[0].chain[i],
               m[1].chain[i]);
    for (int i = 0; i < SIZES; i++)
        printf("training on %d pairs of %2d words, ms %21.1f %12.1f\n", PAIRS, sizes[i],
               1e3 * m[0].training[i], 1e3 * m[1].training[i]);
    printf("%-44s %12.0f %12.0f\n", "generating a word, microseconds", 1e6 * m[0].writing,
           1e6 * m[1].writing);
    for (int i = 0; i < LENGTHS; i++)
        printf("exact, sentences of %-10s words, %% %21.1f %12.1f\n", length_names[i],
               100 * m[0].score.by_length[i].exact, 100 * m[1].score.by_length[i].exact);
    printf("%-44s %12.1f %12.1f\n", "exact, all, %", 100 * m[0].score.all.exact,
           100 * m[1].score.all.exact);
}

bool compare(const Settings *s, const Corpus *d)
{
    Measured m[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        if (!measure(s, d, (ModelKind)kind, &m[kind]))
            return false;
    printf("%d steps of %d pairs, seed %d, %d threads\n\n", s->common.steps, s->batch,
           s->common.seed, tensor_threads());
    print_table(m, s->cell);
    return true;
}
