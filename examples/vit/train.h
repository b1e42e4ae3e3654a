/* train.h: training a Vision Transformer, and testing it. */
#ifndef VIT_TRAIN_H
#define VIT_TRAIN_H

#include "examples/common/pictures.h"
#include "examples/common/run.h"
#include "examples/vit/model.h"

enum { CLASSES_MAX = 10 };

/* A model's results on the test images. */
typedef struct {
    double loss, accuracy;
    int count[CLASSES_MAX]
             [CLASSES_MAX]; /* how often the class of the row is predicted as that of the column */
} Test;

/* Trains a newly initialised model, on images that are moved by up to `shift` pixels at random, and
 * tests it after each epoch. Returns false after an error. */
bool vit_train(const Model *m, Params *p, Pictures *pictures, const Common *c, int batch,
               int shift);

bool vit_test(const Model *m, const Pictures *pictures, Test *test);

#endif
