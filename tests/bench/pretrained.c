/* pretrained.c: rows of pretrained models, read from the folders that torch_pretrained.py makes.
 *
 * encode_minilm_*: all-MiniLM-L6-v2 encodes a batch, whose hidden states are then averaged.
 * write_gpt2_*: GPT-2 with 124 million weights reads 256 tokens and writes 64 greedily.
 * load_gpt2_*: the same model is read from its folder and freed. With --check each row prints two
 * numbers of its result. */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROMPT = 256, WRITTEN = 64 };

typedef struct {
    Pretrained model;
    char *folder;
    Tape *tape;
    Tensor *result; /* of encode_step */
    int32_t *ids;
    int64_t B, T;
    KVCache cache;
    int32_t written[WRITTEN];
} Reader;

/* Token i is (7919 i + 13) mod V, as in torch_bench.py. */
static void reader_init(Reader *r, const char *model, int64_t B, int64_t T)
{
    if (!*settings.models) {
        fprintf(stderr, "bench: rows of pretrained models need --models DIR, a folder that "
                        "torch_pretrained.py has made\n");
        exit(2);
    }
    size_t bytes = strlen(settings.models) + strlen(model) + 2;
    *r = (Reader){.folder = malloc(bytes), .tape = tape_new(1), .B = B, .T = T};
    r->tape->no_grad = true;
    snprintf(r->folder, bytes, "%s/%s", settings.models, model);
    nn_pretrained_load(r->folder, &r->model, (PretrainedOptions){.mapped = true});
    r->ids = malloc((size_t)(B * T) * sizeof *r->ids);
    for (int64_t i = 0; i < B * T; i++)
        r->ids[i] = (int32_t)((7919 * i + 13) % r->model.config.words);
}

static void reader_free(Reader *r)
{
    nn_cache_free(&r->cache);
    nn_pretrained_free(&r->model);
    tape_free(r->tape);
    free(r->ids);
    free(r->folder);
}

/* Multiply-adds of the linear layers and of attention, counted twice as floating-point
 * operations. */
static double encoder_flops(const PretrainedConfig *c, int64_t B, int64_t T)
{
    double C = (double)c->channels, tokens = (double)(B * T);
    return 2 * tokens * (double)c->layers *
           (4 * C * C + 2 * C * (double)c->hidden + 2 * C * (double)T);
}

static void encode_step(void *context)
{
    Reader *r = context;
    tape_reset(r->tape);
    Tensor *ids = tape_ids(r->tape, r->ids, shape2(r->B, r->T));
    r->result = ag_mean_axis(nn_pretrained_run(&r->model, ids, NULL, NULL, NULL), 1, false);
}

static void run_encode(const Row *row)
{
    Reader r;
    reader_init(&r, "minilm", row->size[0], row->size[1]);
    if (settings.check) {
        encode_step(&r);
        printf("%s\t%.6f\t%.6f\n", row->name, (double)r.result->data[0],
               (double)r.result->data[tensor_size(r.result) - 1]);
    } else {
        measure(row->name, encode_step, &r,
                (Work){BOUND_FMA, encoder_flops(&r.model.config, r.B, r.T), 0});
    }
    reader_free(&r);
}

static void write_step(void *context)
{
    Reader *r = context;
    Decoder d = {.logits = nn_pretrained_logits_cached,
                 .model = &r->model,
                 .cache = &r->cache,
                 .end = -1};
    nn_generate(r->tape, &d, r->ids, NULL, PROMPT, r->written, WRITTEN);
}

static void run_write(const Row *row)
{
    Reader r;
    reader_init(&r, "gpt2", 1, PROMPT);
    nn_pretrained_cache(&r.model, &r.cache, 1, PROMPT + WRITTEN);
    r.model.last_only = true;
    if (settings.check) {
        double sum = 0;
        write_step(&r);
        for (int i = 0; i < WRITTEN; i++)
            sum += r.written[i];
        printf("%s\t%d\t%.0f\n", row->name, r.written[0], sum);
    } else {
        measure(row->name, write_step, &r, (Work){0});
    }
    reader_free(&r);
}

static void load_step(void *context)
{
    Reader *r = context;
    nn_pretrained_free(&r->model);
    nn_pretrained_load(r->folder, &r->model, (PretrainedOptions){.mapped = true});
}

static void run_load(const Row *row)
{
    Reader r;
    reader_init(&r, "gpt2", 1, 1);
    if (settings.check)
        printf("%s\t%lld\t%d\n", row->name, (long long)params_size(r.model.params), r.model.unused);
    else
        measure(row->name, load_step, &r, (Work){0});
    reader_free(&r);
}

const Row folder_rows[] = {
    {"encode_minilm_B1_T16", run_encode, {1, 16}, true},
    {"encode_minilm_B32_T128", run_encode, {32, 128}, true},
    {"write_gpt2_256_64", run_write, {0}, true},
    {"load_gpt2_124M", run_load, {0}, true},
    {0},
};
