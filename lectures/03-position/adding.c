/* adding.c: a position added to a token (row 15).
 *
 *   x_t = embd(x_t) + embd(t)                B "Encoding Tokens with Sequential Order": "classical"
 *   (x + p) W^T = [x, p] [W, W]^T            adding is concatenating with tied weights */
#include "lectures/03-position/position.h"

/* ---- adding and concatenating ---------------------------------------------------------------- */

enum { T = 16, C = 64, OUT = 32 };

/* [x, p] (T, 2C) times [W, W'] (OUT, 2C) transposed. */
static Tensor *concatenated(Tensor *x, Tensor *p, Tensor *W, Tensor *own)
{
    Tensor *tokens = ag_concat((Tensor *[]){x, p}, 2, 1);
    return ag_linear(tokens, ag_concat((Tensor *[]){W, own}, 2, 1), NULL);
}

static double add_concat(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 150);
    Tensor *x = values_normal(tape, rng, shape2(T, C), 1), *p = code_sinusoids(tape, T, C, 10000);
    Tensor *W = values_normal(tape, rng, shape2(OUT, C), 1 / sqrt(C));
    Tensor *own = values_normal(tape, rng, shape2(OUT, C), 1 / sqrt(C));
    Tensor *added = ag_linear(ag_add(x, p), W, NULL);
    double tied = values_difference(added, concatenated(x, p, W, W));
    double free_ = values_difference(added, concatenated(x, p, W, own));
    explain(t, "(x + p) W^T: %d weights; [x, p] [W, W]^T: %.2g away; [x, p] [W, W']^T: %.2g",
            OUT * C, tied, free_);
    explain(t,
            "concatenated, a token has %d channels instead of %d, and the first layer %d weights",
            2 * C, C, 2 * OUT * C);
    return broken(t, "own-weights") ? free_ : tied;
}

/* ---- does the sum lose anything? ------------------------------------------------------------- */

enum { WORDS = 16, POSITIONS = 16, PAIRS = WORDS * POSITIONS, PROBE_STEPS = 300 };

/* All sums of a word and a position, (PAIRS, d): random words, sinusoids. Word and position of each
 * into `label`. */
static Tensor *all_sums(Tape *tape, uint64_t seed, int d, int label[2][PAIRS])
{
    Rng rng = {.seed = seed, .stream = 151};
    for (int i = 0; i < PAIRS; i++) {
        label[0][i] = i / POSITIONS;
        label[1][i] = i % POSITIONS;
    }
    Tensor *words = values_normal(tape, &rng, shape2(WORDS, d), 1);
    Tensor *sums =
        ag_add(ag_reshape(words, shape3(WORDS, 1, d)), code_sinusoids(tape, POSITIONS, d, 10000));
    return ag_reshape(sums, shape2(PAIRS, d));
}

static int right_of(const Tensor *logits, const int *label)
{
    int right = 0,
        all = values_largest(logits) > 0 ? PAIRS : 0; /* none where no logit was computed */
    for (int i = 0; i < all; i++)
        right += nn_greedy(logits->data + (int64_t)i * WORDS, WORDS) == label[i];
    return right;
}

/* Two linear layers learn to read the word and the position from the sum. The lesser share that is
 * read. */
static double sum_read(Trial *t)
{
    int d = broken(t, "few-channels") ? 8 : 64, label[2][PAIRS], right[2] = {0};
    Params *p = trial_params(t);
    Tape *tape = trial_tape(t);
    Linear probe[2];
    Adam adam;
    nn_linear_init(&probe[0], p, "word", d, WORDS, true);
    nn_linear_init(&probe[1], p, "position", d, POSITIONS, true);
    adam_init(&adam, p, 0.1);
    for (int step = 0; step <= PROBE_STEPS; step++) {
        tape_reset(tape);
        Tensor *x = all_sums(tape, t->seed, d, label), *loss[2];
        for (int k = 0; k < 2; k++) {
            Tensor *logits = nn_linear(&probe[k], x);
            loss[k] = ag_cross_entropy(logits, tape_ids(tape, label[k], shape1(PAIRS)));
            right[k] = right_of(logits, label[k]);
        }
        ag_backward(ag_add(loss[0], loss[1]));
        adam_step(&adam, p);
    }
    explain(t, "d = %d: of %d sums of a word and a position %d words and %d positions are read", d,
            PAIRS, right[0], right[1]);
    adam_free(&adam);
    return (double)(right[0] < right[1] ? right[0] : right[1]) / PAIRS;
}

const Claim adding_claims[] = {
    {15, add_concat, "adding is concatenating with tied weights: (x + p) W^T = [x, p] [W, W]^T",
     .slides = {"B: Encoding Tokens with Sequential Order", "Z: Positional encoding",
                "V: Positional Encoding", "H: Position Embeddings",
                "J: Augmenting the MHA with Positional Encoding"},
     .quantity = "max |(x + p) W^T - [x, p] [W, W]^T|",
     AT_MOST(2e-5, "128 products of size 0.1 to 1 in another order, each sum rounded by some 1e-7"),
     .faults = {{"own-weights", "the positions have weights of their own"}}},
    {15, sum_read,
     "a sum can be taken apart where channels suffice: linear maps read 16 words and 16 positions "
     "from 64 channels",
     .slides = {"B: Encoding Tokens with Sequential Order",
                "J: Augmenting the MHA with Positional Encoding"},
     .quantity = "the lesser share read of the words and of the positions, from all 256 sums",
     EXACTLY(1, "32 vectors in 64 channels are linearly independent: a linear map takes each to "
                "its own"),
     .faults = {{"few-channels", "8 channels for 32 vectors"}}},
    {0},
};
