/* placed.h: the program's own file and line in every error of autograd.
 *
 * Each public function that can fail has a macro of its name, which calls it and then tensor_place
 * (tensor/placed.h). autograd.h includes this file at its end; inside the library, and with
 * GRADUS_INSIDE, the macros are off. */
#ifndef GRADUS_AUTOGRAD_PLACED_H
#define GRADUS_AUTOGRAD_PLACED_H

#include "autograd/autograd.h"

GRADUS_BEGIN

/* The source location of the call goes into the nodes that it left on t's tape; where the call
 * failed, into the failure (tensor_place). */
GRADUS_API void ag_place(const Tensor *t, const char *function, const char *file, int line);

static inline Tensor *ag_placed(Tensor *t, const char *function, const char *file, int line)
{
    ag_place(t, function, file, line);
    return t;
}

TENSOR_DEFINE_PLACED(tape_placed, Tape *, !x)

GRADUS_END

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
/* A call of fn, which returns a tensor: see tensor_place. */
#define AG_PLACED(fn, ...) ag_placed(fn(__VA_ARGS__), TENSOR_HERE(fn))

#define tape_new(...)                tape_placed(tape_new(__VA_ARGS__), TENSOR_HERE(tape_new))
#define tape_input(...)              AG_PLACED(tape_input, __VA_ARGS__)
#define tape_leaf(...)               AG_PLACED(tape_leaf, __VA_ARGS__)
#define tape_ids(...)                AG_PLACED(tape_ids, __VA_ARGS__)
#define tape_full(...)               AG_PLACED(tape_full, __VA_ARGS__)
#define tape_param(...)              AG_PLACED(tape_param, __VA_ARGS__)
#define tape_find(...)               AG_PLACED(tape_find, __VA_ARGS__)
#define ag_name(...)                 AG_PLACED(ag_name, __VA_ARGS__)
#define ag_keep(...)                 AG_PLACED(ag_keep, __VA_ARGS__)
#define ag_grad(...)                 AG_PLACED(ag_grad, __VA_ARGS__)
#define ag_minimum(...)              AG_PLACED(ag_minimum, __VA_ARGS__)
#define ag_shift(...)                AG_PLACED(ag_shift, __VA_ARGS__)
#define ag_clamp(...)                AG_PLACED(ag_clamp, __VA_ARGS__)
#define ag_max_axis(...)             AG_PLACED(ag_max_axis, __VA_ARGS__)
#define ag_argmax(...)               AG_PLACED(ag_argmax, __VA_ARGS__)
#define ag_detach(...)               AG_PLACED(ag_detach, __VA_ARGS__)
#define ag_reshape(...)              AG_PLACED(ag_reshape, __VA_ARGS__)
#define ag_transpose(...)            AG_PLACED(ag_transpose, __VA_ARGS__)
#define ag_permute(...)              AG_PLACED(ag_permute, __VA_ARGS__)
#define ag_slice(...)                AG_PLACED(ag_slice, __VA_ARGS__)
#define ag_split(...)                TENSOR_PLACED_OK(ag_split, __VA_ARGS__)
#define ag_add(...)                  AG_PLACED(ag_add, __VA_ARGS__)
#define ag_sub(...)                  AG_PLACED(ag_sub, __VA_ARGS__)
#define ag_mul(...)                  AG_PLACED(ag_mul, __VA_ARGS__)
#define ag_div(...)                  AG_PLACED(ag_div, __VA_ARGS__)
#define ag_maximum(...)              AG_PLACED(ag_maximum, __VA_ARGS__)
#define ag_scale(...)                AG_PLACED(ag_scale, __VA_ARGS__)
#define ag_neg(...)                  AG_PLACED(ag_neg, __VA_ARGS__)
#define ag_sqrt(...)                 AG_PLACED(ag_sqrt, __VA_ARGS__)
#define ag_pow(...)                  AG_PLACED(ag_pow, __VA_ARGS__)
#define ag_exp(...)                  AG_PLACED(ag_exp, __VA_ARGS__)
#define ag_log(...)                  AG_PLACED(ag_log, __VA_ARGS__)
#define ag_tanh(...)                 AG_PLACED(ag_tanh, __VA_ARGS__)
#define ag_relu(...)                 AG_PLACED(ag_relu, __VA_ARGS__)
#define ag_gelu(...)                 AG_PLACED(ag_gelu, __VA_ARGS__)
#define ag_gelu_tanh(...)            AG_PLACED(ag_gelu_tanh, __VA_ARGS__)
#define ag_sigmoid(...)              AG_PLACED(ag_sigmoid, __VA_ARGS__)
#define ag_silu(...)                 AG_PLACED(ag_silu, __VA_ARGS__)
#define ag_softplus(...)             AG_PLACED(ag_softplus, __VA_ARGS__)
#define ag_copy(...)                 AG_PLACED(ag_copy, __VA_ARGS__)
#define ag_matmul(...)               AG_PLACED(ag_matmul, __VA_ARGS__)
#define ag_linear(...)               AG_PLACED(ag_linear, __VA_ARGS__)
#define ag_sum(...)                  AG_PLACED(ag_sum, __VA_ARGS__)
#define ag_mean(...)                 AG_PLACED(ag_mean, __VA_ARGS__)
#define ag_sum_axis(...)             AG_PLACED(ag_sum_axis, __VA_ARGS__)
#define ag_mean_axis(...)            AG_PLACED(ag_mean_axis, __VA_ARGS__)
#define ag_logsumexp(...)            AG_PLACED(ag_logsumexp, __VA_ARGS__)
#define ag_softmax(...)              AG_PLACED(ag_softmax, __VA_ARGS__)
#define ag_log_softmax(...)          AG_PLACED(ag_log_softmax, __VA_ARGS__)
#define ag_layernorm(...)            AG_PLACED(ag_layernorm, __VA_ARGS__)
#define ag_embedding(...)            AG_PLACED(ag_embedding, __VA_ARGS__)
#define ag_concat(...)               AG_PLACED(ag_concat, __VA_ARGS__)
#define ag_stack(...)                AG_PLACED(ag_stack, __VA_ARGS__)
#define ag_gather(...)               AG_PLACED(ag_gather, __VA_ARGS__)
#define ag_pad(...)                  AG_PLACED(ag_pad, __VA_ARGS__)
#define ag_expand(...)               AG_PLACED(ag_expand, __VA_ARGS__)
#define ag_where(...)                AG_PLACED(ag_where, __VA_ARGS__)
#define ag_conv1d(...)               AG_PLACED(ag_conv1d, __VA_ARGS__)
#define ag_conv2d(...)               AG_PLACED(ag_conv2d, __VA_ARGS__)
#define ag_dropout(...)              AG_PLACED(ag_dropout, __VA_ARGS__)
#define ag_cross_entropy(...)        AG_PLACED(ag_cross_entropy, __VA_ARGS__)
#define ag_cross_entropy_ignore(...) AG_PLACED(ag_cross_entropy_ignore, __VA_ARGS__)
#define ag_cross_entropy_smooth(...) AG_PLACED(ag_cross_entropy_smooth, __VA_ARGS__)
#define ag_mse(...)                  AG_PLACED(ag_mse, __VA_ARGS__)
#define ag_bce_with_logits(...)      AG_PLACED(ag_bce_with_logits, __VA_ARGS__)
#define ag_gaussian_kl(...)          AG_PLACED(ag_gaussian_kl, __VA_ARGS__)
#define ag_masked_softmax(...)       AG_PLACED(ag_masked_softmax, __VA_ARGS__)
#define ag_attention(...)            AG_PLACED(ag_attention, __VA_ARGS__)
#define ag_attention_composed(...)   AG_PLACED(ag_attention_composed, __VA_ARGS__)
#define ag_apply(...)                AG_PLACED(ag_apply, __VA_ARGS__)
#define ag_backward(...)             TENSOR_PLACED_OK(ag_backward, __VA_ARGS__)
#define ag_backward_from(...)        TENSOR_PLACED_OK(ag_backward_from, __VA_ARGS__)
#define ag_gradcheck(...)            TENSOR_PLACED_OK(ag_gradcheck, __VA_ARGS__)
#define ag_rotary(...)               AG_PLACED(ag_rotary, __VA_ARGS__)
#endif

#endif
