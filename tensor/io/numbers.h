/* numbers.h: the number types of files, and tensors out of and into them (internal).
 *
 *   in a file              in memory
 *   F64 F32 F16 BF16       real (Tensor.data)
 *   I64 I32 U8 BOOL        ids  (Tensor.ids, 32 bits)
 *
 * A number that its place in memory cannot hold (a large I64, a large F64 where real is float, a
 * BOOL that is neither 0 nor 1) is an error, never a wrong number. Files hold the lowest byte
 * first. */
#ifndef GRADUS_TENSOR_NUMBERS_H
#define GRADUS_TENSOR_NUMBERS_H

#include "input.h"

typedef enum {
    NUMBER_F64,
    NUMBER_F32,
    NUMBER_F16,
    NUMBER_BF16,
    NUMBER_I64,
    NUMBER_I32,
    NUMBER_U8,
    NUMBER_BOOL,
    NUMBER_TYPES
} NumberType;

const char *number_name(NumberType type); /* as safetensors writes it: "F32" */
int number_bytes(NumberType type);

/* The type in which a tensor is written: I32 for ids, else F32 or F64, whichever real is. */
NumberType numbers_type(const Tensor *t);

/* Does memory hold each of the `count` numbers from byte `at` of the file on? Takes no memory, so
 * that it can be asked before any is taken. `what` names them in the error: "tensor 'a'". */
bool numbers_check(const Input *in, const char *what, NumberType type, int64_t at, int64_t count);

/* Gives the tensor, whose shape and strides are set, its data or ids and fills them from byte `at`
 * of the file on, in row-major order of its shape. numbers_check has passed. */
bool numbers_take(const Input *in, Tensor *t, NumberType type, int64_t at);

/* Writes a tensor's numbers in row-major order. A write that fails shows when the file is
 * committed. */
void numbers_put(FILE *out, const Tensor *t);

#endif
