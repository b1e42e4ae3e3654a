/* test_families.c: a tiny model of each family with its tokeniser, as transformers' own classes
 * save them (golden/families, made by pretrained/make_families.py), run from the folder: the ids of
 * each text are equal, the logits at its last token within 1e-5; of a model of pictures those of a
 * picture. */
#include "tests/harness/test.h"

#include "data/data.h"
#include "nn/pretrained/pretrained.h"
#include "tensor/io/safetensors.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128, FAMILIES = 17 };

typedef struct {
    Pretrained m;
    Tokeniser *tokeniser;
    Tape *tape;
    Safetensors want;
    const char *name;
} Case;

static void compare(const Case *c, Tensor *logits, int number)
{
    char key[32];
    snprintf(key, sizeof key, "logits.%d", number);
    const Tensor *want = safetensors_find(&c->want, key);
    REQUIRE(want && !tensor_is_poison(logits), "%s: %s: %s", c->name, key, tensor_error());
    const int64_t V = shape_last(want->shape), rows = tensor_size(logits) / V;
    REQUIRE(shape_last(logits->shape) == V, "%s: %s", c->name, shape_str(logits->shape));
    double off = 0, largest = 1;
    for (int64_t i = 0; i < V; i++) {
        largest = fmax(largest, fabs((double)want->data[i]));
        off = larger_or_nan(off, fabs((double)logits->data[(rows - 1) * V + i] - want->data[i]));
    }
    CHECK(off <= 1e-5 * largest, "%s: %s is off by %g of %g", c->name, key, off, largest);
}

/* The last logits of a text. */
static Tensor *logits_of(Case *c, const int *ids, int n)
{
    const PretrainedConfig *config = &c->m.config;
    const int start[] = {config->start, 5, 7};
    Tensor *x = nn_pretrained_run(&c->m, tape_ids(c->tape, ids, shape2(1, n)), NULL, NULL, NULL);
    if (c->m.config.kind == PRETRAINED_TRANSLATOR)
        x = nn_pretrained_decode(&c->m, tape_ids(c->tape, start, shape2(1, 3)), x, NULL, NULL);
    return nn_pretrained_logits(&c->m, x);
}

static void text(Case *c, char *line, int number)
{
    char bytes[MOST] = "";
    int ids[MOST], n = 0, used = 0;
    Tokens got = {0};
    char *at = strchr(line, '\t');
    for (unsigned byte; sscanf(line, "%2x", &byte) == 1 && line < at; line += 2)
        bytes[used++] = (char)byte;
    for (char *end; n < MOST && *at && *at != '\n'; at = end)
        ids[n++] = (int)strtol(at, &end, 10);
    REQUIRE(data_tokens(c->tokeniser, (TokenInput){.text = bytes}, &got), "%s: %s", c->name,
            tensor_error());
    CHECK(got.count == n, "%s: text %d has %d tokens, not %d", c->name, number, got.count, n);
    for (int i = 0; i < n && i < got.count; i++)
        CHECK(got.token[i].id == ids[i], "%s: text %d, token %d is %d, not %d", c->name, number, i,
              got.token[i].id, ids[i]);
    data_tokens_free(&got);
    tape_reset(c->tape);
    compare(c, logits_of(c, ids, n), number);
}

static void texts(Case *c, const char *folder)
{
    char line[16 * MOST], path[4096];
    int n = 0;
    snprintf(path, sizeof path, "%s/expected.tsv", folder);
    FILE *in = fopen(path, "r");
    REQUIRE(in && (c->tokeniser = data_tokeniser_open(folder)), "%s: %s", path, tensor_error());
    while (fgets(line, sizeof line, in))
        text(c, line, n++);
    fclose(in);
    CHECK(n == 3, "%s: %d texts", c->name, n);
    data_tokeniser_free(c->tokeniser);
}

static void picture(Case *c)
{
    PretrainedPixels p;
    const Tensor *given = safetensors_find(&c->want, "picture");
    REQUIRE(given && nn_pretrained_pixels(&c->m, &p), "%s: %s", c->name, tensor_error());
    Tensor *x = tape_input(c->tape, given->data, shape4(1, 3, 8, 8));
    for (int64_t i = 0; i < tensor_size(x); i++)
        x->data[i] = (real)((x->data[i] * p.factor - p.mean[i / 64]) / p.deviation[i / 64]);
    compare(c, nn_pretrained_classify(&c->m, nn_pretrained_run(&c->m, x, NULL, NULL, NULL)), 0);
}

TEST(as_transformers)
{
    char all[4096], folder[5000], path[6000];
    snprintf(all, sizeof all, "%s", source_path("tests/golden/families"));
    DIR *d = opendir(all);
    int families = 0;
    REQUIRE(d, "%s is missing", all);
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        Case c = {.tape = tape_new(1), .name = e->d_name};
        snprintf(folder, sizeof folder, "%s/%s", all, e->d_name);
        snprintf(path, sizeof path, "%s/expected.safetensors", folder);
        c.tape->no_grad = true;
        REQUIRE(nn_pretrained_load(folder, &c.m) && safetensors_read(path, &c.want), "%s: %s",
                e->d_name, tensor_error());
        if (c.m.config.kind == PRETRAINED_VISION)
            picture(&c);
        else
            texts(&c, folder);
        safetensors_free(&c.want);
        tape_free(c.tape);
        nn_pretrained_free(&c.m);
        families++;
    }
    closedir(d);
    CHECK(families == FAMILIES, "%d families", families);
}
