/* tensor.h: tensors, and what every other part of the library stands on.
 *
 * Nothing here knows of derivatives: a Tensor has a pointer for its gradient, and autograd fills
 * it.
 *
 * Three rules hold for every function of the library. A failure is an error that the program
 * decides on (see "errors"); the library never ends the process. A tensor argument may be NULL or
 * the poison tensor, which a failed call returned: then the function fails too, or does nothing.
 * What C cannot check is the caller's duty: a pointer to numbers or ids must lead to as many as the
 * shape says.
 *
 * Arguments have one order. The path of a file, or the stream that is written to, comes first, then
 * the object or the operand, an array before its length, then an axis, then settings. And one type:
 * int32_t is an id (of a token, a label, an item), int64_t a length or a number of elements, double
 * a scalar; int is an axis, a setting of an op such as a stride, or the number of a list's entries,
 * such as layers, heads and operands.
 *
 * Threads. A tape and all that is on it belong to one thread at a time, and an error to the thread
 * on which it occurred. Several threads, each with a tape of its own, may read the same weights at
 * once, for forward passes. Backward adds to the gradients of weights: over the same weights one
 * thread at a time, and no other thread steps an optimiser or loads them meanwhile. A second
 * backward at the same time is an error where it is seen. Training on several processors at once:
 * the kernels share out each op (tensor_set_threads), or processes share a batch (nn/slices.h).
 * Settings of the whole process, to be made before threads start: tensor_on_error,
 * tensor_set_allocator, tensor_set_threads, tensor_set_kernels, tape_on_event, plot_set_look. */
#ifndef GRADUS_TENSOR_H
#define GRADUS_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The version: for people, and as 10000 times its first number plus 100 times the second plus the
 * third, for #if. 1.0.0 will be the first whose interface is promised; below it, any change may
 * come. */
#define GRADUS_VERSION        "0.9.0"
#define GRADUS_VERSION_NUMBER 900

/* These enclose all declarations, so that a C++ program links with functions that were compiled as
 * C. */
#ifdef __cplusplus
#define GRADUS_BEGIN extern "C" {
#define GRADUS_END   }
#else
#define GRADUS_BEGIN
#define GRADUS_END
#endif

GRADUS_BEGIN

/* What the shared libraries export, and a function whose format string the compiler checks. */
#define GRADUS_API __attribute__((visibility("default")))
#ifdef __clang__
#define GRADUS_PRINTF(fmt, n) __attribute__((format(printf, fmt, n)))
#else /* GCC's printf is that of the system, which on Windows lacks %zu and %lld; ours is C's */
#define GRADUS_PRINTF(fmt, n) __attribute__((format(gnu_printf, fmt, n)))
#endif

/* real: the one number type of a build. libgradus computes in float; libgradus-f64 is made of the
 * same sources and computes in double, which gradient checks need. Every file that includes this
 * header refers to the symbol of its kind, so that a program compiled for one library does not link
 * with the other. */
#ifdef GRADUS_F64
typedef double real;
#define GRADUS_REAL_SYMBOL gradus_real_is_double
#else
typedef float real;
#define GRADUS_REAL_SYMBOL gradus_real_is_float
#endif
extern GRADUS_API const char GRADUS_REAL_SYMBOL;
#ifndef GRADUS_INSIDE
__attribute__((used)) static const char *const gradus_real_check = &GRADUS_REAL_SYMBOL;
#endif

/* GRADUS_VERSION of the library with which the program runs. */
GRADUS_API const char *gradus_version(void);

typedef struct Tape Tape; /* autograd.h */
typedef struct Node Node; /* autograd.h */

/* ---- shapes ---------------------------------------------------------------------- shape.c -- */

enum { TENSOR_MAX_RANK = 6 };

/* The lengths of the axes, outermost first. Rank 0 is a single number. An axis may have length 0;
 * then there are no elements. A Shape is a plain value that anyone may fill in; shape_check tells
 * whether it is valid. */
typedef struct {
    int rank;
    int64_t dim[TENSOR_MAX_RANK];
} Shape;

/* A static initialiser: static const Shape s = SHAPE(2, 3). For rank 0: static
 * const Shape s = {0}. */
#define SHAPE(...)                                                 \
    {                                                              \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
        {                                                          \
            __VA_ARGS__                                            \
        }                                                          \
    }

/* The shapes (), (a,), (a, b) and so on, unchecked: the function that takes the shape checks. */
GRADUS_API Shape shape0(void);
GRADUS_API Shape shape1(int64_t a);
GRADUS_API Shape shape2(int64_t a, int64_t b);
GRADUS_API Shape shape3(int64_t a, int64_t b, int64_t c);
GRADUS_API Shape shape4(int64_t a, int64_t b, int64_t c, int64_t d);
GRADUS_API Shape shape5(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e);

/* The number of elements; 1 for rank 0; INT64_MAX where the product does not fit. */
GRADUS_API int64_t shape_size(Shape s);
/* The length of the last axis; 1 for rank 0. */
GRADUS_API int64_t shape_last(Shape s);
/* The product of all axes but the last, which is the number of rows; 1 for rank 0 and 1. */
GRADUS_API int64_t shape_rows(Shape s);
/* Do both have the same rank and the same length of every axis? */
GRADUS_API bool shape_equal(Shape a, Shape b);

/* Is the shape valid? False, with an error that begins with `who`, when the rank is not 0 to
 * TENSOR_MAX_RANK, an axis is negative, or the axes' product (an axis of 0 counted as 1) reaches
 * 2^60, or 2^28 on a processor of 32 bits: no address counts the bytes of so many doubles. */
GRADUS_API bool shape_check(Shape s, const char *who);

/* The shape as NumPy writes it: "()", "(3,)", "(2, 3)". The text is overwritten by the eighth
 * further call on the same thread. */
GRADUS_API const char *shape_str(Shape s);

/* ---- errors ---------------------------------------------------------------------- error.c -- */

/* A function that fails returns false, NULL, the poison tensor, or what its comment says (-1, 0,
 * NaN). The first failure of a thread is kept, as one line that begins with the function and the
 * source location of the program's call; failures after it
 * are its consequences and are dropped. So a program may check once, at the end of a step.
 * tape_reset forgets the failure of that tape's step. Any other failure, such as that of a module's
 * init, stays until tensor_clear_error: while it does, optimisers take no step. */

/* Records a failure, printf-style, as "function: what was found; what was expected". Control
 * characters become '?'. Does nothing while a failure is kept. Always returns false, so that a
 * check can end with it. */
GRADUS_API bool tensor_fail(const char *format, ...) GRADUS_PRINTF(1, 2);

/* Is a failure kept on this thread? */
GRADUS_API bool tensor_failed(void);
/* "main.c:42: ag_matmul: ...", or "" without a failure. Valid until the thread's next call. */
GRADUS_API const char *tensor_error(void);
/* Forgets the failure. */
GRADUS_API void tensor_clear_error(void);

/* Sets the function that is called once for each failure, by the public function that failed, on
 * its thread, when the caller's source location is known. It may call the library, exit or longjmp.
 * NULL, which is how a process begins: no handler. It is the whole process's; set it before
 * starting threads. A tape may have another (Tape.on_error), so that a library within a program
 * keeps its failures to itself. */
typedef void (*TensorErrorHandler)(const char *message, void *context);
GRADUS_API void tensor_on_error(TensorErrorHandler handler, void *context);

/* ---- memory --------------------------------------------------------------------- memory.c -- */

/* The functions through which the library takes and releases all of its memory. alloc may return
 * NULL, which becomes an error; its blocks are aligned to 16 bytes or more and their content is
 * arbitrary. */
typedef struct {
    void *(*alloc)(size_t bytes, void *context);
    void (*free)(void *block, void *context);
    void *context;
} TensorAllocator;

/* Sets them for the whole process; NULL, or a member that is NULL: malloc and free. To be called
 * while the library holds no memory and no other thread uses it. */
GRADUS_API void tensor_set_allocator(const TensorAllocator *allocator);

/* ---- tensors --------------------------------------------------------------------- tensor.c -- */

enum { TENSOR_NAME_MAX = 128 }; /* with its closing 0; pretrained models have names of 92 bytes */

/* Numbers of type real with a shape. Element (i, j, ...) is data[i * stride[0] + j * stride[1] +
 * ...], and its gradient stands at the same offset in grad. A tensor of whole numbers (token ids,
 * labels, lengths) has ids instead of data, and never a gradient. The fields are for reading; the
 * library's functions set them. */
typedef struct Tensor {
    Shape shape;
    int64_t stride[TENSOR_MAX_RANK]; /* in elements                                              */
    real *data;                      /* NULL where the tensor has ids                            */
    real *grad;                      /* the gradient, strided as data; NULL while there is none  */
    int32_t *ids;                    /* whole numbers, contiguous; NULL where the tensor has data */
    Tape *tape;                      /* the tape it is on; NULL for weights and free tensors      */
    Node *node;          /* the op whose result it is; NULL for inputs, weights and views         */
    struct Tensor *base; /* of a view: the tensor that owns data and grad; otherwise NULL         */
    int64_t offset;      /* of a view: where its first element stands in base->data               */
    uint64_t step;       /* tape->resets when it was made                                         */
    /* &tape->resets, which is above step once the tape was reset; or NULL. */
    const uint64_t *now;
    /* The program's call that made it, where it is on a tape: "ag_softmax", "main.c", 42; or
     * NULL. */
    const char *function, *file;
    int line;
    bool needs_grad; /* does backward compute its gradient?                                   */
    bool keep_grad;  /* is the gradient kept after backward has used it?                      */
    char name[TENSOR_NAME_MAX]; /* "" without a name                                              */
} Tensor;

/* A new contiguous tensor of zeros that lives until tensor_free. NULL, with an error, for an
 * invalid shape or when memory is out. */
GRADUS_API Tensor *tensor_new(Shape shape);
/* The same with a copy of shape_size(shape) numbers at data, row-major. */
GRADUS_API Tensor *tensor_from(const real *data, Shape shape);
/* Frees a tensor of tensor_new, tensor_from, tensor_clone or data_array_read. Does nothing for
 * NULL and poison. A tensor on a tape is an error and stays: the tape frees it. */
GRADUS_API void tensor_free(Tensor *t);

/* A contiguous copy of the numbers or ids and of the name, without gradient, which lives until
 * tensor_free. NULL, with an error, for NULL or poison, or when memory is out. */
GRADUS_API Tensor *tensor_clone(const Tensor *t);

/* The poison tensor, which a failed op returns: rank 0, NaN. It is one object for the process;
 * never write to it. Every op that is given it returns it again, and no new error is recorded. */
GRADUS_API Tensor *tensor_poison(void);
/* Is t the poison tensor, or NULL? */
GRADUS_API bool tensor_is_poison(const Tensor *t);

/* The number of elements. */
GRADUS_API int64_t tensor_size(const Tensor *t);
/* Do the elements stand in row-major order without gaps? */
GRADUS_API bool tensor_is_contiguous(const Tensor *t);
/* Sets t's shape, and the strides with which it is contiguous. It does not move or allocate
 * numbers: data must have shape_size(shape) of them. An invalid shape is an error, and t stays as
 * it is. */
GRADUS_API void tensor_set_contiguous(Tensor *t, Shape shape);

/* A tensor that is on a tape ends with its step: after tape_reset it is an error in each function
 * that reads numbers. */

/* The only element. NaN, with an error, if there is not exactly one. */
GRADUS_API real tensor_item(const Tensor *t);

/* The element at index[0 .. rank - 1]; an id is converted to real. NaN, with an error, for an index
 * outside its axis. */
GRADUS_API real tensor_get(const Tensor *t, const int64_t *index);

/* Copies all elements in row-major order to out[0 .. tensor_size(t) - 1]. */
GRADUS_API void tensor_read(const Tensor *t, real *out);

/* Sets the name, printf-style. A name longer than TENSOR_NAME_MAX - 1 bytes is cut, between two
 * UTF-8 characters. */
GRADUS_API void tensor_set_name(Tensor *t, const char *format, ...) GRADUS_PRINTF(2, 3);

/* For messages: "'name' (2, 3)", or "(2, 3)" without a name. The text is valid as long as that of
 * shape_str. */
GRADUS_API const char *tensor_describe(const Tensor *t);

/* ---- printing and comparing -------------------------------------------- print.c, compare.c -- */

/* Prints the values as numpy.array2string(a, precision=4) does: aligned columns, scientific
 * notation where the range needs it, and of a tensor of more than 1000 elements only the first and
 * last 3 along each axis longer than 6. Ends with a newline. NULL prints as poison, which is nan.
 * Error, and nothing is printed: a tensor of an earlier step. */
GRADUS_API void tensor_print(FILE *out, const Tensor *t);

/* Do two tensors agree? NULL when the shapes are equal and |got - want| <= absolute + relative
 * |want| holds for every element (a NaN agrees with a NaN, an infinity with itself). Otherwise one
 * line: how many elements differ, the index and both values of the first, and the largest
 * difference; or which shapes they have; or the error, where one is NULL, poison or of an earlier
 * step, or a tolerance is not finite or below 0. The text is valid until the next call on the
 * thread. */
GRADUS_API const char *tensor_difference(const Tensor *got, const Tensor *want, double relative,
                                         double absolute);

/* ---- random numbers ----------------------------------------------------------------- rng.c -- */

/* A sequence of random numbers. Number n is a function of (seed, stream, n); sequences with the
 * same seed and different streams are independent. To save and continue a sequence, save these
 * three numbers. */
typedef struct {
    uint64_t seed, stream;
    uint64_t position; /* how many 32-bit numbers were taken */
} Rng;

/* 32 random bits; takes 1 number. */
GRADUS_API uint32_t rng_bits(Rng *r);
/* Uniform in [0, 1), in steps of 2^-53; takes 2 numbers. */
GRADUS_API double rng_uniform(Rng *r);
/* Mean 0, variance 1 (Box and Muller 1958); takes 4 numbers. */
GRADUS_API double rng_normal(Rng *r);
/* 0 .. n - 1 with equal probability; takes 2 numbers, rarely more. 0, with an error, for n < 1. */
GRADUS_API int64_t rng_below(Rng *r, int64_t n);
/* Permutes n items; every order has the same probability (Fisher and Yates). Error: n below 0. */
GRADUS_API void rng_shuffle(Rng *r, int32_t *items, int64_t n);
/* A seed for each text, as a function of seed and text. NULL counts as "". */
GRADUS_API uint64_t rng_hash(uint64_t seed, const char *text);

/* ---- threads and kernels -------------------------------------------- parallel.c, kernels.c -- */

/* Sets how many threads the kernels may use. 0, which is how a process begins: OMP_NUM_THREADS
 * where it is set, else as many as the processors that the process may use, by its affinity and its
 * control group's quota (1 in a debug build). At most 256 are used. The bits of a result do not
 * depend on it. While one thread's loop uses the threads, loops of other threads are computed by
 * the thread that calls them; a forked process starts its own threads. */
GRADUS_API void tensor_set_threads(int n);
/* The number in effect, at least 1. */
GRADUS_API int tensor_threads(void);

/* The name of the kernel set in use: "ref", "base", "avx2" or "avx512". A process begins with the
 * fastest set that the processor supports ("ref" in a debug build), or with the one that the
 * environment variable GRADUS_KERNELS names. */
GRADUS_API const char *tensor_kernels(void);
/* Chooses a kernel set by its name. False, with an error, and no change, where the processor or
 * this build lacks it. Not while another thread computes. */
GRADUS_API bool tensor_set_kernels(const char *name);

/* ---- files -------------------------------------------- io/safetensors_*.c, io/npy_write.c -- */

/* Makes a directory, and those above it, where they are missing. False, with an error, where one
 * cannot be made. */
GRADUS_API bool tensor_make_directory(const char *path);

/* How numbers are converted. Read, F64, F32, F16 and BF16 become real; I64 to I8, U64 to U8 and
 * BOOL become ids (Tensor.ids), since whole numbers are token ids, labels or counts here. A value
 * that does not fit is an error that names it and its position: an I64 outside 32 bits, an F64
 * outside float where real is float, a BOOL other than 0 and 1. Written, real stays as it is (F32
 * by libgradus, F64 by libgradus-f64) and ids are I32: the library that wrote a tensor reads it
 * with the same bits. */

/* safetensors: named tensors in one file. Format: 8 bytes with the header's length, little-endian;
 * a header in JSON; the numbers (github.com/huggingface/safetensors). A file knows nothing of
 * modules. */
typedef struct {
    int count;
    Tensor **tensors; /* in the order of the header; Tensor.name is the name */
    int metadata_count;
    char **metadata; /* key, value, key, value, ...: 2 * metadata_count texts */
} Safetensors;

/* Reads a whole file into s, which safetensors_free releases. Every size is checked before it is
 * used, and every number before any is kept: a file that is refused takes at most twice its length
 * and 1 MiB of memory. False, with an error that names the file, what was found and what was
 * expected; s is then empty. */
GRADUS_API bool safetensors_read(const char *path, Safetensors *s);
GRADUS_API void safetensors_free(Safetensors *s);
/* The tensor of that name; NULL, without an error, where there is none. */
GRADUS_API Tensor *safetensors_find(const Safetensors *s, const char *name);

/* Writes `count` tensors, contiguous or not, under their names, atomically. metadata has
 * metadata_count pairs of key and value, or is NULL with 0. False, with an error, for a tensor that
 * is poison or has no name, two tensors of one name, or when writing fails; the old file is then as
 * it was. */
GRADUS_API bool safetensors_write(const char *path, Tensor *const *tensors, int count,
                                  const char *const *metadata, int metadata_count);

/* Writes a tensor as NumPy does: version 1.0 in C order, dtype '<f4' ('<f8' by libgradus-f64), or
 * '<i4' for ids; atomically. False, with an error, for poison or when writing fails.
 * data_array_read reads it. */
GRADUS_API bool tensor_npy_write(const char *path, const Tensor *t);

GRADUS_END

#include "tensor/placed.h"
#include "placed/tensor.h" /* macros: an error names the program's line */
#endif
