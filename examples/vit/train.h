/* train.h: training a Vision Transformer, and testing it. */
#ifndef VIT_TRAIN_H
#define VIT_TRAIN_H

#include "examples/common/pictures.h"
#include "examples/common/run.h"
#include "examples/vit/model.h"

enum { CLASSES_MAX = 10 };

/* What a model says of the test pictures. */
typedef struct {
    double loss, accuracy;
    int count[CLASSES_MAX][CLASSES_MAX]; /* how often it takes row's class for column's */
} Test;

/* Trains a model that was just initialised, with a test after each epoch. False after an error. */
bool vit_train(const Model *m, Params *p, Pictures *pictures, const Common *c, int batch);

bool vit_test(const Model *m, const Pictures *pictures, Test *test);

#endif
