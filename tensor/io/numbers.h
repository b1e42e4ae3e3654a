/* numbers.h: the number types of files, and their conversion from and to tensors (internal).
 *
 *   in a file              in memory
 *   F64 F32 F16 BF16       real (Tensor.data)
 *   I64 I32 I16 I8, U64    ids  (Tensor.ids, 32 bits)
 *   U32 U16 U8, BOOL
 *
 * A number that the type in memory cannot hold (a large I64 or U32, a large F64 where real is
 * float, a BOOL that is neither 0 nor 1) is an error, never a wrong number. Files are
 * little-endian. */
#ifndef GRADUS_TENSOR_NUMBERS_H
#define GRADUS_TENSOR_NUMBERS_H

#include "tensor/io/input.h"

typedef enum {
    NUMBER_F64,
    NUMBER_F32,
    NUMBER_F16,
    NUMBER_BF16,
    NUMBER_I64,
    NUMBER_I32,
    NUMBER_I16,
    NUMBER_I8,
    NUMBER_U64,
    NUMBER_U32,
    NUMBER_U16,
    NUMBER_U8,
    NUMBER_BOOL,
    NUMBER_TYPES
} NumberType;

const char *number_name(NumberType type);  /* as safetensors writes it: "F32"     */
NumberType number_named(const char *name); /* NUMBER_TYPES: there is none         */
int number_bytes(NumberType type);         /* of one number: 1, 2, 4 or 8         */
bool number_is_whole(NumberType type);     /* it becomes an id, not a real number */

/* The value of one number of a file; exact, but for I64 and U64 beyond 2^53. */
double number_value(NumberType type, const unsigned char *bytes);

/* The little-endian unsigned integer of `count` bytes. */
uint64_t number_bits(const unsigned char *bytes, int count);

/* The bytes of the numbers of a tensor; false, without an error, where the product overflows. Axes
 * of length 0 count as 1 in it, so that (0, 2^62, 2^62) is refused, too. */
bool numbers_size(NumberType type, Shape shape, int64_t *bytes);

/* The type in which a tensor is written: I32 for ids, else that of real, F32 or F64. */
NumberType numbers_type(const Tensor *t);

/* Reads the `count` numbers from byte `at` of the file on into out, as ids (int32_t) where the type
 * is whole, else as real. False, with an error that names the tensor, where memory does not hold a
 * number or the file cannot be read. */
bool numbers_read(const Input *in, const char *name, NumberType type, int64_t at, int64_t count,
                  void *out);

/* Are numbers of this type in a file what real numbers are in memory, so that a file that is mapped
 * (disk_map) needs no conversion? */
bool numbers_as_in_memory(NumberType type);

/* Writes a tensor's numbers in row-major order. tensor_file_commit reports a write that failed. */
void numbers_put(FILE *out, const Tensor *t);

/* npy_write.c: the same behind the header of NumPy's .npy. */
void npy_put(FILE *out, const Tensor *t);

#endif
