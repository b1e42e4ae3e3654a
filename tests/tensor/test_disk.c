/* test_disk.c: every use of a file fails, one after the other, in all that saves and loads: with an
 * error, on a full disk, with half of what was asked for, interrupted by a signal (trial.c). What
 * was not saved has left the old file as it was, and nothing beside it; what was not loaded has
 * changed nothing. Pictures are in test_plot_files.c. */
#include "tensor/system/system.h"
#include "tests/harness/test.h"

#include "data/data.h"
#include "nn/nn.h"

#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 1 << 14 };

/* Of the file that is saved or loaded, and of its directory, where it is alone. */
static char path[1100], folder[1024];

static void find_place(const char *name)
{
    snprintf(folder, sizeof folder, "%s", scratch_path(name));
    snprintf(path, sizeof path, "%s/kept.npy", folder);
    CHECK(tensor_make_directory(folder), "%s", tensor_error());
}

/* ---- saving ---------------------------------------------------------------------------------- */

typedef struct {
    char bytes[FILE_MAX];
    long length;
} Content;

static Content whole; /* what saving makes where nothing fails */

enum { MODE = 0640 };
static unsigned mode; /* as the system keeps it */

static void put_old_file(void *context)
{
    (void)context;
    scratch_clear(folder);
    disk_system.mkdir(folder);
    scratch_write(path, "old", 3);
    chmod(path, MODE);
    FileStatus s;
    mode = disk_system.stat(path, &s) == 0 ? s.mode : 0;
}

static bool old_or_whole(void *context, bool saved)
{
    static Content found;
    FileStatus s;
    found.length = scratch_read(path, found.bytes, FILE_MAX);
    const char *want = saved ? whole.bytes : "old";
    long length = saved ? whole.length : 3;
    bool same = found.length == length && memcmp(found.bytes, want, (size_t)length) == 0;
    bool alone = trial_kept_a_file() || scratch_files(folder) == 1;
    (void)context;
    return same && alone && disk_system.stat(path, &s) == 0 && s.mode == mode;
}

static void check_saving(const char *name, bool (*save)(void *), void *context)
{
    find_place(name);
    CHECK(save(context), "%s", tensor_error());
    whole.length = scratch_read(path, whole.bytes, FILE_MAX);
    REQUIRE(whole.length > 3 && whole.length < FILE_MAX, "%s: %ld bytes", name, whole.length);
    const Attempt t = {save, put_old_file, old_or_whole, context, "kept.npy"};
    CHECK(CHECK_TRIAL_DISK(&t), "%s", name);
    CHECK(CHECK_TRIAL_MEMORY(&t), "%s", name);
}

/* ---- loading --------------------------------------------------------------------------------- */

static void check_loading(bool (*load)(void *), bool (*unchanged)(void *, bool), void *context)
{
    const Attempt t = {load, NULL, unchanged, context, "kept.npy"};
    CHECK_TRIAL_DISK(&t);
    CHECK_TRIAL_MEMORY(&t);
}

/* ---- weights and checkpoints ----------------------------------------------------------------- */

/* A layer, what trains it, and what it was before it was loaded into. */
typedef struct {
    Params *params;
    Linear layer;
    Adam adam;
    Checkpoint point;
    real before[12], after[12];
} Model;

static bool model_open(Model *m, uint64_t seed)
{
    *m = (Model){.params = params_new(seed)};
    bool ok = nn_linear_init(&m->layer, m->params, "layer", 3, 2, true) &&
              adam_init(&m->adam, m->params, 0.1);
    m->point = (Checkpoint){.params = m->params, .adam = &m->adam, .step = (int64_t)seed};
    return CHECK(ok, "%s", tensor_error());
}

static void model_close(Model *m)
{
    adam_free(&m->adam);
    params_free(m->params);
}

static void read_weights(const Model *m, real *out)
{
    for (int i = 0; i < m->params->count; out += tensor_size(m->params->weight[i++]))
        tensor_read(m->params->weight[i], out);
}

static void write_weights(Model *m, const real *from)
{
    for (int i = 0; i < m->params->count; from += tensor_size(m->params->weight[i++]))
        memcpy(m->params->weight[i]->data, from,
               (size_t)tensor_size(m->params->weight[i]) * sizeof *from);
}

/* As before, or as loaded; then as before, for the next attempt. */
static bool weights_whole(void *context, bool loaded)
{
    Model *m = context;
    real now[12] = {0};
    read_weights(m, now);
    bool good = memcmp(now, loaded ? m->after : m->before, sizeof now) == 0;
    good &= m->point.step == 2 || m->point.step == (loaded ? 1 : 2);
    write_weights(m, m->before);
    m->point.step = 2;
    return good;
}

static bool save_weights(void *m)
{
    return params_save(path, ((Model *)m)->params, NULL, 0);
}

static bool load_weights(void *m)
{
    return params_load(path, ((Model *)m)->params);
}

static bool save_checkpoint(void *m)
{
    return nn_checkpoint_save(path, &((Model *)m)->point);
}

static bool load_checkpoint(void *m)
{
    return nn_checkpoint_load(path, &((Model *)m)->point);
}

static void check_model(const char *name, bool (*save)(void *), bool (*load)(void *))
{
    Model one, two;
    REQUIRE(model_open(&one, 1) && model_open(&two, 2), "no models");
    check_saving(name, save, &one);
    read_weights(&one, two.after);
    read_weights(&two, two.before);
    CHECK(memcmp(two.after, two.before, sizeof two.after) != 0, "the models are the same");
    check_loading(load, weights_whole, &two);
    model_close(&one);
    model_close(&two);
}

TEST(weights)
{
    check_model("weights", save_weights, load_weights);
}

TEST(checkpoints)
{
    check_model("checkpoint", save_checkpoint, load_checkpoint);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool save_npy(void *t)
{
    return tensor_npy_write(path, t);
}

static bool load_npy(void *want)
{
    Tensor *t = data_array_read(path, NULL);
    bool ok = t && !tensor_difference(t, want, 0, 0);
    tensor_free(t);
    return ok;
}

TEST(arrays)
{
    Tensor *t = tensor_new(shape2(30, 50)); /* 6,000 bytes: more than one write */
    for (int i = 0; i < 1500; i++)
        t->data[i] = (real)i;
    check_saving("npy", save_npy, t);
    check_loading(load_npy, NULL, t);
    tensor_free(t);
}

/* ---- data ------------------------------------------------------------------------------------ */

static const char *const text = "the cat sat on the mat that the cat sat on";

static bool load_text(void *unused)
{
    size_t count;
    char *read = data_file_text(path, &count);
    (void)unused;
    data_file_free(read);
    return read && count == strlen(text);
}

static bool load_labelled(void *unused)
{
    Labelled l;
    bool ok = data_labelled_read(path, &l) && l.count == 2;
    (void)unused;
    data_labelled_free(&l);
    return ok;
}

static bool load_cifar(void *unused)
{
    Images m;
    bool ok = data_cifar_read(path, &m) && m.labels[1] == 7;
    (void)unused;
    data_images_free(&m);
    return ok;
}

static bool load_idx(void *unused)
{
    Images m;
    bool ok = data_idx_read(path, &m) && m.bytes[3] == 8;
    (void)unused;
    data_images_free(&m);
    return ok;
}

TEST(data_sets)
{
    static const char labelled[] = "good\ta fine day\nbad\train again\n";
    static const unsigned char records[2 * 3073] = {[3073] = 7},
                                           idx[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 5, 6, 7, 8};
    const struct {
        const void *bytes;
        size_t count;
        bool (*load)(void *);
    } files[] = {{text, strlen(text), load_text},
                 {labelled, sizeof labelled - 1, load_labelled},
                 {records, sizeof records, load_cifar},
                 {idx, sizeof idx, load_idx}};
    find_place("data");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        REQUIRE(scratch_write(path, files[i].bytes, files[i].count), "no file");
        check_loading(files[i].load, NULL, NULL);
    }
}

/* The same four numbers, as gzip packs them. */
TEST(compressed)
{
    static const unsigned char packed[] = {0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                           0x02, 0x03, 0x63, 0x60, 0xE0, 0x60, 0x62, 0x60,
                                           0x60, 0x00, 0x63, 0x56, 0x36, 0x76, 0x0E, 0x00,
                                           0xBB, 0x09, 0x41, 0x99, 0x10, 0x00, 0x00, 0x00};
    find_place("compressed");
    REQUIRE(scratch_write(path, packed, sizeof packed), "no file");
    if (!load_idx(NULL) && strstr(tensor_error(), "without zlib"))
        SKIP("this build has no zlib");
    check_loading(load_idx, NULL, NULL);
}

/* ---- directories ----------------------------------------------------------------------------- */

static void remove_directories(void *unused)
{
    (void)unused;
    scratch_clear(folder);
}

static bool make_directories(void *unused)
{
    (void)unused;
    return tensor_make_directory(path);
}

TEST(directories)
{
    find_place("made"); /* two to make, below one that is there */
    const Attempt t = {make_directories, remove_directories, NULL, NULL, NULL};
    CHECK_TRIAL_DISK(&t);
    CHECK_TRIAL_MEMORY(&t);
}
