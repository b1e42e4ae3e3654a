/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the
 * change is right.
 *
 * `./gradus claims 7 --try 48` runs those of row 48. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 48:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/07-vision/exercises.h"

#include "examples/common/kmeans.h"
#include "examples/vit/model.h"

/* ---- row 48: pictures from patches ----------------------------------------------------------- */

/* Now: the numbers of patches (B, grid^2, n^2) of n x n pixels in the order in which they come.
 * Change it: the pictures (B, 1, grid n, grid n) from which vit_patches cut them. */
static Tensor *assembled(Tensor *patches, int grid, int n)
{
    int64_t B = patches->shape.dim[0];
    return ag_reshape(patches, shape4(B, 1, (int64_t)grid * n, (int64_t)grid * n));
}

static double assembled_right(Trial *t)
{
    enum { GRID = 3, N = 4 };
    const Model cut = {.config = {.side = GRID * N, .colours = 1, .patch = N}};
    Tensor *x = trial_normal(t, 4890, shape4(2, 1, GRID * N, GRID * N));
    Tensor *patches = vit_patches(&cut, x);
    Tensor *y = TRIED(t, assembled, assembled_solved, assembled_wrong_pixels,
                      assembled_wrong_patches)(patches, GRID, N);
    double off = values_difference(x, y);
    explain(t, "2 pictures of %d x %d, cut into patches of %d x %d and assembled: off by %.2g",
            GRID * N, GRID * N, N, N, off);
    return off;
}

/* ---- row 50: a bias for each displacement ---------------------------------------------------- */

/* Swin adds to the score of query i and key j of a window of M x M tokens a learned bias that
 * depends on where j lies as seen from i, and on nothing else. Now: a number for each pair, M^4 of
 * them. Change it: for each displacement (rows down, columns right), -M < rows, columns < M,
 * another number, from 0 to (2 M - 1)^2 - 1. */
static int relative_bias(int i, int j, int M)
{
    return i * M * M + j;
}

/* Every two pairs of a window: have they one number exactly if they have one displacement? */
static double relative_bias_right(Trial *t)
{
    enum { M = 4, TOKENS = M * M, PAIRS = TOKENS * TOKENS, ALL = (2 * M - 1) * (2 * M - 1) };
    int number[PAIRS], outside = 0, wrong = 0;
    for (int a = 0; a < PAIRS; a++) {
        int i = a / TOKENS, j = a % TOKENS;
        number[a] = TRIED(t, relative_bias, relative_bias_solved, relative_bias_wrong_unsigned,
                          relative_bias_wrong_narrow, relative_bias_wrong_difference)(i, j, M);
        outside += number[a] < 0 || number[a] >= ALL;
        for (int b = 0; b < a; b++) {
            int k = b / TOKENS, l = b % TOKENS;
            bool alike = j / M - i / M == l / M - k / M && j % M - i % M == l % M - k % M;
            wrong += alike != (number[a] == number[b]);
        }
    }
    explain(t, "%d pairs of %d tokens: %d numbers outside 0 to %d, %d wrong comparisons", PAIRS,
            TOKENS, outside, ALL - 1, wrong);
    return outside + wrong;
}

/* ---- row 51: residual codes ------------------------------------------------------------------ */

/* The codes of a vector. Now: each stage writes the centre that is nearest to the vector. Change
 * it: each stage after the first writes the centre that is nearest to what the stages before it
 * leave of the vector. */
static void codes_of(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    for (int s = 0; s < STAGES; s++)
        codes[s] = kmeans_nearest(c->centres[s]->data, CENTRES, v, NUMBERS);
}

static double codes_are_right(Trial *t)
{
    static Sentence said;
    static real v[FRAMES][NUMBERS];
    int codes[FRAMES][STAGES], own[STAGES], wrong = 0;
    void (*codes_by)(const Codec *, const real *, int *) =
        TRIED(t, codes_of, codes_of_solved, codes_of_wrong_one_book, codes_of_wrong_sum);
    Speech s;
    Params *p = trial_params(t);
    bool ok = speech_init(&s, p) && media_load(p, "speech.safetensors");
    trial_tape(t)->no_grad = true;
    sentence_draw(&said, trial_rng(t, 5201), true);
    ok = ok && wave_vectors(trial_tape(t), said.wave, said.frames, v);
    if (ok)
        codec_encode(&s.codec, v, said.frames, codes);
    for (int f = 0; ok && f < said.frames; f++) {
        codes_by(&s.codec, v[f], own);
        wrong += own[0] != codes[f][0] || own[1] != codes[f][1];
        if (f % 5 == 0)
            explain(t, "frame %2d: codes %d, %d; the codec's %d, %d", f, own[0], own[1],
                    codes[f][0], codes[f][1]);
    }
    explain(t, "%d of %d frames have other codes than the codec's", wrong, said.frames);
    return ok ? (double)wrong / said.frames : (double)NAN;
}

const Claim vision_exercises[] = {
    EXERCISE(48, "assembled: the pictures that were cut into patches",
             "J: Transformer Encoder for Image Classification", "max |assembled - picture|", 0,
             "the numbers are moved, and none is computed", assembled_right,
             {"pixels", "the pixels of a patch column by column"},
             {"patches", "the patches column by column"}),
    EXERCISE(50, "relative_bias: a number for each displacement",
             "V: Next Two Lectures: Iterations of Transformers",
             "numbers outside the table, and pairs that share one wrongly or do not, M = 4", 0,
             "each displacement has a number of its own", relative_bias_right,
             {"unsigned", "rows and columns without their sign"},
             {"narrow", "a table of M columns"},
             {"difference", "j - i, which two displacements share"}),
    EXERCISE(51, "codes_of: residual codes of a frame", "Z: Text-to-speech",
             "share of the frames of a sentence whose codes differ from the codec's", 0.05,
             "sums in another order may move a tie: one or two of 50 frames", codes_are_right,
             {"one_book", "the centres of the first stage in each"},
             {"sum", "the centre is added to the vector, not subtracted"}),
    {0},
};
