/* decode.h: autoregressive generation: the KV cache, the interface to a decoder-only model, and
 * decoding strategies.
 *
 * Errors are as in nn.h: false, -1 or NULL after a message that begins with the name of the
 * function called. */
#ifndef GRADUS_NN_DECODE_H
#define GRADUS_NN_DECODE_H

#include "nn/nn.h"

GRADUS_BEGIN

/* ---- the KV cache ------------------------------------------------------------- nn/cache.c -- */

/* The keys and values of all earlier tokens in each layer of a decoder-only model, so that
 * generating a token costs a forward pass over one token. nn_cache_init allocates all memory. A
 * forward pass over T new tokens of each sequence, where T may differ from pass to pass, calls
 * nn_transformer_block_cached or nn_attention_cached with each layer's number, then
 * nn_cache_advance; a pass that is not advanced leaves no trace. It needs tape->no_grad. */
typedef struct {
    int layers;
    int64_t batch, capacity; /* B, and the largest number of tokens of a sequence               */
    int32_t *length;         /* (B): tokens of each sequence so far                             */
    Tensor **keys_values;    /* (2 layers): of layer l the keys at 2 l, the values at 2 l + 1,
                              * each (B, H, capacity, C/H)                                      */
} KVCache;
/* Allocates an empty cache, which nn_cache_free releases. Errors: layers, batch, capacity, heads or
 * channels below 1; heads do not divide channels. */
GRADUS_API bool nn_cache_init(KVCache *c, int layers, int64_t batch, int64_t capacity, int heads,
                              int64_t channels);
GRADUS_API void nn_cache_free(KVCache *c);  /* does nothing for NULL  */
GRADUS_API void nn_cache_reset(KVCache *c); /* removes all tokens     */

/* Counts the tokens of a completed pass over `tokens` new tokens of each sequence. Of sequence b,
 * the first counts[b] are tokens and the others padding; counts NULL: all are tokens. Errors:
 * counts[b] outside 0 .. tokens; more tokens than the capacity. */
GRADUS_API bool nn_cache_advance(KVCache *c, const int32_t *counts, int64_t tokens);

/* The positions of the next `tokens` tokens of each sequence as ids (B, tokens), for
 * nn_position_at. Errors: tokens below 0; more than the capacity. */
GRADUS_API Tensor *nn_cache_positions(const KVCache *c, Tape *tape, int64_t tokens);

/* Causal self-attention of the new tokens x (B, T, C) to the cached tokens and to themselves -> (B,
 * T, C). Their keys and values go into the cache. Errors: the layer, B, C or H is not the cache's;
 * the capacity is exceeded; tape->no_grad is not set. */
GRADUS_API Tensor *nn_attention_cached(const MultiHeadAttention *a, Tensor *x, KVCache *c,
                                       int layer);
GRADUS_API Tensor *nn_transformer_block_cached(const TransformerBlock *b, Tensor *x, KVCache *c,
                                               int layer);

/* A whole model with a cache: ids of new tokens (B, T) -> logits (B, T, V). It is a Decoder's
 * `logits` (below), whose model is a Gpt. The positions follow those in the cache, and the mask is
 * causal. nn_cache_advance completes the pass.
 * nn_gpt_cache makes a cache for B sequences of up to `longest` tokens, which nn_cache_free
 * releases. Errors: those of the parts; layers below 1. */
GRADUS_API Tensor *nn_gpt_cached(void *model, Tensor *ids, KVCache *c);
GRADUS_API bool nn_gpt_cache(const Gpt *m, KVCache *c, int64_t batch);

/* An encoder-decoder model has a second cache, which holds the keys and values of the
 * cross-attentions. They are computed once from memory (B, S, C): call nn_decoder_block_fill for
 * each layer, then nn_cache_advance with the lengths of the sources; nn_cache_reset before the next
 * source. Errors: as nn_attention_cached. */
GRADUS_API bool nn_decoder_block_fill(const DecoderBlock *b, Tensor *memory, KVCache *source,
                                      int layer);
/* The decoder block for new tokens x (B, T, C): self-attention with the cache `target` of the
 * tokens generated so far, cross-attention with the cache `source` -> (B, T, C). nn_cache_advance
 * of `target` completes the pass. */
GRADUS_API Tensor *nn_decoder_block_cached(const DecoderBlock *b, Tensor *x, KVCache *target,
                                           const KVCache *source, int layer);

/* ---- the model ----------------------------------------------------------------- generate.c -- */

/* Rules that change the scores of the next token by the tokens so far, prompt included, as
 * transformers 5 defines them, in this order. Scores are the logits in nn_generate, and the
 * log-probabilities in nn_beam. {0} changes nothing. */
typedef struct {
    /* repetition_penalty r > 0: the score s of each token that occurs becomes s / r where s is 0 or
     * more, and s r where it is less; 0 and 1: no penalty. */
    double repetition;
    /* no_repeat_ngram_size n: a token that would complete n tokens which occur already in this
     * order gets -infinity; 0: all may occur again. */
    int no_repeat;
    const int32_t *forbidden; /* bad_words_ids: these get -infinity; closed by -1. NULL: none */
    int64_t shortest; /* min_length: with fewer tokens so far, those that end get -infinity */
} DecodeRules;

/* The interface to a decoder-only model. */
typedef struct {
    /* Returns the logits (B, T, V), contiguous, of new tokens with these ids (B, T), using the
     * cache without advancing it. Or (B, 1, V), of the last tokens only, where all prompts have one
     * length. */
    Tensor *(*logits)(void *model, Tensor *ids, KVCache *cache);
    void *model;
    KVCache *cache;
    int32_t end; /* the token that ends a sequence; -1: none */
    /* Chooses the next token from V logits; NULL: nn_greedy. An id outside 0 .. V-1 is an error.
     * Its first argument is picker, or where that is NULL the model. To sample at a temperature:
     * pick nn_sample and picker a Sampler. */
    int32_t (*pick)(void *picker, const real *logits, int64_t vocabulary);
    void *picker;
    const int32_t *ends;      /* further tokens that end a sequence, closed by -1; NULL: none */
    const DecodeRules *rules; /* NULL: none */
    /* Does the last of a sequence's tokens (n), prompt included, end it? NULL: `end` alone does.
     * For nn_generate only. */
    bool (*stop)(void *stopper, const int32_t *ids, int64_t n);
    void *stopper;
} Decoder;

/* Generates `count` tokens after each prompt. prompt is (B, tokens), row-major, B being the
 * cache's; the prompt of row b is its first lengths[b] tokens, the others are padding (lengths
 * NULL: no padding). The new tokens go into out (B, count); after a token that ends it, a row has
 * only `end` (also where that is -1).
 * Resets the cache at the beginning and the tape before each token; once the first token is
 * generated, no further memory is allocated. Errors: tokens + count - 1 exceeds the capacity of the
 * cache; a length outside 1 .. tokens; logits of another shape; a failure in d->logits or
 * d->pick; rules of which nn_rules would say that they are wrong. */
GRADUS_API bool nn_generate(Tape *tape, const Decoder *d, const int32_t *prompt,
                            const int32_t *lengths, int64_t tokens, int32_t *out, int64_t count);

/* Applies d->rules to the scores (vocabulary) of the token after ids (n): for a program that has a
 * loop of its own. Errors: something is NULL; a penalty that is negative or not finite; a negative
 * no_repeat. */
GRADUS_API bool nn_rules(const Decoder *d, const int32_t *ids, int64_t n, real *scores,
                         int64_t vocabulary);

/* ---- sampling -------------------------------------------------------------------- sample.c -- */

/* The most likely token, the first of equal ones; -1, with an error, for NULL and a vocabulary
 * below 1 or above 2^31 - 1. That logits has so many numbers cannot be checked. */
GRADUS_API int32_t nn_greedy(const real *logits, int64_t vocabulary);

/* A distribution over tokens, in descending order of probability, and among equals in ascending
 * order of tokens. The first `count` of the list are its support, and their probabilities add up to
 * 1. */
typedef struct {
    double p;
    int32_t token;
} Candidate;
typedef struct {
    Candidate *list;           /* (vocabulary) */
    int64_t count, vocabulary; /* V            */
} Candidates;
/* Allocates the list, which nn_candidates_free releases. Error: a vocabulary below 1 or above 2^31
 * - 1. */
GRADUS_API bool nn_candidates_init(Candidates *c, int64_t vocabulary);
GRADUS_API void nn_candidates_free(Candidates *c); /* does nothing for NULL */

/* The softmax of V logits at a temperature T: p_i = exp(a_i / T) / sum_j exp(a_j / T). T = 1 is the
 * model's own distribution. T = 0 is the limit: all probability on the largest logit, in equal
 * parts where several are largest. Errors: T below 0 or not finite; logits whose softmax is not
 * defined (a NaN, +infinity, or all -infinity). */
GRADUS_API bool nn_temperature(Candidates *c, const real *logits, double temperature);

/* Top-k: restricts the distribution to its k most likely tokens and normalises it. A k above the
 * size of the support changes nothing. Error: k below 1. */
GRADUS_API bool nn_top_k(Candidates *c, int64_t k);

/* Nucleus (top-p): restricts the distribution to the smallest set of most likely tokens whose
 * cumulative probability is at least p, and normalises it. Error: p outside 0 < p <= 1. Holtzman et
 * al. 2020. */
GRADUS_API bool nn_top_p(Candidates *c, double p);

/* Samples a token; -1, with an error, for NULL and a distribution without support.
 * The distribution does not change, so that several tokens can be drawn from it. */
GRADUS_API int32_t nn_draw(const Candidates *c, Rng *rng);

/* The settings of nn_sample. */
typedef struct {
    double temperature; /* 1: the model's own distribution */
    int64_t top_k;      /* V: all                          */
    double top_p;       /* 1: all                          */
    Candidates *candidates;
    Rng *rng;
} Sampler;

/* nn_temperature, nn_top_k, nn_top_p and nn_draw of a Sampler in this order, as a Decoder's pick:
 * {.pick = nn_sample, .picker = &sampler}. The candidates are overwritten at each call. -1, with an
 * error, where one of them fails, and for candidates of another vocabulary. */
GRADUS_API int32_t nn_sample(void *sampler, const real *logits, int64_t vocabulary);

/* ---- beam search ------------------------------------------------------------------- beam.c -- */

/* The tokens that a beam search kept, as a tree whose root is the prompt. */
typedef struct {
    int parent; /* the node of the token before; -1: the prompt            */
    int32_t token;
    int length;   /* tokens after the prompt, this one included            */
    double log_p; /* the log-probability of these tokens given the prompt; or after the rules */
} BeamNode;
typedef struct {
    int nodes;
    BeamNode *node; /* by step, within a step by descending probability    */
    int best;       /* the last node of the best hypothesis; -1: none      */
    double alpha;
} BeamTree;

/* Beam search from one prompt (tokens): writes the best continuation by `count` tokens into out;
 * after `end`, only `end`. The number of hypotheses is the cache's batch; d->pick is not used, and
 * d->stop is refused. The best hypothesis has the largest score log p / length^alpha: alpha = 0
 * compares probabilities, 1 is length-normalised; of equal ones the first is taken. nn_beam_free
 * releases the tree, also after an error. Errors: those of nn_generate; an alpha outside -10 .. 10;
 * logits whose softmax is not defined. Wu et al. 2016, eq. 14. The tape is reset before each
 * pass. */
GRADUS_API bool nn_beam(Tape *tape, const Decoder *d, const int32_t *prompt, int64_t tokens,
                        int32_t *out, int64_t count, double alpha, BeamTree *tree);
GRADUS_API void nn_beam_free(BeamTree *t); /* does nothing for NULL */

GRADUS_END

#include "placed/decode.h" /* macros: an error names the program's line */
#endif
