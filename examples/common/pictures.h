/* pictures.h: small pictures with labels, to train and to test on: drawn digits, or the public files of a folder. */
#ifndef EXAMPLES_PICTURES_H
#define EXAMPLES_PICTURES_H

#include "examples/common/order.h"

typedef struct {
    Images train, test;
    int train_count;            /* pictures 0 .. train_count - 1 of train are trained on */
    int test_first, test_count; /* so many of test, from the first on, are tested on     */
    int side, colours, classes;
    bool drawn;      /* not from files                                        */
    char about[160]; /* what was found, to be printed                         */
    Order order;     /* of the epoch that is being gone through               */
} Pictures;

/* Digits drawn by data_digits, some to train and others to test on. */
bool pictures_drawn(Pictures *p, int train, int test, uint64_t seed);

/* MNIST's or CIFAR-10's files from a folder, under the names that ./gradus data gives them (with or without
 * .gz, also with "mnist-" in front). Where there are only MNIST's t10k files, the first nine tenths are trained on
 * and the others tested on. */
bool pictures_load(Pictures *p, const char *folder, uint64_t seed);
/* The one or the other: what is in the folder, or where it is NULL 9000 drawn digits and 1000 to test on. */
bool pictures_open(Pictures *p, const char *folder, uint64_t seed);
void pictures_free(Pictures *p);

/* How many numbers a picture has. */
int64_t pictures_size(const Pictures *p);

/* The B pictures of a training step, as real from 0 to 1 into x (B, size) and their labels (unless NULL): each
 * epoch goes through all of them in an order of its own; what is left after the last whole batch is not used in it.
 * A function of seed and step. */
bool pictures_batch(Pictures *p, int64_t step, int B, real *x, int32_t *labels);

/* Test pictures `first` to first + count - 1. */
bool pictures_test(const Pictures *p, int first, int count, real *x, int32_t *labels);

#ifndef GRADUS_INSIDE
#define pictures_drawn(...) TENSOR_PLACED_OK(pictures_drawn(__VA_ARGS__))
#define pictures_load(...)  TENSOR_PLACED_OK(pictures_load(__VA_ARGS__))
#define pictures_open(...)  TENSOR_PLACED_OK(pictures_open(__VA_ARGS__))
#define pictures_batch(...) TENSOR_PLACED_OK(pictures_batch(__VA_ARGS__))
#define pictures_test(...)  TENSOR_PLACED_OK(pictures_test(__VA_ARGS__))
#endif

#endif
