/* senses.c: context makes one word two vectors (row 17; the model: reader.h).
 *
 *   "bank" in 200 held-out sentences, 100 of each sense: its vector at four stages of the trained model,
 *       word vector -> with position -> after layer 1 -> after layer 2
 *                        Z "Attention"; V "Encoder Block Summarized": "a collection of tokens, but in context"
 *
 * The word vector is the same in all sentences, so that no reader of it could tell the sense. After
 * the layers the means of the two senses lie apart, and a sentence that was not used for these
 * means is nearer to its own. */
#include "lectures/04-attention/reader.h"

enum { EACH = 100, ALL = 2 * EACH, STAGES = 2 + LAYERS, C = 32 };
static const char *const stage_names[STAGES] = {"word vector", "with position", "after layer 1",
                                                "after layer 2"};

typedef struct {
    double x[STAGES][ALL][C]; /* sentence i has the sense i % 2 */
    char name[2][32];         /* of each sense                  */
} Senses;

/* The vector of the queried word at each stage. */
static void read_stages(const Model *m, Tape *tape, const Sentence *s, int i, Senses *senses)
{
    tape_reset(tape);
    Tensor *x = nn_embedding(&m->encoder.embedding, tape_ids(tape, s->ids, shape2(1, s->length)));
    for (int stage = 0; stage < STAGES; stage++) {
        if (stage == 1)
            x = nn_position(&m->encoder.position, x);
        if (stage > 1)
            x = nn_transformer_block(&m->encoder.blocks[stage - 2], x,
                                     (Mask){.window = stage == 2 ? m->config.window : 0});
        for (int c = 0; c < C; c++)
            senses->x[stage][i][c] = (double)x->data[s->query * C + c];
    }
}

/* Sentences about "bank", drawn with the seed, of the two senses in turn. */
static void read_senses(uint64_t seed, bool mask_cue, Senses *senses)
{
    Reader r;
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 170};
    int first = -1;
    reader_begin(&r, true, seed);
    for (int count = 0; count < ALL;) {
        Sentence s;
        data_grammar_draw(r.grammar, &rng, DATA_HELD_OUT, &s);
        first = first < 0 && s.kind == DATA_SENSE ? s.label : first;
        if (s.kind != DATA_SENSE || (s.label == first) != (count % 2 == 0))
            continue;
        snprintf(senses->name[count % 2], sizeof senses->name[0], "%s",
                 data_vocab_word(data_grammar_labels(r.grammar), s.label));
        if (mask_cue)
            data_sentence_mask_cue(&s);
        read_stages(&r.model, tape, &s, count++, senses);
    }
    reader_end(&r);
    tape_free(tape);
}

/* The share of the second half of the sentences that lie nearer to the mean of their own sense than
 * to the other's; both means are those of the first half. Equal distances, as of equal vectors,
 * tell nothing: a half. */
static double told_apart(double x[ALL][C])
{
    double mean[2][C] = {{0}}, right = 0;
    for (int i = 0; i < EACH; i++)
        for (int c = 0; c < C; c++)
            mean[i % 2][c] += x[i][c] / (EACH / 2.0);
    for (int i = EACH; i < ALL; i++) {
        double own = 0, other = 0;
        for (int c = 0; c < C; c++) {
            own += (x[i][c] - mean[i % 2][c]) * (x[i][c] - mean[i % 2][c]);
            other += (x[i][c] - mean[1 - i % 2][c]) * (x[i][c] - mean[1 - i % 2][c]);
        }
        right += isnan(own + other)         ? (double)NAN
                 : fabs(own - other) < 1e-9 ? 0.5
                 : own < other              ? 1
                                            : 0;
    }
    return right / EACH;
}

static double largest_difference(double x[ALL][C])
{
    double worst = 0;
    for (int i = 1; i < ALL; i++)
        for (int c = 0; c < C; c++)
            worst = values_worst(worst, fabs(x[i][c] - x[0][c]));
    return worst;
}

static double two_vectors(Trial *t)
{
    static Senses senses;
    read_senses(t->seed, broken(t, "cue-masked"), &senses);
    double before = largest_difference(senses.x[0]), told = 0;
    for (int stage = 0; stage < STAGES; stage++) {
        told = told_apart(senses.x[stage]);
        explain(t, "%-14s largest difference between two \"bank\" %.3f; told apart %.2f",
                stage_names[stage], largest_difference(senses.x[stage]), told);
    }
    return before > 0 || isnan(before) ? (double)NAN
           : broken(t, "word-vector")  ? told_apart(senses.x[0])
                                       : told;
}

const Claim senses_claims[] = {
    {17, two_vectors,
     "trained to tell the senses of \"bank\", a model makes one word two vectors (one training)",
     .slides = {"Z: Attention", "J: Self-attention"},
     .quantity =
         "share of 100 held-out sentences nearer to their sense's mean; NaN if the words differ",
     AT_LEAST(0.75, "chance is 1/2 with a standard error of 0.05: five of them"),
     .faults = {{"word-vector", "the vector before the first layer"},
                {"cue-masked", "<mask> for the words that decide"}}},
    {0},
};
