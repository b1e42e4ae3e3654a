/* checkpoint.c: everything that a training run is made of, so that it can go on as if never stopped.
 *
 * One safetensors file:
 *   the weights                under their paths
 *   "optimiser.m", ".v"        Adam's means, or SGD's "optimiser.velocity": of all weights, one after another
 *   metadata                   what is no tensor, as whole numbers in decimal; a double as its 64 bits
 * The optimiser's numbers go by the order of the weights, so that order is kept, as a hash of the names.
 * Loading is all or nothing: everything is looked at before anything is changed. */
#include "nn/nn.h"

#include "tensor/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 192, PAIRS = 5 + CHECKPOINT_RNGS, STATES = 3, NUMBERS = 7 };

static const char *const state_name[STATES] = {"optimiser.m", "optimiser.v", "optimiser.velocity"};

/* A hash of all paths in their order. */
static uint64_t order_of(const Params *p)
{
    uint64_t hash = 0;
    for (int i = 0; i < p->count; i++)
        hash = rng_hash(hash, p->weight[i]->name);
    return hash;
}

/* The optimiser's numbers as tensors: those that there are, else NULL. */
static void states_of(const Checkpoint *c, Tensor *state)
{
    real *numbers[STATES] = {c->adam ? c->adam->m : NULL, c->adam ? c->adam->v : NULL,
                             c->sgd ? c->sgd->velocity : NULL};
    for (int i = 0; i < STATES; i++) {
        state[i] = (Tensor){.data = numbers[i]};
        tensor_set_contiguous(&state[i], shape1(i < 2 && c->adam ? c->adam->size
                                                : c->sgd         ? c->sgd->size
                                                                 : 0));
        tensor_set_name(&state[i], "%s", state_name[i]);
    }
}

static bool complete(const Checkpoint *c, const char *path)
{
    if (!path)
        return tensor_fail("checkpoint: the path is NULL");
    if (!c || !c->params)
        return tensor_fail("%s: a checkpoint needs params", path);
    if (c->adam && c->sgd)
        return tensor_fail("%s: a checkpoint has one optimiser; found Adam and SGD", path);
    if (c->rngs < 0 || c->rngs > CHECKPOINT_RNGS || (c->rngs > 0 && !c->rng))
        return tensor_fail("%s: %d generators of random numbers; need 0 to %d", path, c->rngs,
                           CHECKPOINT_RNGS);
    int64_t size = c->adam ? c->adam->size : c->sgd ? c->sgd->size : params_size(c->params);
    return (size == params_size(c->params) && (!c->adam || c->adam->m)) ||
           tensor_fail("%s: the optimiser is for %lld numbers, the model has %lld", path,
                       (long long)size, (long long)params_size(c->params));
}

/* ---- what is no tensor ------------------------------------------------------------------------------------ */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Names and texts in turn, as safetensors_write takes them. */
typedef struct {
    const char *pair[2 * PAIRS];
    char text[PAIRS][TEXT];
    char name[PAIRS][16];
    int count;
} Notes;

static void note(Notes *n, const char *name, const uint64_t *number, int count)
{
    char *text = n->text[n->count];
    size_t used = 0;
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, TEXT - used, "%s%llu", i ? " " : "",
                                 (unsigned long long)number[i]);
    snprintf(n->name[n->count], sizeof n->name[0], "%s", name);
    n->pair[2 * n->count] = n->name[n->count];
    n->pair[2 * n->count + 1] = text;
    n->count++;
}

static void note_all(Notes *n, const Checkpoint *c)
{
    *n = (Notes){0};
    note(n, "progress", (uint64_t[]){(uint64_t)c->step, (uint64_t)c->cursor}, 2);
    note(n, "order", (uint64_t[]){order_of(c->params)}, 1);
    if (c->tape)
        note(n, "tape", (uint64_t[]){c->tape->seed, c->tape->step}, 2);
    if (c->adam) {
        const Adam *a = c->adam;
        uint64_t number[NUMBERS] = {(uint64_t)a->steps,    bits_of(a->rate),    bits_of(a->beta1),
                                    bits_of(a->beta2),     bits_of(a->epsilon), bits_of(a->decay),
                                    (uint64_t)a->decoupled};
        note(n, "adam", number, NUMBERS);
    }
    if (c->sgd)
        note(n, "sgd",
             (uint64_t[]){bits_of(c->sgd->rate), bits_of(c->sgd->momentum), bits_of(c->sgd->decay)},
             3);
    for (int i = 0; i < c->rngs; i++) {
        char name[16];
        snprintf(name, sizeof name, "rng.%d", i);
        note(n, name, (uint64_t[]){c->rng[i].seed, c->rng[i].stream, c->rng[i].position}, 3);
    }
}

bool nn_checkpoint_save(const Checkpoint *c, const char *path)
{
    if (!complete(c, path))
        return false;
    const Params *p = c->params;
    Tensor **all = mem_alloc((size_t)(p->count + STATES) * sizeof *all);
    if (!all)
        return false;
    Tensor state[STATES];
    int count = p->count;
    for (int i = 0; i < count; i++)
        all[i] = p->weight[i];
    states_of(c, state);
    for (int i = 0; i < STATES; i++)
        if (state[i].data)
            all[count++] = &state[i];
    Notes notes;
    note_all(&notes, c);
    bool ok = safetensors_write(path, all, count, notes.pair, notes.count);
    mem_free(all);
    return ok;
}

/* ---- the way back ------------------------------------------------------------------------------------------- */

/* `count` whole numbers, one space between two, and nothing else. */
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

static bool find_note(const Safetensors *file, const char *path, const char *name, uint64_t *number,
                      int count)
{
    for (int i = 0; i < file->metadata_count; i++)
        if (strcmp(file->metadata[2 * i], name) == 0)
            return numbers_in(file->metadata[2 * i + 1], number, count) ||
                   tensor_fail("%s: metadata '%s' is \"%.40s\"; expected %d whole numbers", path,
                               name, file->metadata[2 * i + 1], count);
    return tensor_fail("%s: has no metadata '%s'; it was not saved with one", path, name);
}

/* What the file says, before it is taken over. */
typedef struct {
    uint64_t progress[2], tape[2], adam[NUMBERS], sgd[3], rng[CHECKPOINT_RNGS][3];
} Found;

static bool find_notes(const Checkpoint *c, const Safetensors *file, const char *path, Found *f)
{
    uint64_t order = 0;
    if (!find_note(file, path, "progress", f->progress, 2) ||
        !find_note(file, path, "order", &order, 1) ||
        (c->tape && !find_note(file, path, "tape", f->tape, 2)) ||
        (c->adam && !find_note(file, path, "adam", f->adam, NUMBERS)) ||
        (c->sgd && !find_note(file, path, "sgd", f->sgd, 3)))
        return false;
    for (int i = 0; i < c->rngs; i++) {
        char name[16];
        snprintf(name, sizeof name, "rng.%d", i);
        if (!find_note(file, path, name, f->rng[i], 3))
            return false;
    }
    if (f->progress[0] > INT64_MAX || f->progress[1] > INT64_MAX || f->adam[0] > INT64_MAX)
        return tensor_fail("%s: a count of steps is more than %lld", path, (long long)INT64_MAX);
    return (!c->adam && !c->sgd) || order == order_of(c->params) ||
           tensor_fail("%s: its weights stand in another order than the model's, by which the "
                       "optimiser's numbers go",
                       path);
}

static bool states_fit(const Tensor *state, const Safetensors *file, const char *path)
{
    for (int i = 0; i < STATES; i++) {
        const Tensor *got = safetensors_find(file, state[i].name);
        if (!state[i].data)
            continue;
        if (!got)
            return tensor_fail("%s: has no '%s'; it was saved with another optimiser", path,
                               state[i].name);
        if (!shape_equal(got->shape, state[i].shape))
            return tensor_fail("%s: '%s' is %s; the model needs %s", path, state[i].name,
                               shape_str(got->shape), shape_str(state[i].shape));
    }
    return true;
}

/* The weights alone: the file without the optimiser's tensors. */
static bool load_weights(Params *p, const Safetensors *file, const char *path)
{
    Safetensors weights = {.tensors = mem_alloc((size_t)file->count * sizeof *weights.tensors)};
    if (!weights.tensors)
        return false;
    for (int i = 0; i < file->count; i++) {
        bool is_state = false;
        for (int k = 0; k < STATES; k++)
            is_state = is_state || strcmp(file->tensors[i]->name, state_name[k]) == 0;
        if (!is_state)
            weights.tensors[weights.count++] = file->tensors[i];
    }
    bool ok = params_load_from(p, &weights, path);
    mem_free(weights.tensors);
    return ok;
}

static void take_notes(Checkpoint *c, const Found *f)
{
    c->step = (int64_t)f->progress[0];
    c->cursor = (int64_t)f->progress[1];
    if (c->tape) {
        c->tape->seed = f->tape[0];
        c->tape->step = f->tape[1];
    }
    if (c->adam) {
        c->adam->steps = (int64_t)f->adam[0];
        c->adam->rate = double_of(f->adam[1]);
        c->adam->beta1 = double_of(f->adam[2]);
        c->adam->beta2 = double_of(f->adam[3]);
        c->adam->epsilon = double_of(f->adam[4]);
        c->adam->decay = double_of(f->adam[5]);
        c->adam->decoupled = f->adam[6] != 0;
    }
    if (c->sgd) {
        c->sgd->rate = double_of(f->sgd[0]);
        c->sgd->momentum = double_of(f->sgd[1]);
        c->sgd->decay = double_of(f->sgd[2]);
    }
    for (int i = 0; i < c->rngs; i++)
        c->rng[i] = (Rng){f->rng[i][0], f->rng[i][1], f->rng[i][2]};
}

static bool load(Checkpoint *c, const Safetensors *file, const char *path)
{
    Found found = {0};
    Tensor state[STATES];
    states_of(c, state);
    if (!find_notes(c, file, path, &found) || !states_fit(state, file, path) ||
        !load_weights(c->params, file, path))
        return false;
    for (int i = 0; i < STATES; i++)
        if (state[i].data)
            tensor_read(safetensors_find(file, state[i].name), state[i].data);
    take_notes(c, &found);
    return true;
}

bool nn_checkpoint_load(Checkpoint *c, const char *path)
{
    Safetensors file;
    if (!complete(c, path) || !safetensors_read(&file, path))
        return false;
    bool ok = load(c, &file, path);
    safetensors_free(&file);
    return ok;
}
