/* internal.h: what the files of nn/ share and other folders do not use (decode/internal.h adds what
 * decoding shares).
 *
 * In every function, `who` is the name of the public function that was called, with which the error
 * begins. */
#ifndef GRADUS_NN_INTERNAL_H
#define GRADUS_NN_INTERNAL_H

#include "autograd/tape.h"
#include "nn/decode/decode.h"
#include "tensor/memory.h"

/* What Params keeps to itself. */
typedef struct ParamsState {
    int capacity; /* of the list of weights */
    Arena arena;  /* the weights, and the paths of modules */
    /* For nn_pretrained_load: new weights have no memory for numbers yet. */
    bool without_numbers;
} ParamsState;

/* A tensor in the memory of p that is not a weight: it is neither trained nor saved nor loaded. Its
 * elements are not initialised. NULL, with an error, for an invalid shape or when memory is out. */
Tensor *params_constant(Params *p, Shape shape, const char *who);

/* Are there params and the other argument, whose name is `what`? False after an error. */
bool params_given(const Params *p, const void *other, const char *what, const char *who);

/* Memory for the numbers of a weight that was made while p->own->without_numbers was set. False,
 * with an error, when memory is out. */
bool params_numbers(Params *p, Tensor *t);

/* Has the expected file, if there is one (Params.expected), a weight of this path and shape? False
 * after an error. */
bool params_expected(const Params *p, const char *path, Shape shape);

/* params_load from a file that was read. The file may also have the `others`, which are no
 * weights. */
bool params_take(Params *p, const Safetensors *file, const char *const *others, int count,
                 const char *path, const char *who);

/* Numbers of 64 bits in a file's metadata, as whole numbers with one space between two. A double is
 * written as the integer of its bits: unlike printf and strtod, exact in every locale. */
enum { METADATA_NUMBERS = 8, METADATA_TEXT = 192 };
const char *metadata_text(char text[METADATA_TEXT], void *const *number, int count);
/* The text under that name; NULL where the file has none. */
const char *metadata_find(const Safetensors *file, const char *name);
/* Finds the metadata of that name and reads its numbers. False after an error. */
bool metadata_numbers(const Safetensors *file, const char *path, const char *name, uint64_t *number,
                      int count, const char *who);

/* ---- check.c --------------------------------------------------------------------------------- */

/* Checks the arguments that all init functions share, after setting the module's `size` bytes to 0:
 * a forward pass after an init that failed then finds a module without weights, which is an error.
 * Returns the path in the memory of p; NULL, after an error, where an argument is NULL or the path
 * too long. */
const char *init_path(void *module, size_t size, Params *p, const char *path, const char *who);

/* The end of an init that began with `first` weights in p. Where it failed, the weights that it
 * registered are taken back, so that their paths are free. Returns ok. */
bool init_done(Params *p, int first, bool ok);

/* Is p a probability for dropout: 0 <= p < 1? */
bool check_dropout(double p, const char *who);

/* Checks that a forward pass was given a module and that its init succeeded: `weight` is a weight
 * that every such module has, or NULL where the module is NULL. Otherwise the step on x's tape has
 * failed. */
bool check_module(const void *weight, const Tensor *x, const char *who);

/* Checks that x is on a tape, holds real numbers, and has this rank and this last axis. Otherwise
 * the error says what x is (what: its name in the public function) and the expected shape. path is
 * the module's, or NULL. No new error for poison, which an earlier error explains. */
bool check_operand(Tensor *x, int rank, int64_t last, const char *who, const char *path,
                   const char *what, const char *expected);

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Names t "PATH.PART", or "PATH" for the part "", while the tapes are watched (nn.h, "names of
 * activations"). Returns t. Nothing happens where path is NULL, or t is poison or on no tape. */
Tensor *given_name(Tensor *t, const char *path, const char *part);
/* The same, and also while the tape keeps maps: for what belongs to a map. */
Tensor *shown_name(Tensor *t, const char *path, const char *part);

/* The residual connection: x plus the branch's output after dropout; `part` is its name in the
 * block of this path. */
static inline Tensor *residual(Tensor *x, Tensor *branch, real dropout, const char *path,
                               const char *part)
{
    return given_name(ag_add(x, ag_dropout(branch, dropout)), path, part);
}

/* The function of that name, element by element (ag_gelu and so on): x (...) -> the same shape.
 * Error: a number that is no Activation. */
Tensor *nn_activation(Activation activation, Tensor *x);
/* For a layer with `in` inputs and `out` outputs, uniform with bound sqrt(6 / (in + out)): Glorot
 * and Bengio 2010. The normal form is nn_normal(sqrt(2.0 / (in + out))). */
Init nn_xavier_uniform(int64_t in, int64_t out);
/* Uniform with bound 1 / sqrt(in), as PyTorch initialises Linear; 0 for in below 1. */
Init nn_torch_linear(int64_t in);

/* Uniform in [-bound, bound). */
Init nn_uniform(double bound);

/* norm.c: a norm of this kind; epsilon 0: 1e-5. */
bool norm_init(Norm *n, Params *p, const char *path, int64_t channels, NormKind kind,
               double epsilon, const char *who);
/* block.c: the feed-forward layer's channels, where c->hidden is 0. Error: below 0. */
bool block_hidden(BlockConfig *c, const char *who);
/* feedforward.c: registers the layers of *f, whose activation is set; gated: also `gate`. */
bool feedforward_init(FeedForward *f, Params *p, const char *path, int64_t channels, int64_t hidden,
                      bool gated, bool bias, const char *who);

/* ---- encoder.c ------------------------------------------------------------------------------- */

/* nn_encoder for other public functions; with a cache for new tokens (B, T) or (B, T, C), whose
 * positions follow those in it, with a causal mask. */
Tensor *encoder_pass(const Encoder *e, Tensor *x, Mask mask, KVCache *cache, const char *who);

/* ---- cache.c: the steps of an attention with a cache ----------------------------------------- */

/* Is there a cache, whose init succeeded? */
bool cache_check(const KVCache *c, const char *who);
/* Is x (B, T, C), on a tape without gradients, what this layer of the cache is for, with so many
 * heads of keys of that size, and do `tokens` more fit? path: of the attention; what: the name of
 * x. */
bool cache_takes(const KVCache *c, int layer, const Tensor *x, int64_t tokens, int heads,
                 int64_t size, const char *who, const char *path, const char *what);
/* Puts the keys and values (B, heads, T, d) of T new tokens after those of the layer; *k and *v are
 * then views of all, (B, heads, S, d). False where one of them is poison. */
bool cache_extend(const KVCache *c, int layer, Tensor **k, Tensor **v);
/* Copies sequence `from` to sequence `to`, both in 0 .. B-1, as beam search does when a hypothesis
 * has several continuations. */
void cache_copy(KVCache *c, int64_t from, int64_t to);
/* The mask of T new tokens: each attends to those before it and to itself. */
Mask cache_mask(const KVCache *c, Tape *tape, int64_t T);
/* All keys and values of the layer, and the mask that keeps those of each sequence. */
Mask cache_all(const KVCache *c, int layer, Tape *tape, Tensor **k, Tensor **v);

/* Queries from x (B, T, C) attend to all keys that nn_decoder_block_fill has put into the layer of
 * `source` -> (B, T, C). */
Tensor *cross_attention_cached(const MultiHeadAttention *a, Tensor *x, const KVCache *source,
                               int layer);

/* ---- params_file.c ---- */

/* The letters of the longer of two names but the longest beginning and end that both share. */
size_t names_apart(const char *a, const char *b);

/* ---- attention.c, check.c, position.c: the steps of multi-head attention --------------------- */

/* Checks that the module has weights and that x is (B, T, C) on a tape. */
bool attention_check(const MultiHeadAttention *a, Tensor *x, const char *who, const char *what);
/* Parts first .. end - 1 of the input projection (0: queries, 1: keys, 2: values) of x (B, T, C),
 * but not all: (B, T, (end - first) C), the parts in this order along the last axis. */
Tensor *attention_project(const MultiHeadAttention *a, Tensor *x, int first, int end);
/* Part `part` of such a result, as heads: a view (B, H, T, d). */
Tensor *attention_heads(const MultiHeadAttention *a, Tensor *x, int part);
/* Heads (B, H, T, d), rotated by the angles of their positions: ids (B, T), or NULL for 0 .. T-1.
 * r NULL: as they are. */
Tensor *rotary_turn(const Rotary *r, Tensor *heads, Tensor *positions);
/* What the heads found (B, H, T, d), side by side, after the output's projection: (B, T, C). */
Tensor *attention_join(const MultiHeadAttention *a, Tensor *y);

#endif
