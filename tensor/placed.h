/* placed.h: the program's own file and line in every error of tensor.
 *
 * Each public function that can fail has a macro of its name, which calls it and then tensor_place.
 * tensor.h includes this file at its end; inside the library, and with GRADUS_INSIDE, the macros
 * are off. */
#ifndef GRADUS_TENSOR_PLACED_H
#define GRADUS_TENSOR_PLACED_H

#include "tensor/tensor.h"

GRADUS_BEGIN

/* Completes the pending failure with the public function that was called and the source location of
 * the call, then calls the handler. A message that begins with another function's name, because
 * that function was called inside, gets `function` in front of it: "main.c:42: nn_linear:
 * ag_linear: x is (2, 3); ...". function or file NULL: the message stays without it. Does nothing
 * without a pending failure, or where it is complete already. A program that includes gradus.h
 * calls public functions through the macros below and those of autograd/placed.h and nn/placed.h,
 * which do this after each call; inside the library the macros are off, so that a failure deep in a
 * module reports the call in the program. A few functions have no macro (tensor_read and
 * arena_alloc, for example): their failure stays pending until the next call of a function that has
 * one, which then completes the message with its own location. */
GRADUS_API void tensor_place(const char *function, const char *file, int line);

/* Defines a function that calls tensor_place and returns x: what follows a call that returned x. */
#define TENSOR_DEFINE_PLACED(name, Type)                                              \
    static inline Type name(Type x, const char *function, const char *file, int line) \
    {                                                                                 \
        tensor_place(function, file, line);                                           \
        return x;                                                                     \
    }
TENSOR_DEFINE_PLACED(tensor_placed, Tensor *)
TENSOR_DEFINE_PLACED(tensor_placed_ok, bool)
TENSOR_DEFINE_PLACED(tensor_placed_int, int)
TENSOR_DEFINE_PLACED(tensor_placed_real, real)

GRADUS_END

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
/* The arguments function, file, line of tensor_place for a call of fn. */
#define TENSOR_HERE(fn) #fn, __FILE__, __LINE__
/* A call of fn, which returns a Tensor *, a bool, an int or a real, and then of tensor_place. */
#define TENSOR_PLACED(fn, ...)     tensor_placed(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_OK(fn, ...)  tensor_placed_ok(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_INT(fn, ...) tensor_placed_int(fn(__VA_ARGS__), TENSOR_HERE(fn))

#define tensor_new(...)             TENSOR_PLACED(tensor_new, __VA_ARGS__)
#define tensor_from(...)            TENSOR_PLACED(tensor_from, __VA_ARGS__)
#define TENSOR_PLACED_REAL(fn, ...) tensor_placed_real(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define tensor_item(...)            TENSOR_PLACED_REAL(tensor_item, __VA_ARGS__)
#define tensor_get(...)             TENSOR_PLACED_REAL(tensor_get, __VA_ARGS__)
#define tensor_clone(...)           TENSOR_PLACED(tensor_clone, __VA_ARGS__)
#define tensor_set_kernels(...)     TENSOR_PLACED_OK(tensor_set_kernels, __VA_ARGS__)
#define safetensors_read(...)       TENSOR_PLACED_OK(safetensors_read, __VA_ARGS__)
#define safetensors_write(...)      TENSOR_PLACED_OK(safetensors_write, __VA_ARGS__)
#define tensor_npy_read(...)        TENSOR_PLACED(tensor_npy_read, __VA_ARGS__)
#define tensor_array_read(...)      TENSOR_PLACED(tensor_array_read, __VA_ARGS__)
#define tensor_npy_write(...)       TENSOR_PLACED_OK(tensor_npy_write, __VA_ARGS__)
#define atomic_commit(...)          TENSOR_PLACED_OK(atomic_commit, __VA_ARGS__)
#define tensor_make_directory(...)  TENSOR_PLACED_OK(tensor_make_directory, __VA_ARGS__)
#endif

#endif
