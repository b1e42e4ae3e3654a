/* nn.h: modules, their weights, and what trains them.
 *
 * A module is three things: an open struct; nn_x_init, which registers its weights in Params under
 * their path; and the forward pass nn_x. Composition is a struct member, repetition an array. Names
 * and layouts of weights are PyTorch's where PyTorch has the module, so that weight files can be
 * exchanged in both directions.
 *
 * To share a weight, let two modules point to one Tensor (output.weight = embedding.weight): it is
 * registered, saved and updated once, and its gradient is the sum of the gradients from both uses.
 * params_freeze freezes weights.
 *
 * Errors. An nn_x_init returns false, and a forward pass the poison tensor, after one error
 * message, which begins with the function's name and says what was found and what was expected.
 * This happens, beyond what each comment says, for every argument that is NULL where the comment
 * does not allow it, for a module whose init failed, and when memory is out. An init that fails
 * takes back the weights that it registered: a second try can use their paths. A forward pass given
 * poison returns poison without a new error. What C cannot check is up to the caller: that an array
 * has as many elements as its count says, and that a pointer is not dangling.
 *
 * Shapes: B sequences of T tokens with C channels, H heads, V tokens in the vocabulary; "..." are
 * any leading axes. */
#ifndef GRADUS_NN_H
#define GRADUS_NN_H

#include "autograd/autograd.h"

GRADUS_BEGIN

/* ---- weights --------------------------------------------------------------------- params.c -- */

/* All weights of a model in the order of their registration. This order is that of the keys in a
 * weight file and of the optimisers' state. */
typedef struct {
    uint64_t seed;
    int count;
    Tensor **weight; /* (count): each lives until params_free; its name is its path */
    /* A program may set this between calls of params_add, for a model that is only run, with
     * weights from a file: new weights are then frozen, have no memory for a gradient and no
     * initial values; their numbers are arbitrary until the file is loaded. params_freeze(p,
     * prefix, false) gives them memory for gradients. */
    bool only_run;
    /* A program may set this before it builds a model, to the file from which the weights will be
     * loaded, and to NULL before the file goes: params_add then fails, before it allocates
     * anything, for a weight that the file does not contain in its shape. So a small file whose
     * metadata promises a large model is refused at the first weight. */
    const Safetensors *expected;
    struct ParamsState *own; /* of params.c */
} Params;

/* The distribution from which a weight's initial values are drawn. */
typedef struct {
    enum { INIT_CONSTANT, INIT_NORMAL, INIT_UNIFORM } kind;
    double number; /* the constant, the standard deviation, or the bound */
} Init;

GRADUS_API Init nn_constant(double value); /* all values equal to `value`                        */
GRADUS_API Init nn_normal(double deviation); /* mean 0 and this standard deviation */
/* For a layer with `in` inputs followed by relu, uniform with bound sqrt(6 / in): He et al. 2015.
 * The normal form is nn_normal(sqrt(2.0 / in)). */
GRADUS_API Init nn_kaiming_uniform(int64_t in);
/* An empty set of weights, which params_free releases with all its weights. The seed determines
 * every initial value. NULL, with an error, when memory is out. One Params owns all weights of a
 * model, or of several that are trained together. */
GRADUS_API Params *params_new(uint64_t seed);
GRADUS_API void params_free(Params *p); /* does nothing for NULL */

/* Registers a weight under a path. Its initial values depend on (seed, path) alone, not on the
 * order of registration. NULL, with an error, where the path is taken or has TENSOR_NAME_MAX
 * characters or more, or the shape is not valid. */
GRADUS_API Tensor *params_add(Params *p, const char *path, Shape shape, Init init);

/* A path in the memory of p, formatted as printf does; an empty part is left out with its dot. The
 * init of a module registers its parts below its own path: nn_linear_init(&m->up, p, params_path(p,
 * "%s.up", path), ...). NULL, which every init refuses, with an error: format is NULL, the path has
 * TENSOR_NAME_MAX characters or more, or memory is out. */
GRADUS_API const char *params_path(Params *p, const char *format, ...) GRADUS_PRINTF(2, 3);

/* The weight at a path; NULL, without an error, where there is none. */
GRADUS_API Tensor *params_find(const Params *p, const char *path);

/* The number of parameters: of all weights, and of those not frozen. 0, with an error, for NULL. */
GRADUS_API int64_t params_size(const Params *p);
GRADUS_API int64_t params_trained(const Params *p);

/* Sets the gradients of all weights to 0.
 * A successful step of an optimiser does this itself; it is needed where gradients are to be
 * thrown away. Error: params is NULL. */
GRADUS_API void params_zero_grad(Params *p);

/* Freezes (or unfreezes) the weights at the path `prefix` and below it; "" means all. A frozen
 * weight gets no gradient and optimisers do not change it. Returns the number of these weights; -1,
 * with an error, for NULL. Where memory is out for the gradient of a weight that was made while
 * only_run was set, it stays frozen. */
GRADUS_API int params_freeze(Params *p, const char *prefix, bool frozen);

/* The Euclidean norm of the whole gradient: the square root of the sum of all squares, frozen
 * weights left out. NaN where the sum is infinite, and, with an error, for NULL. */
GRADUS_API double params_grad_norm(const Params *p);

/* Gradient clipping: where the norm exceeds `longest`, scales the whole gradient to this norm.
 * Returns the norm before scaling; NaN, with an error, for NULL and for a `longest` that is
 * negative or NaN. A gradient whose norm is NaN stays as it is. Pascanu, Mikolov, Bengio 2013. */
GRADUS_API double params_clip_grad(Params *p, double longest);

/* Writes all weights under their paths into a safetensors file, atomically. metadata: `pairs` pairs
 * of key and value, or NULL with 0 pairs. False, with an error, where the file cannot be written,
 * or the path leads to something that is not a regular file. */
GRADUS_API bool params_save(const char *path, const Params *p, const char *const *metadata,
                            int pairs);

/* Reads all weights from a safetensors file. The file must contain every weight in its shape and no
 * other tensor; otherwise no weight is changed, and the error says which tensor is missing,
 * unexpected or of another shape. */
GRADUS_API bool params_load(const char *path, Params *p);

/* ---- modules --------------------------------------------------------------------------------- */

/* Names of activations. While a watcher is set (tape_on_event), tape->keep_names, or the tape has
 * edits (tape_edit), modules name what they compute, so that tape_find finds it; PATH is the
 * module's path in Params, such as blocks.0.attn. PATH is the result itself, of a layer, a norm, an
 * encoding, such as blocks.0.norm1 or blocks.0.ff.up.
 *
 *   MultiHeadAttention  PATH.qkv (B, T, 3C), of cross-attention PATH.q_proj and PATH.kv; PATH.q, .k,
 *                       .v (B, H, T, d); with keep_maps, or edits, PATH.products (q k^T), .scores,
 *                       .A (B, H, T, S); PATH.heads (B, H, T, d), whose head h is A_h v_h
 *   AdditiveAttention   PATH.scores, PATH.A (B, T, S); PATH.context, the result
 *   RNN                 PATH.l0, PATH.l1, ...: the states of each layer
 *   FeedForward         PATH.hidden, after the activation
 *   blocks              the residual stream (B, T, C): PATH.mid after (self-)attention, PATH.mid2 after
 *                       cross-attention, PATH.out; in post-norm form also the sums that the norms
 *                       read, PATH.mid_sum, PATH.mid2_sum, PATH.out_sum
 *
 * A module that is called again gives the name with #2, #3, ... (ag_name). The last name counts. */

/* A linear layer: y = x W^T + b, x (..., in) -> y (..., out). Weights: weight (out, in) and bias
 * (out), both initialised uniformly with bound 1 / sqrt(in), as PyTorch does. */
typedef struct {
    Tensor *weight;
    Tensor *bias;     /* NULL for none                                                 */
    const char *path; /* of the module in Params, likewise below; NULL: no name is given */
} Linear;
/* Registers the weights below `path`. Error: a size below 0, a path that is taken or too long. */
GRADUS_API bool nn_linear_init(Linear *l, Params *p, const char *path, int64_t in, int64_t out,
                               bool bias);
/* Error: the last axis of x is not `in` long. */
GRADUS_API Tensor *nn_linear(const Linear *l, Tensor *x);

/* An embedding: a vector of C channels for each token of a vocabulary. Weight: weight (V, C),
 * standard normal. */
typedef struct {
    Tensor *weight;
    const char *path;
} Embedding;
GRADUS_API bool nn_embedding_init(Embedding *e, Params *p, const char *path, int64_t vocabulary,
                                  int64_t channels);
/* ids (...) -> (..., C). Error: an id outside 0 .. V-1. */
GRADUS_API Tensor *nn_embedding(const Embedding *e, Tensor *ids);

/* Normalisation of each token over the last axis, then a gain.
 *   NORM_LAYER  (x - mean) / sqrt(variance + epsilon) * weight + bias. Weights: weight (C), ones; bias (C), zeros.
 *               Ba, Kiros, Hinton 2016
 *   NORM_LAYER_GAIN  the same without bias
 *   NORM_RMS    x / sqrt(mean of x^2 + epsilon) * weight. Weight: weight (C), ones. Zhang and Sennrich 2019 */
typedef enum { NORM_LAYER, NORM_RMS, NORM_LAYER_GAIN } NormKind;
typedef struct {
    Tensor *weight, *bias; /* bias: in NORM_LAYER alone */
    real epsilon;          /* 1e-5 from init */
    NormKind kind;
    const char *path;
} Norm;
GRADUS_API bool nn_layernorm_init(Norm *n, Params *p, const char *path, int64_t channels);
GRADUS_API bool nn_rmsnorm_init(Norm *n, Params *p, const char *path, int64_t channels);
/* x (..., C) -> the same shape. Error: another last axis. */
GRADUS_API Tensor *nn_norm(const Norm *n, Tensor *x);

/* The cosines and sines that ag_rotary reads, of the angles p base^(-2i/n) for position p and pair
 * i of n/2: one table for all layers of a model. */
typedef struct {
    Tensor *table; /* (longest, n), a constant */
} Rotary;
/* Fills *r. Its memory belongs to p. Modules point to *r, so that it must neither move nor end
 * before them. `channels` is the number of rotated channels of a head. Errors: channels is odd or
 * not 2 to 2^20, base is not above 0, longest is below 1. */
GRADUS_API bool nn_rotary_init(Rotary *r, Params *p, int64_t longest, int64_t channels,
                               double base);
/* The same with frequencies f_i of one's own, i < pairs.
 * Errors: longest is below 1, pairs is outside 1 to 2^20, frequency is NULL. */
GRADUS_API bool nn_rotary_from(Rotary *r, Params *p, int64_t longest, const double *frequency,
                               int64_t pairs);

/* Multi-head attention with H heads of C/H channels. Weights as in PyTorch's MultiheadAttention:
 * in_proj_weight (3C, C), whose rows project to queries, keys and values in this order, Xavier
 * uniform; in_proj_bias (3C), zeros; out_proj.weight (C, C); out_proj.bias (C), zeros. While
 * tape->keep_maps is set, the scores and the attention weights A, both (B, H, T, S), stay on the
 * tape as "PATH.scores" and "PATH.A", with their gradients; so do the queries (B, H, T, d) as
 * "PATH.q" and the keys (B, H, S, d) as "PATH.k", rotated where the module is rotary. "Attention is
 * all you need", 3.2.2. */
typedef struct {
    Tensor *in_proj_weight, *in_proj_bias;
    Linear out_proj;
    int heads;
    real dropout; /* of the attention weights A */
    /* NULL from init. A program may set it: self-attention then rotates queries and keys by their
     * positions. *rotary outlives the module. */
    const Rotary *rotary;
    const char *path; /* of the module in Params */
} MultiHeadAttention;
/* Errors: heads do not divide channels; dropout outside 0 <= p < 1.
 * Multiplications for T tokens: 4 T C^2 for the projections, 2 T^2 C for scores and sums. */
GRADUS_API bool nn_attention_init(MultiHeadAttention *a, Params *p, const char *path,
                                  int64_t channels, int heads, double dropout);

/* Self-attention: queries, keys and values from x, (B, T, C) or (T, C) -> the same shape. mask says
 * which keys each query attends to (autograd.h). Errors: another rank or another C; a mask that
 * does not fit; positions beyond the rotary table. */
GRADUS_API Tensor *nn_attention(const MultiHeadAttention *a, Tensor *x, Mask mask);

/* Cross-attention: queries from x (B, T, C), keys and values from memory (B, S, C) -> (B, T, C).
 * The mask is usually that of the memory's lengths. Errors: as nn_attention, for both. */
GRADUS_API Tensor *nn_cross_attention(const MultiHeadAttention *a, Tensor *x, Tensor *memory,
                                      Mask mask);

/* Additive attention: scores_ij = v . tanh(W q_i + U k_j), A = softmax of the scores over the keys,
 * context = A k: the keys are the values too. Weights, without biases: query.weight W (n, Cq),
 * key.weight U (n, Ck), score.weight v (1, n), where n is `hidden`. While tape->keep_maps is set,
 * scores and A stay on the tape as "PATH.scores" and "PATH.A". Bahdanau, Cho, Bengio 2015; V
 * "Recall the Translate and Align Model in RNNs". */
typedef struct {
    Linear query, key, score;
    const char *path; /* of the module in Params */
} AdditiveAttention;
/* Registers the three weights below `path`. Cq and Ck may differ, as those of a decoder and an
 * encoder do. */
GRADUS_API bool nn_additive_attention_init(AdditiveAttention *a, Params *p, const char *path,
                                           int64_t query_channels, int64_t key_channels,
                                           int64_t hidden);

/* query (B, T, Cq), keys (B, S, Ck) -> the context (B, T, Ck). A (B, T, S) goes into *weights
 * unless that is NULL. projected: what nn_additive_keys computed of the keys, or NULL, for which
 * the function computes it. Errors: other ranks or channels; different batch sizes; a mask that
 * does not fit (B, T, S). */
GRADUS_API Tensor *nn_additive_attention(const AdditiveAttention *a, Tensor *query, Tensor *keys,
                                         Tensor *projected, Mask mask, Tensor **weights);
/* The projections U k_j (B, S, n) of keys (B, S, Ck): once for a decoder that attends to the same
 * keys with one query after another. */
GRADUS_API Tensor *nn_additive_keys(const AdditiveAttention *a, Tensor *keys);

/* Positional encoding: adds a vector P_t to the token at position t, because attention by itself
 * does not depend on the order of its tokens.
 *   POSITION_SINUSOIDAL  P_(t,2i) = sin(t / 10000^(2i/C)),  P_(t,2i+1) = cos(t / 10000^(2i/C)); no weight
 *   POSITION_LEARNED     weight (longest, C), normal with deviation 0.02
 *   POSITION_NONE        nothing is added
 * "Attention is all you need", 3.5. */
typedef enum { POSITION_SINUSOIDAL, POSITION_LEARNED, POSITION_NONE } PositionKind;
typedef struct {
    PositionKind kind;
    int64_t longest; /* the largest T: the number of positions in the table */
    Tensor *weight;  /* (longest, C); a constant where it is sinusoidal     */
    /* The row of position 0: 0 from init, 2 in RoBERTa; longest - offset positions are left. */
    int64_t offset;
    const char *path;
} PositionalEncoding;
GRADUS_API bool nn_position_init(PositionalEncoding *e, Params *p, const char *path,
                                 PositionKind kind, int64_t longest, int64_t channels);

/* Tokens at positions 0 .. T-1: x (B, T, C) or (T, C) -> the same. Error: T above longest -
 * offset. */
GRADUS_API Tensor *nn_position(const PositionalEncoding *e, Tensor *x);

/* Tokens at these positions: ids (B, T) or (T). Error: one outside 0 .. longest - offset - 1. */
GRADUS_API Tensor *nn_position_at(const PositionalEncoding *e, Tensor *x, Tensor *positions);

/* Writes the sinusoids into table (positions, channels), row-major, whose length cannot be checked.
 * The paper's base is 10000. Error, with nothing written: table is NULL,
 * positions or channels is negative, base is not above 0. */
GRADUS_API void nn_sinusoids(real *table, int64_t positions, int64_t channels, double base);

/* The feed-forward layer of a block, applied to each token by itself: down(activation(up x)).
 * Weights: up.weight (hidden, C), up.bias, down.weight (C, hidden), down.bias. */
typedef enum {
    ACTIVATION_GELU,
    ACTIVATION_RELU,
    ACTIVATION_TANH,
    ACTIVATION_GELU_TANH, /* GPT-2's */
    ACTIVATION_SILU       /* Llama's */
} Activation;
typedef struct {
    Linear up, down;
    Activation activation;
    real dropout; /* of the activations */
    /* Without a weight from init. Gated with one, as in Llama's SwiGLU: down(activation(gate x) *
     * up x) (Shazeer, "GLU variants improve transformer", 2020). */
    Linear gate;
    const char *path;
} FeedForward;
/* Errors: dropout outside 0 <= p < 1; an activation that is none of the above.
 * Multiplications: 2 C hidden for each token. */
GRADUS_API bool nn_feedforward_init(FeedForward *f, Params *p, const char *path, int64_t channels,
                                    int64_t hidden, Activation activation, double dropout);
/* x (..., C) -> the same shape. */
GRADUS_API Tensor *nn_feedforward(const FeedForward *f, Tensor *x);

/* The encoder block; with a causal mask, the block of a decoder-only model. Weights: norm1, attn,
 * norm2, ff.
 *   pre-norm:   x = x + attn(norm1(x));   x = x + ff(norm2(x))
 *   post-norm:  x = norm1(x + attn(x));   x = norm2(x + ff(x))
 * Xiong et al., "On layer normalization in the transformer architecture", 2020. */
typedef struct {
    int64_t channels;
    int heads;
    int64_t hidden; /* of the feed-forward layer; 0: 4 channels                            */
    double dropout; /* of the attention weights and of both branches before they are added */
    bool post_norm;
    Activation activation;
    const Rotary *rotary; /* of self-attention, as in MultiHeadAttention; NULL: none        */
} BlockConfig;
typedef struct {
    Norm norm1, norm2;
    MultiHeadAttention attn;
    FeedForward ff;
    real dropout;
    bool post_norm;
    const char *path;
} TransformerBlock;
/* Errors: hidden below 0; those of its parts' init functions. */
GRADUS_API bool nn_transformer_block_init(TransformerBlock *b, Params *p, const char *path,
                                          BlockConfig config);
/* x (B, T, C) -> the same shape. Errors: those of its parts. */
GRADUS_API Tensor *nn_transformer_block(const TransformerBlock *b, Tensor *x, Mask mask);

/* The decoder block of an encoder-decoder model: causal self-attention, cross-attention to memory,
 * the output of the encoder, and the feed-forward layer. Weights: norm1, self_attn, norm2,
 * cross_attn, norm3, ff.
 *   pre-norm:   x = x + self(norm1(x));  x = x + cross(norm2(x), memory);  x = x + ff(norm3(x))
 *   post-norm:  x = norm1(x + self(x));  x = norm2(x + cross(x, memory));  x = norm3(x + ff(x)) */
typedef struct {
    Norm norm1, norm2, norm3;
    MultiHeadAttention self_attn, cross_attn;
    FeedForward ff;
    real dropout;
    bool post_norm;
    const char *path;
} DecoderBlock;
/* Errors: as nn_transformer_block_init. */
GRADUS_API bool nn_decoder_block_init(DecoderBlock *b, Params *p, const char *path,
                                      BlockConfig config);
/* x (B, T, C), memory (B, S, C) -> (B, T, C). Self-attention is causal whatever `mask` says, which
 * may mask more; memory_mask is that of the cross-attention. */
GRADUS_API Tensor *nn_decoder_block(const DecoderBlock *b, Tensor *x, Tensor *memory, Mask mask,
                                    Mask memory_mask);

/* Recurrent layers in PyTorch's form: an RNN with tanh (Elman 1990), an LSTM (Hochreiter and
 * Schmidhuber 1997), a GRU (Cho et al. 2014). With `gates` = 1, 4 (in the order i f g o) or 3 (r z
 * n), the weights of layer l are weight_ih_lL (gates C, in), weight_hh_lL (gates C, C), bias_ih_lL
 * and bias_hh_lL (gates C), L being the layer's number; the names of a cell's weights have no such
 * ending. All begin uniform with bound 1 / sqrt(C). */
typedef enum { RNN_TANH, RNN_LSTM, RNN_GRU } RNNKind;
/* The recurrent state: h, and in an LSTM the cell state c. NULL members of an initial state mean
 * zeros. A state lives until the tape's reset: to continue from it afterwards, take a copy with
 * tensor_clone, or its numbers with tape_input. */
typedef struct {
    Tensor *h, *c;
} RNNState;
typedef struct {
    RNNKind kind;
    int64_t in, hidden;
    Tensor *weight_ih, *weight_hh, *bias_ih, *bias_hh;
    const char *path; /* NULL in a layer of an RNN */
} RNNCell;
/* Errors: in or hidden below 1; an unknown kind. */
GRADUS_API bool nn_rnn_cell_init(RNNCell *r, Params *p, const char *path, RNNKind kind, int64_t in,
                                 int64_t hidden);
/* One token: x (B, in) -> h (B, C). The state (parts (B, C)) is replaced by the next one; state
 * NULL begins with zeros and returns h alone. */
GRADUS_API Tensor *nn_rnn_cell(const RNNCell *r, Tensor *x, RNNState *state);

enum { RNN_MAX_LAYERS = 8 };
/* Stacked recurrent layers: the input of each is the sequence of states of the one before it. */
typedef struct {
    int layers;
    RNNCell layer[RNN_MAX_LAYERS];
    const char *path;
} RNN;
/* Errors: layers outside 1 .. RNN_MAX_LAYERS, and those of nn_rnn_cell_init. */
GRADUS_API bool nn_rnn_init(RNN *r, Params *p, const char *path, RNNKind kind, int64_t in,
                            int64_t hidden, int layers);
/* All tokens: x (B, T, in) with T >= 1 -> the states of the last layer (B, T, C). The state (parts
 * (layers, B, C)) is replaced by the one after the last token; state NULL begins with zeros. */
GRADUS_API Tensor *nn_rnn(const RNN *r, Tensor *x, RNNState *state);

/* Low-rank adaptation (LoRA) of a linear layer: y = x W^T + b + alpha / r (x A^T) B^T. W and b are
 * frozen; trained are r (in + out) parameters: lora_A A (r, in) and lora_B B (out, r). B begins
 * with zeros, so that y begins as the output of the layer. Hu et al. 2021. */
typedef struct {
    Linear base;
    Tensor *lora_A, *lora_B;
    real scale; /* alpha / r */
    const char *path;
} Lora;
/* Freezes the weights of `base`, which must be registered in p. Errors: they are not; rank outside
 * 1 .. min(in, out). */
GRADUS_API bool nn_lora_init(Lora *l, Params *p, const char *path, Linear base, int64_t rank,
                             double alpha);
/* x (..., in) -> (..., out). */
GRADUS_API Tensor *nn_lora(const Lora *l, Tensor *x);
/* Adds alpha / r B A to W and sets B to zeros: the layer `base` alone now computes the same
 * function as nn_lora. Every module that shares W changes with it. */
GRADUS_API bool nn_lora_merge(Lora *l);

/* ---- whole models ------------------------------------------------------ encoder.c, gpt.c -- */

/* An encoder, of texts or of other sequences: x = embedding of the ids + position, with dropout;
 * all blocks; in pre-norm form a last norm. Weights: embedding,
 * position, blocks.0, blocks.1, ..., norm. The path "" registers them without a prefix. Devlin et
 * al. 2019. */
typedef struct {
    int64_t words;   /* V; 0: no embedding, for a model that computes x (B, T, C) itself */
    int64_t longest; /* the largest T; 0, with POSITION_NONE: any                        */
    PositionKind position;
    int layers;     /* of blocks; 0: none */
    double dropout; /* of the embeddings plus positions */
    BlockConfig block;
} EncoderConfig;
typedef struct {
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock *blocks; /* (layers), in the memory of Params         */
    Norm norm;                /* without weights in post-norm form         */
    int layers;
    int64_t channels, longest;
    real dropout;
    bool causal;      /* false from init; a program may set it: every mask is causal then */
    const char *path; /* NULL: the init failed                             */
} Encoder;
/* Errors: words, longest or layers below 0; longest 0 with positions; dropout outside 0 <= p < 1;
 * those of its parts. */
GRADUS_API bool nn_encoder_init(Encoder *e, Params *p, const char *path, EncoderConfig config);
/* ids (B, T), or without an embedding x (B, T, C) -> hidden states (B, T, C). Without gradients
 * (tape->no_grad) what a block computed is released after it, unless it has a name. Errors: T above
 * longest; an id outside 0 .. V-1; those of its parts. */
GRADUS_API Tensor *nn_encoder(const Encoder *e, Tensor *x, Mask mask);

/* A decoder-only language model: an encoder whose masks are causal, and logits as products with the
 * embedding (tied weights). All matrices begin normal with deviation 0.02, as in GPT-2. Radford et
 * al. 2019. */
typedef struct {
    int64_t words;   /* V                   */
    int64_t longest; /* the largest T       */
    int64_t channels;
    int heads, layers;
    PositionKind position;
    double dropout; /* of the encoder and of its blocks */
} GptConfig;
typedef struct {
    GptConfig config;
    Encoder encoder; /* causal: a program may set it to false, to see what the mask prevents */
    Linear head;     /* tied to encoder.embedding */
} Gpt;
/* Errors: words or longest below 1; those of nn_encoder_init. */
GRADUS_API bool nn_gpt_init(Gpt *m, Params *p, const char *path, GptConfig config);
/* ids (B, T) -> logits (B, T, V) of the token after each. Errors: as nn_encoder. */
GRADUS_API Tensor *nn_gpt(const Gpt *m, Tensor *ids);
/* Saves a model with its settings in one file, as params_save does its weights, and beside them a
 * text of the program's own or NULL: the characters of its alphabet, as data_text_decode writes all
 * ids, and data_text_from reads them. Error: m is not initialised. */
GRADUS_API bool nn_gpt_save(const char *path, const Gpt *m, const Params *p, const char *text);
/* Makes the model of such a file in an empty p. *text, unless text is NULL: its text in the memory
 * of p, or NULL where it has none. Errors: those of params_load, with no weight left in p; a file
 * of another function; settings that are not those of its weights. */
GRADUS_API bool nn_gpt_load(const char *path, Gpt *m, Params *p, const char **text);

/* ---- optimisers ------------------------------------------------------------------- optim.c -- */

/* An optimiser's init allocates its state for all weights of p; register all weights before it. A
 * step changes every weight that is not frozen and sets its gradient to 0. It returns false and
 * changes nothing while the thread has a failure; after a backward of the thread that failed, until
 * one succeeds or its tape is reset; when weights were added after init; and when a setting is out
 * of range: a rate, momentum, decay or epsilon that is negative, infinite or NaN, a beta outside 0
 * <= beta < 1.
 *
 * Gradient accumulation: gradients of several backward passes add up until a step. For k small
 * batches in place of a large one, multiply each loss by 1 / k (ag_scale), call ag_backward for
 * each, and step once. */

/* Stochastic gradient descent with momentum and L2 decay, as PyTorch's SGD:
 *   v = momentum v + g + decay w;  w = w - rate v */
typedef struct {
    double rate, momentum, decay;
    real *velocity; /* (size): v of all weights in their order; NULL without momentum */
    int64_t size;   /* the number of parameters                                      */
} Sgd;
/* Errors of an init: a setting out of range, as for a step; memory is out. The settings may be
 * changed between steps. */
GRADUS_API bool sgd_init(Sgd *s, const Params *p, double rate, double momentum, double decay);
GRADUS_API bool sgd_step(Sgd *s, Params *p);
GRADUS_API void sgd_free(Sgd *s); /* does nothing for NULL */

/* Adam (Kingma and Ba 2015); with decoupled decay, AdamW (Loshchilov and Hutter 2019):
 *   m = beta1 m + (1 - beta1) g;   v = beta2 v + (1 - beta2) g^2
 *   w = w - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) [ - rate decay w ]
 *
 * One count of steps t corrects the bias of the means of all weights. While a weight is frozen, its
 * means do not change. A weight whose first gradient comes late, because it was frozen or had no
 * part in the loss, is corrected with the t of the others: with the usual betas, its first step is
 * between half of `rate` (t near 12) and 3.2 times `rate` (after thousands of steps). PyTorch
 * counts for each weight. Where that matters, give such a phase of training an Adam of its own. */
typedef struct {
    double rate;
    double beta1, beta2, epsilon; /* 0.9, 0.999, 1e-8 from init                              */
    double decay;                 /* 0 from adam_init                                        */
    bool decoupled;               /* true: AdamW; false: decay w is added to the gradient    */
    bool decay_matrices;          /* as in GPT's recipes: weights of rank 0 and 1 do not decay */
    int64_t steps;                /* t: steps so far                                         */
    real *m, *v;                  /* (size): the running means of g and g^2                  */
    int64_t size;                 /* the number of parameters                                */
} Adam;
/* adam_init begins without decay, adamw_init with decoupled decay; the settings may be changed
 * between steps. The state takes two numbers for each parameter. */
GRADUS_API bool adam_init(Adam *a, const Params *p, double rate);
GRADUS_API bool adamw_init(Adam *a, const Params *p, double rate, double decay);
GRADUS_API bool adam_step(Adam *a, Params *p);
GRADUS_API void adam_free(Adam *a); /* does nothing for NULL */

/* Learning-rate schedules: the rate at `step` = 0, 1, ... They are formulas, which check nothing: a
 * NaN that follows from their arguments is an error of the optimiser's next step. */

/* Linear warm-up to `peak` in `warmup` steps (the first step is not 0), then half a cosine down to
 * `floor` at step `total`; `floor` after it. */
GRADUS_API double nn_warmup_cosine(int64_t step, int64_t warmup, int64_t total, double peak,
                                   double floor);
/* The same with a line instead of the cosine. */
GRADUS_API double nn_warmup_linear(int64_t step, int64_t warmup, int64_t total, double peak,
                                   double floor);
/* factor / sqrt(channels) min(n^-1/2, n warmup^-3/2) with n = step + 1: "Attention is all you
 * need", eq. 3. */
GRADUS_API double nn_noam(int64_t step, int64_t channels, int64_t warmup, double factor);
/* From peak / 25 up to peak after 0.3 of all steps, then down to peak / 250000 at the last step,
 * both along half a cosine: PyTorch's OneCycleLR, for steps 0 .. total - 1. */
GRADUS_API double nn_one_cycle(int64_t step, int64_t total, double peak);

/* ---- checkpoint -------------------------------------------------------------- checkpoint.c -- */

enum { CHECKPOINT_RNGS = 4, CHECKPOINT_NUMBERS = 8 };

/* The state of a training run, with at most one optimiser. A member that is NULL is neither saved
 * nor loaded. */
typedef struct {
    Params *params; /* never NULL                                                       */
    Adam *adam;     /* with its state, steps and settings                               */
    Sgd *sgd;       /* likewise                                                         */
    Tape *tape;     /* its seed and its step, which determine what dropout drops        */
    Rng *rng;       /* (rngs): generators, such as the one of the order of the data     */
    int rngs;       /* 0 .. CHECKPOINT_RNGS                                             */
    int64_t step;   /* training steps so far                                            */
    int64_t cursor; /* the position in the data                                         */
    double *number; /* (numbers): the program's own, such as the best loss so far       */
    int numbers;    /* 0 .. CHECKPOINT_NUMBERS                                          */
} Checkpoint;

/* Writes the state into one safetensors file, atomically. Call it between two steps. Errors: those
 * of params_save; params is NULL; two optimisers; an optimiser of another model. */
GRADUS_API bool nn_checkpoint_save(const char *path, const Checkpoint *c);

/* Loads the state into everything that c points to, and into step and cursor. The run then
 * continues with the same bits as if it had not been interrupted. All or nothing, as params_load:
 * an error changes nothing. With params alone it loads the weights of any checkpoint. Errors: the
 * file lacks something that c has, has weights of other names or shapes, or was saved with the
 * weights in another order. */
GRADUS_API bool nn_checkpoint_load(const char *path, Checkpoint *c);

/* ---- the cost of a forward pass --------------------------------------------------- flops.c -- */

/* The floating-point operations of the forward pass on the tape: those of matrix products, linear
 * layers, attentions (with the masked scores) and
 * convolutions, where a multiplication and its addition count as two. 0, with an error, for NULL.
 * Call it after the forward pass and before tape_reset. */
GRADUS_API int64_t nn_flops(const Tape *tape);

GRADUS_END

#include "placed/nn.h" /* macros: an error names the program's line */
#endif
