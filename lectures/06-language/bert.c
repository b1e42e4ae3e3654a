/* bert.c: a masked language model (row 45).            Z "Encoder transformers"; Devlin et al. 2018
 *
 *   <class> x_1 ... <mask> ... x_N  ->  encoder  ->  q(x_t | all other tokens) at each <mask>
 *
 * The language is that of source.c, so that q can be compared with what is true. */
#include "examples/bert/model.h"
#include "lectures/06-language/language.h"

#include <string.h>

enum {
    CLASS_ID = LETTERS,
    MASK_ID,
    IDS,            /* three letters, <class>, <mask> */
    T = LENGTH + 1, /* with <class>                   */
    BATCH = 64
};
enum { FILLER_STEPS = 4000 };

struct Filler {
    Params *params;
    Bert model;
};

static const BertConfig config = {
    .tokens = IDS, .classes = 2, .channels = 16, .heads = 2, .layers = 2, .longest = T};

/* <class> and a sequence. */
static void with_class(const int *x, int ids[T])
{
    ids[0] = CLASS_ID;
    memcpy(ids + 1, x, LENGTH * sizeof *x);
}

/* Logits (n, T, IDS) of masked sequences, ids (n, T). */
static Tensor *fill(const Bert *m, Tape *tape, const int *ids, int n)
{
    return bert_words(m, bert_hidden(m, tape_ids(tape, ids, shape2(n, T)), NULL));
}

/* One letter is masked in each fourth sequence, in the others two, or one of them twice. */
static bool pretrain(Filler *f, Tape *tape, uint64_t seed)
{
    int ids[BATCH * T], targets[BATCH * T];
    Rng rng = {.seed = seed, .stream = 710};
    Adam adam = {0};
    bool ok = adam_init(&adam, f->params, 0.01);
    for (int step = 0; ok && step < FILLER_STEPS; step++) {
        for (int b = 0; b < BATCH; b++) {
            int x[LENGTH], *row = ids + b * T, *target = targets + b * T;
            source_draw(&rng, x);
            with_class(x, row);
            for (int t = 0; t < T; t++)
                target[t] = DATA_IGNORE;
            for (int k = 0; k < 1 + (b % 4 > 0); k++) {
                int t = (int)rng_below(&rng, LENGTH);
                target[t + 1] = x[t];
                row[t + 1] = MASK_ID;
            }
        }
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, FILLER_STEPS, 0.01, 0.0005);
        Tensor *y = tape_ids(tape, targets, shape2(BATCH, T));
        ok = ag_backward(
                 ag_cross_entropy_ignore(fill(&f->model, tape, ids, BATCH), y, DATA_IGNORE)) &&
             adam_step(&adam, f->params);
    }
    adam_free(&adam);
    return ok;
}

const Filler *filler_of(uint64_t seed)
{
    static Filler f;
    static Made made;
    if (made_for(&made, seed))
        return &f;
    params_free(f.params);
    f = (Filler){.params = params_new(seed)};
    Tape *tape = tape_new(seed);
    made.is = f.params && tape && bert_init(&f.model, f.params, config) && pretrain(&f, tape, seed);
    tape_free(tape);
    return made.is ? &f : NULL;
}

bool filler_log_q(const Filler *f, Tape *tape, int t, unsigned hidden, double *log_q)
{
    static int ids[SEQUENCES * T];
    const int *x = all_sequences();
    for (int i = 0; i < SEQUENCES; i++) {
        with_class(x + i * LENGTH, ids + i * T);
        for (int k = 0; k < LENGTH; k++)
            if (hidden >> k & 1)
                ids[i * T + k + 1] = MASK_ID;
    }
    tape_reset(tape);
    Tensor *logits = ag_slice(fill(&f->model, tape, ids, SEQUENCES), 2, 0, LETTERS);
    Tensor *l = ag_log_softmax(ag_copy(logits));
    double sum = 0;
    for (int k = 0; k < LETTERS && !tensor_is_poison(l); k++)
        sum += exp((double)l->data[(t + 1) * LETTERS + k]);
    for (int i = 0; i < SEQUENCES && !tensor_is_poison(l); i++)
        log_q[i] = (double)l->data[(i * T + t + 1) * LETTERS + x[i * LENGTH + t]];
    return fabs(sum - 1) < 1e-3;
}

/* ---- which outputs are asked ----------------------------------------------------------------- */

/* The largest gradient of a logit whose token was not chosen; no number unless those that were
 * chosen have one. */
static double bert_ignored(Trial *t)
{
    enum { B = 32 };
    int ids[B * T], targets[B * T], asked = 0;
    bool chosen[B * T];
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 711);
    const Masking masking = data_bert_masking(MASK_ID, 0, LETTERS);
    Bert model;
    double largest[2] = {0}; /* of those that were not chosen, and that were */
    bool ok = bert_init(&model, trial_params(t), config);
    for (int b = 0; b < B; b++) {
        int x[LENGTH];
        source_draw(rng, x);
        with_class(x, ids + b * T);
    }
    ok = ok && data_mask_tokens(&masking, rng, ids, targets, B * T);
    for (int i = 0; i < B * T; i++) {
        chosen[i] = targets[i] != DATA_IGNORE;
        asked += chosen[i];
        if (broken(t, "all") && !chosen[i])
            targets[i] = ids[i];
    }
    Tensor *logits = ag_keep(fill(&model, tape, ids, B)),
           *y = tape_ids(tape, targets, shape2(B, T));
    ok = ok && ag_backward(ag_cross_entropy_ignore(logits, y, DATA_IGNORE));
    for (int i = 0; ok && i < B * T * IDS; i++) {
        double *of = &largest[chosen[i / IDS]];
        *of = values_worst(*of, fabs((double)logits->grad[i]));
    }
    explain(
        t, "%d of %d tokens are chosen: largest gradient of their logits %.3g, of the others' %.3g",
        asked, B * T, largest[1], largest[0]);
    return ok && largest[1] > 0 ? largest[0] : (double)NAN;
}

/* ---- both sides ------------------------------------------------------------------------------ */

/* H(x_t | x_(t-1), x_(t+1)): if two steps lead to the same letter, both ways are 3/16; all else is
 * determined. */
static double both_sides_entropy(void)
{
    return 2 * 0.75 * 0.25 * log(2);
}

/* E[-log q(x_3 | all others)], over all 729 sequences, minus that entropy. */
static double bert_both_sides(Trial *t)
{
    static double log_q[SEQUENCES];
    const Filler *f = filler_of(t->seed);
    const int *x = all_sequences();
    Tape *tape = trial_tape(t);
    double loss = 0;
    unsigned hidden = broken(t, "earlier-only") ? 0x3c : 0x04; /* letters 3 to 6, or letter 3 */
    tape->no_grad = true;
    bool ok = f && filler_log_q(f, tape, 2, hidden, log_q);
    for (int i = 0; ok && i < SEQUENCES; i++) {
        double p = source_p(x + i * LENGTH, LENGTH);
        loss -= p > 0 ? p * log_q[i] : 0;
    }
    explain(t, "one masked letter, both neighbours seen: %.4f nats; entropy 3/8 log 2 = %.4f", loss,
            both_sides_entropy());
    explain(t, "with earlier letters alone no model is below h(1/4) = %.4f",
            -0.75 * log(0.75) - 0.25 * log(0.25));
    return ok ? loss - both_sides_entropy() : (double)NAN;
}

const Claim bert_claims[] = {
    {45, bert_ignored,
     "outputs of tokens that were not chosen, CLASS among them, get a gradient of 0",
     .slides = {"Z: Encoder transformers"},
     .quantity = "largest |dL/dlogit| of tokens that were not chosen",
     EXACTLY(0, "the loss is a mean over the chosen tokens alone"),
     .faults = {{"all", "every output is asked"}}},
    {45, bert_both_sides,
     "a masked model's loss comes near a letter's entropy given both neighbours, 0.26 nats (given "
     "the past 0.56)",
     .slides = {"Z: Encoder transformers"},
     .quantity = "expected loss at a <mask> - H(letter | both neighbours), nats",
     BETWEEN(-1e-4, 0.15, "not below the entropy; 0.15 is half of the way to h(1/4) = 0.56"),
     .faults = {{"earlier-only", "all later letters are masked as well"}}},
    {0},
};
