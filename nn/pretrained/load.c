/* load.c: loading a model, releasing it, and what it has.
 *
 * Order of loading: config.json (config.c), the headers of the weight files (shards.c), the modules
 * with the heads that these have (build.c), and only then the numbers (import.c). */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

bool pretrained_check(const Pretrained *m, const char *who)
{
    return (m && m->params && m->folder) ||
           tensor_fail("%s: the model is %s; expected one that nn_pretrained_load has loaded", who,
                       m ? "not loaded" : "NULL");
}

/* How many classes there are: what the classifier's tensor says, if config.json does not say
 * otherwise. A file and a configuration that disagree belong to different models. A text's
 * classifier without a pooler is one of its tokens (named entities). */
static bool check_classifier(Pretrained *m, const char *path)
{
    PretrainedConfig *c = &m->config;
    const Found f = pretrained_head(m, "classifier");
    const bool text = c->kind == PRETRAINED_ENCODER;
    if (!f.tensor)
        return true;
    if (text && !family_has(c, CLASSIFIES))
        return PRETRAINED_FAIL(path,
                               "a classifier of a %s, which is not built; expected one without",
                               c->type);
    if (text && !pretrained_head(m, "pooler").tensor)
        return PRETRAINED_FAIL(
            path, "%s",
            "a classifier of single tokens, which is not built; expected one of whole texts");
    int64_t rows = f.tensor->shape.rank == 2 ? f.tensor->shape.dim[0] : c->labels;
    if (c->labels > 0 && rows != c->labels)
        return PRETRAINED_FAIL(f.path, "'%s' is %s; expected the classes of %s's id2label: %d rows",
                               f.tensor->name, shape_str(f.tensor->shape), path, c->labels);
    c->labels = (int)rows;
    return true;
}

/* Tables of positions end with the longest text that is usual: Llama's 131072 positions would take
 * 64 MB. */
static bool load(Pretrained *m, const JsonValue *root, const char *path)
{
    enum { MOST_POSITIONS = 4096 };
    PretrainedConfig *c = &m->config;
    if (!shards_open(m->files, m->folder) || !pretrained_config(c, root, path) ||
        !pretrained_generation(c, root, m->folder) ||
        !pretrained_labels(root, &c->labels, &m->label))
        return false;
    if ((c->frequency || family_has(c, SINUSOIDS)) && c->positions > MOST_POSITIONS)
        c->positions = MOST_POSITIONS;
    m->prefix = c->family->prefix;
    if (!pretrained_head(m, c->family->rules->ours).tensor)
        m->prefix = "";
    if (!check_classifier(m, path) || !pretrained_build(m) || !pretrained_import(m))
        return false;
    /* Weights that a program registers from now on are in no file. */
    m->params->only_run = m->params->own->without_numbers = false;
    return pretrained_tables(m);
}

/* Whatever fails, files are closed and the model is empty. */
bool nn_pretrained_load(const char *folder, Pretrained *m)
{
    char path[PRETRAINED_PATH];
    JsonTree config = {0};
    if (m)
        *m = (Pretrained){0};
    if (!m || !folder)
        return tensor_fail(PRETRAINED_WHO ": %s is NULL; expected a path, and a Pretrained to fill",
                           m ? "the folder" : "m");
    snprintf(path, sizeof path, "%s/config.json", folder);
    m->folder = mem_strdup(folder);
    m->files = mem_zeroed(sizeof *m->files);
    bool ok = m->folder && m->files && json_tree_read(&config, PRETRAINED_WHO, path) &&
              load(m, config.root, path);
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
    if (m->files)
        shards_close(m->files);
    mem_free(m->files);
    mem_free(m->encoder.blocks);
    mem_free(m->decoder.blocks);
    nn_cache_free(&m->source);
    mem_free(m->config.frequency);
    mem_free(m->config.local_frequency);
    mem_free(m->config.local);
    for (int i = 0; m->label && i < m->config.labels; i++)
        mem_free(m->label[i]);
    mem_free(m->label);
    mem_free(m->folder);
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
    if (c->kind == PRETRAINED_VISION)
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
    if (m->files->wrapper)
        fprintf(out, "names of weights are read without '%s'\n", m->files->wrapper);
    int unused = 0;
    for (const Shard *f = m->files->file; f < m->files->file + m->files->count; f++)
        for (int k = 0; k < f->source.header.count; k++)
            if (f->use[k] == NOT_NEEDED)
                fprintf(out, "%s%s",
                        unused++ ? ", " : "not used: ", f->source.header.tensors[k]->name);
    if (unused)
        fprintf(out, "\n");
}
