/* checkpoint.c: the state of a training run, from which it continues as if it had not been
 * interrupted.
 *
 * One safetensors file:
 *   the weights          under their paths
 *   "optimiser.m", ".v"  Adam's running means, or SGD's "optimiser.velocity", of all weights in their order
 *   metadata             counts, settings and seeds (metadata_text)
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

enum { STATES = 3 };

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

static bool list_check(int count, const void *list, int most, const char *what, const char *who)
{
    return (count >= 0 && count <= most && (count == 0 || list)) ||
           tensor_fail("%s: found %d %s%s; expected 0 to %d", who, count, what,
                       list ? "" : " at NULL", most);
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
    if (!list_check(c->rngs, c->rng, CHECKPOINT_RNGS, "random number generators", who) ||
        !list_check(c->numbers, c->number, CHECKPOINT_NUMBERS, "numbers", who))
        return false;
    int64_t size = c->adam ? c->adam->size : c->sgd ? c->sgd->size : params_size(c->params);
    return (size == params_size(c->params) && (!c->adam || c->adam->m)) ||
           tensor_fail("%s: found an optimiser of %lld parameters; expected the %lld of params",
                       who, (long long)size, (long long)params_size(c->params));
}

/* ---- metadata -------------------------------------------------------------------------------- */

/* An entry of the metadata: where the numbers of one part of the run are, each of 64 bits. A double
 * is written as the integer of its bits: unlike printf and strtod, exact in every locale. */
typedef struct {
    char name[16];
    int count; /* 0: the checkpoint does not have this part */
    void *number[METADATA_NUMBERS];
} Entry;
enum { PROGRESS, ORDER, TAPE, ADAM, SGD, PROGRAM, RNG, ENTRIES = RNG + CHECKPOINT_RNGS };

/* What has no 64 bits of its own in a run: a hash of all paths, and Adam's flags: 1 for decoupled,
 * 2 for decay_matrices. */
typedef struct {
    uint64_t order, decays;
} Own;

/* Everything that is not a tensor; saving reads these numbers, loading writes them. */
static void entries_of(Checkpoint *c, Own *own, Entry e[ENTRIES])
{
    Adam *a = c->adam;
    Sgd *s = c->sgd;
    memset(e, 0, ENTRIES * sizeof *e);
    *own = (Own){order_of(c->params), a ? a->decoupled + 2U * a->decay_matrices : 0};
    e[PROGRESS] = (Entry){"progress", 2, {&c->step, &c->cursor}};
    e[ORDER] = (Entry){"order", 1, {&own->order}};
    if (c->tape)
        e[TAPE] = (Entry){"tape", 2, {&c->tape->seed, &c->tape->step}};
    if (a)
        e[ADAM] = (Entry){"adam",
                          7,
                          {&a->steps, &a->rate, &a->beta1, &a->beta2, &a->epsilon, &a->decay,
                           &own->decays}};
    if (s)
        e[SGD] = (Entry){"sgd", 3, {&s->rate, &s->momentum, &s->decay}};
    e[PROGRAM] = (Entry){.name = "program", .count = c->numbers};
    for (int i = 0; i < c->numbers; i++)
        e[PROGRAM].number[i] = &c->number[i];
    for (int i = 0; i < c->rngs; i++) {
        Rng *r = &c->rng[i];
        e[RNG + i] = (Entry){"", 3, {&r->seed, &r->stream, &r->position}};
        snprintf(e[RNG + i].name, sizeof e->name, "rng.%d", i);
    }
}

bool nn_checkpoint_save(const char *path, const Checkpoint *c)
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
    char text[ENTRIES][METADATA_TEXT];
    const char *pair[2 * ENTRIES];
    int pairs = 0;
    Own own;
    Checkpoint run = *c; /* whose numbers are only read */
    entries_of(&run, &own, e);
    for (int i = 0; i < ENTRIES; i++)
        if (e[i].count > 0) {
            pair[2 * pairs] = e[i].name;
            pair[2 * pairs++ + 1] = metadata_text(text[i], e[i].number, e[i].count);
        }
    bool ok = safetensors_write(path, all, count, pair, pairs);
    mem_free(all);
    return ok;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The numbers of all entries as they are in a file. */
typedef uint64_t Numbers[ENTRIES][METADATA_NUMBERS];

/* Reads the numbers of all entries that c has, and compares the order of the weights where an
 * optimiser depends on it. */
static bool find_metadata(const Checkpoint *c, const Safetensors *file, const char *path,
                          const Entry e[ENTRIES], Numbers found)
{
    static const char who[] = "nn_checkpoint_load";
    memset(found, 0, sizeof(Numbers));
    for (int i = 0; i < ENTRIES; i++)
        if (e[i].count > 0 && !metadata_numbers(file, path, e[i].name, found[i], e[i].count, who))
            return false;
    if (found[PROGRESS][0] > INT64_MAX || found[PROGRESS][1] > INT64_MAX ||
        found[ADAM][0] > INT64_MAX)
        return tensor_fail("nn_checkpoint_load: %s: found a count of steps above %lld; expected at "
                           "most that",
                           path, (long long)INT64_MAX);
    return (!c->adam && !c->sgd) || found[ORDER][0] == order_of(c->params) ||
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

/* Compares metadata, state and weights with the model; then nothing can fail any more, and
 * everything is changed. The weights go first among the changes, because params_take may still
 * refuse them. */
static bool load(Checkpoint *c, const Safetensors *file, const char *path)
{
    Entry e[ENTRIES];
    Numbers found;
    Tensor state[STATES];
    Own own;
    states_of(c, state);
    entries_of(c, &own, e);
    if (!find_metadata(c, file, path, e, found) || !states_check(state, file, path) ||
        !params_take(c->params, file, state_name, STATES, path, "nn_checkpoint_load"))
        return false;
    for (int i = 0; i < STATES; i++)
        if (state[i].data)
            tensor_read(safetensors_find(file, state[i].name), state[i].data);
    for (int i = 0; i < ENTRIES; i++)
        for (int k = 0; k < e[i].count; k++)
            memcpy(e[i].number[k], &found[i][k], sizeof found[i][k]);
    if (c->adam) {
        c->adam->decoupled = own.decays & 1;
        c->adam->decay_matrices = own.decays >> 1 & 1;
    }
    return true;
}

/* The file is read first, which takes as much memory again as weights and optimiser state. */
bool nn_checkpoint_load(const char *path, Checkpoint *c)
{
    Safetensors file;
    if (!checkpoint_check(c, path, "nn_checkpoint_load") || !safetensors_read(path, &file))
        return false;
    bool ok = load(c, &file, path);
    safetensors_free(&file);
    return ok;
}
