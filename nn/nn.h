/* nn.h: modules, their weights, and what trains them.
 *
 *   Params       owns weights and their gradients            nn/params.c, nn/init.c
 *   files        weights saved and loaded                    nn/params_file.c
 *   modules      one file each                               nn/linear.c ... nn/lora.c
 *   cache        keys and values kept: tokens one by one     nn/cache.c; how to choose: decode.h
 *   optimisers   SGD, Adam, AdamW; schedules                 nn/optim.c, nn/schedule.c
 *   checkpoint   all of a training run in one file           nn/checkpoint.c
 *   summary      numbers and FLOPs as tables                 nn/summary.c
 *
 * A module is three things: an open struct, nn_x_init, which registers its weights in Params under their
 * path, and the forward nn_x. Composition is a struct member, repetition an array. Names and layouts are
 * PyTorch's where PyTorch has the module, so that weight files go both ways.
 *
 * To share a weight, let two modules point to one Tensor (output.weight = embedding.weight): it is registered,
 * saved and stepped once, and its gradient is the sum of what both give it. To freeze weights: params_freeze.
 *
 * Shapes: B sequences of T tokens with C channels, H heads, V words. */
#ifndef GRADUS_NN_H
#define GRADUS_NN_H

#include "autograd/autograd.h"

GRADUS_BEGIN

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

GRADUS_API Init nn_constant(double value);   /* every number the same            */
GRADUS_API Init nn_normal(double deviation); /* mean 0                           */
GRADUS_API Init nn_uniform(double bound);    /* -bound .. bound                  */
/* Glorot 2010: bound sqrt(6 / (in + out)), deviation sqrt(2 / (in + out)). */
GRADUS_API Init nn_xavier_uniform(int64_t in, int64_t out);
GRADUS_API Init nn_xavier_normal(int64_t in, int64_t out);
GRADUS_API Init nn_kaiming_uniform(int64_t in); /* bound sqrt(6 / in), for relu: He et al. 2015 */
GRADUS_API Init nn_kaiming_normal(int64_t in);  /* deviation sqrt(2 / in) */
GRADUS_API Init nn_torch_linear(int64_t in);    /* bound 1 / sqrt(in): PyTorch's Linear */

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
GRADUS_API int64_t params_trained(const Params *p); /* in those that are not frozen */
/* A line for each weight with its shape and how many numbers it has, and their sums. */
GRADUS_API void params_summary(FILE *out, const Params *p);
GRADUS_API void params_zero_grad(Params *p); /* of every weight */
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

/* x / sqrt(mean of x^2 over the last axis + epsilon) times weight (C), ones at first. Zhang and Sennrich
 * 2019. */
typedef struct {
    Tensor *weight;
    real epsilon; /* 1e-5 */
} RMSNorm;
GRADUS_API bool nn_rmsnorm_init(RMSNorm *r, Params *p, const char *name, int64_t channels);
GRADUS_API Tensor *nn_rmsnorm(const RMSNorm *r, Tensor *x);

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

/* Additive attention: query (B, T, Cq) and keys (B, S, Ck), which are the values too, -> the context
 * (B, T, Ck), each query's mean of the keys under its weights A (B, T, S); A goes into *weights unless that is
 * NULL. scores = v . tanh(W q + U k). While the tape keeps maps, both stay on it as "PATH.scores" and
 * "PATH.A". Weights, without biases: query.weight (n, Cq), key.weight (n, Ck), score.weight (1, n). Bahdanau,
 * Cho, Bengio 2015. */
typedef struct {
    Linear query, key, score;
    const char *path;
} AdditiveAttention;
GRADUS_API bool nn_additive_attention_init(AdditiveAttention *a, Params *p, const char *name,
                                           int64_t query_channels, int64_t key_channels,
                                           int64_t hidden);
GRADUS_API Tensor *nn_additive_attention(const AdditiveAttention *a, Tensor *query, Tensor *keys,
                                         Mask mask, Tensor **weights);

/* The same for one query after another, to the same keys: U k of all of them, (B, S, n), is made once. */
GRADUS_API Tensor *nn_additive_keys(const AdditiveAttention *a, Tensor *keys);
GRADUS_API Tensor *nn_additive_attention_to(const AdditiveAttention *a, Tensor *query, Tensor *keys,
                                            Tensor *projected, Mask mask, Tensor **weights);

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
/* The same for tokens that stand elsewhere: places are ids (B, T) or (T), below `longest`. */
GRADUS_API Tensor *nn_position_at(const PositionalEncoding *e, Tensor *x, Tensor *places);
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

/* The decoder block of an encoder-decoder: x (B, T, C) looks at itself, always causally (`mask` may hide
 * more), then at memory (B, S, C), what an encoder made, under memory_mask; then the feed-forward. Weights:
 * self_attn, cross_attn, ff, norm1, norm2, norm3.
 *   pre-norm:   x = x + self(norm1(x));  x = x + cross(norm2(x), memory);  x = x + ff(norm3(x))
 *   post-norm:  x = norm1(x + self(x));  x = norm2(x + cross(x, memory));  x = norm3(x + ff(x)) */
typedef struct {
    LayerNorm norm1, norm2, norm3;
    MultiHeadAttention self_attn, cross_attn;
    FeedForward ff;
    real dropout;
    bool post_norm;
} DecoderBlock;
GRADUS_API bool nn_decoder_block_init(DecoderBlock *b, Params *p, const char *name,
                                      BlockConfig config);
GRADUS_API Tensor *nn_decoder_block(const DecoderBlock *b, Tensor *x, Tensor *memory, Mask mask,
                                    Mask memory_mask);

/* Recurrent layers, in PyTorch's form: RNN with tanh, LSTM (gates in the order i f g o), GRU (r z n).
 * A layer's weights are weight_ih_l0 (gates C, in), weight_hh_l0 (gates C, C), bias_ih_l0, bias_hh_l0
 * (gates C); the next layer's end in _l1; a cell's have no such end. */
typedef enum { RNN_TANH, RNN_LSTM, RNN_GRU } RNNKind;
/* What goes from token to token; c in an LSTM only. NULL on the way in: zeros. To go on from it in the next
 * step of the tape, take tensor_clone's copy, or its numbers with tape_input. */
typedef struct {
    Tensor *h, *c;
} RNNState;
typedef struct {
    RNNKind kind;
    int64_t in, hidden;
    Tensor *weight_ih, *weight_hh, *bias_ih, *bias_hh;
} RNNCell;
GRADUS_API bool nn_rnn_cell_init(RNNCell *r, Params *p, const char *name, RNNKind kind, int64_t in,
                                 int64_t hidden);
/* One token: x (B, in) -> h (B, C). *state (parts (B, C)) becomes the new one; NULL begins from zeros. */
GRADUS_API Tensor *nn_rnn_cell(const RNNCell *r, Tensor *x, RNNState *state);

enum { RNN_MAX_LAYERS = 8 };
/* Layers one on another. */
typedef struct {
    int layers;
    RNNCell layer[RNN_MAX_LAYERS]; /* the next reads what the one before it says */
} RNN;
GRADUS_API bool nn_rnn_init(RNN *r, Params *p, const char *name, RNNKind kind, int64_t in,
                            int64_t hidden, int layers);
/* All tokens: x (B, T, in) with T >= 1 -> the last layer's h after each (B, T, C). *state (parts
 * (layers, B, C)) becomes the one after the last token; NULL begins from zeros. */
GRADUS_API Tensor *nn_rnn(const RNN *r, Tensor *x, RNNState *state);

/* LoRA around a layer that p holds: y = x W^T + b + alpha / r (x lora_A^T) lora_B^T. init freezes W and b;
 * what is trained are r (in + out) numbers: lora_A (r, in), lora_B (out, r). lora_B begins as zeros, and y as
 * the layer's own. Hu et al. 2021. */
typedef struct {
    Linear base;
    Tensor *lora_A, *lora_B;
    real scale; /* alpha / r */
} Lora;
GRADUS_API bool nn_lora_init(Lora *l, Params *p, const char *name, Linear base, int64_t rank,
                             double alpha);
GRADUS_API Tensor *nn_lora(const Lora *l, Tensor *x);
/* Adds alpha / r lora_B lora_A to W and zeroes lora_B: the same function, and the layer alone (`base`) is it
 * now. All modules that share W change with it. */
GRADUS_API bool nn_lora_merge(Lora *l);

/* ---- keys and values kept -------------------------------------------------------- cache.c -- */

/* The keys and values that a decoder-only model's layers made of the tokens so far, so that each further
 * token costs one token. All memory is taken by init. A forward pass of T new tokens (its length may differ
 * from call to call) goes through nn_transformer_block_cached or nn_attention_cached with the layer's number,
 * and ends with nn_cache_advance; without it, the pass has not been. Needs tape->no_grad. */
typedef struct {
    int layers;
    int64_t batch, capacity; /* B sequences of at most so many tokens                             */
    int *length;             /* (B): tokens of each sequence so far                               */
    Tensor **kept; /* layer l: keys in kept[2 l], values in kept[2 l + 1] (B, H, capacity, C/H) */
} KVCache;
GRADUS_API bool nn_cache_init(KVCache *c, int layers, int64_t batch, int64_t capacity, int heads,
                              int64_t channels);
GRADUS_API void nn_cache_free(KVCache *c);
GRADUS_API void nn_cache_reset(KVCache *c); /* forgets all tokens */
/* A pass over `tokens` new tokens is done. Of sequence b, counts[b] are real and the others behind them padding;
 * NULL: all are real. */
GRADUS_API bool nn_cache_advance(KVCache *c, const int *counts, int64_t tokens);
/* Sequence `to` becomes what sequence `from` is. */
GRADUS_API bool nn_cache_copy(KVCache *c, int64_t from, int64_t to);
/* Where so many new tokens stand, as ids (B, tokens): for nn_position_at. */
GRADUS_API Tensor *nn_cache_places(const KVCache *c, Tape *tape, int64_t tokens);
/* Causal self-attention of new tokens x (B, T, C) with those in the cache and themselves -> (B, T, C). */
GRADUS_API Tensor *nn_attention_cached(const MultiHeadAttention *a, Tensor *x, KVCache *c,
                                       int layer);
GRADUS_API Tensor *nn_transformer_block_cached(const TransformerBlock *b, Tensor *x, KVCache *c,
                                               int layer);

/* An encoder-decoder has a second cache, of the source that it reads: the keys and values of its cross-attentions.
 * They are made once, from memory (B, S, C), by nn_decoder_block_read (or nn_cross_attention_read) for each layer and
 * nn_cache_advance with the sources' lengths. nn_cache_reset, for the next source. */
GRADUS_API bool nn_cross_attention_read(const MultiHeadAttention *a, Tensor *memory,
                                        KVCache *source, int layer);
GRADUS_API bool nn_decoder_block_read(const DecoderBlock *b, Tensor *memory, KVCache *source,
                                      int layer);
/* Queries from x (B, T, C) to all that was read -> (B, T, C). */
GRADUS_API Tensor *nn_cross_attention_cached(const MultiHeadAttention *a, Tensor *x,
                                             const KVCache *source, int layer);
/* New tokens x (B, T, C) behind those in `written`, reading the source -> (B, T, C). Then nn_cache_advance of
 * `written`. */
GRADUS_API Tensor *nn_decoder_block_cached(const DecoderBlock *b, Tensor *x, KVCache *written,
                                           const KVCache *source, int layer);

/* ---- optimisers --------------------------------------------------------------------- optim.c -- */

/* A step changes every weight that is not frozen and zeroes its gradient. False, with nothing touched,
 * while the thread has a failure, or when weights were added after init.
 *
 * Gradients of several backward passes add up until a step: for k small batches in place of a large one, give
 * each loss the factor 1 / k (ag_scale), go back from each, and step once. */

/* v = momentum v + g + decay w;  w -= rate v */
typedef struct {
    double rate, momentum, decay;
    real *velocity;
    int64_t size;
} Sgd;
GRADUS_API bool sgd_init(Sgd *s, const Params *p, double rate, double momentum, double decay);
GRADUS_API bool sgd_step(Sgd *s, Params *p);
GRADUS_API void sgd_free(Sgd *s);

/* Kingma and Ba 2015; with decoupled decay, AdamW: Loshchilov and Hutter 2019.
 *
 * One count of steps, t, corrects the means of all weights. A frozen weight waits, and its means with it. One whose
 * first gradient comes late, because it was frozen or had no part in the loss, is corrected as if its means were as
 * old as the others': its first step is not `rate` long but (with the usual betas) half of that for t near 12, and
 * up to 3.2 times that after thousands of steps. PyTorch counts for each weight. Where that matters, give such a phase of
 * training an Adam of its own. */
typedef struct {
    double rate;
    double beta1, beta2, epsilon; /* 0.9, 0.999, 1e-8 */
    double decay;
    bool decoupled;
    int64_t steps; /* taken so far, by all weights together */
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
/* The same with a line down. */
GRADUS_API double nn_warmup_linear(int64_t step, int64_t warmup, int64_t total, double peak,
                                   double floor);
/* factor / sqrt(channels) min(n^-1/2, n warmup^-3/2), n = step + 1: "Attention is all you need", eq. 3. */
GRADUS_API double nn_noam(int64_t step, int64_t channels, int64_t warmup, double factor);
/* From peak / 25 up to the peak at 0.3 of the way and down to peak / 250000 at the last step, both along half a
 * cosine: PyTorch's OneCycleLR. Steps from 0 to total - 1. */
GRADUS_API double nn_one_cycle(int64_t step, int64_t total, double peak);

/* ---- checkpoint ------------------------------------------------------------------ checkpoint.c -- */

enum { CHECKPOINT_RNGS = 4 };

/* What a training run is made of; a NULL is not saved, and not looked for. One optimiser at most. */
typedef struct {
    Params *params;
    Adam *adam; /* with its numbers, steps, rate and other settings */
    Sgd *sgd;
    Tape *tape; /* its seed and step, which decide what dropout drops */
    Rng *rng;   /* `rngs` of them, such as the order of the data */
    int rngs;
    int64_t step;   /* steps taken            */
    int64_t cursor; /* where the data goes on */
} Checkpoint;

/* Everything in one safetensors file, which appears whole or not at all. Between two steps. */
GRADUS_API bool nn_checkpoint_save(const Checkpoint *c, const char *path);
/* Back into what c points to, and into step and cursor. The run then goes on bit for bit as if never stopped.
 * All or nothing, as params_load: nothing is changed when anything is missing or does not fit. With only params
 * set: the weights of any checkpoint. */
GRADUS_API bool nn_checkpoint_load(Checkpoint *c, const char *path);

/* ---- what a pass costs --------------------------------------------------------------- summary.c -- */

/* Floating-point operations of all that is recorded on the tape: those of the matrix products, linear layers,
 * attentions (masked places included) and convolutions, at two for a multiplication with its addition. */
GRADUS_API int64_t nn_flops(const Tape *tape);
/* A line for each op: calls, numbers made, FLOPs; and their sums. */
GRADUS_API void nn_flops_summary(FILE *out, const Tape *tape);

/* ---- where the macros are on ---------------------------------------------------------------------- */

#ifndef GRADUS_INSIDE
#define params_add(...)                  AG_PLACED(params_add(__VA_ARGS__))
#define params_save(...)                 TENSOR_PLACED_OK(params_save(__VA_ARGS__))
#define params_load(...)                 TENSOR_PLACED_OK(params_load(__VA_ARGS__))
#define params_load_from(...)            TENSOR_PLACED_OK(params_load_from(__VA_ARGS__))
#define nn_linear_init(...)              TENSOR_PLACED_OK(nn_linear_init(__VA_ARGS__))
#define nn_linear(...)                   AG_PLACED(nn_linear(__VA_ARGS__))
#define nn_embedding_init(...)           TENSOR_PLACED_OK(nn_embedding_init(__VA_ARGS__))
#define nn_embedding(...)                AG_PLACED(nn_embedding(__VA_ARGS__))
#define nn_dropout_init(...)             TENSOR_PLACED_OK(nn_dropout_init(__VA_ARGS__))
#define nn_dropout(...)                  AG_PLACED(nn_dropout(__VA_ARGS__))
#define nn_layernorm_init(...)           TENSOR_PLACED_OK(nn_layernorm_init(__VA_ARGS__))
#define nn_layernorm(...)                AG_PLACED(nn_layernorm(__VA_ARGS__))
#define nn_attention_init(...)           TENSOR_PLACED_OK(nn_attention_init(__VA_ARGS__))
#define nn_attention(...)                AG_PLACED(nn_attention(__VA_ARGS__))
#define nn_cross_attention(...)          AG_PLACED(nn_cross_attention(__VA_ARGS__))
#define nn_position_init(...)            TENSOR_PLACED_OK(nn_position_init(__VA_ARGS__))
#define nn_position(...)                 AG_PLACED(nn_position(__VA_ARGS__))
#define nn_feedforward_init(...)         TENSOR_PLACED_OK(nn_feedforward_init(__VA_ARGS__))
#define nn_feedforward(...)              AG_PLACED(nn_feedforward(__VA_ARGS__))
#define nn_transformer_block_init(...)   TENSOR_PLACED_OK(nn_transformer_block_init(__VA_ARGS__))
#define nn_transformer_block(...)        AG_PLACED(nn_transformer_block(__VA_ARGS__))
#define nn_rmsnorm_init(...)             TENSOR_PLACED_OK(nn_rmsnorm_init(__VA_ARGS__))
#define nn_rmsnorm(...)                  AG_PLACED(nn_rmsnorm(__VA_ARGS__))
#define nn_additive_attention_init(...)  TENSOR_PLACED_OK(nn_additive_attention_init(__VA_ARGS__))
#define nn_additive_attention(...)       AG_PLACED(nn_additive_attention(__VA_ARGS__))
#define nn_position_at(...)              AG_PLACED(nn_position_at(__VA_ARGS__))
#define nn_decoder_block_init(...)       TENSOR_PLACED_OK(nn_decoder_block_init(__VA_ARGS__))
#define nn_decoder_block(...)            AG_PLACED(nn_decoder_block(__VA_ARGS__))
#define nn_rnn_cell_init(...)            TENSOR_PLACED_OK(nn_rnn_cell_init(__VA_ARGS__))
#define nn_rnn_cell(...)                 AG_PLACED(nn_rnn_cell(__VA_ARGS__))
#define nn_rnn_init(...)                 TENSOR_PLACED_OK(nn_rnn_init(__VA_ARGS__))
#define nn_rnn(...)                      AG_PLACED(nn_rnn(__VA_ARGS__))
#define nn_lora_init(...)                TENSOR_PLACED_OK(nn_lora_init(__VA_ARGS__))
#define nn_lora(...)                     AG_PLACED(nn_lora(__VA_ARGS__))
#define nn_lora_merge(...)               TENSOR_PLACED_OK(nn_lora_merge(__VA_ARGS__))
#define nn_cache_init(...)               TENSOR_PLACED_OK(nn_cache_init(__VA_ARGS__))
#define nn_cache_advance(...)            TENSOR_PLACED_OK(nn_cache_advance(__VA_ARGS__))
#define nn_cache_places(...)             AG_PLACED(nn_cache_places(__VA_ARGS__))
#define nn_attention_cached(...)         AG_PLACED(nn_attention_cached(__VA_ARGS__))
#define nn_transformer_block_cached(...) AG_PLACED(nn_transformer_block_cached(__VA_ARGS__))
#define nn_cross_attention_read(...)     TENSOR_PLACED_OK(nn_cross_attention_read(__VA_ARGS__))
#define nn_decoder_block_read(...)       TENSOR_PLACED_OK(nn_decoder_block_read(__VA_ARGS__))
#define nn_cross_attention_cached(...)   AG_PLACED(nn_cross_attention_cached(__VA_ARGS__))
#define nn_decoder_block_cached(...)     AG_PLACED(nn_decoder_block_cached(__VA_ARGS__))
#define nn_additive_keys(...)            AG_PLACED(nn_additive_keys(__VA_ARGS__))
#define nn_additive_attention_to(...)    AG_PLACED(nn_additive_attention_to(__VA_ARGS__))
#define nn_cache_copy(...)               TENSOR_PLACED_OK(nn_cache_copy(__VA_ARGS__))
#define nn_checkpoint_save(...)          TENSOR_PLACED_OK(nn_checkpoint_save(__VA_ARGS__))
#define nn_checkpoint_load(...)          TENSOR_PLACED_OK(nn_checkpoint_load(__VA_ARGS__))
#define sgd_init(...)                    TENSOR_PLACED_OK(sgd_init(__VA_ARGS__))
#define sgd_step(...)                    TENSOR_PLACED_OK(sgd_step(__VA_ARGS__))
#define adam_init(...)                   TENSOR_PLACED_OK(adam_init(__VA_ARGS__))
#define adamw_init(...)                  TENSOR_PLACED_OK(adamw_init(__VA_ARGS__))
#define adam_step(...)                   TENSOR_PLACED_OK(adam_step(__VA_ARGS__))
#endif

GRADUS_END
#endif
