/* pretrained_folders.c: see pretrained_folders.h. */
#include "tests/nn/pretrained_folders.h"

#include "tests/harness/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *fixture_path(const char *name, const char *file)
{
    static char path[2000];
    snprintf(path, sizeof path, "%s/tests/golden/pretrained/%s%s%s", getenv("GRADUS_SOURCE"), name,
             file ? "/" : "", file ? file : "");
    return path;
}

const char *summary_of(const Pretrained *m)
{
    static char text[1000];
    FILE *out = tmpfile();
    nn_pretrained_summary(out, m);
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = 0;
    fclose(out);
    return text;
}

static const char *file_in(const char *folder, const char *file)
{
    static char path[2000];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

const char *changed_config(const char *name, const char *from, const char *to)
{
    static char text[20000], out[20000], weights[400000];
    const char *folder = scratch_path("model");
    tensor_make_directory(folder);
    long n = scratch_read(fixture_path(name, "config.json"), text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    char *at = strstr(text, from);
    CHECK(n > 0 && at, "%s has no %s", name, from);
    snprintf(out, sizeof out, "%.*s%s%s", (int)(at ? at - text : 0), text, to,
             at ? at + strlen(from) : "");
    CHECK(scratch_write(file_in(folder, "config.json"), out, strlen(out)), "cannot write");
    n = scratch_read(fixture_path(name, "model.safetensors"), weights, sizeof weights);
    CHECK(n > 0 && n <= (long)sizeof weights &&
              scratch_write(file_in(folder, "model.safetensors"), weights, (size_t)n),
          "cannot write");
    return folder;
}

/* The fixture's tensors, read; and the folder with a copy of it. */
static const char *open_copy(const char *name, Safetensors *all)
{
    const char *folder = changed_config(name, "{", "{");
    CHECK(safetensors_read(fixture_path(name, "model.safetensors"), all), "%s", tensor_error());
    return folder;
}

static void write_copy(const char *folder, Tensor **list, int n, const char *const *pair)
{
    CHECK(safetensors_write(file_in(folder, "model.safetensors"), list, n, pair, pair ? 1 : 0),
          "%s", tensor_error());
}

const char *changed_weights(const char *name, const char *without, Tensor *const *more, int count)
{
    enum { MOST = 200 };
    Safetensors all;
    Tensor *list[MOST];
    int n = 0;
    const char *folder = open_copy(name, &all);
    CHECK(all.count + count <= MOST, "%s: %d tensors", name, all.count);
    for (int i = 0; i < all.count; i++)
        if (!without || !strstr(all.tensors[i]->name, without))
            list[n++] = all.tensors[i];
    CHECK(without == NULL || n < all.count, "%s has no %s", name, without);
    for (int i = 0; i < count; i++)
        list[n++] = more[i];
    write_copy(folder, list, n, NULL);
    safetensors_free(&all);
    return folder;
}

const char *renamed_weights(const char *name, const char *from, const char *to,
                            const char *const *tied)
{
    Safetensors all;
    int renamed = 0;
    const char *folder = open_copy(name, &all);
    for (int i = 0; i < all.count; i++) {
        char *old = all.tensors[i]->name, *at = strstr(old, from), text[2 * TENSOR_NAME_MAX];
        if (!at)
            continue;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - old), old, to, at + strlen(from));
        tensor_set_name(all.tensors[i], text);
        renamed++;
    }
    CHECK(renamed > 0, "%s has no %s", name, from);
    write_copy(folder, all.tensors, all.count, tied);
    safetensors_free(&all);
    return folder;
}

Tensor *fixture_states(const Pretrained *m, const Safetensors *in, Tape *tape, bool other,
                       Tensor **hidden)
{
    const Tensor *pixels = safetensors_find(in, "pixels"), *ids = safetensors_find(in, "ids"),
                 *types = safetensors_find(in, "types"), *lengths = safetensors_find(in, "lengths");
    if (pixels) {
        Tensor *x = tape_input(tape, pixels->data, pixels->shape);
        return nn_pretrained_run(m, other ? ag_neg(x) : x, NULL, NULL, hidden);
    }
    Tensor *t = tape_ids(tape, ids->ids, ids->shape);
    for (int64_t i = 0; other && i < tensor_size(t); i++)
        t->ids[i] = (int32_t)m->config.words - 1 - t->ids[i];
    return nn_pretrained_run(m, t, types ? tape_ids(tape, types->ids, types->shape) : NULL,
                             lengths ? tape_ids(tape, lengths->ids, lengths->shape) : NULL, hidden);
}

bool fixture_backward(Tensor *y)
{
    int64_t n = tensor_size(y);
    real *upstream = malloc((size_t)n * sizeof *upstream);
    for (int64_t i = 0; upstream && i < n; i++)
        upstream[i] = (real)cos((double)i);
    bool ok = upstream && ag_backward_from(y, upstream);
    free(upstream);
    return ok;
}
