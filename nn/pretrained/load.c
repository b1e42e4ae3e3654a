/* load.c: loading a model, releasing it, and what it has.
 *
 * Order of loading: config.json (config.c), the headers of the weight files (shards.c), which
 * heads the file has (import.c), the modules (build.c), and only then the numbers (import.c). So an
 * unfit folder is refused before memory for weights is filled. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <string.h>

bool pretrained_check(const Pretrained *m, const char *who)
{
    return (m && m->params && m->folder) ||
           tensor_fail("%s: the model is %s; expected one that nn_pretrained_load has loaded", who,
                       m ? "not loaded" : "NULL");
}

static bool folder_check(const char *folder)
{
    enum { LONGEST = PRETRAINED_PATH - 64 }; /* a file's name is shorter than 64 bytes */
    if (!folder)
        return tensor_fail(PRETRAINED_WHO ": the folder is NULL; expected a path");
    return strlen(folder) <= LONGEST ||
           tensor_fail(PRETRAINED_WHO ": a path of %zu bytes; expected at most %d", strlen(folder),
                       LONGEST);
}

/* How many classes there are: what the classifier's tensor says, if config.json does not say
 * otherwise. A file and a configuration that disagree belong to different models. */
static bool count_labels(Pretrained *m, const char *path)
{
    const Found f = m->names->classifier;
    if (!f.tensor || f.tensor->shape.rank != 2)
        return true;
    int64_t rows = f.tensor->shape.dim[0];
    if (m->config.labels > 0 && rows != m->config.labels)
        return PRETRAINED_FAIL(f.path, "'%s' is %s; expected the classes of %s's id2label: %d rows",
                               f.tensor->name, shape_str(f.tensor->shape), path, m->config.labels);
    m->config.labels = (int)rows;
    return true;
}

/* The combinations of head and family that this library does not compute.
 * A classifier of tokens (named entities) has no pooler. */
static bool check_heads(const Pretrained *m, const char *path)
{
    if (family_of(m)->kind != TEXT_ENCODER || !m->names->classifier.tensor)
        return true;
    if (!family_has(&m->config, CLASSIFIES))
        return PRETRAINED_FAIL(path,
                               "a classifier of a %s, which is not built; expected one without",
                               m->config.type);
    return m->names->has_pooler ||
           PRETRAINED_FAIL(
               path, "%s",
               "a classifier of single tokens, which is not built; expected one of whole texts");
}

/* The least number of parameters: embeddings, queries and feed-forward layers of every family. */
static int64_t least_numbers(const PretrainedConfig *c)
{
    int64_t C = c->channels, side = c->patch > 0 ? c->image / c->patch : 0;
    bool learned = !c->frequency && c->ranges == 0 && !family_has(c, SINUSOIDS);
    int64_t rows = c->words + c->types + (learned ? c->positions : 0);
    int64_t patches = side * side + c->colours * c->patch * c->patch;
    return rows * C + patches * C +
           (c->layers + c->decoder_layers) * C * (c->heads * c->head_size + 2 * c->hidden);
}

/* config.json may promise any sizes: memory is taken for at most twice what the files have, and a
 * few megabytes. Smaller differences are found tensor by tensor (pretrained_import), with a better
 * message. */
static bool fits(const Pretrained *m, const Shards *s, const char *path)
{
    int64_t least = least_numbers(&m->config), there = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->file[i].source.header.count; k++)
            there += tensor_size(s->file[i].source.header.tensors[k]);
    return least <= 2 * there + (1 << 20) ||
           PRETRAINED_FAIL(path,
                           "describes a model of at least %lld numbers, and the files of weights "
                           "have %lld; expected the config.json of these weights",
                           (long long)least, (long long)there);
}

/* The order is that of the file's comment. The rotary table is limited to the longest text that is
 * wanted: Llama's 131072 positions would take 64 MB. */
static bool load(Pretrained *m, const JsonValue *root, const char *path, const Shards *s,
                 PretrainedOptions o)
{
    int64_t most = o.positions > 0 ? o.positions : 4096;
    if (!pretrained_config(&m->config, root, path) ||
        !pretrained_generation(&m->config, root, m->folder) ||
        !pretrained_labels(root, &m->config.labels, &m->label))
        return false;
    if ((m->config.frequency || family_has(&m->config, SINUSOIDS)) && m->config.positions > most)
        m->config.positions = most;
    pretrained_probe(m, s, m->names);
    if (!count_labels(m, path) || !check_heads(m, path) || !fits(m, s, path) ||
        !pretrained_build(m) || !pretrained_import(m, s, o.mapped))
        return false;
    /* Weights that a program registers from now on are in no file. */
    m->params->only_run = m->params->own->without_numbers = false;
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
bool nn_pretrained_load(const char *folder, Pretrained *m, PretrainedOptions options)
{
    char path[PRETRAINED_PATH];
    JsonTree config = {0};
    if (!m)
        return tensor_fail(PRETRAINED_WHO ": m is NULL; expected a Pretrained to fill");
    *m = (Pretrained){0};
    if (options.mapped && options.trainable)
        return tensor_fail(PRETRAINED_WHO
                           ": mapped weights that are to be trained; expected mapped "
                           "for a model that is only run");
    if (!folder_check(folder))
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
    mem_free(m->encoder.blocks);
    mem_free(m->decoder.blocks);
    nn_cache_free(&m->source);
    mem_free(m->config.frequency);
    mem_free(m->config.local_frequency);
    mem_free(m->config.local);
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
    if (c->decoder_layers > 0)
        fprintf(out, "decoder: %lld layers\n", (long long)c->decoder_layers);
    const Linear *const head[] = {&m->output, &m->pooler, &m->classifier};
    const char *const head_name[] = {"language model", "pooler", "classifier"};
    int heads = 0;
    fprintf(out, "%lld parameters in %d weights; heads:", (long long)params_size(m->params),
            m->params->count);
    for (int i = 0; i < 3; i++)
        if (head[i]->weight)
            fprintf(out, "%s %s", heads++ ? "," : "", head_name[i]);
    fprintf(out, "%s\n", heads ? "" : " none");
    if (m->names->wrapper)
        fprintf(out, "names of weights are read without '%s'\n", m->names->wrapper);
    for (int i = 0; i < m->unused; i++)
        fprintf(out, "%s%s%s", i ? ", " : "not used: ", m->unused_name[i],
                i + 1 == m->unused ? "\n" : "");
}
