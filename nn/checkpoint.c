/* checkpoint.c: the state of a training run, from which it continues as if it had not been
 * interrupted.
 *
 * One safetensors file:
 *   the weights          under their paths
 *   "optimiser.m", ".v"  Adam's running means, or SGD's "optimiser.velocity", of all weights in their order
 *   metadata             counts, settings and seeds as decimal integers; a double as its 64 bits
 * The state of an optimiser depends on the order of the weights, so the file contains a hash of
 * their paths in order. Loading is all or nothing: everything is checked before anything is
 * changed.
 *
 * What must be saved follows from what a step reads: weights, the optimiser's state with its count
 * of steps, the seed and step of dropout, the generators that shuffle the data, and the position
 * in it. The learning rate is a function of the step (schedule.c). */
#include "nn/internal.h"

#include "tensor/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 192, STATES = 3, ADAM_NUMBERS = 7 };

static const char *const state_name[STATES] = {"optimiser.m", "optimiser.v", "optimiser.velocity"};

/* A hash of all paths in their order. */
static uint64_t order_of(const Params *p)
{
    uint64_t hash = 0;
    for (int i = 0; i < p->count; i++)
        hash = rng_hash(hash, p->weight[i]->name);
    return hash;
}

/* The optimiser's state as tensors, which share its memory; data is NULL for those that it does not
 * have. So saving copies nothing, and loading reads directly into the optimiser. */
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

/* Does c describe a training run: params, at most one optimiser of theirs, generators? */
static bool checkpoint_check(const Checkpoint *c, const char *path, const char *who)
{
    if (!path || !c || !c->params)
        return tensor_fail("%s: %s is NULL; expected a checkpoint with params, and a path", who,
                           !path ? "the path"
                           : !c  ? "the checkpoint"
                                 : "params");
    if (c->adam && c->sgd)
        return tensor_fail("%s: found Adam and SGD; expected at most one optimiser", who);
    if (c->rngs < 0 || c->rngs > CHECKPOINT_RNGS || (c->rngs > 0 && !c->rng))
        return tensor_fail("%s: found %d random number generators%s; expected 0 to %d", who,
                           c->rngs, c->rng ? "" : " at NULL", CHECKPOINT_RNGS);
    int64_t size = c->adam ? c->adam->size : c->sgd ? c->sgd->size : params_size(c->params);
    return (size == params_size(c->params) && (!c->adam || c->adam->m)) ||
           tensor_fail("%s: found an optimiser of %lld parameters; expected the %lld of params",
                       who, (long long)size, (long long)params_size(c->params));
}

/* ---- metadata -------------------------------------------------------------------------------- */

/* A double as the integer of its 64 bits: unlike printf and strtod, exact in every locale. */
static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The inverse of bits_of. */
static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* An entry of the metadata: the numbers of one part of the run. */
typedef struct {
    char name[16];
    int count; /* 0: the checkpoint does not have this part */
    uint64_t number[ADAM_NUMBERS];
} Entry;
enum { PROGRESS, ORDER, TAPE, PRECISION, ADAM, SGD, RNG, ENTRIES = RNG + CHECKPOINT_RNGS };

/* Everything that is not a tensor. */
static void entries_of(const Checkpoint *c, Entry e[ENTRIES])
{
    const Adam *a = c->adam;
    const Sgd *s = c->sgd;
    memset(e, 0, ENTRIES * sizeof *e);
    e[PROGRESS] = (Entry){"progress", 2, {(uint64_t)c->step, (uint64_t)c->cursor}};
    e[ORDER] = (Entry){"order", 1, {order_of(c->params)}};
    if (c->tape)
        e[TAPE] = (Entry){"tape", 2, {c->tape->seed, c->tape->step}};
    if (c->tape && c->tape->precision != PRECISION_FLOAT)
        e[PRECISION] = (Entry){"precision", 1, {c->tape->precision}};
    if (a)
        e[ADAM] =
            (Entry){"adam",
                    ADAM_NUMBERS,
                    {(uint64_t)a->steps, bits_of(a->rate), bits_of(a->beta1), bits_of(a->beta2),
                     bits_of(a->epsilon), bits_of(a->decay), (uint64_t)a->decoupled}};
    if (s)
        e[SGD] = (Entry){"sgd", 3, {bits_of(s->rate), bits_of(s->momentum), bits_of(s->decay)}};
    for (int i = 0; i < c->rngs; i++) {
        e[RNG + i] = (Entry){"", 3, {c->rng[i].seed, c->rng[i].stream, c->rng[i].position}};
        snprintf(e[RNG + i].name, sizeof e->name, "rng.%d", i);
    }
}

/* Whole numbers with one space between two. Invariant: TEXT bytes suffice for ADAM_NUMBERS numbers
 * of at most 20 digits and their spaces. */
static const char *text_of(const Entry *e, char text[TEXT])
{
    size_t used = 0;
    for (int i = 0; i < e->count; i++)
        used += (size_t)snprintf(text + used, TEXT - used, "%s%llu", i ? " " : "",
                                 (unsigned long long)e->number[i]);
    return text;
}

/* Weights and optimiser state go into one list of tensors, so that one atomic write saves all or
 * nothing. The state's tensors are headers on the stack that share the optimiser's memory. */
bool nn_checkpoint_save(const Checkpoint *c, const char *path)
{
    if (!checkpoint_check(c, path, "nn_checkpoint_save"))
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
    Entry e[ENTRIES];
    char text[ENTRIES][TEXT];
    const char *pair[2 * ENTRIES];
    int pairs = 0;
    entries_of(c, e);
    for (int i = 0; i < ENTRIES; i++)
        if (e[i].count > 0) {
            pair[2 * pairs] = e[i].name;
            pair[2 * pairs++ + 1] = text_of(&e[i], text[i]);
        }
    bool ok = safetensors_write(path, all, count, pair, pairs);
    mem_free(all);
    return ok;
}

/* ---- loading --------------------------------------------------------------------------------- */

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

/* Finds the metadata of the entry's name and reads its numbers. */
static bool find_numbers(const Safetensors *file, const char *path, Entry *e)
{
    for (int i = 0; i < file->metadata_count; i++)
        if (strcmp(file->metadata[2 * i], e->name) == 0)
            return numbers_in(file->metadata[2 * i + 1], e->number, e->count) ||
                   tensor_fail("nn_checkpoint_load: %s: metadata '%s' is \"%.40s\"; expected %d "
                               "whole numbers",
                               path, e->name, file->metadata[2 * i + 1], e->count);
    return tensor_fail("nn_checkpoint_load: %s: found no metadata '%s'; expected a checkpoint that "
                       "was saved with it",
                       path, e->name);
}

/* Is a run of floats continued in floats? A checkpoint of floats has no entry for the precision. */
static bool precision_check(const Checkpoint *c, const Safetensors *file, const char *path)
{
    bool found = false;
    for (int i = 0; i < file->metadata_count; i++)
        found = found || strcmp(file->metadata[2 * i], "precision") == 0;
    return !c->tape || c->tape->precision != PRECISION_FLOAT || !found ||
           tensor_fail("nn_checkpoint_load: %s: found a run with tape->precision PRECISION_BF16; "
                       "expected PRECISION_FLOAT, as on the tape",
                       path);
}

/* Reads all entries that c has, and compares the order of the weights where an optimiser depends on
 * it. c stays as it is until all was found. */
static bool find_metadata(const Checkpoint *c, const Safetensors *file, const char *path,
                          Entry e[ENTRIES])
{
    entries_of(c, e);
    if (!precision_check(c, file, path))
        return false;
    for (int i = 0; i < ENTRIES; i++)
        if (e[i].count > 0 && !find_numbers(file, path, &e[i]))
            return false;
    if (e[PROGRESS].number[0] > INT64_MAX || e[PROGRESS].number[1] > INT64_MAX ||
        e[ADAM].number[0] > INT64_MAX)
        return tensor_fail("nn_checkpoint_load: %s: found a count of steps above %lld; expected at "
                           "most that",
                           path, (long long)INT64_MAX);
    return (!c->adam && !c->sgd) || e[ORDER].number[0] == order_of(c->params) ||
           tensor_fail("nn_checkpoint_load: %s: found the weights in another order; expected the "
                       "model's, as the optimiser's state depends on it",
                       path);
}

/* The file has the state of the optimiser in the model's size. */
static bool states_check(const Tensor *state, const Safetensors *file, const char *path)
{
    for (int i = 0; i < STATES; i++) {
        const Tensor *got = safetensors_find(file, state[i].name);
        if (!state[i].data)
            continue;
        if (!got)
            return tensor_fail("nn_checkpoint_load: %s: found no '%s'; expected a checkpoint that "
                               "was saved with this optimiser",
                               path, state[i].name);
        if (!shape_equal(got->shape, state[i].shape))
            return tensor_fail("nn_checkpoint_load: %s: found '%s' %s; expected %s", path,
                               state[i].name, shape_str(got->shape), shape_str(state[i].shape));
    }
    return true;
}

/* Loads the weights: all tensors of the file but the optimiser's state. */
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
    bool ok = params_take(p, &weights, path, "nn_checkpoint_load");
    mem_free(weights.tensors);
    return ok;
}

/* Sets counts, settings and seeds. It cannot fail: find_metadata has checked everything. */
static void apply_metadata(Checkpoint *c, const Entry *e)
{
    c->step = (int64_t)e[PROGRESS].number[0];
    c->cursor = (int64_t)e[PROGRESS].number[1];
    if (c->tape) {
        c->tape->seed = e[TAPE].number[0];
        c->tape->step = e[TAPE].number[1];
    }
    if (c->adam) {
        c->adam->steps = (int64_t)e[ADAM].number[0];
        c->adam->rate = double_of(e[ADAM].number[1]);
        c->adam->beta1 = double_of(e[ADAM].number[2]);
        c->adam->beta2 = double_of(e[ADAM].number[3]);
        c->adam->epsilon = double_of(e[ADAM].number[4]);
        c->adam->decay = double_of(e[ADAM].number[5]);
        c->adam->decoupled = e[ADAM].number[6] != 0;
    }
    if (c->sgd) {
        c->sgd->rate = double_of(e[SGD].number[0]);
        c->sgd->momentum = double_of(e[SGD].number[1]);
        c->sgd->decay = double_of(e[SGD].number[2]);
    }
    for (int i = 0; i < c->rngs; i++) {
        const uint64_t *rng = e[RNG + i].number;
        c->rng[i] = (Rng){rng[0], rng[1], rng[2]};
    }
}

/* Compares metadata, state and weights with the model; then nothing can fail any more, and
 * everything is changed. The weights go first among the changes, because params_take may still
 * refuse them. */
static bool load(Checkpoint *c, const Safetensors *file, const char *path)
{
    Entry found[ENTRIES];
    Tensor state[STATES];
    states_of(c, state);
    if (!find_metadata(c, file, path, found) || !states_check(state, file, path) ||
        !load_weights(c->params, file, path))
        return false;
    for (int i = 0; i < STATES; i++)
        if (state[i].data)
            tensor_read(safetensors_find(file, state[i].name), state[i].data);
    apply_metadata(c, found);
    return true;
}

/* The file is read first, which takes as much memory again as weights and optimiser state. */
bool nn_checkpoint_load(Checkpoint *c, const char *path)
{
    Safetensors file;
    if (!checkpoint_check(c, path, "nn_checkpoint_load") || !safetensors_read(&file, path))
        return false;
    bool ok = load(c, &file, path);
    safetensors_free(&file);
    return ok;
}
