/* oracle.h: PyTorch's numbers, as golden/make_golden.py left them. */
#ifndef GRADUS_TESTS_ORACLE_H
#define GRADUS_TESTS_ORACLE_H

#include "tensor/tensor.h"

/* The path of a file in tests/golden: under the environment's GRADUS_SOURCE, or else beside a build folder
 * that is the current one. The text lives until the next call. */
const char *oracle_path(const char *file);

/* Reads it. False, with the error pending, when it cannot. */
bool oracle_open(Safetensors *s, const char *file);

/* The tensor of that name (printf-style); NULL where there is none. */
Tensor *oracle_find(const Safetensors *s, const char *format, ...) GRADUS_PRINTF(2, 3);

/* Does the file say that there is none, since the oracle cannot know? */
bool oracle_skips(const Safetensors *s, const char *name);

#endif
