/* module_checks.h: a module with PyTorch's weights (a file of golden/) on a tape: its
 * outputs and gradients are compared with PyTorch's. */
#ifndef GRADUS_TESTS_MODULE_CHECKS_H
#define GRADUS_TESTS_MODULE_CHECKS_H

#include "nn/nn.h"

/* PyTorch computes in float32: some hundred roundings of numbers around 1. */
#define ORACLE_CLOSE 1e-5

typedef struct {
    Params *params;
    Tape *tape;
    Safetensors golden;
} Setting;

bool setting_open(Setting *s,
                  const char *golden); /* this file of golden/; false after a failed check */
void setting_close(Setting *s);        /* checks that no failure is left */

/* Every weight below `scope` gets the oracle's numbers: "SCOPE.path" those of "PREFIX.path". */
bool setting_weights(Setting *s, const char *scope, const char *prefix);
/* The oracle's tensor of this name as a leaf. */
Tensor *setting_leaf(Setting *s, const char *name);

/* Backward from the sum of all elements of all y, each tensor weighted by sample_upstream. */
bool setting_back(Setting *s, Tensor *const *y, int count);

/* The numbers, or the gradient, are the oracle's of that name (printf-style). */
void is_oracle(const Setting *s, const Tensor *t, const char *format, ...) GRADUS_PRINTF(3, 4);
void gradient_is_oracle(const Setting *s, const Tensor *t, const char *format, ...)
    GRADUS_PRINTF(3, 4);
/* So are the gradients of all weights: that of "SCOPE.path" is "PREFIX.grad.path". Scope "": of
 * any path. */
void weights_are_oracle(const Setting *s, const char *scope, const char *prefix);

#endif
