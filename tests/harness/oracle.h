/* oracle.h: reads the values that tests/golden/make_golden.py computed with PyTorch. */
#ifndef GRADUS_TESTS_ORACLE_H
#define GRADUS_TESTS_ORACLE_H

#include "tensor/tensor.h"

/* The path of a file in tests/golden; see source_path. */
const char *oracle_path(const char *file);

/* Reads the file. Returns false with a pending error if that fails. */
bool oracle_open(Safetensors *s, const char *file);

/* The tensor of that name (printf-style), or NULL. */
Tensor *oracle_find(const Safetensors *s, const char *format, ...) GRADUS_PRINTF(2, 3);

/* Does the file state that PyTorch cannot compute this one? */
bool oracle_skips(const Safetensors *s, const char *name);

#endif
