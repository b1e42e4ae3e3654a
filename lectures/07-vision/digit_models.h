/* digit_models.h: small classifiers of digits, trained for the claims of row 48: Vision
 * Transformers (examples/vit) and a convolutional network, on pictures whose pixels are as they
 * were drawn, or in another order.
 *
 * An order is drawn once and is the same for every picture, in training and in the test. */
#ifndef LECTURES_DIGIT_MODELS_H
#define LECTURES_DIGIT_MODELS_H

#include "examples/common/pictures.h"
#include "examples/vit/model.h"
#include "lectures/07-vision/vision.h"

/* ---- orders of pixels: orders.c -------------------------------------------------------------- */

enum { DIGIT_SIDE = 28, DIGIT_PIXELS = DIGIT_SIDE * DIGIT_SIDE };
enum { PATCH_SIDE = 7, PATCH_GRID = DIGIT_SIDE / PATCH_SIDE };
enum { PATCHES = PATCH_GRID * PATCH_GRID, PATCH_PIXELS = PATCH_SIDE * PATCH_SIDE };

typedef enum {
    STRAIGHT,      /* as they were drawn                                           */
    PATCHES_ALONE, /* patches in another order, the pixels of each as they were    */
    SHUFFLED,      /* that, and the pixels of each patch in another order, one for all patches */
    OWN_ORDERS,    /* the same, but each patch has an order of its own             */
    SCATTERED,     /* all 784 pixels in another order                              */
    ARRANGEMENTS
} Arrangement;

/* Patch i of the new picture is patch[i] of the old one, and its pixel j is pixel within[i][j] of
 * that patch. pixel is the same for the picture as a whole: pixel i of the new one is pixel[i] of
 * the old one. (In a SCATTERED picture only pixel describes the order; patch and within are those
 * of a SHUFFLED one.) */
typedef struct {
    int patch[PATCHES], within[PATCHES][PATCH_PIXELS];
    int pixel[DIGIT_PIXELS];
} PixelOrder;

void order_draw(PixelOrder *o, Arrangement a, uint64_t seed);

/* Puts the pixels of n pictures x (n, 784) into that order. */
void order_apply(const PixelOrder *o, real *x, int64_t n);

/* Gives a ViT the weights with which it computes from pictures in that order what it computed from
 * straight ones. */
void order_relabel(const PixelOrder *o, Model *m);

/* ---- models: digit_models.c ------------------------------------------------------------------ */

enum {
    DIGIT_TRAIN = 4000,
    DIGIT_TEST = 2000,
    DIGIT_BATCH = 32,
    DIGIT_STEPS = 300,
    DIGIT_LONG = 1000
};
enum { DIGIT_CHANNELS = 32, DIGIT_CLASSES = 10 };

/* Three 5 x 5 and 3 x 3 convolutions, 1 -> 8 -> 16 -> 32 channels, the mean over all 7 x 7
 * positions, and a linear layer. */
enum { CONVOLUTIONS = 3 };
typedef struct {
    Tensor *weight[CONVOLUTIONS], *bias[CONVOLUTIONS];
    Linear head;
} ConvNet;

Tensor *convnet_logits(const ConvNet *m, Tensor *pictures); /* (B, 1, 28, 28) -> (B, 10) */

typedef enum {
    DIGIT_CLASS,     /* a ViT of one layer, patches of 7 x 7, [CLASS] token            */
    DIGIT_TRAINED,   /* that after DIGIT_LONG steps, others after DIGIT_STEPS          */
    DIGIT_MEAN,      /* with the mean over patches instead, after DIGIT_LONG steps     */
    DIGIT_UNORDERED, /* that without positions                                         */
    DIGIT_CONVNET,
    DIGIT_KINDS
} DigitModelKind;

typedef struct {
    DigitModelKind kind;
    Params *params;
    PixelOrder order;
    Model vit;
    ConvNet convnet;
} DigitModel;

/* The digits of a seed, kept until another seed is asked for. */
Pictures *digit_model_digits(uint64_t seed);

/* A model with its initial weights. A ViT's are relabelled for the order of its pictures if
 * `relabelled`. digit_model_end releases it. */
bool digit_model_begin(DigitModel *m, DigitModelKind kind, Arrangement a, bool relabelled,
                       uint64_t seed);
void digit_model_end(DigitModel *m);

/* Trains it on these digits, in its order of pixels. */
bool digit_model_train(DigitModel *m, Pictures *digits, uint64_t seed);

/* One that was trained, kept until it is asked for with another seed; NULL after an error. */
const DigitModel *digit_model(uint64_t seed, DigitModelKind kind, Arrangement a, bool relabelled);

/* Logits (n, 10) of pictures x (n, 784) in the model's order. */
Tensor *digit_model_logits(const DigitModel *m, Tape *tape, const real *x, int n);

/* The share of the DIGIT_TEST test digits that it classifies correctly. NaN where m is NULL, or no
 * logits were computed: an error, NaN, or zeros throughout. */
double digit_model_accuracy(const DigitModel *m, uint64_t seed);

/* The standard error of the difference of two such shares, each of DIGIT_TEST digits. */
double digit_model_error(double a, double b);

#endif
