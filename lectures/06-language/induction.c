/* induction.c: continuing a sequence that repeats, with one layer and with two (row 44).
 *
 *   x_1 ... x_P x_1 ... x_P x_1 ...   after x_i comes what came after x_i before
 *
 * Elhage et al. 2021, "A mathematical framework for transformer circuits"; Olsson et al. 2022,
 * "In-context learning and induction heads". A head of one layer compares tokens with tokens: it
 * finds the earlier x_i and not what came after it. In two layers, a head of the first tells each
 * token the one before it, and a head of the second looks for the token that heard x_i. Such a head
 * is found by its prefix-matching score: the weight that it gives to the tokens after earlier
 * places of the present token. */
#include "lectures/06-language/language.h"

#include "examples/common/cause.h"

enum { WORDS = 24, T = 32, LEAST = 8, MOST = 14, BATCH = 32, TESTS = 128, STEPS = 500 };
enum { IND_LAYERS = 2, IND_HEADS = 2, IND_CHANNELS = 32, ROW = T + 1 };

/* Sequences of random tokens without repetition within a period, which differs from one to the
 * next, so that no fixed distance continues them. */
typedef struct {
    int ids[TESTS * ROW], in[TESTS * T], target[TESTS * T], period[TESTS];
} Repeats;

static void draw(Repeats *r, Rng *rng, int count)
{
    for (int b = 0; b < count; b++) {
        int token[WORDS];
        for (int i = 0; i < WORDS; i++) {
            int j = (int)rng_below(rng, (uint32_t)i + 1);
            token[i] = token[j];
            token[j] = i;
        }
        r->period[b] = LEAST + (int)rng_below(rng, MOST - LEAST + 1);
        for (int i = 0; i < ROW; i++)
            r->ids[b * ROW + i] = token[i % r->period[b]];
        for (int i = 0; i < T; i++) {
            r->in[b * T + i] = r->ids[b * ROW + i];
            r->target[b * T + i] = i + 1 > r->period[b] ? r->ids[b * ROW + i + 1] : -1;
        }
    }
}

typedef struct {
    Params *params;
    Embedding words;
    PositionalEncoding position;
    TransformerBlock block[IND_LAYERS];
    Norm norm;
    Linear head;
    int layers;
} Copier;

static void copier_init(Copier *m, Params *p, int layers)
{
    BlockConfig c = {.channels = IND_CHANNELS, .heads = IND_HEADS, .hidden = IND_CHANNELS};
    *m = (Copier){.params = p, .layers = layers};
    nn_embedding_init(&m->words, p, "words", WORDS, IND_CHANNELS);
    nn_position_init(&m->position, p, "position", POSITION_SINUSOIDAL, T, IND_CHANNELS);
    for (int l = 0; l < layers; l++)
        nn_transformer_block_init(&m->block[l], p, params_path(p, "blocks.%d", l), c);
    nn_layernorm_init(&m->norm, p, "norm", IND_CHANNELS);
    nn_linear_init(&m->head, p, "head", IND_CHANNELS, WORDS, true);
    for (int64_t i = 0; i < tensor_size(m->words.weight); i++)
        m->words.weight->data[i] *= (real)0.3; /* so that positions are seen from the beginning */
}

static Tensor *logits_of(const Copier *m, Tape *tape, const Repeats *r, int count)
{
    Tensor *x = nn_embedding(&m->words, tape_ids(tape, r->in, shape2(count, T)));
    x = nn_position(&m->position, x);
    for (int l = 0; l < m->layers; l++)
        x = nn_transformer_block(&m->block[l], x, (Mask){.causal = true});
    return nn_linear(&m->head, nn_norm(&m->norm, x));
}

static void learn(const Copier *m, Tape *tape, Rng *rng)
{
    static Repeats r;
    Adam adam;
    adam_init(&adam, m->params, 0);
    for (int step = 0; step < STEPS; step++) {
        tape_reset(tape);
        draw(&r, rng, BATCH);
        adam.rate = nn_warmup_cosine(step, 50, STEPS, 6e-3, 0);
        Tensor *target = tape_ids(tape, r.target, shape2(BATCH, T));
        ag_backward(ag_cross_entropy_ignore(logits_of(m, tape, &r, BATCH), target, -1));
        params_clip_grad(m->params, 1);
        adam_step(&adam, m->params);
    }
    adam_free(&adam);
}

/* The share of right continuations after the first period, with these heads cut: bit l IND_HEADS +
 * h. */
static double share(const Copier *m, Tape *tape, const Repeats *r, unsigned cut)
{
    int right = 0, all = 0;
    tape_reset(tape);
    for (int i = 0; i < m->layers * IND_HEADS; i++) {
        char name[40];
        snprintf(name, sizeof name, "blocks.%d.attn.heads", i / IND_HEADS);
        if (cut >> i & 1)
            tape_edit(tape, name, (Edit){.part = {[1] = {i % IND_HEADS, i % IND_HEADS + 1}}});
    }
    const Tensor *logits = logits_of(m, tape, r, TESTS);
    for (int i = 0; i < TESTS * T; i++)
        if (r->target[i] >= 0) {
            all++;
            right += nn_greedy(logits->data + i * WORDS, WORDS) == r->target[i];
        }
    return (double)right / all;
}

/* The prefix-matching score of head i, on a tape that has the maps; *before: the weight that it
 * gives to the token before the present one, in the same places. */
static double score(Tape *tape, const Repeats *r, int i, double *before)
{
    char name[40];
    double sum = 0;
    int n = 0;
    *before = 0;
    snprintf(name, sizeof name, "blocks.%d.attn.A", i / IND_HEADS);
    const Tensor *A = tape_find(tape, name);
    for (int b = 0; b < TESTS; b++) {
        sum += cause_prefix_matching(A, b, i % IND_HEADS, r->in + b * T) / TESTS;
        for (int q = r->period[b]; q < T; q++, n++)
            *before += (double)tensor_get(A, (int64_t[]){b, i % IND_HEADS, q, q - 1});
    }
    *before /= n;
    return sum;
}

/* A model that has learnt, kept until another seed asks for it, since two claims ask the same. */
static const Copier *learnt(Trial *t, int layers)
{
    static Copier kept[IND_LAYERS];
    static uint64_t seed[IND_LAYERS];
    Copier *m = &kept[layers - 1];
    if (!m->params || seed[layers - 1] != t->seed) {
        Rng rng = {.seed = t->seed, .stream = 4400 + (uint64_t)layers};
        params_free(m->params);
        copier_init(m, params_new(t->seed), layers);
        learn(m, trial_tape(t), &rng);
        seed[layers - 1] = t->seed;
    }
    return m;
}

static const Copier *untrained(Trial *t)
{
    static Copier m;
    copier_init(&m, trial_params(t), IND_LAYERS);
    return &m;
}

/* ---- row 44 ---------------------------------------------------------------------------------- */

static double two_layers(Trial *t)
{
    static Repeats r;
    draw(&r, trial_rng(t, 44), TESTS);
    const Copier *m =
        broken(t, "untrained") ? untrained(t) : learnt(t, broken(t, "one-layer") ? 1 : 2);
    double alone = share(learnt(t, 1), trial_tape(t), &r, 0);
    double both = share(m, trial_tape(t), &r, 0);
    explain(t, "right after the first period: one layer %.3f, two layers %.3f", alone, both);
    return both - alone;
}

/* The heads of a trained model whose score is 0.5 and more are cut together; then, for comparison,
 * layer 1. NaN where the whole model does not continue, or has no such head. */
static double without_induction(Trial *t)
{
    static Repeats r;
    Tape *tape = trial_tape(t);
    const Copier *m = broken(t, "untrained") ? untrained(t) : learnt(t, 2);
    draw(&r, trial_rng(t, 44), TESTS);
    tape->keep_maps = true;
    double whole = share(m, tape, &r, 0);
    unsigned found = 0;
    for (int i = 0; i < IND_LAYERS * IND_HEADS; i++) {
        double before, s = score(tape, &r, i, &before);
        explain(t, "layer %d, head %d: prefix-matching score %.3f, weight of the token before %.3f",
                i / IND_HEADS + 1, i % IND_HEADS + 1, s, before);
        found |= (s >= 0.5 ? 1u : 0u) << i;
    }
    double rest = share(m, tape, &r, broken(t, "spared") ? 0 : found);
    explain(t, "right: %.3f, without the heads found %.3f, without layer 1 %.3f", whole, rest,
            share(m, tape, &r, (1u << IND_HEADS) - 1));
    return whole >= 0.9 && found ? rest : (double)NAN;
}

const Claim induction_claims[] = {
    {44, two_layers,
     "two layers learn to continue a random sequence that repeats, one layer does not",
     .slides = {"Z: Decoder transformers: GPT model"},
     .quantity = "share of right continuations with two layers, less with one",
     AT_LEAST(0.4,
              "one layer can name the tokens that occurred, of which 8 to 14 are possible, and "
              "guess by their age; two layers need not guess"),
     .faults = {{"one-layer", "the second model has one layer, too"},
                {"untrained", "the second model is not trained"}}},
    {44, without_induction,
     "its induction heads are found by their prefix-matching score, and without them it does not "
     "continue",
     .slides = {"Z: Decoder transformers: GPT model"},
     .quantity = "share of right continuations without the heads whose score is 0.5 and more",
     AT_MOST(0.5,
             "two layers alone are right nearly always; half is as many as one layer has, twice"),
     .faults = {{"spared", "nothing is cut"}, {"untrained", "the weights it began with"}}},
    {0},
};
