/* language.h: what the files of this chapter share. */
#ifndef LECTURES_LANGUAGE_H
#define LECTURES_LANGUAGE_H

#include "gradus.h"
#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* sampling.c */
/* Logits (SAMPLED) of deviation 1.5, by an op of the library; and in double, as they were drawn,
 * into drawn[]. */
enum { SAMPLED = 8 };
Tensor *sampling_logits(Tape *tape, Rng *rng, double drawn[SAMPLED]);

/* ---- cache.c: a GPT that was not trained, for rows 40 and 41 --------------------------------- */

enum { WIDE = 32, DEEP = 3, VOCABULARY = 20, LONGEST = 256 };

/* Its matrices have the deviation 0.2, so that its next token depends on what came before. */
typedef struct {
    Params *params;
    Gpt gpt;
    Tape *tape;
    KVCache cache; /* of one sequence */
} Talker;
/* Kept until another seed is asked for; NULL after an error. */
Talker *talker_of(uint64_t seed);
/* n tokens at random. */
void talker_tokens(uint64_t seed, int *ids, int n);

/* Counted: of the pass over token n after n - 1 in the cache; and of one over n tokens. */
int64_t talker_count(Talker *k, int64_t n, bool cached);

/* ---- source.c: a language all of whose probabilities are known (rows 38 and 41) -----------------
 *
 * Six letters of a, b and c. The first is any of the three; after each letter comes the next one of
 * the circle a b c with probability 3/4, the one after that with 1/4, and never the same letter
 * again:
 *
 *     H = log 3 + 5 h(1/4) = 3.9101 nats,   h(u) = -u log u - (1 - u) log(1 - u)
 *
 * So each conditional probability, each of the 3^6 = 729 sequences' probabilities and the entropy
 * are known, and all sequences can be enumerated. */
enum {
    LETTERS = 3,
    LENGTH = 6,
    SEQUENCES = 729,      /* LETTERS^LENGTH                                   */
    BOS = LETTERS,        /* the token before the first letter                */
    TOKENS = LETTERS + 1, /* the model's vocabulary: the letters and <bos>    */
};

/* p(next | before); before = BOS: p(x_1 = next). */
double source_step(int before, int next);
/* p(x_1 ... x_n). */
double source_p(const int *x, int n);
/* H, by the sum over all sequences. */
double source_entropy(void);
/* Total variation between probabilities g (SEQUENCES) and the language: the largest difference of
 * any set of sequences. */
double source_distance(const double *g);
void source_draw(Rng *rng, int x[LENGTH]);
/* Sequence number 0 .. SEQUENCES - 1 in alphabetical order. */
void source_sequence(int number, int x[LENGTH]);

/* ---- writer.c: three ways to train a GPT on it ----------------------------------------------- */

typedef enum { HONEST, NO_MASK, NO_SHIFT, MANNERS } Manner;
enum { CHECKS = 11, WRITER_STEPS = 400 };

/* loss[i]: the expected loss of a sequence, summed exactly over all 729, before step i WRITER_STEPS
 * / (CHECKS - 1). */
typedef struct {
    Params *params;
    Gpt model;
    Manner manner;
    double loss[CHECKS];
} Writer;

/* Trained once a seed, kept until the next seed is asked for; NULL where the training failed. */
Writer *writer_of(uint64_t seed, Manner manner);

/* Logits (n, LENGTH, LETTERS) of n sequences in one pass; position t predicts x_t. HONEST: it sees
 * <bos> x_1 ... x_(t-1). NO_MASK: it sees <bos> and all letters but the last. NO_SHIFT: it sees x_1
 * ... x_t. */
Tensor *writer_logits(const Gpt *m, Tape *tape, Manner manner, const int *x, int n);

/* log q(x) of n sequences, as the model computes it in that manner. False where a tensor is
 * poison. */
bool writer_log_q(const Gpt *m, Tape *tape, Manner manner, const int *x, int n, double *log_q);

/* All sequences, (SEQUENCES, LENGTH). */
const int *all_sequences(void);

/* ---- bert.c: a masked language model of it (row 45) ------------------------------------------ */

/* Trained for 4,000 steps, once a seed; NULL where the training failed. */
typedef struct Filler Filler;
const Filler *filler_of(uint64_t seed);

/* log q(x_t | the letters that are not masked) for all 729 sequences; hidden: bit k masks letter k;
 * False where a tensor is poison, or the probabilities do not sum to 1: then nothing was
 * computed. */
bool filler_log_q(const Filler *f, Tape *tape, int t, unsigned hidden, double *log_q);

/* ---- b.c: B's six algorithms, line by line (row 39) ---------------------------------------------
 *
 * Each function is one slide's algorithm in plain C, with B's letters: T tokens, E channels of a
 * token, H heads of S channels, L layers, I words. A comment that begins with a number is that line
 * of the algorithm. What the library does otherwise is a switch: 0 is as in the library; 1 is as
 * the slide prints it. Most of these a first lecture leaves out; REREAD and LENGTH are slips. */
enum { B_T = 12, B_E = 16, B_H = 2, B_S = B_E / B_H, B_L = 2, B_I = 12 };

typedef enum {
    PRINTED_REREAD = 1 << 0, /* SA_Head 2: every head reads embd(x_t) + embd(t) again             */
    PRINTED_SCALE = 1 << 1,  /* SA_Head 4: no 1 / sqrt(S)                                         */
    PRINTED_OUTPUT = 1 << 3, /* SelfAttention 4: the heads are concatenated, not mixed by W_o     */
    PRINTED_RESIDUAL =
        1 << 4,            /* TransformerDec 2, 3: nothing is added to what went in             */
    PRINTED_NORM = 1 << 5, /* TransformerDec 2, 3: no LayerNorm                                 */
    PRINTED_SOFTMAX =
        1 << 6,              /* TransformerLM 3: the softmax is not written down                  */
    PRINTED_LENGTH = 1 << 7, /* Generation 3: x_(1:T-1) goes in where p_(2:T+1) is to come out    */
} PrintedLine;

typedef struct {
    const Gpt *gpt; /* the weights: those of the gpt example's model */
    bool masked_decode;
    unsigned printed; /* lines that are run as printed */
} Printed;

/* What a line calls, in plain C and in double. y (rows) = W x + b for rows from, from + 1 ... of a
 * linear layer; a . b; softmax; LayerNorm of E channels; W_2 gelu(W_1 x). */
void plain_linear(const Tensor *weight, const Tensor *bias, int from, int rows, const double *x,
                  double *y);
double plain_dot(const double *a, const double *b, int n);
void plain_softmax(const double *xi, int n, double *alpha);
void plain_norm(const Norm *l, const double *x, double *y);
void plain_mlp(const FeedForward *f, const double *x, double *y);

/* The tokens x (T) -> p (T, I): row t is p_(t+2), the distribution of the token after the first t +
 * 1. Returns the number of rows. */
int transformer_lm(const Printed *m, const int *x, int T, double *p);
/* Writes x_(t+1) ... x_T after the first t. choose: the token for a distribution (I). False where
 * it failed. */
bool transformer_lm_generation(const Printed *m, int *x, int t, int T,
                               int (*choose)(void *context, const double *p), void *context);
/* The training loop over `data` (sequences, T + 1), a batch of `batch` consecutive ones a step;
 * SGD. */
bool transformer_lm_train(const Gpt *gpt, Params *params, const int *data, int T, int batch,
                          int steps, double eta, bool average);

/* ---- z.c: Z's three algorithms, line by line (row 39) -------------------------------------------
 *
 * N tokens of D channels in rows, H heads; Q and K have D_k columns, V has D_v. Here D_k = D_v = D
 * / H, as in the library. */
enum { Z_N = 3, Z_D = B_E, Z_H = 4, Z_DK = Z_D / Z_H };

/* What Z's heads and layer read: weights of the library's modules, whose rows are outputs. */
typedef struct {
    const TransformerBlock *block; /* post-norm */
    bool root_of_d;   /* sqrt(D) for sqrt(D_k)                                                   */
    bool no_residual; /* Transformer layer without "+ X", "+ Z"                                  */
} ZPrinted;

/* X (N, D) -> Y (N, D). */
void z_transformer_layer(const ZPrinted *z, const double *X, double *out);

/* ---- markov.c: a model whose sequences can all be tried (row 42) --------------------------------
 *
 * p(next | tokens) depends on the last token alone, and all K^N sequences can be tried. To
 * nn_generate and nn_beam it is a model like any other. */
enum { MARKOV_MAX = 10, MARKOV_LONGEST = 16 };
typedef struct {
    int K; /* tokens 0 .. K - 1; the prompt is token K           */
    real logits[(MARKOV_MAX + 1) *
                MARKOV_MAX]; /* (K + 1, K): row i: of the token after i            */
    int64_t scored;          /* logits that were computed since this was set to 0  */
} Markov;
/* Independent logits of the given deviation. */
void markov_draw(Markov *m, int K, double deviation, Rng *rng);
/* log p(x_1 .. x_n) */
double markov_log_p(const Markov *m, const int *x, int n);

typedef enum { SEARCH_GREEDY, SEARCH_BEAM, SEARCH_EXHAUSTIVE } SearchKind;
/* n tokens by the library's search, or by trying all sequences; end: the token that ends a
 * sequence, or -1. tree: of a beam, or NULL. */
bool markov_search(Markov *m, SearchKind kind, int beam, double alpha, int end, int n, int *x,
                   BeamTree *tree);

#endif
