/* build.c: a model of this library's modules, as config.json and the file's heads say; loading it.
 *
 * Order of loading: config.json (config.c), the headers of the weight files (shards.c), which
 * heads the file has (import.c), the modules (here), and only then the numbers (import.c). So an
 * unfit folder is refused before memory for weights is filled. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <stdlib.h>
#include <string.h>

bool pretrained_check(const Pretrained *m, const char *who)
{
    return (m && m->params && m->folder) ||
           tensor_fail("%s: the model is %s; expected one that nn_pretrained_load has loaded", who,
                       m ? "not loaded" : "NULL");
}

/* Text encoders are post-norm and attend in both directions. */
static bool is_text_encoder(const Pretrained *m)
{
    return family_of(m)->kind == TEXT_ENCODER;
}

bool pretrained_folder_check(const char *folder, const char *who)
{
    enum { LONGEST = PRETRAINED_PATH - 64 }; /* a file's name is shorter than 64 bytes */
    if (!folder)
        return tensor_fail("%s: the folder is NULL; expected a path", who);
    return strlen(folder) <= LONGEST || tensor_fail("%s: a path of %zu bytes; expected at most %d",
                                                    who, strlen(folder), LONGEST);
}

bool nn_pretrained_continues_text(const Pretrained *m)
{
    return m && family_of(m)->kind == TEXT_DECODER;
}

bool nn_pretrained_reads_images(const Pretrained *m)
{
    return m && family_of(m)->kind == IMAGE_ENCODER;
}

static bool norm(Pretrained *m, const char *name, Norm *n)
{
    return norm_init(n, m->params, name, m->config.channels, family_of(m)->norm, m->config.epsilon,
                     "nn_norm");
}

/* Word embedding, and learned positions or rotation; for text encoders also types and a norm. */
static bool text_input(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    bool rotary = c->frequency != NULL;
    if (!nn_embedding_init(&m->words, p, "words", c->words, c->channels))
        return false;
    if (!rotary &&
        !nn_position_init(&m->position, p, "position", POSITION_LEARNED, c->positions, c->channels))
        return false;
    m->position.offset = c->position_offset;
    if (rotary && !nn_rotary_from(&m->rotary, p, c->positions, c->frequency, c->head_size / 2))
        return false;
    if (c->types > 0 && !nn_embedding_init(&m->types, p, "types", c->types, c->channels))
        return false;
    return !is_text_encoder(m) || norm(m, "embedding_norm", &m->embedding_norm);
}

/* Pictures: weight (C, colours, patch, patch), a class token, perhaps one for distillation,
 * positions of all. Tokens: side^2 patches and the extra ones, each with a learned position. */
static bool picture_input(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    int64_t C = c->channels, side = c->image / c->patch, tokens = side * side + 1;
    if (family_of(m)->distilled) {
        tokens++;
        m->distillation_token =
            params_add(p, "distillation_token", shape3(1, 1, C), nn_constant(0));
    }
    m->class_token = params_add(p, "class_token", shape3(1, 1, C), nn_constant(0));
    m->picture_position = params_add(p, "picture_position", shape3(1, tokens, C), nn_constant(0));
    const char *path = params_enter(p, "patches");
    m->patches.weight =
        params_add(p, "weight", shape4(C, c->colours, c->patch, c->patch), nn_constant(0));
    m->patches.bias = params_add(p, "bias", shape1(C), nn_constant(0));
    params_leave(p);
    return path && m->class_token && m->picture_position && m->patches.weight && m->patches.bias &&
           (m->distillation_token || !family_of(m)->distilled);
}

/* The families' blocks differ in settings: place of the norm, biases, key heads, gate, rotation. */
static bool blocks(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    BlockConfig b = {.channels = c->channels,
                     .heads = c->heads,
                     .hidden = c->hidden,
                     .dropout = c->dropout,
                     .post_norm = is_text_encoder(m),
                     .activation = c->activation,
                     .epsilon = c->epsilon,
                     .no_bias = c->no_bias,
                     .kv_heads = c->kv_heads,
                     .head_size = c->head_size,
                     .rotary = c->frequency ? &m->rotary : NULL,
                     .rms_norm = family_of(m)->norm == NORM_RMS,
                     .gated = family_of(m)->gated};
    m->block = mem_zeroed((size_t)c->layers * sizeof *m->block);
    for (int64_t i = 0; m->block && i < c->layers; i++)
        if (!nn_transformer_block_init(&m->block[i], m->params,
                                       params_format(m->params, "blocks.%d", (int)i), b))
            return false;
    return m->block && (is_text_encoder(m) || norm(m, "norm", &m->norm));
}

/* From hidden states to logits over the vocabulary. The output's weight is the word embedding
 * (tied) unless the file has its own. Text encoders transform the state first (BERT's masked-word
 * head). */
static bool words_head(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    bool encoder = is_text_encoder(m), ok = true;
    if (encoder)
        ok = nn_linear_init(&m->transform, p, "transform", c->channels, c->channels, true) &&
             norm(m, "transform_norm", &m->transform_norm);
    if (ok && m->names->has_own_output)
        return nn_linear_init(&m->output, p, "output", c->channels, c->words, encoder);
    m->output.weight = m->words.weight;
    if (ok && encoder) {
        ok = params_enter(p, "output") != NULL;
        m->output.bias = params_add(p, "bias", shape1(c->words), nn_constant(0));
        params_leave(p);
    }
    return ok && (m->output.bias || !encoder);
}

static bool heads(Pretrained *m)
{
    const PretrainedConfig *c = &m->config;
    const PretrainedNames *n = m->names;
    Params *p = m->params;
    return (!n->has_pooler ||
            nn_linear_init(&m->pooler, p, "pooler", c->channels, c->channels, true)) &&
           (!n->has_words || words_head(m)) &&
           (!n->has_classifier ||
            nn_linear_init(&m->classifier, p, "classifier", c->channels, c->labels, true)) &&
           (!n->has_distilled || nn_linear_init(&m->distilled_classifier, p, "distilled_classifier",
                                                c->channels, c->labels, true));
}

/* A classifier that is to be trained, and what comes before it, where the file has none. */
static bool new_classifier(Pretrained *m, int classes)
{
    const PretrainedConfig *c = &m->config;
    Params *p = m->params;
    m->config.labels = classes;
    m->names->has_classifier = true;
    if (!m->pooler.weight &&
        !nn_linear_init(&m->pooler, p, "pooler", c->channels, c->channels, true))
        return false;
    return nn_linear_init(&m->classifier, p, "classifier", c->channels, classes, true);
}

/* only_run: no gradients and no initial values are made, since the file brings all values. */
bool pretrained_build(Pretrained *m, PretrainedOptions options)
{
    m->params = params_new(options.seed);
    if (!m->params)
        return false;
    m->params->only_run = m->params->own->without_numbers = true;
    return (nn_pretrained_reads_images(m) ? picture_input(m) : text_input(m)) && blocks(m) &&
           heads(m);
}

/* How many classes there are: what the classifier's tensor says, if config.json does not say
 * otherwise. A file and a configuration that disagree belong to different models. */
static bool count_labels(Pretrained *m, const Shards *s, const char *path)
{
    static const char *const names[] = {"classifier.weight", "classifier.out_proj.weight",
                                        "cls_classifier.weight"};
    for (int i = 0; i < 3; i++) {
        Found f = shards_find(s, names[i]);
        if (!f.tensor || f.tensor->shape.rank != 2)
            continue;
        int64_t rows = f.tensor->shape.dim[0];
        if (m->config.labels > 0 && rows != m->config.labels)
            return PRETRAINED_FAIL(f.path,
                                   "'%s' is %s; expected the classes of %s's id2label: %d rows",
                                   names[i], shape_str(f.tensor->shape), path, m->config.labels);
        m->config.labels = (int)rows;
        return true;
    }
    return true;
}

/* The combinations of head and family that this library does not compute.
 * A classifier of tokens (named entities) has no pooler. */
static bool check_heads(const Pretrained *m, const char *path, PretrainedOptions o)
{
    if (o.classes > 0 && !is_text_encoder(m))
        return PRETRAINED_FAIL(path,
                               "a %s gets no new classifier; expected bert, roberta or distilbert",
                               m->config.type);
    if (is_text_encoder(m) && m->names->has_classifier && !m->names->has_pooler)
        return PRETRAINED_FAIL(
            path, "%s",
            "a classifier of single tokens, which is not built; expected one of whole texts");
    return true;
}

/* The least number of parameters: embeddings, queries and feed-forward layers of every family. */
static int64_t least_numbers(const PretrainedConfig *c)
{
    int64_t C = c->channels, side = c->patch > 0 ? c->image / c->patch : 0;
    int64_t rows = c->words + c->types + (c->frequency ? 0 : c->positions) + side * side +
                   c->colours * c->patch * c->patch;
    return rows * C + c->layers * C * (c->heads * c->head_size + 2 * c->hidden);
}

/* config.json may promise any sizes: memory is taken for at most twice what the files have, and a
 * few megabytes. Smaller differences are found tensor by tensor (pretrained_import), with a better
 * message. */
static bool fits(const Pretrained *m, const Shards *s, const char *path)
{
    int64_t least = least_numbers(&m->config), there = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->source[i].header.count; k++)
            there += tensor_size(s->source[i].header.tensors[k]);
    return least <= 2 * there + (1 << 20) ||
           PRETRAINED_FAIL(path,
                           "describes a model of at least %lld numbers, and the files of weights "
                           "have %lld; expected the config.json of these weights",
                           (long long)least, (long long)there);
}

/* The order is that of the file's comment. The rotary table is limited to the longest text that is
 * wanted: Llama's 131072 positions would take 64 MB.
 * A new classifier is made last: its weights are in no file. */
static bool load(Pretrained *m, const JsonValue *root, const char *path, const Shards *s,
                 PretrainedOptions o)
{
    int64_t most = o.positions > 0 ? o.positions : 4096;
    if (!pretrained_config(&m->config, root, path))
        return false;
    if (o.classes == 0 && /* else the names are not those of the new classes */
        !pretrained_labels(root, &m->config.labels, &m->label))
        return false;
    if (m->config.frequency && m->config.positions > most)
        m->config.positions = most;
    pretrained_probe(m, s, m->names);
    if (o.classes > 0)
        m->names->has_classifier = m->names->has_distilled = false;
    if (!count_labels(m, s, path) || !check_heads(m, path, o) || !fits(m, s, path) ||
        !pretrained_build(m, o) || !pretrained_import(m, s, o.mapped))
        return false;
    /* Weights that are registered from now on are in no file. */
    m->params->only_run = m->params->own->without_numbers = false;
    if (o.classes > 0 && !new_classifier(m, o.classes))
        return false;
    return !o.trainable || params_freeze(m->params, "", false) == m->params->count;
}

static void close_files(Pretrained *m)
{
    if (m->files)
        shards_close(m->files);
    mem_free(m->files);
    m->files = NULL;
}

/* Whatever fails, files are closed and the model is empty. Files of mapped weights stay open. */
bool nn_pretrained_load(Pretrained *m, const char *folder, PretrainedOptions options)
{
    char path[PRETRAINED_PATH];
    JsonTree config = {0};
    if (!m)
        return tensor_fail(PRETRAINED_WHO ": m is NULL; expected a Pretrained to fill");
    *m = (Pretrained){0};
    if (options.mapped && (options.trainable || options.classes > 0))
        return tensor_fail(PRETRAINED_WHO
                           ": mapped weights that are to be trained; expected mapped "
                           "for a model that is only run");
    if (options.classes < 0)
        return tensor_fail(PRETRAINED_WHO ": %d classes; expected 0 or more", options.classes);
    if (!pretrained_folder_check(folder, PRETRAINED_WHO))
        return false;
    snprintf(path, sizeof path, "%s/config.json", folder);
    m->folder = mem_strdup(folder);
    m->names = mem_zeroed(sizeof *m->names);
    m->files = mem_zeroed(sizeof *m->files);
    bool ok = m->folder && m->names && m->files && json_tree_read(&config, PRETRAINED_WHO, path) &&
              shards_open(m->files, folder) && load(m, config.root, path, m->files, options);
    if (!options.mapped)
        close_files(m);
    json_tree_free(&config);
    if (!ok)
        nn_pretrained_free(m);
    return ok;
}

void nn_pretrained_free(Pretrained *m)
{
    if (!m)
        return;
    params_free(m->params);
    close_files(m);
    mem_free(m->block);
    mem_free(m->config.frequency);
    for (int i = 0; m->label && i < m->config.labels; i++)
        mem_free(m->label[i]);
    for (int i = 0; i < m->unused; i++)
        mem_free(m->unused_name[i]);
    mem_free(m->label);
    mem_free(m->unused_name);
    mem_free(m->folder);
    mem_free(m->names);
    *m = (Pretrained){0};
}

void nn_pretrained_summary(FILE *out, const Pretrained *m)
{
    if (!pretrained_check(m, "nn_pretrained_summary"))
        return;
    if (!out) {
        tensor_fail("nn_pretrained_summary: out is NULL; expected an open file");
        return;
    }
    const PretrainedConfig *c = &m->config;
    fprintf(out, "%s: %lld layers of %d heads, %lld channels, feed-forward of %lld", c->type,
            (long long)c->layers, c->heads, (long long)c->channels, (long long)c->hidden);
    if (c->kv_heads != c->heads)
        fprintf(out, ", %d heads of keys and values", c->kv_heads);
    if (nn_pretrained_reads_images(m))
        fprintf(out, ", pictures of %lld x %lld in patches of %lld\n", (long long)c->image,
                (long long)c->image, (long long)c->patch);
    else
        fprintf(out, ", %lld tokens, texts of at most %lld\n", (long long)c->words,
                (long long)(c->positions - c->position_offset));
    const Linear *const head[] = {&m->output, &m->pooler, &m->classifier};
    const char *const head_name[] = {"language model", "pooler", "classifier"};
    int heads = 0;
    fprintf(out, "%lld parameters in %d weights; heads:", (long long)params_size(m->params),
            m->params->count);
    for (int i = 0; i < 3; i++)
        if (head[i]->weight)
            fprintf(out, "%s %s", heads++ ? "," : "", head_name[i]);
    fprintf(out, "%s\n", heads ? "" : " none");
    for (int i = 0; i < m->unused; i++)
        fprintf(out, "%s%s%s", i ? ", " : "not used: ", m->unused_name[i],
                i + 1 == m->unused ? "\n" : "");
}
