/* null.h: the error of every public function for arguments that are NULL. Internal to data/. */
#ifndef GRADUS_DATA_NULL_H
#define GRADUS_DATA_NULL_H

#include "tensor/tensor.h"

/* Records that an argument of the public function `who` is NULL; `expected` lists its pointers.
 * Returns false. */
static inline bool null_fail(const char *who, const char *expected)
{
    return tensor_fail("%s: an argument is NULL; expected %s", who, expected);
}

#endif
