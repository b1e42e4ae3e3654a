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
 * ".weight" or ".bias" where `ends`; "%d" is the layer. A path "": the tensor may be there and is
 * not needed. */
typedef struct {
    const char *ours, *theirs;
    WeightPart part;
    WeightForm form;
    bool ends, body;
} NameRule;

/* config.json while it is read; ok becomes false at the first error, which is recorded. */
typedef struct Reading {
    const JsonValue *root;
    const char *path, *who; /* for errors */
    bool ok;
} Reading;

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
typedef struct FamilyRules {
    const char *const *types;                      /* model_type, closed by NULL */
    void (*read)(Reading *r, PretrainedConfig *c); /* the keys of config.json */
    const char *prefix;    /* of the body's tensors, which bare models do not have */
    const NameRule *rules; /* closed by one without names; the first is of the body */
    PretrainedKind kind;
    unsigned has;
} FamilyRules;
/* names.c: the rules of each. */
extern const NameRule names_bert[], names_roberta[], names_distilbert[], names_modernbert[],
    names_gpt2[], names_neox[], names_llama[], names_gemma3[], names_t5[], names_bart[],
    names_vit[], names_deit[];
static inline bool family_has(const PretrainedConfig *c, unsigned what)
{
    return c->family->has & what;
}

/* ---- config.c ---- */

/* Sets type, family and kind of a model_type. False, with an error, where no family has it. */
bool pretrained_family(PretrainedConfig *c, const char *type, const char *path);
/* Fills c from the members of config.json. False, with an error that names path and key, where a
 * value is missing, out of range, or would change the computation in a way that this library does
 * not know. */
bool pretrained_config(PretrainedConfig *c, const JsonValue *root, const char *path);
/* The names of the classes, (*labels)[0..count-1]; NULL and 0 where there are none. False, with an
 * error, when memory is out; then those that are missing are NULL. */
bool pretrained_labels(const JsonValue *root, int *count, char ***labels);

/* ---- reading.c: the values of config.json ---- */

/* The first wrong value is the error; after it, nothing is tested. */
#define REFUSE_IF(r, wrong, format, ...) \
    ((r)->ok = (r)->ok &&                \
               (!(wrong) || tensor_fail("%s: %s: " format, (r)->who, (r)->path, __VA_ARGS__)))

/* A whole number from low to high; `otherwise` where v (or the key) is missing or null, which is an
 * error where that is below low. */
int64_t read_whole_of(Reading *r, const JsonValue *v, const char *key, int64_t low, int64_t high,
                      int64_t otherwise);
int64_t read_whole(Reading *r, const char *key, int64_t low, int64_t high, int64_t otherwise);
/* A number above 0; `otherwise` where the key is missing or null. */
double read_positive(Reading *r, const JsonValue *in, const char *key, double otherwise);
/* The probability of dropout, which only training uses; 0.1 where the key is missing or null. */
double read_dropout(Reading *r, const char *key);
/* true or false; `otherwise` where the key is missing or null. */
bool read_flag(Reading *r, const char *key, bool otherwise);
/* A text; `otherwise` where the key is missing or null. The error shows the key as `shown`. */
const char *read_text(Reading *r, const JsonValue *in, const char *key, const char *otherwise,
                      const char *shown, const char *expected);
/* This key must be absent, null, or have this text or truth: else it would be another
 * computation. */
void read_only(Reading *r, const char *key, const char *text);
/* The function of that name in config.json. */
Activation read_activation_named(Reading *r, const char *key, const char *name);
Activation read_activation(Reading *r, const char *key, const char *otherwise);
/* The token that ends a text; where a list has several, the first, and c->ends gets the others. */
int read_end(Reading *r, PretrainedConfig *c, int otherwise);
/* Layers, channels, heads, and the feed-forward layers' channels, under the family's keys, and the
 * words of one that reads texts; hidden NULL: neither of the last two. */
void read_sizes(Reading *r, PretrainedConfig *c, const char *layers, const char *channels,
                const char *heads, const char *hidden);
/* The member of config.json that has the settings of the rotary encoding, or NULL. */
const JsonValue *read_rope(const Reading *r);
/* The frequencies of c->rotated channels, with this base unless the settings have one; NULL after
 * an error. The caller owns the array. */
double *read_rotary(Reading *r, const PretrainedConfig *c, const JsonValue *rope, double base);
/* Fills c->local: layer_types of config.json; where it has none, all layers are local but every
 * `every`-th, counted from `first`. */
void read_local(Reading *r, PretrainedConfig *c, int64_t every, int64_t first);

/* ---- surroundings.c ---- */

/* The tokens and rules of generation_config.json, where there is one, in place of config.json's
 * (root). */
bool pretrained_generation(PretrainedConfig *c, const JsonValue *root, const char *folder);

/* ---- shards.c ---- */

enum TensorUse { UNKNOWN, NOT_NEEDED, READ };
typedef struct {
    SafetensorsSource source; /* an open file */
    char *path;               /* for errors */
    enum TensorUse *use;      /* of each of its tensors, by import.c */
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
    enum TensorUse *use;
} Found;
/* Opens model.safetensors, or all shards that its index names. Only headers are read. False, with
 * an error, where a file is missing or wrong, or a tensor is in two shards. */
bool shards_open(Shards *s, const char *folder);
void shards_close(Shards *s);
/* The tensor of that name, as the family has it, and the file that has it: without the names of
 * wrappers (torch.compile, DistributedDataParallel, PEFT), and under any name of a tied weight. */
Found shards_find(const Shards *s, const char *name);

/* ---- import.c ---- */

/* Gives every weight of m->params its numbers. Where a weight is one tensor of the files, its
 * numbers are the file's pages (safetensors_mapped) until shards_close. After an error some weights
 * have numbers. */
bool pretrained_import(Pretrained *m);
/* Is there a tensor for our module of this name? A name with a dot must be equal; one without is
 * the beginning of a module's names. Heads are known by their tensors, not by "architectures" in
 * config.json, which files may lack. */
Found pretrained_head(const Pretrained *m, const char *ours);
/* A tensor of the family's rules: a rule in a layer, its weight or its bias. */
typedef struct {
    const NameRule *rule;
    int64_t layer;
    bool bias;
} Place;
/* Calls `of` at each place until it returns false; returns whether it never did. */
bool pretrained_each(const Pretrained *m, bool (*of)(const Pretrained *m, const Place *at));
/* Their name there. */
void pretrained_name(const Pretrained *m, const Place *at, char name[PRETRAINED_NAME]);
/* Our weight there; NULL where the model has none. */
Tensor *pretrained_weight(const Pretrained *m, const Place *at);
/* The rows of our weight that the rule means. */
void pretrained_rows(const Pretrained *m, const NameRule *rule, const Tensor *ours, int64_t *first,
                     int64_t *count);

/* ---- attention.c ---- */

/* What the blocks attend to. */
typedef struct {
    Mask mask;      /* of self-attention */
    KVCache *cache; /* of self-attention, in place of the mask; or NULL */
    Tensor *memory; /* of cross-attention, or ... */
    Mask memory_mask;
    const KVCache *source; /* ... its keys and values */
} PretrainedContext;
/* Registers the weights that m->config says, below `path`. The caller sets rotary, bias and
 * window. */
bool pretrained_attention_init(PretrainedAttention *a, Pretrained *m, const char *path);
/* Self-attention of x (B, T, C). With a cache, whose layer is `layer`, the causal one of new
 * tokens, whose keys and values go into it. */
Tensor *pretrained_attention(const PretrainedAttention *a, Tensor *x, const PretrainedContext *c,
                             int layer);
/* Keys and values of memory (B, S, C), as heads. False where one of them is poison. */
bool pretrained_memory(const PretrainedAttention *a, Tensor *memory, Tensor **k, Tensor **v);
/* Cross-attention of x (B, T, C) to c->memory, or to the layer of c->source. */
Tensor *pretrained_cross(const PretrainedAttention *a, Tensor *x, const PretrainedContext *c,
                         int layer);

/* ---- relative.c ---- */

/* The bias (B, H, T, S) of T queries and S keys: query t of sequence b has the position first[b] +
 * t, key s the position s. first NULL: B is 1 and the queries begin at 0. The number of ranges is a
 * multiple of 4, and a->farthest above half of it (config.c). */
Tensor *pretrained_relative(const PretrainedAttention *a, Tape *tape, const int *first, int64_t B,
                            int64_t T, int64_t S);

/* ---- block.c ---- */

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
/* Registers all weights that the configuration asks for, and the heads of the files, in new
 * m->params. */
bool pretrained_build(Pretrained *m);
/* The tables of positions, which are in no file. They come after the import, so that nothing is
 * allocated for sizes that config.json alone promises. */
bool pretrained_tables(Pretrained *m);

#endif
