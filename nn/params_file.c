/* params_file.c: weights are saved to a file and loaded from one.
 *
 * A safetensors file with one tensor for each weight, under its path: the content of PyTorch's
 * state_dict for the same architecture. Loading is all or nothing: every name and shape is compared
 * before any weight is changed. PyTorch reads such a file with safetensors.torch.load_file, and
 * load_state_dict takes the result. */
#include "nn/internal.h"

#include "tensor/kernels/strided.h"

#include <stdlib.h>
#include <string.h>

bool params_save(const char *path, const Params *p, const char *const *metadata, int pairs)
{
    return params_given(p, path, "path", "params_save") &&
           safetensors_write(path, p->weight, p->count, metadata, pairs);
}

size_t names_apart(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), front = 0, back = 0;
    while (front < m && front < n && a[front] == b[front])
        front++;
    while (back < m - front && back < n - front && a[m - 1 - back] == b[n - 1 - back])
        back++;
    return (m > n ? m : n) - front - back;
}

bool params_expected(const Params *p, const char *path, Shape shape)
{
    const Tensor *found = p->expected ? safetensors_find(p->expected, path) : NULL;
    if (!p->expected || (found && shape_equal(found->shape, shape)))
        return true;
    if (found)
        return tensor_fail("params_add: the file has '%s' %s; expected %s", path,
                           shape_str(found->shape), shape_str(shape));
    return tensor_fail("params_add: the file has no '%s' %s; expected all weights of the model",
                       path, shape_str(shape));
}

static bool is_listed(const char *name, const char *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

/* The file has each weight in its shape and no other tensor but the `others`. Names and shapes
 * only: the numbers were checked when the file was read. */
static bool same_tensors(const Params *p, const Safetensors *file, const char *const *others,
                         int count, const char *path, const char *who)
{
    for (int i = 0; i < p->count; i++) {
        const Tensor *want = p->weight[i], *got = safetensors_find(file, want->name);
        if (!got)
            return tensor_fail("%s: %s has no '%s' %s; expected all %d weights of the model", who,
                               path, want->name, shape_str(want->shape), p->count);
        if (got->ids || !shape_equal(got->shape, want->shape))
            return tensor_fail("%s: %s has '%s' %s%s; expected %s", who, path, want->name,
                               shape_str(got->shape), got->ids ? " of whole numbers" : "",
                               shape_str(want->shape));
    }
    for (int i = 0; i < file->count; i++) {
        const char *name = file->tensors[i]->name;
        if (!is_listed(name, others, count) && !params_find(p, name))
            return tensor_fail("%s: %s has '%s'; expected the %d weights of the model only", who,
                               path, name, p->count);
    }
    return true;
}

/* Weights keep their strides: a pretrained model's may be stored as its transpose. */
bool params_take(Params *p, const Safetensors *file, const char *const *others, int count,
                 const char *path, const char *who)
{
    if (!same_tensors(p, file, others, count, path, who))
        return false;
    for (int i = 0; i < p->count; i++) {
        const Tensor *to = p->weight[i], *from = safetensors_find(file, to->name);
        strided_copy(strided_rows(to->shape, 2, (const Tensor *[]){to, from}), to->data,
                     from->data);
    }
    return true;
}

bool params_load(const char *path, Params *p)
{
    Safetensors file;
    if (!params_given(p, path, "path", "params_load") || !safetensors_read(path, &file))
        return false;
    bool ok = params_take(p, &file, NULL, 0, path, "params_load");
    safetensors_free(&file);
    return ok;
}

/* ---- numbers in the metadata ----------------------------------------------------------------- */

/* Invariant: METADATA_TEXT bytes suffice for METADATA_NUMBERS numbers of at most 20 digits and
 * their spaces. */
const char *metadata_text(char text[METADATA_TEXT], void *const *number, int count)
{
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, number[i], sizeof bits);
        used += (size_t)snprintf(text + used, METADATA_TEXT - used, "%s%llu", i ? " " : "",
                                 (unsigned long long)bits);
    }
    return text;
}

const char *metadata_find(const Safetensors *file, const char *name)
{
    for (int i = 0; i < file->metadata_count; i++)
        if (strcmp(file->metadata[2 * i], name) == 0)
            return file->metadata[2 * i + 1];
    return NULL;
}

/* Reads `count` whole numbers with one space between two. False for any other text. */
static bool numbers_in(const char *text, uint64_t *number, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        if (*text < '0' || *text > '9')
            return false;
        number[i] = strtoull(text, &end, 10);
        if (*end != (i + 1 < count ? ' ' : 0))
            return false;
        text = end + (i + 1 < count);
    }
    return true;
}

bool metadata_numbers(const Safetensors *file, const char *path, const char *name, uint64_t *number,
                      int count, const char *who)
{
    const char *text = metadata_find(file, name);
    if (!text)
        return tensor_fail("%s: %s: found no metadata '%s'; expected a file that was saved with it",
                           who, path, name);
    return numbers_in(text, number, count) ||
           tensor_fail("%s: %s: metadata '%s' is \"%.40s\"; expected %d whole numbers", who, path,
                       name, text, count);
}
