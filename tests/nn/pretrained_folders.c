/* pretrained_folders.c: see pretrained_folders.h. */
#include "tests/nn/pretrained_folders.h"

#include "tests/harness/runner.h"

#include <stdlib.h>
#include <string.h>

const char *fixture_path(const char *name, const char *file)
{
    static char path[2000];
    snprintf(path, sizeof path, "%s/tests/golden/pretrained/%s%s%s", getenv("GRADUS_SOURCE"), name,
             file ? "/" : "", file ? file : "");
    return path;
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

const char *changed_weights(const char *name, const char *without, Tensor *const *more, int count)
{
    enum { MOST = 200 };
    Safetensors all;
    Tensor *list[MOST];
    int n = 0;
    const char *folder = changed_config(name, "{", "{");
    if (!CHECK(safetensors_read(fixture_path(name, "model.safetensors"), &all), "%s",
               tensor_error()))
        return folder;
    CHECK(all.count + count <= MOST, "%s: %d tensors", name, all.count);
    for (int i = 0; i < all.count; i++)
        if (!without || !strstr(all.tensors[i]->name, without))
            list[n++] = all.tensors[i];
    CHECK(without == NULL || n < all.count, "%s has no %s", name, without);
    for (int i = 0; i < count; i++)
        list[n++] = more[i];
    CHECK(safetensors_write(file_in(folder, "model.safetensors"), list, n, NULL, 0), "%s",
          tensor_error());
    safetensors_free(&all);
    return folder;
}

const char *renamed_weights(const char *name, const char *from, const char *to,
                            const char *const *tied)
{
    Safetensors all;
    int renamed = 0;
    const char *folder = changed_config(name, "{", "{");
    if (!CHECK(safetensors_read(fixture_path(name, "model.safetensors"), &all), "%s",
               tensor_error()))
        return folder;
    for (int i = 0; i < all.count; i++) {
        char *old = all.tensors[i]->name, *at = strstr(old, from), text[2 * TENSOR_NAME_MAX];
        if (!at)
            continue;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - old), old, to, at + strlen(from));
        tensor_set_name(all.tensors[i], text);
        renamed++;
    }
    CHECK(renamed > 0, "%s has no %s", name, from);
    CHECK(safetensors_write(file_in(folder, "model.safetensors"), all.tensors, all.count, tied,
                            tied ? 1 : 0),
          "%s", tensor_error());
    safetensors_free(&all);
    return folder;
}
