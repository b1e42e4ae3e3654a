/* reduce.h: sums along one axis, or all (internal). x is seen as (outer, n, inner). */
#ifndef GRADUS_REDUCE_H
#define GRADUS_REDUCE_H

#include "autograd/ops/op.h"

typedef struct {
    bool all; /* of every element; axis and keepdim do not count */
    int axis;
    bool keepdim;
} ReduceAttrs;

typedef struct {
    int64_t outer, n, inner;
} Reduction;

bool reduce_shape(const Node *n, Shape *y);
Reduction reduce_sizes(const Node *n);

/* y = alpha times the sum, and the way back. */
void reduce_forward(Node *n, real alpha);
void reduce_backward(Node *n, real alpha);

/* The samples along one axis; they close the list. args: all, axis, keepdim */
#define REDUCE_AXIS_SAMPLES                                                                  \
    {.label = "first axis", .in = {SHAPE(3, 4)}, .inputs = 1, .arg = {0, 0}},                \
        {.label = "middle axis", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, 1}},        \
        {.label = "last axis kept", .in = {SHAPE(2, 3, 4)}, .inputs = 1, .arg = {0, -1, 1}}, \
        {.label = "size 0", .in = {SHAPE(0, 3)}, .inputs = 1, .arg = {0, 1}},                \
        {.label = "size 1", .in = {SHAPE(1, 1)}, .inputs = 1, .arg = {0, 1}},                \
        {.label = "no such axis",                                                            \
         .in = {SHAPE(2, 3)},                                                                \
         .inputs = 1,                                                                        \
         .arg = {0, 2},                                                                      \
         .fails = "axis"},                                                                   \
        {.label = "scalar", .in = {{0}}, .inputs = 1, .fails = "expected none"},             \
    {                                                                                        \
        0                                                                                    \
    }

/* The same, and over all. */
extern const OpSample reduce_samples[];

#endif
