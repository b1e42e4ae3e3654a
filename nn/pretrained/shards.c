/* shards.c: the files of a model's weights: model.safetensors, or as many as
 * model.safetensors.index.json names. Where both are there, model.safetensors is taken. Headers are
 * read and checked at once; numbers stay in the files. */
#include "nn/pretrained/inside.h"

#include "tensor/io/input.h"
#include "tensor/memory.h"

#include <string.h>

#define INDEX "model.safetensors.index.json"

static bool look(const char *folder, const char *name, char path[PRETRAINED_PATH], bool *there)
{
    snprintf(path, PRETRAINED_PATH, "%s/%s", folder, name);
    return input_look(PRETRAINED_WHO, path, there);
}

/* Also after a shards_open that failed. */
void shards_close(Shards *s)
{
    for (int i = 0; i < s->count; i++) {
        safetensors_close(&s->file[i].source);
        mem_free(s->file[i].path);
        mem_free(s->file[i].use);
    }
    mem_free(s->file);
    *s = (Shards){0};
}

/* Opens one more file. */
static bool add(Shards *s, const char *path)
{
    const size_t n = (size_t)s->count;
    Shard *list = mem_grow(s->file, n * sizeof *list, (n + 1) * sizeof *list), *file;
    if (!list)
        return false;
    s->file = list;
    file = &list[s->count++];
    *file = (Shard){.source.in.descriptor = -1, .path = mem_strdup(path)};
    if (!file->path || !safetensors_open(&file->source, "safetensors_open", file->path))
        return false;
    file->use = mem_zeroed(((size_t)file->source.header.count + 1) * sizeof *file->use);
    return file->use != NULL;
}

/* {"weight_map": {"name of a tensor": "file", ...}}: each file once. Only names in the folder
 * itself are taken. A path that leads out of the folder could name any file of the system. */
static bool add_named(Shards *s, const char *folder, const char *index)
{
    JsonTree t;
    bool ok = json_tree_read(&t, PRETRAINED_WHO, index);
    const JsonValue *map = json_get(t.root, "weight_map");
    if (ok && (!map || map->kind != JSON_OBJECT || map->count == 0))
        ok = PRETRAINED_FAIL(index, "weight_map is %s; expected an object of tensors and files",
                             map ? "no object, or empty" : "missing");
    for (const JsonValue *m = map ? map->first : NULL; ok && m; m = m->next) {
        char path[PRETRAINED_PATH];
        bool there = false;
        if (m->kind != JSON_STRING || strchr(m->text, '/') || strchr(m->text, '\\') ||
            strcmp(m->text, "..") == 0) {
            ok = PRETRAINED_FAIL(
                index, "weight_map gives '%s' the file '%s'; expected one in the same folder",
                m->key, m->kind == JSON_STRING ? m->text : "?");
            break;
        }
        snprintf(path, sizeof path, "%s/%s", folder, m->text);
        for (int i = 0; i < s->count; i++)
            there = there || strcmp(s->file[i].path, path) == 0;
        ok = there || add(s, path);
    }
    json_tree_free(&t);
    return ok;
}

/* ---- names --------------------------------------------------------------------------------- */

/* Takes out of the name what torch.compile, DistributedDataParallel and PEFT put into it; `out`
 * keeps the first that was found. */
static void unwrap(char *name, const char **out)
{
    static const char *const wrapper[] = {"_orig_mod.", "module.", "base_model.model."};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(wrapper[i]);
        /* torch.compile may also wrap a part of the model: its name lies behind a dot. */
        char *at = i == 0 ? strstr(name, wrapper[i]) : name;
        if (!at || strncmp(at, wrapper[i], n) != 0 || (at > name && at[-1] != '.'))
            continue;
        memmove(at, at + n, strlen(at + n) + 1);
        *out = *out ? *out : wrapper[i];
        i = -1; /* they may be nested */
    }
}

/* The names of all tensors, and those of tied weights in __metadata__, without wrappers. */
static void unwrap_all(Shards *s)
{
    for (int i = 0; i < s->count; i++) {
        Safetensors *h = &s->file[i].source.header;
        for (int k = 0; k < h->count; k++)
            unwrap(h->tensors[k]->name, &s->wrapper);
        for (int k = 0; k < 2 * h->metadata_count && s->wrapper; k++)
            unwrap(h->metadata[k], &s->wrapper);
    }
}

static Found find(const Shards *s, const char *name)
{
    for (int i = 0; i < s->count; i++) {
        Shard *file = &s->file[i];
        for (int k = 0; k < file->source.header.count; k++)
            if (strcmp(file->source.header.tensors[k]->name, name) == 0)
                return (Found){&file->source, file->source.header.tensors[k], file->path,
                               &file->use[k]};
    }
    return (Found){0};
}

/* A tensor in two shards, or twice in one without wrappers, would be read from the first,
 * silently. */
static bool each_once(const Shards *s)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->file[i].source.header.count; k++) {
            const Tensor *t = s->file[i].source.header.tensors[k];
            const Found first = find(s, t->name);
            if (first.tensor != t)
                return PRETRAINED_FAIL(s->file[i].path,
                                       "the tensor '%s' is in %s, too; expected it once", t->name,
                                       first.path);
        }
    return true;
}

/* A pickle (pytorch_model.bin) is never read, since loading it would execute code. */
bool shards_open(Shards *s, const char *folder)
{
    char whole[PRETRAINED_PATH], index[PRETRAINED_PATH], pickle[PRETRAINED_PATH];
    bool has_whole, has_index, has_pickle;
    *s = (Shards){0};
    if (!look(folder, "model.safetensors", whole, &has_whole) ||
        !look(folder, INDEX, index, &has_index) ||
        !look(folder, "pytorch_model.bin", pickle, &has_pickle))
        return false;
    if (!has_whole && !has_index)
        return PRETRAINED_FAIL(folder,
                               "found %s; expected model.safetensors, or " INDEX " with its files",
                               has_pickle ? "pytorch_model.bin, a pickle, which is not read: "
                                            "save_pretrained of transformers writes safetensors"
                                          : "no weights");
    if (!(has_whole ? add(s, whole) : add_named(s, folder, index)))
        return false;
    unwrap_all(s);
    return each_once(s);
}

/* Old checkpoints say gamma and beta for a norm's weight and bias. */
static bool old_name(const char *name, char old[PRETRAINED_NAME])
{
    const char *weight = strstr(name, "LayerNorm.weight"), *bias = strstr(name, "LayerNorm.bias");
    if (!weight && !bias)
        return false;
    snprintf(old, PRETRAINED_NAME, "%.*sLayerNorm.%s", (int)((weight ? weight : bias) - name), name,
             weight ? "gamma" : "beta");
    return true;
}

/* safetensors' save_model stores weights that are one tensor once, and puts the other names into
 * __metadata__: {"other name": "the name that is stored"}. */
static Found find_tied(const Shards *s, const char *name)
{
    for (int i = 0; i < s->count; i++) {
        const Safetensors *h = &s->file[i].source.header;
        for (int k = 0; k < h->metadata_count; k++)
            if (strcmp(h->metadata[2 * k], name) == 0)
                return find(s, h->metadata[2 * k + 1]);
    }
    return (Found){0};
}

Found shards_find(const Shards *s, const char *name)
{
    char old[PRETRAINED_NAME];
    Found f = find(s, name);
    if (!f.tensor && old_name(name, old))
        f = find(s, old);
    return f.tensor ? f : find_tied(s, name);
}
