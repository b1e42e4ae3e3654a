/* test_checkpoint.c: a run that is interrupted after any of its first steps, saved, and continued
 * by a program that has only the file gives the same bits as an uninterrupted one. A file that does
 * not fit changes nothing. A language model and its settings in one file (nn_gpt_save). */
#include "tests/nn/sequences.h"

#include "nn/nn.h"
#include "tests/autograd/on_tape.h"

#include <math.h>
#include <string.h>

enum { WORDS = 9, CHANNELS = 6, TOKENS = 5, BATCH = 2, TEXT = 60, STOPS = 20, AFTER = 20 };

/* A language model with dropout, whose data come in random order, and all that trains it. */
typedef struct {
    Params *params;
    Tape *tape;
    Embedding words;
    TransformerBlock block;
    Linear head;
    Adam adam;
    Sgd sgd;
    Rng rng[2]; /* which window; how much noise */
    Checkpoint point;
    double loss;
    double kept[2]; /* the program's own: the best loss, and steps without a better one */
} Run;

static bool run_open(Run *r, uint64_t seed, bool use_sgd)
{
    *r = (Run){.params = params_new(seed), .tape = tape_new(seed)};
    BlockConfig config = {.channels = CHANNELS, .heads = 2, .hidden = 8, .dropout = 0.2};
    bool ok = nn_embedding_init(&r->words, r->params, "words", WORDS, CHANNELS) &&
              nn_transformer_block_init(&r->block, r->params, "block", config) &&
              nn_linear_init(&r->head, r->params, "head", CHANNELS, WORDS, true) &&
              (use_sgd ? sgd_init(&r->sgd, r->params, 0.05, 0.9, 0.01)
                       : adamw_init(&r->adam, r->params, 0.01, 0.1));
    r->tape->training = true;
    r->rng[0] = (Rng){.seed = seed, .stream = 1};
    r->rng[1] = (Rng){.seed = seed, .stream = 2};
    r->point = (Checkpoint){.params = r->params,
                            .adam = use_sgd ? NULL : &r->adam,
                            .sgd = use_sgd ? &r->sgd : NULL,
                            .tape = r->tape,
                            .rng = r->rng,
                            .rngs = 2,
                            .number = r->kept,
                            .numbers = 2};
    r->kept[0] = INFINITY;
    r->adam.decay_matrices = seed == 1; /* a setting that comes from the file */
    return CHECK(ok, "%s", tensor_error());
}

static void run_close(Run *r)
{
    CHECK_NO_ERROR();
    adam_free(&r->adam);
    sgd_free(&r->sgd);
    tape_free(r->tape);
    params_free(r->params);
}

/* Uses everything that a checkpoint holds: weights, optimiser, dropout, both generators, the
 * cursor, the step. */
static bool run_step(Run *r)
{
    int ids[BATCH * TOKENS], next[BATCH * TOKENS];
    for (int b = 0; b < BATCH; b++) {
        int64_t at = b == 0 ? r->point.cursor : rng_below(&r->rng[0], TEXT);
        for (int t = 0; t < TOKENS; t++) {
            ids[b * TOKENS + t] = (int)((at + t) * (at + t) % WORDS);
            next[b * TOKENS + t] = (int)((at + t + 1) * (at + t + 1) % WORDS);
        }
    }
    r->point.cursor = (r->point.cursor + TOKENS) % TEXT;
    tape_reset(r->tape);
    Tensor *x = nn_embedding(&r->words, tape_ids(r->tape, ids, shape2(BATCH, TOKENS)));
    x = ag_scale(x, (real)(1 + 0.01 * rng_normal(&r->rng[1])));
    x = nn_transformer_block(&r->block, x, (Mask){.causal = true});
    Tensor *targets = tape_ids(r->tape, next, shape2(BATCH, TOKENS));
    Tensor *loss = ag_cross_entropy(nn_linear(&r->head, x), targets);
    double rate = nn_warmup_linear(r->point.step, 5, 30, 0.05, 0.001);
    r->adam.rate = r->sgd.rate = rate;
    r->loss = tensor_item(loss);
    r->kept[1] = r->loss < r->kept[0] ? 0 : r->kept[1] + 1;
    r->kept[0] = r->loss < r->kept[0] ? r->loss : r->kept[0];
    r->point.step++;
    return ag_backward(loss) &&
           (r->point.adam ? adam_step(&r->adam, r->params) : sgd_step(&r->sgd, r->params));
}

static uint64_t hash(uint64_t h, const void *from, size_t bytes)
{
    for (const unsigned char *at = from; at && bytes > 0; at++, bytes--)
        h = (h ^ *at) * 1099511628211u;
    return h;
}

/* One number for all bits of the weights, of the optimiser and of the loss. */
static uint64_t fingerprint(const Run *r)
{
    const size_t adam = (size_t)r->adam.size * sizeof(real),
                 sgd = (size_t)r->sgd.size * sizeof(real);
    uint64_t h =
        hash(hash(1469598103934665603u, &r->loss, sizeof r->loss), r->kept, sizeof r->kept);
    h = hash(hash(hash(h, r->adam.m, adam), r->adam.v, adam), r->sgd.velocity, sgd);
    for (int i = 0; i < r->params->count; i++) {
        const Tensor *w = r->params->weight[i];
        h = hash(h, w->data, (size_t)tensor_size(w) * sizeof *w->data);
    }
    return h;
}

static void resumed_at(int stop, bool use_sgd, const uint64_t *never_stopped)
{
    Run before, after;
    const char *path = scratch_path("run.safetensors");
    REQUIRE(run_open(&before, 1, use_sgd) && run_open(&after, 77, use_sgd), "no run");
    after.sgd.momentum = after.sgd.decay = 0.5; /* every setting comes from the file */
    after.adam.beta1 = after.adam.beta2 = after.adam.epsilon = after.adam.decay = 0.5;
    after.adam.decoupled = false;
    for (int step = 0; step < stop; step++)
        CHECK(run_step(&before), "%s", tensor_error());
    CHECK(nn_checkpoint_save(path, &before.point), "%s", tensor_error());
    run_close(&before);
    CHECK(nn_checkpoint_load(path, &after.point), "%s", tensor_error());
    CHECK(after.point.step == stop, "it is at step %d, not %d", (int)after.point.step, stop);
    for (int step = stop; step < stop + AFTER; step++) {
        CHECK(run_step(&after), "%s", tensor_error());
        if (!CHECK(fingerprint(&after) == never_stopped[step], "stopped after %d, step %d differs",
                   stop, step + 1))
            break;
    }
    run_close(&after);
}

static void resumed(bool use_sgd)
{
    Run whole;
    uint64_t never_stopped[STOPS + AFTER];
    REQUIRE(run_open(&whole, 1, use_sgd), "no run");
    for (int step = 0; step < STOPS + AFTER; step++) {
        CHECK(run_step(&whole), "%s", tensor_error());
        never_stopped[step] = fingerprint(&whole);
    }
    run_close(&whole);
    for (int stop = 0; stop <= STOPS; stop++)
        resumed_at(stop, use_sgd, never_stopped);
}

TEST(resumed_with_Adam_and_with_SGD)
{
    resumed(false);
    resumed(true);
}

/* ---- what does not fit ----------------------------------------------------------------------- */

TEST(weights_alone)
{
    Run a, b;
    const char *path = scratch_path("run.safetensors");
    REQUIRE(run_open(&a, 1, false) && run_open(&b, 2, false), "no run");
    CHECK(run_step(&a) && nn_checkpoint_save(path, &a.point), "%s", tensor_error());
    Checkpoint only = {.params = b.params};
    CHECK(nn_checkpoint_load(path, &only), "%s", tensor_error());
    for (int i = 0; i < a.params->count; i++)
        CHECK_TENSOR(b.params->weight[i], a.params->weight[i], 0, 0);
    CHECK(only.step == 1 && b.adam.steps == 0, "step %d, Adam's %d", (int)only.step,
          (int)b.adam.steps);
    run_close(&a);
    run_close(&b);
}

/* Nothing of r has changed since `print` was taken. */
static void refuses(Run *r, Checkpoint *point, const char *path, const char *part)
{
    uint64_t print = fingerprint(r), step = r->tape->step;
    int64_t at = point->step;
    Rng rng = r->rng[0];
    CHECK(!nn_checkpoint_load(path, point), "it loads, in spite of: %s", part);
    CHECK_ERROR(part);
    CHECK(fingerprint(r) == print && r->tape->step == step && point->step == at &&
              memcmp(&rng, &r->rng[0], sizeof rng) == 0,
          "refused (%s), it has changed something", part);
}

/* A file whose state of the optimiser is another model's, or was left out. */
TEST(states_of_another_size)
{
    Run a, b;
    Safetensors file;
    char part[200];
    const char *path = scratch_path("run.safetensors");
    REQUIRE(run_open(&a, 1, false) && run_open(&b, 2, false), "no run");
    CHECK(run_step(&a) && nn_checkpoint_save(path, &a.point), "%s", tensor_error());
    REQUIRE(safetensors_read(path, &file), "%s", tensor_error());
    int last = -1;
    for (int i = 0; i < file.count; i++)
        last = params_find(a.params, file.tensors[i]->name) ? last : i;
    REQUIRE(last >= 0, "no state in the file");
    Tensor *state = file.tensors[last];
    int64_t size = tensor_size(state);
    state->shape.dim[0]--;
    CHECK(safetensors_write(path, file.tensors, file.count, (const char *const *)file.metadata,
                            file.metadata_count),
          "%s", tensor_error());
    snprintf(part, sizeof part, "found '%s' (%d,); expected (%d,)", state->name, (int)size - 1,
             (int)size);
    refuses(&b, &b.point, path, part);
    snprintf(part, sizeof part, "found no '%s'; expected a checkpoint that was saved with this",
             state->name);
    file.tensors[last] = file.tensors[file.count - 1];
    CHECK(safetensors_write(path, file.tensors, file.count - 1, (const char *const *)file.metadata,
                            file.metadata_count),
          "%s", tensor_error());
    file.tensors[last] = state;
    refuses(&b, &b.point, path, part);
    safetensors_free(&file);
    run_close(&a);
    run_close(&b);
}

TEST(what_does_not_fit_changes_nothing)
{
    Run a, b;
    const char *path = scratch_path("run.safetensors");
    REQUIRE(run_open(&a, 1, false) && run_open(&b, 2, false), "no run");
    a.point.rngs = 1;
    CHECK(run_step(&a) && nn_checkpoint_save(path, &a.point), "%s", tensor_error());
    refuses(&b, &b.point, path,
            "found no metadata 'rng.1'; expected a file that was saved with it");
    b.point.rngs = 5;
    refuses(&b, &b.point, path,
            "nn_checkpoint_load: found 5 random number generators; expected 0 to 4");
    b.point.rngs = 1;
    b.point.adam = NULL;
    CHECK(sgd_init(&b.sgd, b.params, 1, 0.9, 0), "%s", tensor_error());
    b.point.sgd = &b.sgd;
    refuses(&b, &b.point, path, "found no metadata 'sgd'; expected a file that was saved with it");
    b.point.adam = &b.adam;
    refuses(&b, &b.point, path,
            "nn_checkpoint_load: found Adam and SGD; expected at most one optimiser");
    b.point.sgd = NULL;
    Tensor *w = b.params->weight[0];
    tensor_set_name(w, "other");
    refuses(&b, &b.point, path,
            "found the weights in another order; expected the model's, as the optimiser's state "
            "depends on it");
    tensor_set_name(w, "words.weight");
    CHECK(params_save(path, a.params, NULL, 0), "%s", tensor_error());
    refuses(&b, &b.point, path,
            "found no metadata 'progress'; expected a file that was saved with it");
    CHECK(params_add(b.params, "more", shape1(1), nn_constant(0)) != NULL, "%s", tensor_error());
    refuses(&b, &b.point, path,
            "nn_checkpoint_load: found an optimiser of 419 parameters; expected the 420 of params");
    CHECK(!nn_checkpoint_load(scratch_path("none"), &a.point), "no file");
    CHECK_ERROR("cannot open");
    run_close(&a);
    run_close(&b);
}

/* Numbers in the metadata that are none. */
TEST(damaged_numbers)
{
    static const char *const bad[] = {"",     "3",    "3 ",
                                      "3  4", " 3 4", "3 4 5",
                                      "3 x",  "-1 4", "99999999999999999999 4x"};
    Run r;
    const char *path = scratch_path("run.safetensors");
    REQUIRE(run_open(&r, 1, false), "no run");
    Checkpoint only = {.params = r.params};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const pairs[] = {"progress", bad[i], "order", "0"};
        CHECK(params_save(path, r.params, pairs, 2), "%s", tensor_error());
        refuses(&r, &only, path, "expected 2 whole numbers");
    }
    const char *const huge[] = {"progress", "9223372036854775808 0", "order", "0"};
    CHECK(params_save(path, r.params, huge, 2), "%s", tensor_error());
    refuses(&r, &only, path,
            "found a count of steps above 9223372036854775807; expected at most that");
    run_close(&r);
}

/* ---- no memory ------------------------------------------------------------------------------- */

static bool save_and_load(void *context)
{
    Run *r = context;
    const char *path = scratch_path("memory.safetensors");
    return nn_checkpoint_save(path, &r->point) && nn_checkpoint_load(path, &r->point);
}

TEST(out_of_memory)
{
    Run r;
    REQUIRE(run_open(&r, 1, false), "no run");
    CHECK(run_step(&r), "%s", tensor_error());
    uint64_t print = fingerprint(&r);
    CHECK_OUT_OF_MEMORY(save_and_load, &r);
    CHECK(fingerprint(&r) == print, "it has changed");
    run_close(&r);
}

/* ---- a language model and its settings in one file ------------------------------------------- */

enum { V = 5, T = 3 };

static const GptConfig config = {.words = V,
                                 .longest = 4,
                                 .channels = 6,
                                 .heads = 3,
                                 .layers = 2,
                                 .position = POSITION_LEARNED,
                                 .dropout = 0.1};

/* Every setting comes back, and with it the same numbers, under another seed. */
TEST_ON_TAPE(same_model)
{
    const char *path = scratch_path("gpt.safetensors"), *text;
    const int32_t ids[T] = {4, 0, 2};
    Params *p = params_new(1), *q = params_new(2);
    Gpt m, got;
    REQUIRE(nn_gpt_init(&m, p, "model", config), "%s", tensor_error());
    for (int causal = 0; causal < 2; causal++) {
        m.encoder.causal = causal;
        REQUIRE(nn_gpt_save(path, &m, p, causal ? "a b" : NULL), "%s", tensor_error());
        params_free(q);
        q = params_new(2);
        REQUIRE(nn_gpt_load(path, &got, q, &text), "%s", tensor_error());
        CHECK(causal ? text && strcmp(text, "a b") == 0 : !text, "the text is \"%s\"", text);
        CHECK(got.encoder.causal == causal && got.config.dropout == config.dropout &&
                  got.config.heads == config.heads && got.config.longest == config.longest,
              "other settings");
        CHECK(params_find(q, "model.blocks.1.ff.up.weight"), "other names");
        CHECK_TENSOR(nn_gpt(&got, tape_ids(tape, ids, shape2(1, T))),
                     nn_gpt(&m, tape_ids(tape, ids, shape2(1, T))), 0, 0);
    }
    params_free(p);
    params_free(q);
}

/* Files whose settings are none, or not those of their weights: nothing is left in p. */
TEST(refused)
{
    static const struct {
        const char *settings, *error;
    } bad[] = {
        {NULL, "found no metadata 'gpt'; expected a file that was saved with it"},
        {"5 4 6 3 2 1 1", "metadata 'gpt' is \"5 4 6 3 2 1 1\"; expected 8 whole numbers"},
        {"5 4 6 3 2 9 1 0", "found settings of no model; expected those of 28 tensors"},
        {"5 4 6 3 29 1 1 0", "found settings of no model"},
        {"5 4 6 4 2 1 1 0", "6 channels"},
        {"5 4 6 3 1 1 1 0", "'blocks.1."},
        {"5000000 4 6 3 2 1 1 0", "has 'embedding.weight' (5, 6); expected (5000000, 6)"},
        {"5 4 6 3 2 1 1 4611686018427387904", "the dropout probability is 2"},
    };
    const char *path = scratch_path("bad.safetensors");
    Params *p = params_new(1), *q = params_new(2);
    Gpt m, got;
    REQUIRE(nn_gpt_init(&m, p, "", config), "%s", tensor_error());
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *pair[] = {"gpt", bad[i].settings};
        REQUIRE(params_save(path, p, pair, bad[i].settings ? 1 : 0), "%s", tensor_error());
        CHECK(!nn_gpt_load(path, &got, q, NULL), "settings \"%s\"", bad[i].settings);
        CHECK_ERROR(bad[i].error);
        CHECK(q->count == 0 && !got.head.path, "%d weights are left", q->count);
        tensor_clear_error();
    }
    params_free(p);
    params_free(q);
}
