/* params_file.c: weights to a file and back.
 *
 * One safetensors file, one entry a weight, the path as its key: what PyTorch's state_dict would hold for
 * the same architecture. Loading is all or nothing. */
#include "nn/nn.h"

#include <string.h>

bool params_save(const Params *p, const char *path, const char *const *metadata, int pairs)
{
    if (!p)
        return tensor_fail("%s: there are no weights to save: params is NULL", path);
    return safetensors_write(path, p->weight, p->count, metadata, pairs);
}

/* The weight without a counterpart in the file whose name is nearest to `name`: they share the longest
 * beginning and end. */
static const char *nearest(const Params *p, const char *name)
{
    const char *best = "none";
    size_t most = 0;
    for (int i = 0; i < p->count; i++) {
        const char *known = p->weight[i]->name;
        size_t a = strlen(known), b = strlen(name), front = 0, back = 0;
        while (front < a && front < b && known[front] == name[front])
            front++;
        while (back < a - front && back < b - front && known[a - 1 - back] == name[b - 1 - back])
            back++;
        if (front + back > most) {
            most = front + back;
            best = known;
        }
    }
    return best;
}

static bool fits(const Params *p, const Safetensors *file, const char *path)
{
    for (int i = 0; i < p->count; i++) {
        const Tensor *want = p->weight[i], *got = safetensors_find(file, want->name);
        if (!got)
            return tensor_fail("%s: has no '%s' %s; expected all %d weights of the model", path,
                               want->name, shape_str(want->shape), p->count);
        if (!shape_equal(got->shape, want->shape))
            return tensor_fail("%s: '%s' is %s; the model needs %s", path, want->name,
                               shape_str(got->shape), shape_str(want->shape));
    }
    for (int i = 0; i < file->count; i++) {
        const char *name = file->tensors[i]->name;
        if (!params_find(p, name))
            return tensor_fail("%s: has '%s', which the model does not; the nearest it has is '%s'",
                               path, name, nearest(p, name));
    }
    return true;
}

bool params_load_from(Params *p, const Safetensors *file, const char *path)
{
    if (!p)
        return tensor_fail("%s: there are no weights to load into: params is NULL", path);
    if (!fits(p, file, path))
        return false;
    for (int i = 0; i < p->count; i++)
        tensor_read(safetensors_find(file, p->weight[i]->name), p->weight[i]->data);
    return true;
}

bool params_load(Params *p, const char *path)
{
    Safetensors file;
    if (!safetensors_read(&file, path))
        return false;
    bool ok = params_load_from(p, &file, path);
    safetensors_free(&file);
    return ok;
}
