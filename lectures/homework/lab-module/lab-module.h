/* lab-module.h: the functions of the lab on modules. Your file includes this header alone; it
 * brings the tensors, the tape and the modules of gradus, whose headers are the reference:
 * tensor/tensor.h, autograd/autograd.h and nn/nn.h. */
#ifndef LAB_MODULE_H
#define LAB_MODULE_H

#include "nn/nn.h"
#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

/* What computes attention already is not to be called: the compiler refuses these names. */
#undef ag_attention
#undef ag_attention_composed
#undef nn_attention_init
#undef nn_attention
#undef nn_cross_attention
#undef nn_attention_cached
#pragma GCC poison ag_attention ag_attention_composed nn_attention_init
#pragma GCC poison nn_attention nn_cross_attention nn_attention_cached

/* Self-attention with H heads of queries and G heads of keys and values (Ainslie et al. 2023). A
 * head has d = C / H channels; there are no biases. */
typedef struct {
    Linear query;      /* weight (H d, C) */
    Linear key, value; /* weight (G d, C) */
    Linear out;        /* weight (C, H d) */
    int heads;         /* H               */
    int kv_heads;      /* G               */
    const char *path;  /* of the module   */
} GroupedAttention;

/* Registers the four weights below `path`: PATH.query.weight, PATH.key.weight, PATH.value.weight,
 * PATH.out.weight, and sets every member; `path` need not outlive the call. False, with an error
 * and nothing registered, where H or G is below 1, G does not divide H, or H does not divide C. */
TASK bool grouped_attention_init(GroupedAttention *a, Params *p, const char *path, int64_t channels,
                                 int heads, int kv_heads);

/* x (B, T, C) or (T, C) -> the same shape. The mask is that of ag_masked_softmax. While
 * tape->keep_maps is set, the attention weights A (B, H, T, T) stay on the tape under the name
 * "PATH.A". Refuses x of another rank or with another C. */
TASK Tensor *grouped_attention(const GroupedAttention *a, Tensor *x, Mask mask);

#endif
