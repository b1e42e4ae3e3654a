/* model.h: a Vision Transformer. Dosovitskiy et al. 2021; V "Vision Transformer", Z "Vision
 * transformers".
 *
 *   picture (B, colours, side, side)
 *     -> n = (side / patch)^2 patches, each a row of colours patch^2 numbers -> linear -> (B, n, C)
 *     -> a class token in front -> + position -> L pre-norm blocks -> LayerNorm
 *     -> the class token's row (or the mean over all patches) -> linear -> logits (B, classes) */
#ifndef VIT_MODEL_H
#define VIT_MODEL_H

#include "gradus.h"

enum { LAYERS_MAX = 12 };
typedef enum { POOL_CLASS, POOL_MEAN } Pool;

typedef struct {
    int side, colours, patch; /* the patch must divide the side        */
    int channels, heads, layers, classes;
    int position; /* a PositionKind; learned is the paper's */
    int pool;     /* a Pool                                 */
} ModelConfig;

typedef struct {
    ModelConfig config;
    Linear embed;
    Tensor *class_token; /* (1, 1, C) zeros; NULL with POOL_MEAN */
    Encoder encoder;
    Linear head;
} Model;

bool vit_init(Model *m, Params *p, ModelConfig config);

/* The number of patches along a side, and the number of tokens including the class token. */
int vit_grid(const Model *m);
int vit_tokens(const Model *m);

/* Images (B, colours, side, side) -> patches (B, n, colours patch^2), row by row. */
Tensor *vit_patches(const Model *m, Tensor *pictures);

/* Logits (B, classes). */
Tensor *vit_logits(const Model *m, Tensor *pictures);

#endif
