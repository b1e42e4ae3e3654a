/* tensor.h: what numbers live in.
 *
 *   Shape     how many axes, and how long each is             tensor/shape.c
 *   errors    the first failure, with the caller's place      tensor/error.c
 *   memory    one hook for all allocation; the Arena          tensor/memory.c, tensor/arena.c
 *   Tensor    numbers with a shape, strides and a gradient    tensor/tensor.c
 *   printing, comparing                                       tensor/print.c, tensor/compare.c
 *   Rng       Philox counter-based random numbers             tensor/rng.c
 *   threads   how many, and which kernels                     tensor/threads/parallel.c, tensor/kernels/kernels.c
 *   files     safetensors, .npy; the atomic file writer       tensor/io/
 *
 * This room knows nothing of derivatives: a Tensor has a place for its gradient, and autograd fills it.
 * The library never ends the host process: every failure is an error that the host decides on. */
#ifndef GRADUS_TENSOR_H
#define GRADUS_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Around all declarations: C++ is to look for the names that C gave them. */
#ifdef __cplusplus
#define GRADUS_BEGIN extern "C" {
#define GRADUS_END   }
#else
#define GRADUS_BEGIN
#define GRADUS_END
#endif

GRADUS_BEGIN

#define GRADUS_API            __attribute__((visibility("default")))
#define GRADUS_PRINTF(fmt, n) __attribute__((format(printf, fmt, n)))

/* real: the one number type of a build. libgradus computes in float; libgradus-f64, made of the same
 * sources, in double (gradient checks need it). Every file that includes this header refers to the
 * symbol of its kind, so that a program compiled for one and linked with the other does not link. */
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

typedef struct Tape Tape; /* autograd.h */
typedef struct Node Node; /* autograd.h */

/* ---- shapes ---------------------------------------------------------------------- shape.c -- */

enum { TENSOR_MAX_RANK = 6 };

/* Rank 0 is a single number. An axis may have length 0. */
typedef struct {
    int rank;
    int64_t dim[TENSOR_MAX_RANK];
} Shape;

/* A static initialiser: static const Shape s = SHAPE(2, 3); and for rank 0: static const Shape s = {0}; */
#define SHAPE(...)                                                 \
    {                                                              \
        (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), \
        {                                                          \
            __VA_ARGS__                                            \
        }                                                          \
    }

/* (), the shape of a single number; (a); (a, b); and so on. */
GRADUS_API Shape shape0(void);
GRADUS_API Shape shape1(int64_t a);
GRADUS_API Shape shape2(int64_t a, int64_t b);
GRADUS_API Shape shape3(int64_t a, int64_t b, int64_t c);
GRADUS_API Shape shape4(int64_t a, int64_t b, int64_t c, int64_t d);
GRADUS_API Shape shape5(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e);

GRADUS_API int64_t shape_size(Shape s); /* number of elements; 1 for rank 0                   */
GRADUS_API int64_t shape_last(Shape s); /* length of the last axis; 1 for rank 0              */
GRADUS_API int64_t shape_rows(Shape s); /* product of all axes but the last; 1 for rank <= 1  */
GRADUS_API bool shape_equal(Shape a, Shape b); /* in rank and in every axis */

/* False, with an error, when an axis is negative or the element count would overflow. */
GRADUS_API bool shape_check(Shape s, const char *who);

/* NumPy's rule: align at the last axis; lengths must be equal or one of them 1. Writes the common shape. */
GRADUS_API bool shape_broadcast(Shape a, Shape b, Shape *both);

/* "(2, 3)", as NumPy writes it. The text lives until eight further calls on the same thread. */
GRADUS_API const char *shape_str(Shape s);

/* Axis -1 is the last. Returns 0..rank-1, or -1 with an error that names `who`. */
GRADUS_API int shape_axis(Shape s, int axis, const char *who);

/* ---- errors ---------------------------------------------------------------------- error.c -- */

/* The first failure on a thread is kept, with the place in the caller's source, until tape_reset or
 * tensor_clear_error. What fails returns false, NULL or the poison tensor, so a program may check once,
 * at the end of a step. */

/* Records a failure (printf-style; begin with the name of what failed). Always returns false. */
GRADUS_API bool tensor_fail(const char *format, ...) GRADUS_PRINTF(1, 2);

GRADUS_API bool tensor_failed(void);       /* is there a failure?                             */
GRADUS_API const char *tensor_error(void); /* "main.c:42: matmul: ...", or "" without failure */
GRADUS_API void tensor_clear_error(void);  /* forgets it */

/* The handler is called once for each failure, when its place is known: by the public call that failed,
 * on the same thread. NULL (the start) for none. One for the whole process. */
typedef void (*TensorErrorHandler)(const char *message, void *context);
GRADUS_API void tensor_on_error(TensorErrorHandler handler, void *context);

/* Fills an empty place in the pending failure, then calls the handler. Public functions are wrapped in
 * one of these macros beside their prototype; inside the library the macros are off, so that a failure
 * deep in a module still reports the line of the program that called the module. */
GRADUS_API void tensor_place(const char *file, int line);

/* ---- memory ------------------------------------------------------------ memory.c, arena.c -- */

/* All of the library's memory comes through this hook. alloc may return NULL: an error, never a crash. */
typedef struct {
    void *(*alloc)(size_t bytes, void *context); /* at least 16-byte aligned, contents arbitrary */
    void (*free)(void *block, void *context);
    void *context;
} TensorAllocator;

/* NULL goes back to malloc and free. Call it while the library holds no memory. */
GRADUS_API void tensor_set_allocator(const TensorAllocator *allocator);

/* The product of two counts; false, without writing, when it does not fit. */
GRADUS_API bool tensor_checked_mul(int64_t a, int64_t b, int64_t *product);

/* Memory by lifespan: pieces are taken one by one and given back all at once. It grows by chunks, so
 * pieces never move; arena_reset merges the chunks into one of the largest size seen, after which a run
 * of the same size takes nothing from the allocator. Start from (Arena){0}. */
typedef struct ArenaChunk ArenaChunk;
typedef struct {
    ArenaChunk *chunk; /* newest first                           */
    size_t used;       /* bytes handed out since the last reset  */
    size_t peak;       /* the most ever handed out between resets */
} Arena;

/* 64-byte aligned, not zeroed; NULL is an error. */
GRADUS_API void *arena_alloc(Arena *a, size_t bytes);
GRADUS_API void arena_reset(Arena *a); /* the bytes become 0xFF in debug builds */
GRADUS_API void arena_free(Arena *a);

/* ---- tensors --------------------------------------------------------------------- tensor.c -- */

enum { TENSOR_NAME_MAX = 64 };

/* Element (i, j, ...) is data[i * stride[0] + j * stride[1] + ...], and so is its gradient in grad.
 * A tensor of token ids (labels, indices) has ids instead of data, and never a gradient. */
typedef struct Tensor {
    Shape shape;
    int64_t stride[TENSOR_MAX_RANK]; /* in elements                                         */
    real *data;
    real *grad;          /* NULL while there is none; same strides as data                  */
    int32_t *ids;        /* whole numbers, contiguous; data is then NULL                    */
    Tape *tape;          /* the tape it lives on; NULL for weights and free tensors         */
    Node *node;          /* the op that made it; NULL for inputs, weights and views         */
    struct Tensor *base; /* a view's owner of data and grad; NULL where it owns them itself */
    int64_t offset;      /* where the view starts in base                                   */
    uint64_t step;       /* the tape's step in which it was made                            */
    bool needs_grad;     /* backward brings it a gradient                                   */
    bool keep_grad;      /* and the gradient outlives its use in backward                   */
    char name[TENSOR_NAME_MAX];
} Tensor;

/* A tensor of its own, zeroed, that lives until tensor_free (which takes NULL too). */
GRADUS_API Tensor *tensor_new(Shape shape);
/* The same with a copy of shape_size(shape) numbers. */
GRADUS_API Tensor *tensor_from(const real *data, Shape shape);
GRADUS_API void tensor_free(Tensor *t);

/* A contiguous copy (numbers or ids, without gradient) that outlives the tape's reset. */
GRADUS_API Tensor *tensor_clone(const Tensor *t);

/* What a failed op returns: rank 0, NaN. It is one constant object; never write to it. */
GRADUS_API Tensor *tensor_poison(void);
GRADUS_API bool tensor_is_poison(const Tensor *t); /* NULL counts as poison */

GRADUS_API int64_t tensor_size(const Tensor *t);               /* number of elements */
GRADUS_API bool tensor_is_contiguous(const Tensor *t);         /* row-major, without gaps */
GRADUS_API void tensor_set_contiguous(Tensor *t, Shape shape); /* shape and its row-major strides */
/* The only element; NaN, with an error, if there are more. */
GRADUS_API real tensor_item(const Tensor *t);

/* The element at an index of t->shape.rank numbers (NaN, with an error, outside). Ids are converted. */
GRADUS_API real tensor_get(const Tensor *t, const int64_t *index);

/* The offset of an element, counted from 0 in row-major order, from the first one: it is t->data[offset] and
 * t->grad[offset]. 0, with an error, for an element that t does not have. */
GRADUS_API int64_t tensor_offset(const Tensor *t, int64_t element);

/* Copies all elements in row-major order into out[tensor_size(t)]. */
GRADUS_API void tensor_read(const Tensor *t, real *out);

/* printf-style; what goes beyond TENSOR_NAME_MAX - 1 bytes is cut off. */
GRADUS_API void tensor_set_name(Tensor *t, const char *format, ...) GRADUS_PRINTF(2, 3);

/* "'name' (2, 3)", or "(2, 3)" without a name; lives as long as shape_str's. */
GRADUS_API const char *tensor_describe(const Tensor *t);

/* ---- printing and comparing ----------------------------------------------- print.c, compare.c -- */

/* As NumPy prints: aligned columns, 4 decimals, scientific where the range asks for it, and the middle
 * of an axis of more than 6 left out when there are more than 1000 elements. Ends with a newline. */
GRADUS_API void tensor_print(FILE *out, const Tensor *t);
GRADUS_API void tensor_print_grad(FILE *out, const Tensor *t);

/* The same into a buffer; returns the length it needs without the closing 0, as snprintf does. */
GRADUS_API size_t tensor_sprint(char *buffer, size_t size, const Tensor *t);

/* NULL when shapes are equal and every |got - want| <= absolute + relative |want| (NaN equals NaN, an
 * infinity only itself). Otherwise one line: how many differ, the first one's index, both values, and
 * the largest difference. The text lives until the next call on the same thread. */
GRADUS_API const char *tensor_difference(const Tensor *got, const Tensor *want, double relative,
                                         double absolute);

/* ---- random numbers ----------------------------------------------------------------- rng.c -- */

/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 * Counter-based: the n-th number is a function of (seed, stream, n) alone, so that any thread can make
 * any of them, and a run is repeated by repeating two numbers. */
GRADUS_API void rng_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A sequence. Two with the same seed and different streams are independent. */
typedef struct {
    uint64_t seed, stream;
    uint64_t position; /* how many 32-bit numbers were taken; save and restore these three */
} Rng;

GRADUS_API uint32_t rng_bits(Rng *r);            /* 32 random bits */
GRADUS_API double rng_uniform(Rng *r);           /* [0, 1), 53 bits                      */
GRADUS_API double rng_normal(Rng *r);            /* mean 0, variance 1 (Box and Muller)  */
GRADUS_API int64_t rng_below(Rng *r, int64_t n); /* 0 .. n-1, each equally likely; n >= 1 */
GRADUS_API void rng_shuffle(Rng *r, int *items, int64_t n);    /* every order equally likely */
GRADUS_API uint64_t rng_hash(uint64_t seed, const char *text); /* one seed for each name */

/* ---- threads and kernels ----------------------------------------------- parallel.c, kernels.c -- */

/* How many threads the kernels may use. 0: as many as the process may run on, by its affinity and its quota, or
 * OMP_NUM_THREADS where that is set. Results do not depend on it. A loop begun while another thread's has the
 * threads is computed by the thread that begins it; a forked process has threads of its own. */
GRADUS_API void tensor_set_threads(int n);
GRADUS_API int tensor_threads(void);

/* The kernel set in use: "ref", "base", "avx2", "avx512" or "amx", which is "avx512" with products in the tile unit
 * of some processors (Linux only): larger sums of products are there as exact as floats of the largest number in their
 * row and column are, not each number by itself (tensor/kernels/amx/tile_int8.h). The environment variable
 * GRADUS_KERNELS chooses one at start; this call changes it. False, with an error, when this machine or build lacks
 * it. */
GRADUS_API const char *tensor_kernels(void);
GRADUS_API bool tensor_set_kernels(const char *name);

/* ---- files ---------------------------------------------- io/safetensors_*.c, io/npy_*.c, io/atomic.c -- */

/* A file that appears whole or not at all: written beside its final place, flushed to the disk, renamed. */
typedef struct AtomicFile AtomicFile;
GRADUS_API AtomicFile *atomic_open(const char *path); /* NULL is an error */
GRADUS_API FILE *atomic_stream(AtomicFile *f); /* to write from beginning to end; no seeking */
GRADUS_API bool atomic_commit(AtomicFile *f);  /* flush, fsync, rename; f is gone either way */
GRADUS_API void atomic_discard(AtomicFile *f); /* f may be NULL */

/* Makes a directory and those above it that are missing. */
GRADUS_API bool tensor_make_directory(const char *path);

/* Numbers in files. F64, F32, F16 and BF16 become real; I64, I32, U8 and BOOL become ids (Tensor.ids, 32
 * bits), as whole numbers are token ids, labels or counts here. What does not fit is an error with its place
 * and value: an I64 beyond 32 bits, an F64 beyond float where real is float, a BOOL other than 0 and 1.
 * Written are real as it is (F32 by libgradus, F64 by libgradus-f64) and ids as I32: every tensor comes back
 * with the same bits from the library that wrote it. */

/* safetensors: named tensors in one file (format: 8 bytes little-endian header length, a JSON header,
 * the data; github.com/huggingface/safetensors). The container knows nothing of modules. */
typedef struct {
    int count;
    Tensor **tensors; /* in the file's header order; their names in Tensor.name */
    int metadata_count;
    char **metadata; /* key, value, key, value, ... */
} Safetensors;

/* Reads a whole file. Every size is checked before it is used, and every number before any is kept: a
 * file that is refused takes at most twice its length and 1 MiB. Free with safetensors_free. Errors name
 * the file, what was found and what was expected. */
GRADUS_API bool safetensors_read(Safetensors *s, const char *path);
GRADUS_API void safetensors_free(Safetensors *s);
/* NULL, without an error, where there is none. */
GRADUS_API Tensor *safetensors_find(const Safetensors *s, const char *name);

/* Writes tensors (contiguous or not) under their names, atomically. metadata: pairs, or NULL with 0. */
GRADUS_API bool safetensors_write(const char *path, Tensor *const *tensors, int count,
                                  const char *const *metadata, int metadata_count);

/* NumPy's .npy: one array (format: numpy.lib.format). Reads versions 1 to 3, C and Fortran order, of the
 * little-endian dtypes <f8 <f4 <f2 <i8 <i4 |u1 |b1, into a contiguous tensor of its own. Errors as above:
 * other dtypes ('|O', Python objects, among them), a header beyond NumPy's limit of 10,000 bytes or of any
 * other form than NumPy writes, numbers that do not fill the rest of the file. */
GRADUS_API Tensor *tensor_npy_read(const char *path);

/* Version 1.0, C order: '<f4' ('<f8' from libgradus-f64), or '<i4' for ids; atomically. */
GRADUS_API bool tensor_npy_write(const char *path, const Tensor *t);

/* ---- where the macros are on ------------------------------------------------------------------ */

static inline Tensor *tensor_placed(Tensor *t, const char *file, int line)
{
    tensor_place(file, line);
    return t;
}

static inline bool tensor_placed_ok(bool ok, const char *file, int line)
{
    tensor_place(file, line);
    return ok;
}

static inline real tensor_placed_real(real x, const char *file, int line)
{
    tensor_place(file, line);
    return x;
}

#ifndef GRADUS_INSIDE
#define TENSOR_PLACED(call)    tensor_placed(call, __FILE__, __LINE__)
#define TENSOR_PLACED_OK(call) tensor_placed_ok(call, __FILE__, __LINE__)

#define tensor_new(...)            TENSOR_PLACED(tensor_new(__VA_ARGS__))
#define tensor_from(...)           TENSOR_PLACED(tensor_from(__VA_ARGS__))
#define tensor_item(...)           tensor_placed_real(tensor_item(__VA_ARGS__), __FILE__, __LINE__)
#define tensor_get(...)            tensor_placed_real(tensor_get(__VA_ARGS__), __FILE__, __LINE__)
#define tensor_clone(...)          TENSOR_PLACED(tensor_clone(__VA_ARGS__))
#define tensor_set_kernels(...)    TENSOR_PLACED_OK(tensor_set_kernels(__VA_ARGS__))
#define safetensors_read(...)      TENSOR_PLACED_OK(safetensors_read(__VA_ARGS__))
#define safetensors_write(...)     TENSOR_PLACED_OK(safetensors_write(__VA_ARGS__))
#define tensor_npy_read(...)       TENSOR_PLACED(tensor_npy_read(__VA_ARGS__))
#define tensor_npy_write(...)      TENSOR_PLACED_OK(tensor_npy_write(__VA_ARGS__))
#define atomic_commit(...)         TENSOR_PLACED_OK(atomic_commit(__VA_ARGS__))
#define tensor_make_directory(...) TENSOR_PLACED_OK(tensor_make_directory(__VA_ARGS__))
#endif

GRADUS_END
#endif
