/* modalities.c: a word, a picture and a protein as one set of tokens (row 9).
 *
 *   X (N, D):  class | word | 16 patches of a digit | 6 amino acids: a row a token, whatever it stands for
 *   TransformerLayer[X] has the same shape               Z "Transformer processing", "Notation"
 *
 * Words and amino acids have one vocabulary, as in a model that reads bytes: the word K and the
 * amino acid K are the same id. The weights are those that a training begins with. */
#include "lectures/02-tokens/tokens.h"

#include "data/corpora/corpora.h"

enum { SIDE = 4, PATCHES = SIDE * SIDE, PATCH_SIDE = DATA_DIGIT_SIDE / SIDE };
enum { FEATURES = PATCH_SIDE * PATCH_SIDE, RESIDUES = 6, IDS = 19, CLASS = IDS - 1 };
enum { WIDTH = 32, LAYERS = 2, HEADS = 4, PARTS = 4, N = 2 + PATCHES + RESIDUES };

/* Where each part stands in X. */
static const struct {
    const char *name;
    int at, end;
} parts[PARTS] = {{"class", 0, 1},
                  {"word", 1, 2},
                  {"patches", 2, 2 + PATCHES},
                  {"amino acids", 2 + PATCHES, N}};

typedef struct {
    Embedding ids, types;
    Linear patch;                /* (C, FEATURES)                 */
    PositionalEncoding position; /* of the patches in the picture */
    TransformerBlock blocks[LAYERS];
} Mixed;

static void mixed_init(Mixed *m, Params *p)
{
    nn_embedding_init(&m->ids, p, "ids", IDS, WIDTH);
    nn_embedding_init(&m->types, p, "types", PARTS, WIDTH);
    nn_linear_init(&m->patch, p, "patch", FEATURES, WIDTH, true);
    nn_position_init(&m->position, p, "position", POSITION_LEARNED, PATCHES, WIDTH);
    for (int i = 0; i < LAYERS; i++)
        nn_transformer_block_init(&m->blocks[i], p, params_path(p, "blocks.%d", i),
                                  (BlockConfig){.channels = WIDTH, .heads = HEADS});
}

/* A picture (28, 28) as rows of patches, (1, PATCHES, FEATURES). */
static Tensor *digit_patches(Tape *tape, uint64_t seed)
{
    Images digit;
    Tensor *x = tape_full(tape, 0, shape3(1, PATCHES, FEATURES));
    data_digits(&digit, seed, 0, 1);
    for (int i = 0; i < DATA_DIGIT_SIDE * DATA_DIGIT_SIDE; i++) {
        int row = i / DATA_DIGIT_SIDE, column = i % DATA_DIGIT_SIDE;
        int patch = row / PATCH_SIDE * SIDE + column / PATCH_SIDE;
        int feature = row % PATCH_SIDE * PATCH_SIDE + column % PATCH_SIDE;
        x->data[patch * FEATURES + feature] = (real)digit.bytes[i] / 255;
    }
    data_images_free(&digit);
    return x;
}

/* x_n = content + type; a patch carries its position in the picture, too. X (1, N, WIDTH). */
static Tensor *mixed_tokens(const Mixed *m, Tape *tape, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 910};
    int32_t id[2 + RESIDUES] = {CLASS}, type[N];
    for (int i = 1; i < 2 + RESIDUES; i++)
        id[i] = (int32_t)rng_below(&rng, CLASS);
    for (int p = 0; p < PARTS; p++)
        for (int n = parts[p].at; n < parts[p].end; n++)
            type[n] = p;
    Tensor *words = nn_embedding(&m->ids, tape_ids(tape, id, shape2(1, 2)));
    Tensor *patches = nn_position(&m->position, nn_linear(&m->patch, digit_patches(tape, seed)));
    Tensor *residues = nn_embedding(&m->ids, tape_ids(tape, id + 2, shape2(1, RESIDUES)));
    Tensor *X = ag_concat((Tensor *[]){words, patches, residues}, 3, 1);
    return ag_add(X, nn_embedding(&m->types, tape_ids(tape, type, shape1(N))));
}

static Tensor *layers(const Mixed *m, Tensor *X, Mask mask)
{
    for (int i = 0; i < LAYERS; i++)
        X = nn_transformer_block(&m->blocks[i], X, mask);
    return X;
}

/* ---- each part alone ------------------------------------------------------------------------- */

/* 1 where query and key are of one part. */
static Tensor *within_parts(Tape *tape)
{
    Tensor *keep = tape_full(tape, 0, shape2(N, N));
    for (int p = 0; p < PARTS; p++)
        for (int i = parts[p].at; i < parts[p].end; i++)
            for (int j = parts[p].at; j < parts[p].end; j++)
                keep->data[i * N + j] = 1;
    return keep;
}

static double each_alone(Trial *t)
{
    Mixed m;
    Params *p = trial_params(t);
    mixed_init(&m, p);
    Tensor *X = mixed_tokens(&m, trial_tape(t), t->seed);
    Mask mask = {.keep = broken(t, "no-mask") ? NULL : within_parts(trial_tape(t))};
    Tensor *all = layers(&m, X, mask);
    double worst = 0;
    for (int k = 0; k < PARTS; k++) {
        Tensor *part = ag_slice(X, 1, parts[k].at, parts[k].end);
        Tensor *alone = layers(&m, ag_copy(part), (Mask){0});
        double off = values_difference(alone, ag_slice(all, 1, parts[k].at, parts[k].end));
        explain(t, "%-11s alone: X (%2d, %d) -> (%2d, %d); within the sequence of %d: %.2g apart",
                parts[k].name, (int)part->shape.dim[1], WIDTH, (int)alone->shape.dim[1],
                (int)alone->shape.dim[2], N, off);
        worst = values_worst(worst, off);
    }
    explain(t,
            "weights: %lld, of which %d are of a part's own: E, W of the patches, positions, types",
            (long long)params_size(p), (IDS + PARTS + PATCHES + FEATURES + 1) * WIDTH);
    return worst;
}

/* ---- a set ----------------------------------------------------------------------------------- */

static double any_order(Trial *t)
{
    Mixed m;
    int order[N] = {0}; /* what is compared is read at the class token */
    mixed_init(&m, trial_params(t));
    data_order(order + 1, N - 1, t->seed, 0);
    for (int n = 1; n < N; n++)
        order[n]++;
    Tensor *X = mixed_tokens(&m, trial_tape(t), t->seed), *moved = values_permuted(X, order);
    if (broken(t, "by-index")) {
        static real table[N * WIDTH];
        nn_sinusoids(table, N, WIDTH, 10000);
        Tensor *by_index = tape_input(trial_tape(t), table, shape2(N, WIDTH));
        X = ag_add(X, by_index);
        moved = ag_add(moved, by_index);
    }
    Tensor *y = ag_slice(layers(&m, X, (Mask){0}), 1, 0, 1);
    double off = values_difference(y, ag_slice(layers(&m, moved, (Mask){0}), 1, 0, 1));
    explain(t, "tokens 2 to %d in a random order: the class token's result moves by at most %.2g",
            N, off);
    return off;
}

const Claim modalities_claims[] = {
    {9, each_alone,
     "words, patches and amino acids go through one stack as (N, D), alone or in one sequence",
     .slides = {"Z: Transformer processing", "Z: Notation"},
     .quantity = "max |each part alone - in one sequence, parts hidden from each other|",
     AT_MOST(2e-5,
             "sums of 24 terms, of which the hidden ones are 0; numbers up to 10, each rounded "
             "by 6e-7 in some ten sums"),
     .faults = {{"no-mask", "the parts attend to each other"}}},
    {9, any_order,
     "tokens that carry type and position are a set: their order in X changes nothing",
     .slides = {"Z: Transformer processing"},
     .quantity = "max |result at the class token - with the other tokens in another order|",
     AT_MOST(2e-5, "the same sums in another order; numbers up to 10, each rounded by 6e-7 in some "
                   "ten sums"),
     .faults = {{"by-index", "a positional encoding by index in the sequence is added"}}},
    {0},
};
