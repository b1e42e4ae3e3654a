/* save.c: a model's folder, written so that transformers loads it: weights under its names and in
 * its layout, config.json with the classifier's labels, the tokeniser's files as they were. The
 * file's tensors are views of the model's weights (a part of the rows, or a transpose), so that
 * nothing is copied before it is written. */
#include "nn/pretrained/inside.h"

#include "tensor/files.h"
#include "tensor/io/disk.h"
#include "tensor/io/input.h"
#include "tensor/memory.h"

#include <errno.h>
#include <string.h>

#define SAVE_FAIL(path, format, ...) \
    tensor_fail("nn_pretrained_save: %s: " format, path, __VA_ARGS__)

/* ---- weights --------------------------------------------------------------------------------- */

typedef struct {
    const Pretrained *m;
    Tensor *view; /* tensors without numbers of their own */
    Tensor **list;
    int count;
} Saved;

/* Their part of our weight, as a view: no family with a classifier stores a transpose. */
static void add_view(Saved *s, const Place *at)
{
    Tensor *w = pretrained_weight(s->m, at), *t = &s->view[s->count];
    char name[PRETRAINED_NAME];
    int64_t first, count;
    pretrained_name(s->m, at, name);
    if (!w)
        return;
    for (int i = 0; i < s->count; i++) /* the second of two names for one weight */
        if (s->view[i].data == w->data && at->rule->part == PART_ALL)
            return;
    pretrained_rows(s->m, at->rule, w, &first, &count);
    *t = (Tensor){.data = w->data, .shape = w->shape};
    memcpy(t->stride, w->stride, sizeof t->stride);
    if (w->shape.rank > 0) {
        t->data += first * t->stride[0];
        t->shape.dim[0] = count;
    }
    tensor_set_name(t, "%s", name);
    s->list[s->count++] = t;
}

static bool save_weights(const Pretrained *m, const char *folder)
{
    static const char *const format[] = {"format", "pt"};
    size_t most = 0;
    char path[PRETRAINED_PATH];
    for (Place at = {.rule = family_of(m)->rules}; at.rule->ours; pretrained_next(m, &at))
        most++;
    Saved s = {.m = m,
               .view = mem_alloc(most * sizeof *s.view),
               .list = mem_alloc(most * sizeof *s.list)};
    bool ok = s.view && s.list;
    for (Place at = {.rule = family_of(m)->rules}; ok && at.rule->ours; pretrained_next(m, &at))
        add_view(&s, &at);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    ok = ok && safetensors_write(path, s.list, s.count, format, 1);
    mem_free(s.view);
    mem_free(s.list);
    return ok;
}

/* ---- config.json ----------------------------------------------------------------------------- */

/* The name of class i: the given one, else the model's own, else LABEL_i, which is written to
 * `name`. NULL: the given one is NULL. */
static const char *label_of(const Pretrained *m, const char *const *labels, int i, char name[32])
{
    snprintf(name, 32, "LABEL_%d", i);
    return labels ? labels[i] : m->label ? m->label[i] : name;
}

/* label2id has each label as a key, and a JSON file no key twice. */
static bool labels_differ(const Pretrained *m, const char *folder, const char *const *labels)
{
    char a[32], b[32];
    for (int i = 0; i < m->config.labels; i++) {
        const char *label = label_of(m, labels, i, a);
        if (!label)
            return SAVE_FAIL(folder, "label %d is NULL; expected %d labels that differ", i,
                             m->config.labels);
        for (int k = 0; k < i; k++)
            if (strcmp(label, label_of(m, labels, k, b)) == 0)
                return SAVE_FAIL(folder,
                                 "labels %d and %d are both '%s'; expected %d labels that differ",
                                 k, i, label, m->config.labels);
    }
    return true;
}

static void put_labels(FILE *out, const Pretrained *m, const char *const *labels)
{
    for (int both = 0; both < 2; both++) {
        fprintf(out, ",\n  \"%s\": {", both ? "label2id" : "id2label");
        for (int i = 0; i < m->config.labels; i++) {
            char number[16], name[32];
            snprintf(number, sizeof number, "%d", i);
            const char *label = label_of(m, labels, i, name);
            fprintf(out, "%s", i ? ", " : "");
            json_write_text(out, both ? label : number);
            fprintf(out, ": ");
            if (both)
                fprintf(out, "%d", i);
            else
                json_write_text(out, label);
        }
        fprintf(out, "}");
    }
}

/* What the folder's config.json said, but for the architecture, the labels and the type of the
 * numbers. All other members are copied, also those that this library does not read. */
static bool save_config(const Pretrained *m, const char *folder, const char *const *labels)
{
    static const char *const replaced[] = {"architectures", "id2label", "label2id",
                                           "num_labels",    "dtype",    "torch_dtype"};
    const char *architecture = family_of(m)->classifier;
    char path[PRETRAINED_PATH];
    JsonTree t;
    snprintf(path, sizeof path, "%s/config.json", m->folder);
    AtomicFile *file = NULL;
    bool ok = json_tree_read(&t, "nn_pretrained_save", path);
    snprintf(path, sizeof path, "%s/config.json", folder);
    ok = ok && (file = tensor_file_open(path)) != NULL;
    if (ok) {
        FILE *out = tensor_file_stream(file);
        fprintf(out, "{\n  \"architectures\": [\"%s\"],\n  \"dtype\": \"%s\"", architecture,
                sizeof(real) == 8 ? "float64" : "float32");
        for (const JsonValue *v = t.root->first; v; v = v->next) {
            bool skip = false;
            for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
                skip = skip || strcmp(replaced[i], v->key) == 0;
            if (skip)
                continue;
            fprintf(out, ",\n  ");
            json_write_text(out, v->key);
            fprintf(out, ": ");
            json_write(out, v);
        }
        put_labels(out, m, labels);
        fprintf(out, "\n}\n");
        ok = tensor_file_commit(file);
    }
    json_tree_free(&t);
    return ok;
}

/* ---- the tokeniser's files ------------------------------------------------------------------- */

/* False only after an error; a file that is not there is not copied. */
static bool copy(const char *from_folder, const char *to_folder, const char *name)
{
    char from[PRETRAINED_PATH], to[PRETRAINED_PATH], part[1 << 14];
    Input in;
    bool there;
    snprintf(from, sizeof from, "%s/%s", from_folder, name);
    snprintf(to, sizeof to, "%s/%s", to_folder, name);
    if (!input_look("nn_pretrained_save", from, &there))
        return false;
    if (!there)
        return true;
    AtomicFile *file = NULL;
    bool ok = input_open(&in, "nn_pretrained_save", from) && (file = tensor_file_open(to)) != NULL;
    for (int64_t at = 0; ok && at < in.bytes; at += (int64_t)sizeof part) {
        size_t now = in.bytes - at < (int64_t)sizeof part ? (size_t)(in.bytes - at) : sizeof part;
        ok = input_read(&in, at, part, now);
        if (ok)
            fwrite(part, 1, now, tensor_file_stream(file));
    }
    input_close(&in);
    if (!ok)
        tensor_file_discard(file);
    return ok && tensor_file_commit(file);
}

/* Three kinds of files, each written as a whole or not at all; after an error some may be there
 * already. The model's own folder is refused, because its files are still needed to be read. */
bool nn_pretrained_save(const char *folder, const Pretrained *m, const char *const *labels)
{
    static const char *const files[] = {"tokenizer.json",
                                        "tokenizer_config.json",
                                        "special_tokens_map.json",
                                        "added_tokens.json",
                                        "vocab.txt",
                                        "vocab.json",
                                        "merges.txt"};
    if (!pretrained_check(m, "nn_pretrained_save") ||
        !pretrained_folder_check(folder, "nn_pretrained_save"))
        return false;
    if (!family_of(m)->classifier || !m->classifier.weight)
        return SAVE_FAIL(
            folder,
            "a %s without a classifier of texts; expected bert, roberta or distilbert with one",
            m->config.type);
    if (!labels_differ(m, folder, labels))
        return false;
    FileStatus a, b;
    if (!disk_look(m->folder, &a))
        return SAVE_FAIL(m->folder, "cannot look it up: %s; expected the model's folder",
                         strerror(errno));
    if (!tensor_make_directory(folder))
        return false;
    if (!disk_look(folder, &b))
        return SAVE_FAIL(folder, "cannot look it up: %s; expected a folder", strerror(errno));
    if (a.device == b.device && a.number == b.number)
        return SAVE_FAIL(folder, "%s",
                         "it is the folder that the model comes from; expected another");
    bool ok = save_weights(m, folder) && save_config(m, folder, labels);
    for (size_t i = 0; ok && i < sizeof files / sizeof *files; i++)
        ok = copy(m->folder, folder, files[i]);
    return ok;
}
