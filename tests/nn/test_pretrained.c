/* test_pretrained.c: models of every family against transformers (golden/pretrained, made by
 * pretrained/make_models.py): hidden states, attention maps with their gradients, logits, all
 * gradients of weights, 200 greedy tokens. GRADUS_MODELS=DIR: those of another folder. Folders that
 * are refused: test_pretrained_errors.c; files that are saved and mapped:
 * test_pretrained_files.c. */
#include "tests/harness/test.h"
#include "tests/nn/pretrained_folders.h"

#include "nn/decode/decode.h"
#include "nn/pretrained/inside.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the largest number of a tensor. In double some ten thousand roundings of 1e-16, and
 * what the scaled weights of deviation 0.3 make of them; in float the same with 6e-8, of which
 * PyTorch's own floats need a half to two thirds. */
#define CLOSE (sizeof(real) == 8 ? 1e-11 : 3e-5)

enum { MOST_LAYERS = 64 };

typedef struct {
    Pretrained m;
    Safetensors want;
    Tape *tape;
    const char *name;
} Case;

static const char *folder_of_all(void)
{
    const char *given = getenv("GRADUS_MODELS");
    return given ? given : source_path("tests/golden/pretrained");
}

static void compare(const Case *c, const Tensor *got, const char *name)
{
    const Tensor *want = safetensors_find(&c->want, name);
    if (!CHECK(want && !tensor_is_poison(got), "%s: %s is missing: %s", c->name, name,
               tensor_error()))
        return;
    Tensor *numbers = tensor_clone(got);
    /* A gradient that is 0 but for rounding (a key's bias) is a sum of numbers as large as the
     * other gradients. */
    double largest = strncmp(name, "grad.", 5) == 0 ? 0.1 : 1e-3, off = 0;
    bool fits = numbers && tensor_size(numbers) == tensor_size(want);
    CHECK(fits, "%s: %s is %s, not %s", c->name, name, numbers ? shape_str(numbers->shape) : "?",
          shape_str(want->shape));
    for (int64_t i = 0; fits && i < tensor_size(want); i++) {
        double gap = fabs((double)numbers->data[i] - (double)want->data[i]);
        largest = fmax(largest, fabs((double)want->data[i]));
        off = larger_or_nan(off, gap);
    }
    CHECK(fits && off <= CLOSE * largest, "%s: %s is off by %g of %g", c->name, name, off, largest);
    tensor_free(numbers);
}

/* The gradient of an in_proj in their layout, head by head: (H, 3, d, ...). */
static Tensor by_heads(const PretrainedConfig *c, const Tensor *w)
{
    int64_t H = c->heads, d = c->head_size, C = tensor_size(w) / w->shape.dim[0];
    Tensor t = {.data = w->grad, .shape = shape4(H, 3, d, C)};
    const int64_t stride[] = {d * C, H * d * C, C, 1};
    memcpy(t.stride, stride, sizeof stride);
    return t;
}

/* Two weights of ours are the halves of theirs. */
static void both_halves(const Case *c, const Place *at, const Tensor *first, const char *key)
{
    Place next = *at;
    next.rule++;
    const Tensor *second = pretrained_weight(&c->m, &next), *want = safetensors_find(&c->want, key);
    int64_t n = tensor_size(first);
    Tensor *joined = tensor_new(want->shape);
    REQUIRE(joined && second && tensor_size(want) == 2 * n, "%s: %s", c->name, key);
    memcpy(joined->data, first->grad, (size_t)n * sizeof(real));
    memcpy(joined->data + n, second->grad, (size_t)n * sizeof(real));
    compare(c, joined, key);
    tensor_free(joined);
}

/* Of the gradients that are compared. */
static const Case *compared_case;
static int compared;

/* Our gradient there in their names, parts and layout. */
static bool compare_gradient(const Pretrained *m, const Place *at)
{
    char name[PRETRAINED_NAME], key[PRETRAINED_NAME + 8];
    const Case *c = compared_case;
    Tensor *w = pretrained_weight(m, at);
    pretrained_name(m, at, name);
    snprintf(key, sizeof key, "grad.%s", name);
    if (!w || !safetensors_find(&c->want, key) || at->rule->part == PART_SECOND)
        return true; /* the second half is of PART_FIRST's tensor */
    int64_t first, count;
    compared++;
    pretrained_rows(m, at->rule, w, &first, &count);
    Tensor t = {.data = w->grad};
    tensor_set_contiguous(&t, w->shape);
    t.data += first * t.stride[0];
    t.shape.dim[0] = count;
    if (at->rule->part == PART_HEADS)
        t = by_heads(&m->config, w);
    if (at->rule->form == TRANSPOSED && w->shape.rank == 2) {
        t.shape = shape2(w->shape.dim[1], w->shape.dim[0]);
        t.stride[0] = w->stride[1];
        t.stride[1] = w->stride[0];
    }
    if (at->rule->part == PART_FIRST)
        both_halves(c, at, w, key);
    else
        compare(c, &t, key);
    return true;
}

static void gradients(const Case *c)
{
    int there = 0;
    compared = 0;
    compared_case = c;
    pretrained_each(&c->m, compare_gradient);
    for (int i = 0; i < c->want.count; i++)
        there += strncmp(c->want.tensors[i]->name, "grad.", 5) == 0;
    CHECK(compared == there && there > 0, "%s: %d gradients of %d", c->name, compared, there);
}

static Tensor *ids_of(const Case *c, const char *name)
{
    const Tensor *t = safetensors_find(&c->want, name);
    return t ? tape_ids(c->tape, t->ids, t->shape) : NULL;
}

/* Of an encoder-decoder the decoder's last states; hidden is that of the encoder. */
static Tensor *run(Case *c, Tensor **hidden)
{
    Tensor *decoded[MOST_LAYERS + 1], *x = fixture_states(&c->m, &c->want, c->tape, false, hidden);
    char name[64];
    if (c->m.config.kind != PRETRAINED_TRANSLATOR)
        return x;
    x = nn_pretrained_decode(&c->m, ids_of(c, "decoder_ids"), x, ids_of(c, "lengths"), decoded);
    for (int i = 0; i <= c->m.config.decoder_layers; i++) {
        snprintf(name, sizeof name, "decoder_hidden.%d", i);
        compare(c, decoded[i], name);
    }
    return x;
}

/* What transformers calls the model's logits. */
static Tensor *logits(Case *c, Tensor *x)
{
    return c->m.classifier.weight ? nn_pretrained_classify(&c->m, x)
           : c->m.output.weight   ? nn_pretrained_logits(&c->m, x)
                                  : x;
}

/* The maps of every layer, in our names and in those of the expected file. */
typedef struct {
    char ours[64], name[64];
} MapName;

static int map_names(const Case *c, MapName names[3 * MOST_LAYERS])
{
    static const char *const kinds[][2] = {{"blocks.%d.attn.A", "maps.%d"},
                                           {"decoder.%d.self_attn.A", "self_maps.%d"},
                                           {"decoder.%d.cross_attn.A", "cross_maps.%d"}};
    int count = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < (k ? c->m.config.decoder_layers : c->m.config.layers); i++, count++) {
            snprintf(names[count].ours, 64, kinds[k][0], i);
            snprintf(names[count].name, 64, kinds[k][1], i);
        }
    return count;
}

/* dL/dA of every layer. */
static void map_gradients(const Case *c)
{
    MapName names[3 * MOST_LAYERS];
    int count = map_names(c, names);
    for (int i = 0; i < count; i++) {
        char name[80];
        const char *ours = names[i].ours;
        snprintf(name, sizeof name, "d%s", names[i].name);
        Tensor *map = tape_find(c->tape, ours), gradient = {0};
        if (!CHECK(!tensor_is_poison(map) && map->grad, "%s: %s has no gradient", c->name, ours))
            continue;
        gradient.data = map->grad;
        tensor_set_contiguous(&gradient, map->shape);
        compare(c, &gradient, name);
    }
}

static void watch(TapeEvent event, Tape *tape, const Node *n)
{
    (void)event, (void)tape, (void)n;
}

/* With maps, the modules are watched, too: the names that they give are those of transformers'
 * hidden states. */
static void forward_and_back(Case *c, bool maps)
{
    Tensor *hidden[MOST_LAYERS + 1];
    char name[64], block[64];
    tape_on_event(maps ? watch : NULL);
    tape_reset(c->tape);
    params_zero_grad(c->m.params);
    c->tape->keep_maps = maps;
    Tensor *x = run(c, hidden), *y = logits(c, x);
    for (int i = 0; i <= c->m.config.layers; i++) {
        if (i == c->m.config.layers && c->m.config.kind == PRETRAINED_VISION)
            break; /* theirs comes before the last norm */
        snprintf(name, sizeof name, "hidden.%d", i);
        compare(c, hidden[i], name);
        snprintf(block, sizeof block, "blocks.%d.out", i - 1);
        if (maps && i > 0 && (i < c->m.config.layers || !c->m.encoder.norm.weight))
            compare(c, tape_find(c->tape, block), name);
    }
    MapName names[3 * MOST_LAYERS];
    int count = maps ? map_names(c, names) : 0;
    for (int i = 0; i < count; i++)
        compare(c, tape_find(c->tape, names[i].ours), names[i].name);
    compare(c, maps && c->m.output.weight ? tape_find(c->tape, "logits") : y, "logits");
    CHECK(fixture_backward(y), "%s: %s", c->name, tensor_error());
    tape_on_event(NULL);
    gradients(c);
    if (maps)
        map_gradients(c);
}

/* The gradients of all maps where no weight has a gradient. */
static void gradients_of_frozen_model(Case *c)
{
    tape_reset(c->tape);
    c->tape->keep_maps = true;
    CHECK(fixture_backward(logits(c, run(c, NULL))), "%s: %s", c->name, tensor_error());
    map_gradients(c);
}

static void greedy(Case *c)
{
    const Tensor *prompt = safetensors_find(&c->want, "prompt"),
                 *want = safetensors_find(&c->want, "greedy");
    if (!prompt)
        return;
    int64_t B = prompt->shape.dim[0], T = prompt->shape.dim[1], N = want->shape.dim[1];
    int32_t *out = malloc((size_t)(B * N) * sizeof *out);
    KVCache cache;
    for (int last = 0; last < 2; last++) {
        c->m.last_only = last;
        Decoder d = {.logits = nn_pretrained_logits_cached,
                     .model = &c->m,
                     .cache = &cache,
                     .end = -1};
        tape_reset(c->tape);
        c->tape->no_grad = true;
        if (c->m.config.kind == PRETRAINED_TRANSLATOR)
            CHECK(nn_pretrained_read(&c->m, ids_of(c, "ids"),
                                     safetensors_find(&c->want, "lengths")->ids),
                  "%s: %s", c->name, tensor_error());
        CHECK(nn_pretrained_cache(&c->m, &cache, B, T + N) &&
                  nn_generate(c->tape, &d, prompt->ids, NULL, T, out, N),
              "%s: %s", c->name, tensor_error());
        int64_t same = 0;
        while (same < B * N && out[same] == want->ids[same])
            same++;
        CHECK(same == B * N, "%s: token %d of sequence %d is another", c->name, (int)(same % N),
              (int)(same / N));
        nn_cache_free(&cache);
        c->tape->no_grad = false;
    }
    free(out);
}

/* The weights are the file's pages: GPT-2's file stores W^T, so its weights have strides, and where
 * W is trained it is copied. */
static void check_strides(const Case *c)
{
    int strided = 0;
    for (int i = 0; i < c->m.params->count; i++)
        strided += !tensor_is_contiguous(c->m.params->weight[i]);
    const int one = 1;
    bool little_endian = *(const char *)&one == 1; /* else the file's numbers are converted */
    bool expected =
        sizeof(real) == sizeof(float) && little_endian && strcmp(c->m.config.type, "gpt2") == 0;
    CHECK((strided > 0) == expected, "%s: %d weights with strides", c->name, strided);
}

/* Without gradients a block's results are released after it, unless the program asks for the states
 * between blocks: the same numbers, and only what was named or is still read is left. */
static void released_states(Case *c)
{
    Tensor *hidden[MOST_LAYERS + 1], *want;
    tape_reset(c->tape);
    c->tape->no_grad = true;
    c->tape->keep_maps = false;
    want = tensor_clone(run(c, hidden));
    int64_t kept = (int64_t)c->tape->bytes;
    for (int i = 0; i <= c->m.config.layers; i++)
        CHECK(hidden[i]->data, "%s: hidden state %d was asked for", c->name, i);
    tape_reset(c->tape);
    Tensor *x = run(c, NULL);
    CHECK_TENSOR(x, want, 0, 0);
    CHECK((int64_t)c->tape->bytes < kept, "%s: %zu bytes, and %lld where all is kept", c->name,
          c->tape->bytes, (long long)kept);
    c->tape->no_grad = false;
    tensor_free(want);
}

/* Without gradients of weights first, then with them. */
static void compare_model(const char *folder, const char *name)
{
    char path[2000];
    Case c = {.name = name, .tape = tape_new(1)};
    snprintf(path, sizeof path, "%s/%s/expected.safetensors", folder, name);
    bool ok = safetensors_read(path, &c.want);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ok = ok && nn_pretrained_load(path, &c.m);
    if (CHECK(ok, "%s: %s", name, tensor_error()) &&
        CHECK(c.m.config.layers <= MOST_LAYERS, "%s: %lld layers", name,
              (long long)c.m.config.layers)) {
        check_strides(&c);
        released_states(&c);
        greedy(&c);
        gradients_of_frozen_model(&c);
        CHECK(params_freeze(c.m.params, "", false) == c.m.params->count, "%s", tensor_error());
        forward_and_back(&c, true);
        forward_and_back(&c, false);
        CHECK_NO_ERROR();
    }
    nn_pretrained_free(&c.m);
    safetensors_free(&c.want);
    tape_free(c.tape);
}

TEST(as_transformers)
{
    const char *folder = folder_of_all();
    DIR *d = opendir(folder);
    int models = 0;
    REQUIRE(d, "%s is missing", folder);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') {
            compare_model(folder, e->d_name);
            models++;
        }
    closedir(d);
    CHECK(models >= 26, "%d models", models);
}
