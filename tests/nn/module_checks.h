/* module_checks.h: a module with PyTorch's weights (golden/modules.safetensors) on a tape: its
 * outputs and gradients are compared with PyTorch's, and its gradients with finite differences. */
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

bool setting_open(Setting *s);  /* false after a failed check */
void setting_close(Setting *s); /* checks that no failure is left */

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
/* So are the gradients of all weights: that of "SCOPE.path" is "PREFIX.grad.path". */
void weights_are_oracle(const Setting *s, const char *scope, const char *prefix);

/* Checks dy/dx for the given x and for every weight of p. A module is an open struct of `size`
 * bytes: for each try, leaves stand in for the weights that it points to. Skips nothing, so call it
 * in double only. */
typedef Tensor *(*ModuleForward)(void *module, Tensor **x);
void module_gradcheck(Setting *s, void *module, size_t size, ModuleForward forward,
                      Tensor *const *x, int count, const char *what);

#endif
