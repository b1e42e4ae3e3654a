/* pretrained.h: models that others have trained, from the folders that Hugging Face's libraries
 * write.
 *
 * Families: BERT (MiniLM), RoBERTa, DistilBERT, ModernBERT; GPT-2, GPT-NeoX, Llama
 * (Mistral, Qwen 2 and 3), Gemma 3; the encoder-decoders T5, BART and Marian; ViT, DeiT.
 * The tokeniser that belongs to a model is data.h's. What is not understood is an error before
 * anything is computed.
 *
 * A model's life: nn_pretrained_load reads and checks the folder, builds the modules and fills
 * their weights; nn_pretrained_run computes hidden states, and a head (nn_pretrained_logits,
 * nn_pretrained_classify) computes from these; nn_pretrained_free releases everything. A Pretrained
 * must not be copied while it is used: its blocks point into it.
 *
 * Errors are as in nn.h. Messages of the loader begin with the file that is wrong:
 * "nn_pretrained_load: FOLDER/config.json: ...". */
#ifndef GRADUS_NN_PRETRAINED_H
#define GRADUS_NN_PRETRAINED_H

#include "nn/decode/decode.h"

GRADUS_BEGIN

/* What a model reads, and what it does with it. */
typedef enum {
    PRETRAINED_ENCODER,    /* a text, in both directions: BERT */
    PRETRAINED_DECODER,    /* a text, which it can continue: GPT-2, Llama */
    PRETRAINED_TRANSLATOR, /* a text, for which it writes another: T5, BART, Marian */
    PRETRAINED_VISION      /* a picture: ViT, DeiT */
} PretrainedKind;

/* What a model has no bias in. */
enum { NO_BIAS_IN = 1, NO_BIAS_OUT = 2, NO_BIAS_FEEDFORWARD = 4, NO_BIAS_NORM = 8, NO_BIAS = 15 };

/* What config.json says, in this library's terms. */
typedef struct {
    const char *type;                 /* model_type: "bert" */
    const struct FamilyRules *family; /* pretrained/config.c */
    PretrainedKind kind;
    int64_t layers, channels; /* blocks; C */
    int64_t hidden;           /* channels inside the feedforward layers */
    int64_t words;            /* V, the tokens of the vocabulary */
    int64_t positions, types; /* of the longest text; token types (segments) */
    int heads, kv_heads;      /* of queries; of keys and values (grouped-query attention) */
    int64_t head_size;        /* channels of a head */
    int64_t image, patch;     /* sides in pixels, of a picture and of a patch */
    int64_t colours;          /* colour channels of a picture */
    int labels;               /* classes of the classifier; 0: config.json names none */
    int pad, end;             /* token ids; -1: none */
    int ends[8];              /* tokens beside `end` that end a text, closed by -1 */
    double epsilon;           /* of the normalisations */
    Activation activation;    /* of the feedforward layers */
    unsigned no_bias;         /* of NO_BIAS_IN (queries, keys, values), ..._OUT, ... */
    bool tied;                /* the output's weights are the word embedding's */
    double *frequency;        /* of the rotary encoding, rotated / 2 of them; NULL: none */
    int64_t position_offset;  /* RoBERTa: 2 */
    double dropout;           /* of the blocks, while training */
    /* 0, false or NULL where a family has nothing of the kind: */
    bool gated;               /* the feed-forward layers */
    bool parallel;            /* the branches of a block (pretrained/block.c) */
    bool branch_norms;        /* of what a branch gives */
    int64_t rotated;          /* channels of a head that are rotated */
    bool *local;              /* (layers): which look at a window only ... */
    int window;               /* ... of so many tokens in each direction, ... */
    double *local_frequency;  /* ... with a rotary encoding of their own */
    double query_scale;       /* of q k^T */
    double qk_epsilon;        /* of the norms of queries and keys */
    double embedding_scale;   /* word embeddings times this */
    double output_scale;      /* hidden states times this before the output */
    int64_t ranges, farthest; /* of the relative position bias */
    int64_t decoder_layers;   /* of an encoder-decoder */
    int start, first;         /* tokens with which its output begins; -1: none */
    int last;                 /* the token that an output of the full length ends with; -1: none */
    DecodeRules rules;        /* of generation; a program may change them */
    int forbidden[8];         /* rules.forbidden */
    bool several;             /* labels that do not exclude each other: a sigmoid for each */
} PretrainedConfig;

/* Multi-head attention: that of nn.h, with what families add to it (pretrained/attention.c). Not
 * there: NULL, 0, a norm without a weight. */
typedef struct {
    Tensor *in_proj_weight, *in_proj_bias; /* ((H + 2 G) d, C), the rows of queries, keys, values */
    Linear out_proj;                       /* (C, H d) */
    int heads, kv_heads;                   /* H; G, a divisor of H: of keys and values */
    int64_t head_size;                     /* d */
    Norm q_norm, k_norm; /* of each head's query and key, before they are rotated */
    const Rotary *rotary;
    Tensor *distance_bias; /* (ranges, H): added to the scores (pretrained/relative.c) */
    int64_t farthest;      /* the distance from which on all have the last range */
    bool both_directions;  /* later keys have ranges of their own; else that of distance 0 */
    real scale;            /* of q k^T, in place of 1 / sqrt(d) */
    int window;            /* as in Mask */
    real dropout;          /* of A */
    const char *path;
} PretrainedAttention;

/* The block of all families, of encoders and of decoders (pretrained/block.c). */
typedef struct {
    Norm attn_norm, cross_norm,
        ff_norm;               /* of what each branch reads or, in post-norm form, of each sum */
    Norm after_attn, after_ff; /* of what a branch gives */
    PretrainedAttention attn, cross; /* cross: in the decoder of an encoder-decoder */
    FeedForward ff;
    real dropout; /* of each branch */
    bool post_norm, parallel;
    const char *path;
} PretrainedBlock;

typedef struct {
    PositionalEncoding position; /* of the embeddings, ... */
    Norm embedding_norm;         /* ... which this normalises */
    Tensor *distance_bias;       /* of all blocks */
    PretrainedBlock *blocks;     /* (layers) */
    int layers;
    Norm norm; /* after the last block, in pre-norm form */
} PretrainedStack;

/* A model. What a family or a file does not have is NULL, or of length 0. */
typedef struct {
    PretrainedConfig config;
    Params *params;
    Embedding words, types;
    Rotary rotary, local_rotary;
    Linear patches; /* weight (C, colours, patch, patch) */
    Tensor *class_token, *distillation_token, *picture_position;
    PretrainedStack encoder; /* also that of a decoder-only model */
    PretrainedStack decoder; /* of an encoder-decoder */
    KVCache source;          /* of nn_pretrained_read */
    Tensor *logits_bias;     /* (1, V), BART's final_logits_bias */
    Linear pooler;           /* of the first token, before the classifier */
    Linear transform;        /* before the masked-word head's output */
    Norm transform_norm;
    Linear output; /* to the V words */
    Linear classifier, distilled_classifier;
    char **label; /* names of the classes, or NULL */
    /* The program may set this after the load, for prompts of one length:
     * nn_pretrained_logits_cached then gives the logits (B, 1, V) of the last token only. */
    bool last_only;
    char *folder;
    struct Shards *files; /* of the weights */
    const char *prefix;   /* with which the names of the body's tensors begin in these */
} Pretrained;

/* Reads a model's folder, for running: params_freeze(m->params, "", false) gives its weights
 * gradients. False, with an error that names file and key; then nothing is left to free.
 *
 * Weights that are stored as real stay in the file and are read when they are first used: loading
 * takes milliseconds, and several processes share the memory. Writing to a weight does not change
 * the file. Nobody may shorten or overwrite the file while the model is in use: the system ends a
 * process whose page is gone (SIGBUS). A file that takes its place by rename is harmless. */
GRADUS_API bool nn_pretrained_load(const char *folder, Pretrained *m);
/* Releases the weights and all that the load allocated, and clears *m. Does nothing for NULL. */
GRADUS_API void nn_pretrained_free(Pretrained *m);
/* Prints family, sizes and heads, and the tensors of the files that are not used. */
GRADUS_API void nn_pretrained_summary(FILE *out, const Pretrained *m);

/* The last hidden states (B, T, C) of ids (B, T), with types: ids (B, T), or NULL for 0, and
 * lengths: ids (B), or NULL; or of pictures (B, colours, height, width), normalised as
 * preprocessor_config.json says, without types and lengths. While the tape keeps maps, those of
 * layer i stay on it as "blocks.i.attn.A"; after backward they have gradients, also where all
 * weights are frozen. hidden: unless NULL, config.layers + 1 tensors: what goes into each block,
 * and what comes out of the last. */
GRADUS_API Tensor *nn_pretrained_run(const Pretrained *m, Tensor *input, Tensor *types,
                                     Tensor *lengths, Tensor **hidden);
/* The heads: each computes from the last hidden states x (B, T, C). Error: the model does not have
 * this head. nn_pretrained_logits: (B, T, V), of the language model. nn_pretrained_classify: (B,
 * labels), the logits of the classes. */
GRADUS_API Tensor *nn_pretrained_logits(const Pretrained *m, Tensor *x);
GRADUS_API Tensor *nn_pretrained_classify(const Pretrained *m, Tensor *x);

/* How a sentence encoder makes one vector of a text's hidden states, as modules.json of
 * sentence-transformers says (Reimers and Gurevych, "Sentence-BERT", 2019, section 3); without that
 * file the mean. */
typedef struct {
    enum { POOLING_MEAN, POOLING_FIRST, POOLING_LAST, POOLING_MAX } kind;
    bool normalised; /* to length 1 */
    bool named;      /* by the folder's files */
} PretrainedPooling;
/* False, with an error, for a module or a pooling that is not built (Dense, a mean with
 * weights). */
GRADUS_API bool nn_pretrained_pooling(const Pretrained *m, PretrainedPooling *p);
/* The vectors (B, C) of last hidden states x (B, T, C), of which the first lengths[b] of row b are
 * tokens (NULL: all). */
GRADUS_API Tensor *nn_pretrained_embed(const PretrainedPooling *p, Tensor *x,
                                       const int32_t *lengths);

/* How a picture becomes numbers, as preprocessor_config.json says: (x factor - mean) / deviation of
 * each colour, of x from 0 to 255. */
typedef struct {
    double factor, mean[8], deviation[8];
} PretrainedPixels;
/* Errors: a model that reads no pictures, or of more than 8 colours; a file that makes pictures of
 * another size than the model reads. */
GRADUS_API bool nn_pretrained_pixels(const Pretrained *m, PretrainedPixels *p);

/* Encoder-decoders: the last hidden states (B, T, C) of the decoder for the output's ids (B, T),
 * with memory (B, S, C), what nn_pretrained_run computes of the input, and the input's lengths: ids
 * (B), or NULL. The maps of layer i stay on the tape as "decoder.i.self_attn.A" and
 * "decoder.i.cross_attn.A". hidden: unless NULL, config.decoder_layers + 1 tensors, as above.
 * nn_pretrained_logits computes from the result. */
GRADUS_API Tensor *nn_pretrained_decode(const Pretrained *m, Tensor *ids, Tensor *memory,
                                        Tensor *lengths, Tensor **hidden);
/* For generation: runs the encoder on ids (B, S), of which the first lengths[b] of row b are tokens
 * (NULL: all), and keeps the keys and values of the cross-attentions in m->source, until the next
 * call. nn_pretrained_logits_cached then continues outputs of B rows, each of which begins with
 * config.start and, unless that is -1, config.first. The tape needs no_grad. */
GRADUS_API bool nn_pretrained_read(Pretrained *m, Tensor *ids, const int32_t *lengths);

/* Decoders, also those of encoder-decoders: logits (B, T, V) of new tokens, whose keys and values
 * go into a cache, for a Decoder of decode.h. */
GRADUS_API bool nn_pretrained_cache(const Pretrained *m, KVCache *c, int64_t batch,
                                    int64_t capacity);
GRADUS_API Tensor *nn_pretrained_logits_cached(void *model, Tensor *ids, KVCache *cache);
/* A Decoder of these logits, of a cache of nn_pretrained_cache, with the tokens that end a text
 * and the rules of m->config. The program adds what chooses the tokens. NULL: {0}, which is refused
 * where it is used. */
GRADUS_API Decoder nn_pretrained_decoder(Pretrained *m, KVCache *c);

GRADUS_END

#include "placed/pretrained.h" /* macros: an error names the program's line */
#endif
