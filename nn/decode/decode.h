/* decode.h: a decoder-only model writes: what it needs to be asked, and the ways to choose among what it says.
 *
 *   one by one                 the likeliest, or one's own choice     generate.c
 *   by chance                  temperature, top-k, top-p              sample.c
 *   the likeliest as a whole   beam search; all that there are        beam.c, exhaustive.c
 *   sooner                     weights in 8 or 16 bits                short.c */
#ifndef GRADUS_NN_DECODE_H
#define GRADUS_NN_DECODE_H

#include "nn/nn.h"

GRADUS_BEGIN

/* What nn_generate needs to know of a model. */
typedef struct {
    /* Logits (B, T, V) of new tokens, ids (B, T), by way of the cache; it does not advance the cache. */
    Tensor *(*logits)(void *model, Tensor *ids, KVCache *cache);
    void *model;
    KVCache *cache;
    int end; /* the token that ends a sequence; -1: none */
    /* Chooses among the V logits; NULL: nn_greedy. A number that is no token is an error. */
    int (*pick)(void *model, const real *logits, int64_t words);
} Decoder;

/* Continues prompts (B, tokens), row-major; the first lengths[b] of row b count (NULL: all). Writes the new
 * tokens into out (B, count); behind `end`, only `end`. Resets the cache once and the tape for each token, and
 * takes no memory per token. False, with an error, when tokens + count - 1 do not fit the cache. */
GRADUS_API bool nn_generate(Tape *tape, const Decoder *d, const int *prompt, const int *lengths,
                            int64_t tokens, int *out, int64_t count);

/* Weights in few bits: each row of a matrix measured by its largest number, w = scale n with n from -127 to 127 (8
 * bits) or -32767 to 32767 (16). A token costs reading every weight once; so it comes up to four times, or twice, as
 * soon, and each weight is off by at most 1/254, or 1/65534, of the largest in its row. A copy of all matrices of p
 * as they are now, for
 *
 *     tape->quantised_weights = nn_quantise_weights(p, 8);
 *
 * While that is set and tape->no_grad is, ag_linear reads the copy for up to four rows of x (one token of four
 * sequences); more rows, and everything else, read the floats. A weight that is changed later is not changed there.
 * NULL, with an error: other bits, a weight that is no number, no memory. Free it when no tape has it any more. */
typedef struct QuantisedWeights QuantisedWeights;
GRADUS_API QuantisedWeights *nn_quantise_weights(const Params *p, int bits);
GRADUS_API void nn_quantised_weights_free(QuantisedWeights *s); /* NULL is allowed */

/* Which of V tokens, by their logits a? Z "Sampling strategies". */

/* The likeliest; the first of equals. */
GRADUS_API int nn_greedy(const real *logits, int64_t words);

/* A distribution over tokens: the likeliest first, among equals the lower token. Of `words` tokens the first `count`
 * are left; their p add up to 1. */
typedef struct {
    double p;
    int token;
} Candidate;
typedef struct {
    Candidate *list;
    int64_t count, words;
} Candidates;
GRADUS_API bool nn_candidates_init(Candidates *c, int64_t words); /* takes the memory */
GRADUS_API void nn_candidates_free(Candidates *c);

/* p_i = exp(a_i / T) / sum_j exp(a_j / T). T = 1: the softmax, for random sampling; T = 0 its limit, all on the
 * largest logit (on equal ones in equal parts). Errors: T below 0, logits without a softmax. */
GRADUS_API bool nn_temperature(Candidates *c, const real *logits, double temperature);
/* Leaves the k likeliest. Error: k below 1; more than there are leaves all. */
GRADUS_API bool nn_top_k(Candidates *c, int64_t k);
/* Leaves the nucleus: of the likeliest as few as have together a probability of p or more. Error: p outside
 * (0, 1]. Holtzman et al. 2020. */
GRADUS_API bool nn_top_p(Candidates *c, double p);
/* One of them by chance. */
GRADUS_API int nn_draw(const Candidates *c, Rng *rng);

/* All four one after another; -1 with an error. For a Decoder's pick. */
typedef struct {
    double temperature; /* 1: as the model says */
    int64_t top_k;      /* V: all               */
    double top_p;       /* 1: all               */
    Candidates *candidates;
    Rng *rng;
} Sampler;
GRADUS_API int nn_sample(const Sampler *s, const real *logits);

/* Beam search. What it kept, as a tree. */
typedef struct {
    int parent; /* its place in the tree; -1: it stands behind the prompt */
    int token;
    int length;   /* tokens from the prompt to it, this one included */
    double log_p; /* of all of those together                        */
} BeamNode;
typedef struct {
    int nodes;
    BeamNode *node; /* step after step, in each the likeliest first   */
    int best;       /* the last token of the best hypothesis; -1: none */
    double alpha;
} BeamTree;

/* Continues one prompt (tokens) by `count` tokens, or fewer and then only `end`, with as many hypotheses as the
 * cache has sequences; the others' logits are ignored. Of equals the first is taken. The best at last: that with
 * the largest log p / length^alpha (1: "length-normalised"; 0: not). Free the tree, also after an error. */
GRADUS_API bool nn_beam(Tape *tape, const Decoder *d, const int *prompt, int64_t tokens, int *out,
                        int64_t count, double alpha, BeamTree *tree);
GRADUS_API double nn_beam_score(const BeamTree *t, int node); /* log p / length^alpha */
/* The tokens from the prompt to a node; returns how many: node.length. */
GRADUS_API int nn_beam_path(const BeamTree *t, int node, int *tokens);
GRADUS_API void nn_beam_free(BeamTree *t);

/* The same by trying all V^count continuations: the truth, where that are at most 10^6. The cache is for one
 * sequence. Writes the best one's score, unless NULL. */
GRADUS_API bool nn_exhaustive(Tape *tape, const Decoder *d, const int *prompt, int64_t tokens,
                              int *out, int64_t count, double alpha, double *score);

#ifndef GRADUS_INSIDE
#define nn_generate(...)        TENSOR_PLACED_OK(nn_generate(__VA_ARGS__))
#define nn_candidates_init(...) TENSOR_PLACED_OK(nn_candidates_init(__VA_ARGS__))
#define nn_temperature(...)     TENSOR_PLACED_OK(nn_temperature(__VA_ARGS__))
#define nn_top_k(...)           TENSOR_PLACED_OK(nn_top_k(__VA_ARGS__))
#define nn_top_p(...)           TENSOR_PLACED_OK(nn_top_p(__VA_ARGS__))
#define nn_beam(...)            TENSOR_PLACED_OK(nn_beam(__VA_ARGS__))
#define nn_exhaustive(...)      TENSOR_PLACED_OK(nn_exhaustive(__VA_ARGS__))
#endif

GRADUS_END
#endif
