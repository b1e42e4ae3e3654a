/* grid.c: is a 1-D position enough for pictures? (row 15)
 *
 *   J "Transformer Encoder for Image Classification": positional encoding: 1-D is sufficient
 *
 * The same vision transformer (examples/vit) learns digits three times: with a free code for each
 * of its 16 patches (1-D), with codes that are a row's part plus a column's (2-D), and with one
 * code for all patches. */
#include "lectures/03-position/position.h"

#include "data/corpora/corpora.h"
#include "examples/vit/model.h"

#include <string.h>

enum {
    GRID = 4,
    PATCHES = GRID * GRID,
    CHANNELS = 32,
    PIXELS = DATA_DIGIT_SIDE * DATA_DIGIT_SIDE,
    BATCH = 32,
    STEPS = 1000,
    TRAINED = 4000,
    TESTED = 1000
};

/* The codes of the patches of a grid, (side side, C), as a sum over rows r and columns c by least
 * squares: code_(r,c) = mean + row_r + column_c, where row_r is the mean of row r less the mean of
 * all, and column_c likewise. The sum without some of its terms, of the same shape. */
typedef enum { CODE_WHOLE, CODE_ROW_COLUMN, CODE_CONSTANT } CodePart;
static Tensor *code_part(Tensor *codes, int side, CodePart part)
{
    int64_t C = shape_last(codes->shape);
    Shape grid = shape3(side, side, C);
    Tensor *rows = ag_mean_axis(ag_reshape(codes, grid), 1, true); /* (side, 1, C): mean + row_r */
    Tensor *columns =
        ag_mean_axis(ag_reshape(codes, grid), 0, true); /* (1, side, C)              */
    Tensor *mean = ag_mean_axis(rows, 0, true);         /* (1, 1, C)                 */
    if (part == CODE_WHOLE)
        return codes;
    Tensor *sum =
        part == CODE_CONSTANT ? ag_expand(mean, grid) : ag_add(rows, ag_sub(columns, mean));
    return ag_reshape(sum, shape2((int64_t)side * side, C));
}

/* Replaces the codes of the patches by that part of them; the class token's stays. */
static void project(Model *m, Tape *tape, CodePart part)
{
    tape_reset(tape);
    Tensor *codes = ag_slice(tape_param(tape, m->encoder.position.weight), 0, 1, 1 + PATCHES);
    memcpy(m->encoder.position.weight->data + CHANNELS, code_part(codes, GRID, part)->data,
           sizeof(real) * PATCHES * CHANNELS);
}

static Tensor *logits_of(const Model *m, Tape *tape, const Tensor *x, int first, int count)
{
    Shape s = shape4(count, 1, DATA_DIGIT_SIDE, DATA_DIGIT_SIDE);
    tape_reset(tape);
    return vit_logits(m, tape_input(tape, x->data + (int64_t)first * PIXELS, s));
}

static void learn(Model *m, Params *p, Tape *tape, const Images *digits, CodePart part)
{
    Adam adam;
    Tensor *x = data_images_real(digits);
    adam_init(&adam, p, 4e-3);
    for (int step = 0; step < STEPS; step++) {
        int first = step * BATCH % TRAINED;
        adam.rate = nn_one_cycle(step, STEPS, 4e-3);
        Tensor *logits = logits_of(m, tape, x, first, BATCH);
        ag_backward(
            ag_cross_entropy(logits, tape_ids(tape, digits->labels + first, shape1(BATCH))));
        adam_step(&adam, p);
        project(m, tape, part);
    }
    tensor_free(x);
    adam_free(&adam);
}

static double accuracy(const Model *m, Tape *tape, const Images *digits)
{
    int right = 0;
    Tensor *x = data_images_real(digits);
    tape->no_grad = true;
    const Tensor *logits = logits_of(m, tape, x, 0, TESTED);
    bool computed = values_largest(logits) > 0;
    for (int i = 0; computed && i < TESTED; i++)
        right += nn_greedy(logits->data + (int64_t)i * 10, 10) == digits->labels[i];
    tensor_free(x);
    return computed ? (double)right / TESTED : (double)NAN;
}

/* The accuracy of a model whose codes were held to that part of them all through its training. */
static double trained_accuracy(uint64_t seed, CodePart part)
{
    Model m;
    Images train, test;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    vit_init(&m, p,
             (ModelConfig){.side = DATA_DIGIT_SIDE,
                           .colours = 1,
                           .patch = DATA_DIGIT_SIDE / GRID,
                           .channels = CHANNELS,
                           .heads = 4,
                           .layers = 1,
                           .classes = 10,
                           .position = POSITION_LEARNED,
                           .pool = POOL_CLASS});
    data_digits(&train, seed, 0, TRAINED);
    data_digits(&test, seed, TRAINED, TESTED);
    project(&m, tape, part);
    learn(&m, p, tape, &train, part);
    double right = accuracy(&m, tape, &test);
    data_images_free(&train);
    data_images_free(&test);
    tape_free(tape);
    params_free(p);
    return right;
}

static double one_dimension(Trial *t)
{
    bool none = broken(t, "one-code");
    double one = trained_accuracy(t->seed, none ? CODE_CONSTANT : CODE_WHOLE);
    double two = trained_accuracy(t->seed, CODE_ROW_COLUMN);
    double error = sqrt((one * (1 - one) + two * (1 - two)) / TESTED);
    explain(t, "%s: %.3f; row + column: %.3f; the difference has a standard error of %.3f",
            none ? "one code for all patches" : "a code for each patch", one, two, error);
    return (one - two) / error;
}

const Claim position_grid_claims[] = {
    {15, one_dimension,
     "for digits 1-D is sufficient: after 1,000 steps a small vision transformer with row + column "
     "codes reads them no better",
     .slides = {"J: Transformer Encoder for Image Classification"},
     .quantity = "(accuracy of 1-D - of 2-D codes) in standard errors, 1,000 digits each",
     AT_LEAST(-4, "row + column codes are better by chance beyond 4 errors once in 30,000 trials"),
     .faults = {{"one-code", "one code for all patches instead of the 1-D codes"}}},
    {0},
};
