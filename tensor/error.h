/* error.h: whose failure is pending (internal). A step on a tape ends its own failure alone: that
 * of a module's init, of a file or of another tape stays until the program clears it. */
#ifndef GRADUS_TENSOR_ERROR_H
#define GRADUS_TENSOR_ERROR_H

#include "tensor/tensor.h"

enum { ERROR_TEXT = 1600 }; /* bytes that hold each text of tensor_error */

/* The failure that is being reported is this owner's. Its text goes into `text` (ERROR_TEXT bytes),
 * with the source location when that is known, and `call` is called in place of the process's
 * handler, unless it is NULL. Nothing happens where the caller of the public function that failed
 * was told already, since that failure is an earlier one. */
void error_belongs(const void *owner, char *text, TensorErrorHandler call, void *context);
/* Forgets the failure if it is this owner's. */
void error_forget(const void *owner);
/* The owner goes; a failure of it stays until the program clears it. */
void error_disown(const void *owner);

#endif
