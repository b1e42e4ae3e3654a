/* inside.h: what the files of nn/pretrained share (internal).
 *
 * The folder's one idea: a family is data. names.c says under which names a checkpoint stores each
 * weight, config.c translates config.json; everything else (building, importing, running) is
 * written once for all families. */
#ifndef GRADUS_NN_PRETRAINED_INSIDE_H
#define GRADUS_NN_PRETRAINED_INSIDE_H

#include "nn/internal.h"
#include "nn/pretrained/pretrained.h"
#include "tensor/io/json.h"
#include "tensor/io/safetensors.h"

#define PRETRAINED_WHO "nn_pretrained_load"
#define PRETRAINED_FAIL(path, format, ...) \
    tensor_fail(PRETRAINED_WHO ": %s: " format, path, __VA_ARGS__)
enum { PRETRAINED_PATH = 4096, PRETRAINED_NAME = 2 * TENSOR_NAME_MAX };

/* ---- families ---- */

/* Which rows of our weight a tensor of theirs holds. PART_HEADS: all, but query, key and value of
 * each head one after another. PART_FIRST, PART_SECOND: our weight is half of theirs. */
typedef enum {
    PART_ALL,
    PART_QUERY,
    PART_KEY,
    PART_VALUE,
    PART_HEADS,
    PART_FIRST,
    PART_SECOND
} WeightPart;
typedef enum { AS_IT_IS, TRANSPOSED, PLUS_ONE } WeightForm; /* PLUS_ONE: ours is theirs + 1 */

/* Our weight's path and their tensor's name, after the prefix where `body`; both end before
 * ".weight" or ".bias" where `ends`; "%d" is the layer. */
typedef struct {
    const char *ours, *theirs;
    WeightPart part;
    WeightForm form;
    bool ends, body;
} NameRule;

/* config.json while it is read (config.c). */
typedef struct Reading Reading;

/* What a family has, or does otherwise than most. */
enum {
    CLASSIFIES = 1 << 0,          /* texts: else its classifier is not built */
    POST_NORM = 1 << 1,           /* else the blocks are pre-norm, and a norm comes last */
    RMS_NORM = 1 << 2,            /* else norms of layers */
    EMBEDDING_NORM = 1 << 3,      /* before the first block */
    FIRST_IS_NORMED = 1 << 4,     /* by the embeddings' norm: block 0 has no first norm */
    SINUSOIDS = 1 << 5,           /* for positions, all sines before all cosines */
    POSITIONS_AFTER_PAD = 1 << 6, /* they begin after the id of padding, which is 1 by default */
    ANY_HEAD_SIZE = 1 << 7,       /* heads need not divide the channels */
    UNTIED = 1 << 8,              /* unless config.json says otherwise */
    DISTILLED = 1 << 9,           /* a second extra token, for distillation */
    RELU_POOLER = 1 << 10,        /* else tanh */
    TRANSFORM_GELU = 1 << 11,     /* before the words: whatever the blocks' activation is */
    TRANSFORM_PLAIN = 1 << 12,    /* the layer before the words has no bias */
};

/* A row of the table in config.c. */
typedef struct {
    const char *const *types;                      /* model_type, closed by NULL */
    void (*read)(Reading *r, PretrainedConfig *c); /* the keys of config.json */
    const NameRule *rules;                         /* closed by one without names */
    const char *prefix;      /* of the body's tensors, which bare models do not have */
    const char *word_tensor; /* of the body: is there in every file */
    /* Beginnings of names of tensors that may be there and are not needed. */
    const char *const *known;
    enum { TEXT_ENCODER, TEXT_DECODER, TEXT_TO_TEXT, IMAGE_ENCODER } kind;
    unsigned has;
} FamilyRules;
extern const FamilyRules pretrained_families[PRETRAINED_FAMILIES];
/* names.c: the rules of each. */
extern const NameRule names_bert[], names_roberta[], names_distilbert[], names_modernbert[],
    names_gpt2[], names_neox[], names_llama[], names_gemma3[], names_t5[], names_bart[],
    names_vit[], names_deit[];
static inline const FamilyRules *family_of(const Pretrained *m)
{
    return &pretrained_families[m->config.family];
}
static inline bool family_has(const PretrainedConfig *c, unsigned what)
{
    return pretrained_families[c->family].has & what;
}

/* ---- config.c ---- */

/* Fills c from the members of config.json. False, with an error that names path and key, where a
 * value is missing, out of range, or would change the computation in a way that this library does
 * not know. */
bool pretrained_config(PretrainedConfig *c, const JsonValue *root, const char *path);
/* The names of the classes, (*labels)[0..count-1]; NULL and 0 where there are none. False, with an
 * error, when memory is out; then those that are missing are NULL. */
bool pretrained_labels(const JsonValue *root, int *count, char ***labels);

/* ---- surroundings.c ---- */

/* The tokens and rules of generation_config.json, where there is one, in place of config.json's
 * (root). */
bool pretrained_generation(PretrainedConfig *c, const JsonValue *root, const char *folder);

/* ---- shards.c ---- */

typedef struct {
    SafetensorsSource source; /* an open file */
    char *path;               /* for errors */
} Shard;
typedef struct Shards {
    int count;
    Shard *file;         /* (count) */
    const char *wrapper; /* what names began with and tensors are found without; or NULL */
} Shards;
typedef struct {
    SafetensorsSource *source;
    const Tensor *tensor; /* NULL: there is none */
    const char *path;
} Found;
/* Opens model.safetensors, or all shards that its index names. Only headers are read. False, with
 * an error and nothing open, where a file is missing or wrong, or a tensor is in two shards. */
bool shards_open(Shards *s, const char *folder);
void shards_close(Shards *s);
/* The tensor of that name, as the family has it, and the file that has it: without the names of
 * wrappers (torch.compile, DistributedDataParallel, PEFT), and under any name of a tied weight. */
Found shards_find(const Shards *s, const char *name);

/* ---- import.c ---- */

typedef struct PretrainedNames {
    char prefix[32];     /* of the body's tensors in this file */
    const char *wrapper; /* Shards.wrapper */
    bool has_pooler, has_words, has_own_output, has_distilled, has_logits_bias;
    Found classifier; /* its weight, while the files are open; or without a tensor */
} PretrainedNames;
/* What heads the file has. */
void pretrained_probe(const Pretrained *m, const Shards *s, PretrainedNames *names);
/* Gives every weight of m->params its numbers; all is checked before the first one is read. mapped:
 * where a weight is one tensor of the files, its numbers are the file's pages (safetensors_mapped)
 * until shards_close. */
bool pretrained_import(Pretrained *m, const Shards *s, bool mapped);
/* A tensor of the family's rules: a rule in a layer, its weight or its bias. All of them:
 *   for (Place at = {.rule = family_of(m)->rules}; at.rule->ours; pretrained_next(m, &at)) */
typedef struct {
    const NameRule *rule;
    int64_t layer;
    bool bias;
} Place;
void pretrained_next(const Pretrained *m, Place *at);
/* Their name there. */
void pretrained_name(const Pretrained *m, const Place *at, char name[PRETRAINED_NAME]);
/* Our weight there; NULL where the model has none. */
Tensor *pretrained_weight(const Pretrained *m, const Place *at);
/* The rows of our weight that the rule means. */
void pretrained_rows(const Pretrained *m, const NameRule *rule, const Tensor *ours, int64_t *first,
                     int64_t *count);

/* ---- attention.c ---- */

/* Registers the weights that m->config says, below `path`. The caller sets rotary, bias and
 * window. */
bool pretrained_attention_init(PretrainedAttention *a, Pretrained *m, const char *path);
/* Self-attention of x (B, T, C). With a cache, whose layer is `layer`, the causal one of new
 * tokens: their keys and values go into it, and `mask` is not read. */
Tensor *pretrained_attention(const PretrainedAttention *a, Tensor *x, Mask mask, KVCache *cache,
                             int layer);
/* Cross-attention of x (B, T, C) to memory (B, S, C); to what pretrained_cross_fill has put into a
 * cache. */
Tensor *pretrained_cross(const PretrainedAttention *a, Tensor *x, Tensor *memory, Mask mask);
bool pretrained_cross_fill(const PretrainedAttention *a, Tensor *memory, KVCache *source,
                           int layer);
Tensor *pretrained_cross_cached(const PretrainedAttention *a, Tensor *x, const KVCache *source,
                                int layer);

/* ---- relative.c ---- */

/* `ranges` is a multiple of 4, and `farthest` above half of it (config.c). */
bool pretrained_relative_init(RelativeBias *b, Params *p, const char *path, int heads,
                              int64_t ranges, int64_t farthest, bool both);
/* The bias (B, H, T, S) of T queries and S keys: query t of sequence b has the position first[b] +
 * t, key s the position s. first NULL: B is 1 and the queries begin at 0. */
Tensor *pretrained_relative(const RelativeBias *b, Tape *tape, const int *first, int64_t B,
                            int64_t T, int64_t S);

/* ---- block.c ---- */

/* What the blocks attend to. */
typedef struct {
    Mask mask;      /* of self-attention */
    KVCache *cache; /* of self-attention, in place of the mask; or NULL */
    Tensor *memory; /* of cross-attention, or ... */
    Mask memory_mask;
    const KVCache *source; /* ... its keys and values */
} PretrainedContext;
/* Registers the blocks and the last norm of the encoder or of the decoder. */
bool pretrained_stack_init(Pretrained *m, bool decoder);
/* All blocks and the last norm. hidden: NULL, or layers + 1 tensors: what goes into each block, and
 * the result. */
Tensor *pretrained_blocks(const PretrainedStack *s, Tensor *x, const PretrainedContext *c,
                          Tensor **hidden);

/* ---- load.c ---- */
/* False, with an error, for NULL and a model that is not loaded. */
bool pretrained_check(const Pretrained *m, const char *who);

/* ---- build.c ---- */
/* A norm of the family's kind. */
bool pretrained_norm(Pretrained *m, const char *name, Norm *n, int64_t channels);
/* Registers all weights that the configuration and m->names ask for, in new m->params. */
bool pretrained_build(Pretrained *m);

#endif
