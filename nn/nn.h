/* nn.h: modules, their weights, and what trains them.
 *
 *   Params       owns weights and their gradients            nn/params.c, nn/init.c
 *   files        weights saved and loaded                    nn/weights.c
 *   modules      one file each                               nn/linear.c ... nn/block.c
 *   optimisers   SGD, Adam, AdamW; schedules                 nn/optim.c, nn/schedule.c
 *
 * A module is three things: an open struct, nn_x_init, which registers its weights in Params under their
 * path, and the forward nn_x. Composition is a struct member, repetition an array. Names and layouts are
 * PyTorch's where PyTorch has the module, so that weight files go both ways.
 *
 * Shapes: B sequences of T tokens with C channels, H heads, V words. */
#ifndef GRADUS_NN_H
#define GRADUS_NN_H

#include "autograd/autograd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- weights --------------------------------------------------------------------- params.c -- */

/* All weights of a model, in the order in which the modules registered them: the list of parameters, the
 * file's keys, the optimiser's order. */
typedef struct {
    uint64_t seed;
    int count;
    Tensor **weight; /* each lives until params_free; its path is its name */
    real **grad;     /* each one's gradient memory, also while it is frozen */
    int capacity;
    Arena arena;
    char scope[TENSOR_NAME_MAX];          /* the path being registered: "blocks.0.attn" */
    int depth;                            /* how many names it is made of */
    unsigned char outer[TENSOR_NAME_MAX]; /* its length before each of them */
    char formatted[TENSOR_NAME_MAX];
} Params;

/* How a weight begins. */
typedef struct {
    enum { INIT_CONSTANT, INIT_NORMAL, INIT_UNIFORM } kind;
    double number; /* the value, the standard deviation, or the bound */
} Init;

GRADUS_API Init nn_constant(double value);
GRADUS_API Init nn_normal(double deviation); /* mean 0                           */
GRADUS_API Init nn_uniform(double bound);    /* -bound .. bound                  */
GRADUS_API Init nn_xavier_uniform(int64_t in,
                                  int64_t out); /* bound sqrt(6 / (in + out)), Glorot 2010 */
GRADUS_API Init nn_xavier_normal(int64_t in, int64_t out);
GRADUS_API Init nn_kaiming_uniform(int64_t in); /* bound sqrt(6 / in), for relu: He et al. 2015 */
GRADUS_API Init nn_kaiming_normal(int64_t in);
GRADUS_API Init nn_torch_linear(int64_t in); /* bound 1 / sqrt(in): PyTorch's Linear */

GRADUS_API Params *params_new(uint64_t seed); /* NULL is an error */
GRADUS_API void params_free(Params *p);       /* NULL is allowed  */

/* A new weight at scope.name. Its first numbers depend on (seed, path) alone, not on the order. NULL,
 * with an error, for a name that is taken or too long, a bad shape, or when memory is out. */
GRADUS_API Tensor *params_add(Params *p, const char *name, Shape shape, Init init);

/* What is registered between them lies under `name`: how a module's init begins and ends. */
GRADUS_API void params_enter(Params *p, const char *name);
GRADUS_API void params_leave(Params *p);
/* Text for the next call's name: nn_x_init(&m->blocks[i], p, params_format(p, "blocks.%d", i), ...) */
GRADUS_API const char *params_format(Params *p, const char *format, ...) GRADUS_PRINTF(2, 3);
/* The present path, in memory that lives as long as p: for names of activations. */
GRADUS_API const char *params_scope(Params *p);

GRADUS_API Tensor *params_find(const Params *p, const char *path); /* NULL without error */
GRADUS_API int64_t params_size(const Params *p);                   /* numbers in all weights */
GRADUS_API void params_zero_grad(Params *p);
/* Weights at or below the path `prefix` ("" for all) are (not) trained: no gradient, no step. How many. */
GRADUS_API int params_freeze(Params *p, const char *prefix, bool frozen);
/* The length of the whole gradient, sqrt of the sum of all squares. */
GRADUS_API double params_grad_norm(const Params *p);
/* Scales the gradient down to that length where it is longer. Returns the length it had. */
GRADUS_API double params_clip_grad(Params *p, double longest);

/* Weights in a safetensors file under their paths. metadata: pairs, or NULL with 0 pairs. */
GRADUS_API bool params_save(const Params *p, const char *path, const char *const *metadata,
                            int pairs);
/* Every weight must be there in its shape, and nothing else; otherwise nothing is changed, and the
 * error says what is missing, unexpected or of another shape. */
GRADUS_API bool params_load(Params *p, const char *path);
GRADUS_API bool params_load_from(Params *p, const Safetensors *file, const char *path);

/* ---- modules ---------------------------------------------------------------------------------- */

/* y = x W^T + b. x (..., in) -> (..., out). Weights: weight (out, in), bias (out). */
typedef struct {
    Tensor *weight;
    Tensor *bias; /* NULL for none */
} Linear;
GRADUS_API bool nn_linear_init(Linear *l, Params *p, const char *name, int64_t in, int64_t out,
                               bool bias);
GRADUS_API Tensor *nn_linear(const Linear *l, Tensor *x);

/* ids (...) -> (..., C). Weight: weight (V, C), standard normal. */
typedef struct {
    Tensor *weight;
} Embedding;
GRADUS_API bool nn_embedding_init(Embedding *e, Params *p, const char *name, int64_t words,
                                  int64_t channels);
GRADUS_API Tensor *nn_embedding(const Embedding *e, Tensor *ids);

/* Drops with probability p while the tape is training. */
typedef struct {
    real p;
} Dropout;
GRADUS_API bool nn_dropout_init(Dropout *d, double p);
GRADUS_API Tensor *nn_dropout(const Dropout *d, Tensor *x);

/* Over the last axis. Weights: weight (C) ones, bias (C) zeros. */
typedef struct {
    Tensor *weight, *bias;
    real epsilon; /* 1e-5 */
} LayerNorm;
GRADUS_API bool nn_layernorm_init(LayerNorm *l, Params *p, const char *name, int64_t channels);
GRADUS_API Tensor *nn_layernorm(const LayerNorm *l, Tensor *x);

/* H heads of C/H channels. Weights as in PyTorch's MultiheadAttention: in_proj_weight (3C, C), whose
 * rows are the query's, the key's and the value's; in_proj_bias (3C); out_proj.weight, out_proj.bias.
 * While the tape keeps maps, the scores and the weights A (B, H, T, S) stay on it as "PATH.scores" and
 * "PATH.A", with their gradients. */
typedef struct {
    Tensor *in_proj_weight, *in_proj_bias;
    Linear out_proj;
    int heads;
    real dropout; /* of the weights A */
    const char *path;
} MultiHeadAttention;
GRADUS_API bool nn_attention_init(MultiHeadAttention *a, Params *p, const char *name,
                                  int64_t channels, int heads, double dropout);
/* Self-attention. x (B, T, C) or (T, C) -> the same. */
GRADUS_API Tensor *nn_attention(const MultiHeadAttention *a, Tensor *x, Mask mask);
/* Cross-attention: queries from x (B, T, C), keys and values from memory (B, S, C) -> (B, T, C). */
GRADUS_API Tensor *nn_cross_attention(const MultiHeadAttention *a, Tensor *x, Tensor *memory,
                                      Mask mask);

/* Tells tokens apart by place: x (B, T, C) or (T, C) -> x + P[0..T-1]. Learned: weight (longest, C),
 * deviation 0.02. Sinusoidal: P_(t,2i) = sin(t / 10000^(2i/C)), P_(t,2i+1) = cos of the same; no
 * weight. None: x. Longer than `longest` is an error. */
typedef enum { POSITION_SINUSOIDAL, POSITION_LEARNED, POSITION_NONE } PositionKind;
typedef struct {
    PositionKind kind;
    int64_t longest;
    Tensor *weight; /* learned: a weight; sinusoidal: a constant */
} PositionalEncoding;
GRADUS_API bool nn_position_init(PositionalEncoding *e, Params *p, const char *name,
                                 PositionKind kind, int64_t longest, int64_t channels);
GRADUS_API Tensor *nn_position(const PositionalEncoding *e, Tensor *x);
/* The table itself, (positions, channels) row-major; base 10000 in the paper (V's table takes 100). */
GRADUS_API void nn_sinusoids(real *table, int64_t positions, int64_t channels, double base);

/* C -> hidden -> C with a non-linearity between, for each token alone. */
typedef enum { ACTIVATION_GELU, ACTIVATION_RELU, ACTIVATION_TANH } Activation;
typedef struct {
    Linear up, down;
    Activation activation;
    real dropout; /* after the non-linearity */
} FeedForward;
GRADUS_API bool nn_feedforward_init(FeedForward *f, Params *p, const char *name, int64_t channels,
                                    int64_t hidden, Activation activation, double dropout);
GRADUS_API Tensor *nn_feedforward(const FeedForward *f, Tensor *x);

/* The encoder block; with a causal mask, the block of a decoder-only model.
 *   pre-norm:   x = x + attn(norm1(x));   x = x + ff(norm2(x))
 *   post-norm:  x = norm1(x + attn(x));   x = norm2(x + ff(x))
 * J "On the LayerNorm in Transformer" (Xiong et al. 2020); V "Encoder Block Summarized". */
typedef struct {
    int64_t channels;
    int heads;
    int64_t hidden; /* of the feed-forward; 0: 4 channels               */
    double dropout; /* of both branches and of the attention's weights  */
    bool post_norm;
    Activation activation;
} BlockConfig;
typedef struct {
    LayerNorm norm1, norm2;
    MultiHeadAttention attn;
    FeedForward ff;
    real dropout;
    bool post_norm;
} TransformerBlock;
GRADUS_API bool nn_transformer_block_init(TransformerBlock *b, Params *p, const char *name,
                                          BlockConfig config);
GRADUS_API Tensor *nn_transformer_block(const TransformerBlock *b, Tensor *x, Mask mask);

/* ---- optimisers --------------------------------------------------------------------- optim.c -- */

/* A step changes every weight that is not frozen and zeroes its gradient. False, with nothing touched,
 * while the thread has a failure, or when weights were added after init. */

/* v = momentum v + g + decay w;  w -= rate v */
typedef struct {
    double rate, momentum, decay;
    real *velocity;
    int64_t size;
} Sgd;
GRADUS_API bool sgd_init(Sgd *s, const Params *p, double rate, double momentum, double decay);
GRADUS_API bool sgd_step(Sgd *s, Params *p);
GRADUS_API void sgd_free(Sgd *s);

/* Kingma and Ba 2015; with decoupled decay, AdamW: Loshchilov and Hutter 2019. */
typedef struct {
    double rate;
    double beta1, beta2, epsilon; /* 0.9, 0.999, 1e-8 */
    double decay;
    bool decoupled;
    int64_t steps; /* taken so far */
    real *m, *v;   /* running means of g and of g^2, of all weights one after another */
    int64_t size;
} Adam;
GRADUS_API bool adam_init(Adam *a, const Params *p, double rate);
GRADUS_API bool adamw_init(Adam *a, const Params *p, double rate, double decay);
GRADUS_API bool adam_step(Adam *a, Params *p);
GRADUS_API void adam_free(Adam *a);

/* Learning rate at `step`: up to `peak` along a line over `warmup` steps (the first step is not 0), then
 * down a half cosine to `floor` at step `total`, and `floor` after it. */
GRADUS_API double nn_warmup_cosine(int64_t step, int64_t warmup, int64_t total, double peak,
                                   double floor);

/* ---- where the macros are on ---------------------------------------------------------------------- */

#ifndef GRADUS_INSIDE
#define params_add(...)                AG_PLACED(params_add(__VA_ARGS__))
#define params_save(...)               TENSOR_PLACED_OK(params_save(__VA_ARGS__))
#define params_load(...)               TENSOR_PLACED_OK(params_load(__VA_ARGS__))
#define params_load_from(...)          TENSOR_PLACED_OK(params_load_from(__VA_ARGS__))
#define nn_linear_init(...)            TENSOR_PLACED_OK(nn_linear_init(__VA_ARGS__))
#define nn_linear(...)                 AG_PLACED(nn_linear(__VA_ARGS__))
#define nn_embedding_init(...)         TENSOR_PLACED_OK(nn_embedding_init(__VA_ARGS__))
#define nn_embedding(...)              AG_PLACED(nn_embedding(__VA_ARGS__))
#define nn_dropout_init(...)           TENSOR_PLACED_OK(nn_dropout_init(__VA_ARGS__))
#define nn_dropout(...)                AG_PLACED(nn_dropout(__VA_ARGS__))
#define nn_layernorm_init(...)         TENSOR_PLACED_OK(nn_layernorm_init(__VA_ARGS__))
#define nn_layernorm(...)              AG_PLACED(nn_layernorm(__VA_ARGS__))
#define nn_attention_init(...)         TENSOR_PLACED_OK(nn_attention_init(__VA_ARGS__))
#define nn_attention(...)              AG_PLACED(nn_attention(__VA_ARGS__))
#define nn_cross_attention(...)        AG_PLACED(nn_cross_attention(__VA_ARGS__))
#define nn_position_init(...)          TENSOR_PLACED_OK(nn_position_init(__VA_ARGS__))
#define nn_position(...)               AG_PLACED(nn_position(__VA_ARGS__))
#define nn_feedforward_init(...)       TENSOR_PLACED_OK(nn_feedforward_init(__VA_ARGS__))
#define nn_feedforward(...)            AG_PLACED(nn_feedforward(__VA_ARGS__))
#define nn_transformer_block_init(...) TENSOR_PLACED_OK(nn_transformer_block_init(__VA_ARGS__))
#define nn_transformer_block(...)      AG_PLACED(nn_transformer_block(__VA_ARGS__))
#define sgd_init(...)                  TENSOR_PLACED_OK(sgd_init(__VA_ARGS__))
#define sgd_step(...)                  TENSOR_PLACED_OK(sgd_step(__VA_ARGS__))
#define adam_init(...)                 TENSOR_PLACED_OK(adam_init(__VA_ARGS__))
#define adamw_init(...)                TENSOR_PLACED_OK(adamw_init(__VA_ARGS__))
#define adam_step(...)                 TENSOR_PLACED_OK(adam_step(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
