/* costs.c: what recurrence and attention cost: weights, steps one after another, time (row 5).
 *
 *   weights of a layer of C channels  RNN 2 C^2 + 2 C  GRU 6 C^2 + 6 C  LSTM 8 C^2 + 8 C  block 12 C^2 + 13 C
 *
 * V "RNNs vs. Transformers", J "RNN vs Transformer". An RNN has W_ih and W_hh (C, C) and two
 * biases, for each gate; a block has 4 C^2 in its attention, 8 C^2 in its feed-forward layer, and
 * two norms. */
#include "lectures/01-recurrence/recurrence.h"

#include "examples/translate/translator.h"
#include "lectures/runner/counting.h"

#include <time.h>

/* ---- weights --------------------------------------------------------------------------------- */

static double weights_of_rnn(RNNKind kind, int C)
{
    Params *p = params_new(1);
    RNN rnn;
    nn_rnn_init(&rnn, p, "rnn", kind, C, C, 1);
    double size = (double)params_size(p);
    params_free(p);
    return size;
}

static double weights_of_block(int C, bool attention_only)
{
    Params *p = params_new(1);
    TransformerBlock block;
    MultiHeadAttention attention;
    if (attention_only)
        nn_attention_init(&attention, p, "attention", C, 4, 0);
    else
        nn_transformer_block_init(&block, p, "block", (BlockConfig){.channels = C, .heads = 4});
    double size = (double)params_size(p);
    params_free(p);
    return size;
}

static double weights_of_layers(Trial *t)
{
    double worst = 0;
    for (double C = 16; C <= 256; C *= 4) {
        int c = (int)C;
        double counted[] = {weights_of_rnn(RNN_TANH, c), weights_of_rnn(RNN_GRU, c),
                            weights_of_rnn(RNN_LSTM, c),
                            weights_of_block(c, broken(t, "attention-only"))};
        double formula[] = {2 * C * C + 2 * C, 6 * C * C + 6 * C, 8 * C * C + 8 * C,
                            12 * C * C + 13 * C};
        for (int k = 0; k < 4; k++)
            worst = values_worst(worst, fabs(counted[k] - formula[k]));
        explain(t, "C = %3d: RNN %.0f, GRU %.0f, LSTM %.0f, block %.0f, its attention alone %.0f",
                c, counted[0], counted[1], counted[2], counted[3], weights_of_block(c, true));
    }
    return worst;
}

/* ---- steps that wait for each other ---------------------------------------------------------- */

enum { CHANNELS = 16, SOURCE = 6 };

static bool translator_make(Translator *m, Params *p, ModelKind kind)
{
    const TranslatorConfig c = {.from_words = 32,
                                .to_words = 32,
                                .longest = LONGEST,
                                .channels = CHANNELS,
                                .heads = 2,
                                .layers = 2,
                                .hidden = CHANNELS};
    return translator_init(m, p, kind, c);
}

/* The longest chain of ops of a forward pass in training, with this many words in source and
 * target. */
static int chain_of(ModelKind kind, int source, int target)
{
    static Translator m;
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    SentencePair pair = {.spanish_length = source, .english_length = target};
    PairBatch batch;
    int chain = -1;
    for (int i = 0; i < DATA_WORDS_MAX; i++)
        pair.spanish[i] = pair.english[i] = DATA_PAIR_SPECIALS;
    if (translator_make(&m, p, kind) && pairs_init(&batch, 1)) {
        pairs_fill(&batch, &pair, 1);
        if (!tensor_is_poison(translator_logits(&m, tape, &batch)))
            chain = counting_depth(tape);
        pairs_free(&batch);
    }
    tape_free(tape);
    params_free(p);
    return chain;
}

/* Ops that a further word of the source, or of the target, adds to the chain in training. */
static double chain_growth(Trial *t, ModelKind kind, bool target)
{
    int first = target ? chain_of(kind, SOURCE, 8) : chain_of(kind, 8, SOURCE);
    int second = target ? chain_of(kind, SOURCE, 24) : chain_of(kind, 24, SOURCE);
    explain(t, "%-15s %s of 8 and 24 words: a chain of %d and %d ops in training",
            kind == ALIGNER ? "Align & Translate" : "Transformer", target ? "target" : "source",
            first, second);
    return first > 0 && second > 0 ? (second - first) / 16.0 : (double)NAN;
}

/* No number where the RNN's encoder or decoder would not be sequential. */
static double chains_in_training(Trial *t)
{
    ModelKind kind = broken(t, "rnn") ? ALIGNER : TRANSFORMER;
    double rnn = values_least(chain_growth(t, ALIGNER, false), chain_growth(t, ALIGNER, true));
    double encoder = chain_growth(t, kind, false), decoder = chain_growth(t, kind, true);
    return rnn >= 1 ? values_worst(encoder, decoder) : (double)NAN;
}

const Claim costs_claims[] = {
    {5, weights_of_layers,
     "at one width a block has 6 times the weights of an RNN, 1.5 times an LSTM's",
     .slides = {"V: RNNs vs. Transformers"},
     .quantity =
         "largest |weights counted - 2, 6, 8 and 12 C^2 with their biases|, C = 16, 64, 256",
     EXACTLY(0, "counted"),
     .faults = {{"attention-only", "a layer of attention alone: 4 C^2, half of an LSTM's"}},
     HOLDS_POISONED("counts weights; no kernel is run")},
    {5, chains_in_training,
     "in training, unlike in generation, the Transformer's decoder is parallel as well",
     .slides = {"J: RNN vs Transformer", "V: RNNs vs. Transformers",
                "V: RNN vs Transformers: Why RNNs fall short?"},
     .quantity = "ops that a further word of source or target adds to its longest chain",
     EXACTLY(0, "counted; the mask lets all positions be computed at once. Both RNNs: one op or "
                "more"),
     .faults = {{"rnn", "Align & Translate in place of the Transformer"}},
     HOLDS_POISONED("counts operations on the tape; no number is read")},
    {0},
};
