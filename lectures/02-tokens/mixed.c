/* mixed.c: the questions, and the model that is asked. See mixed.h. */
#include "lectures/02-tokens/mixed.h"

#include <stdlib.h>
#include <string.h>

const char *const mixed_names[IDS] = {
    "A",   "D",     "F",    "G",    "K",   "L",     "P",     "W",    "zero",  "one",
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "class",
};

/* ---- data ------------------------------------------------------------------------------------ */

/* One picture (28, 28) as rows of patches (16, 49). */
static void cut_patches(const uint8_t *picture, real patches[PATCHES][FEATURES])
{
    for (int y = 0; y < DATA_DIGIT_SIDE; y++)
        for (int x = 0; x < DATA_DIGIT_SIDE; x++) {
            int patch = y / PATCH_SIDE * SIDE + x / PATCH_SIDE;
            int feature = y % PATCH_SIDE * PATCH_SIDE + x % PATCH_SIDE;
            patches[patch][feature] = (real)picture[y * DATA_DIGIT_SIDE + x] / 255;
        }
}

bool album_begin(Album *a, uint64_t seed, int64_t first, int64_t count)
{
    Images m;
    *a = (Album){.patches = malloc(sizeof *a->patches * (size_t)count),
                 .id = malloc(sizeof *a->id * (size_t)count)};
    if (!a->patches || !a->id || !data_digits(&m, seed, first, count))
        return false;
    a->count = (int)count;
    for (int64_t i = 0; i < count; i++) {
        cut_patches(m.bytes + i * DATA_DIGIT_SIDE * DATA_DIGIT_SIDE, a->patches[i]);
        a->id[i] = ACIDS + m.labels[i];
    }
    data_images_free(&m);
    return true;
}

void album_end(Album *a)
{
    free(a->patches);
    free(a->id);
}

/* A word that is the digit, or another one. */
static int ask_picture(Rng *rng, int digit, bool yes)
{
    int other = (int)rng_below(rng, DIGITS - 1);
    return yes ? digit : ACIDS + other + (other >= digit - ACIDS);
}

/* An amino acid that the protein has, or one that it lacks, each of them equally likely. */
static int ask_protein(Rng *rng, const int residues[RESIDUES], bool yes)
{
    bool has[ACIDS] = {false};
    int fits[ACIDS], n = 0;
    for (int i = 0; i < RESIDUES; i++)
        has[residues[i]] = true;
    for (int a = 0; a < ACIDS; a++)
        if (has[a] == yes)
            fits[n++] = a;
    return fits[rng_below(rng, (uint64_t)n)];
}

void mixed_questions(Questions *q, const Album *a, Rng *rng)
{
    for (int b = 0; b < BATCH; b++) {
        int picture = (int)rng_below(rng, (uint64_t)a->count);
        memcpy(q->patches[b], a->patches[picture], sizeof q->patches[b]);
        for (int i = 0; i < RESIDUES; i++)
            q->residues[b][i] = (int)rng_below(rng, ACIDS);
        q->protein[b] = rng_below(rng, 2);
        q->yes[b] = (int)rng_below(rng, 2);
        q->ids[b][0] = CLASS;
        q->ids[b][1] = q->protein[b] ? ask_protein(rng, q->residues[b], q->yes[b])
                                     : ask_picture(rng, a->id[picture], q->yes[b]);
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

bool mixed_init(Mixed *m, Params *p, bool typed)
{
    BlockConfig block = {.channels = WIDTH, .heads = HEADS};
    *m = (Mixed){.typed = typed};
    bool ok = nn_embedding_init(&m->ids, p, "ids", IDS, WIDTH) &&
              nn_embedding_init(&m->types, p, "types", TYPES, WIDTH) &&
              nn_linear_init(&m->patch, p, "patch", FEATURES, WIDTH, true) &&
              nn_position_init(&m->position, p, "position", POSITION_LEARNED, PATCHES, WIDTH);
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_transformer_block_init(&m->blocks[i], p, params_path(p, "blocks.%d", i), block);
    return ok && nn_layernorm_init(&m->norm, p, "norm", WIDTH) &&
           nn_linear_init(&m->head, p, "head", WIDTH, 2, true);
}

/* The type of each of the N tokens, as rows of their own embedding. */
static Tensor *types_of(const Mixed *m, Tape *tape)
{
    int type[N] = {TYPE_CLASS, TYPE_WORD};
    for (int n = AT_PATCHES; n < N; n++)
        type[n] = n < AT_RESIDUES ? TYPE_PATCH : TYPE_RESIDUE;
    return nn_embedding(&m->types, tape_ids(tape, type, shape1(N)));
}

/* x_n = content + type; a patch carries its position in the picture, too. */
Tensor *mixed_tokens(const Mixed *m, Tape *tape, const Questions *q)
{
    Tensor *words = nn_embedding(&m->ids, tape_ids(tape, q->ids[0], shape2(BATCH, 2)));
    Tensor *picture = tape_input(tape, q->patches[0][0], shape3(BATCH, PATCHES, FEATURES));
    Tensor *patches = nn_position(&m->position, nn_linear(&m->patch, picture));
    Tensor *acids = tape_ids(tape, q->residues[0], shape2(BATCH, RESIDUES));
    Tensor *residues = nn_embedding(&m->ids, acids);
    Tensor *X = ag_concat((Tensor *[]){words, patches, residues}, 3, 1);
    return m->typed ? ag_add(X, types_of(m, tape)) : X;
}

Tensor *mixed_logits(const Mixed *m, Tensor *X)
{
    for (int i = 0; i < LAYERS; i++)
        X = nn_transformer_block(&m->blocks[i], X, (Mask){0});
    Tensor *class = ag_slice(nn_norm(&m->norm, X), 1, AT_CLASS, AT_CLASS + 1);
    return nn_linear(&m->head, ag_reshape(class, shape2(-1, WIDTH)));
}
