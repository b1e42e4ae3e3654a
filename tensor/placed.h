/* placed.h: the program's own file and line in every error.
 *
 * Each public function that can fail has a macro of its name, which calls it and then tensor_place.
 * These macros follow from the prototypes: placed.py makes placed/NAME.h of them, which the header
 * NAME.h includes at its end. Inside the library, and with GRADUS_INSIDE, they are off. */
#ifndef GRADUS_TENSOR_PLACED_H
#define GRADUS_TENSOR_PLACED_H

#include "tensor/tensor.h"

GRADUS_BEGIN

/* Completes the pending failure with the public function that was called and the source location of
 * the call, then calls the handler. A message that begins with another function's name, because
 * that function was called inside, gets `function` in front of it: "main.c:42: nn_linear:
 * ag_linear: x is (2, 3); ...". function or file NULL: the message stays without it. Does nothing
 * without a pending failure, or where it is complete already. A program that includes gradus.h
 * calls public functions through the macros below and those of the other headers, which do this
 * after a call that failed; inside the library the macros are off, so that a failure deep in a
 * module reports the call in the program. A failure that a program records itself (tensor_fail) has
 * no location until a public function fails. */
GRADUS_API void tensor_place(const char *function, const char *file, int line);

/* Defines what follows a call that returned x: tensor_place where x says that the call may have
 * failed. Returns x. */
#define TENSOR_DEFINE_PLACED(name, Type, failed)                                      \
    static inline Type name(Type x, const char *function, const char *file, int line) \
    {                                                                                 \
        if (failed)                                                                   \
            tensor_place(function, file, line);                                       \
        return x;                                                                     \
    }
TENSOR_DEFINE_PLACED(tensor_placed, Tensor *, tensor_is_poison(x))
TENSOR_DEFINE_PLACED(tensor_placed_ok, bool, !x)
TENSOR_DEFINE_PLACED(tensor_placed_int, int, x <= 0)
TENSOR_DEFINE_PLACED(tensor_placed_number, int64_t, x <= 0)
TENSOR_DEFINE_PLACED(tensor_placed_size, size_t, x == 0)
TENSOR_DEFINE_PLACED(tensor_placed_real, real, x != x)
TENSOR_DEFINE_PLACED(tensor_placed_double, double, x != x)
TENSOR_DEFINE_PLACED(tensor_placed_text, const char *, true) /* some return one with an error */

GRADUS_END

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
/* The arguments function, file, line of tensor_place for a call of fn. */
#define TENSOR_HERE(fn) #fn, __FILE__, __LINE__
/* A call of fn, which returns a Tensor *, a bool and so on, and then of tensor_place. */
#define TENSOR_PLACED(fn, ...)        tensor_placed(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_OK(fn, ...)     tensor_placed_ok(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_INT(fn, ...)    tensor_placed_int(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_NUMBER(fn, ...) tensor_placed_number(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_SIZE(fn, ...)   tensor_placed_size(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_REAL(fn, ...)   tensor_placed_real(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_DOUBLE(fn, ...) tensor_placed_double(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_TEXT(fn, ...)   tensor_placed_text(fn(__VA_ARGS__), TENSOR_HERE(fn))
#define TENSOR_PLACED_VOID(fn, ...)   (fn(__VA_ARGS__), tensor_place(TENSOR_HERE(fn)))
#endif

#endif
