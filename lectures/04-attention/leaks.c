/* leaks.c: what a causal mask is for, and two ways to leak the future in spite of one (row 26).
 *
 *   J "Masked self-attention layer": without it "the model can simply cheat"; and it modifies attention "weights"
 *   V "Decoder Block: Masked MSA": masks "during training"; B: a cache afterwards (chapter 6) */
#include "lectures/04-attention/attention.h"

/* ---- the cheat: symbols without any pattern -------------------------------------------------- */

enum { SYMBOLS = 8, T = 8, C = 32, BATCH = 32, STEPS = 250 };

/* One block that is to name the next symbol. The symbols are independent and equally likely, so
 * that no honest model can have a loss below log 8. */
typedef struct {
    Params *params;
    Tape *tape;
    Embedding words;
    PositionalEncoding position;
    TransformerBlock block;
    Linear out;
    Rng rng;
} Guesser;

static void guesser_begin(Guesser *g, uint64_t seed)
{
    *g = (Guesser){.params = params_new(seed), .tape = tape_new(seed)};
    g->rng = (Rng){.seed = seed, .stream = 263};
    nn_embedding_init(&g->words, g->params, "words", SYMBOLS, C);
    nn_position_init(&g->position, g->params, "position", POSITION_SINUSOIDAL, T, C);
    nn_transformer_block_init(&g->block, g->params, "block",
                              (BlockConfig){.channels = C, .heads = 2});
    nn_linear_init(&g->out, g->params, "out", C, SYMBOLS, true);
}

static void guesser_end(Guesser *g)
{
    tape_free(g->tape);
    params_free(g->params);
}

/* Logits (BATCH * T, SYMBOLS) for fresh symbols; next: what follows each. */
static Tensor *guess(Guesser *g, bool masked, int *next)
{
    int symbols[BATCH * T];
    for (int b = 0; b < BATCH; b++) {
        int s = (int)rng_below(&g->rng, SYMBOLS);
        for (int t = 0; t < T; t++) {
            symbols[b * T + t] = s;
            s = next[b * T + t] = (int)rng_below(&g->rng, SYMBOLS);
        }
    }
    tape_reset(g->tape);
    Tensor *x = nn_embedding(&g->words, tape_ids(g->tape, symbols, shape2(BATCH, T)));
    x = nn_transformer_block(&g->block, nn_position(&g->position, x), (Mask){.causal = masked});
    return ag_reshape(nn_linear(&g->out, x), shape2(BATCH * T, SYMBOLS));
}

/* -log p of the next symbol, the mean over tokens first .. last-1 of each sequence. */
static double nats(const Tensor *logits, const int *next, int first, int last)
{
    double sum = 0;
    for (int i = 0; i < BATCH * T; i++) {
        const real *s = logits->data + i * SYMBOLS;
        double total = 0;
        for (int k = 0; k < SYMBOLS; k++)
            total += exp((double)s[k] - (double)s[next[i]]);
        if (i % T >= first && i % T < last)
            sum += log(total) / (BATCH * (last - first));
    }
    return sum;
}

static double cheat(Trial *t)
{
    Guesser g;
    Adam adam;
    int next[BATCH * T];
    bool masked = broken(t, "mask");
    guesser_begin(&g, t->seed);
    adam_init(&adam, g.params, 0.01);
    for (int step = 0; step < STEPS; step++) {
        adam.rate = nn_warmup_cosine(step, 20, STEPS, 0.01, 0);
        Tensor *logits = guess(&g, masked, next);
        ag_backward(ag_cross_entropy(logits, tape_ids(g.tape, next, shape1(BATCH * T))));
        adam_step(&adam, g.params);
    }
    Tensor *logits = guess(&g, masked, next);
    double inside = nats(logits, next, 0, T - 1), end = nats(logits, next, T - 1, T);
    explain(
        t,
        "%s: %.3f nats where the next symbol is in the input, %.3f where it is not; log 8 = %.3f",
        masked ? "causal mask" : "no mask", inside, end, log(SYMBOLS));
    adam_free(&adam);
    guesser_end(&g);
    return inside;
}

/* ---- masking after the softmax --------------------------------------------------------------- */

void attention_jacobian(real *size, Hiding how, uint64_t seed)
{
    enum { D = 8 };
    Tape *tape = tape_new(seed);
    real keep[T * T];
    for (int i = 0; i < T * T; i++)
        keep[i] = i % T <= i / T;
    for (int i = 0; i < T * D; i++) {
        real upstream[T * D] = {0};
        Rng rng = {.seed = seed, .stream = 264};
        tape_reset(tape);
        Tensor *x = values_leaf(tape, &rng, shape2(T, D), 1);
        Tensor *scores = ag_scale(ag_matmul(x, ag_transpose(x, 0, 1)), (real)(1 / sqrt(D)));
        Tensor *A = how == BY_WEIGHTS
                        ? ag_mul(ag_softmax(scores), tape_input(tape, keep, shape2(T, T)))
                        : ag_masked_softmax(scores, (Mask){.causal = how == BY_SCORES});
        upstream[i] = 1;
        ag_backward_from(ag_matmul(A, x), upstream);
        for (int j = 0; j < T * D; j++) {
            real *most = &size[i / D * T + j / D];
            *most = (real)values_worst((double)*most, fabs((double)x->grad[j]));
        }
    }
    tape_free(tape);
}

static double masked_after(Trial *t)
{
    real size[T * T] = {0};
    double future = 0;
    attention_jacobian(size, broken(t, "before-softmax") ? BY_SCORES : BY_WEIGHTS, t->seed);
    for (int j = 1; j < T; j++)
        future = values_worst(future, (double)size[j]);
    explain(t, "weights of later keys are 0, and yet max |dy_1 / dx_j| = %.3g for j > 1", future);
    return future;
}

const Claim leaks_claims[] = {
    {26, cheat,
     "without the mask a language model cheats: on fresh symbols its loss is below log 8",
     .slides = {"J: Masked self-attention layer"},
     .quantity = "loss in nats on symbols drawn at random, of entropy log 8 = 2.08",
     AT_MOST(1, "each step draws fresh symbols: nothing can be known by heart, and no honest "
                "model is below the entropy, 2.08; half of it is a leak beyond doubt"),
     .faults = {{"mask", "with the causal mask"}}},
    {26, masked_after, "weights that are masked after the softmax still depend on the future",
     .slides = {"J: Masked self-attention layer"}, .quantity = "max |dy_1 / dx_j|, j > 1",
     AT_LEAST(1e-6, "the denominator sums over all keys; with the mask before the softmax it is "
                    "exactly 0"),
     .faults = {{"before-softmax", "the mask is applied to the scores"}}},
    {0},
};
