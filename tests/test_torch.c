/* test_torch.c: weight files go both ways. PyTorch loads ours into the same architecture with
 * load_state_dict(strict=True), we load its own, and each computes the other's outputs: within 1e-5, about a
 * hundred roundings of numbers around 1. PyTorch's side is torch_weights.py; without a Python that has torch
 * the cases are skipped. */
#include "runner.h"

#include "nn/nn.h"

#include <stdlib.h>
#include <sys/wait.h>

enum { WORDS = 11, CHANNELS = 12, HEADS = 3, LAYERS = 2, LONGEST = 9, BATCH = 3, T = 7 };

typedef struct {
    Params *params;
    Tape *tape;
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock block[LAYERS];
    LayerNorm norm;
    Linear head;
} Model;

static bool model_open(Model *m, uint64_t seed)
{
    const BlockConfig c = {.channels = CHANNELS, .heads = HEADS};
    Params *p = params_new(seed);
    *m = (Model){.params = p, .tape = tape_new(1)};
    bool ok = p && m->tape && nn_embedding_init(&m->embedding, p, "embedding", WORDS, CHANNELS) &&
              nn_position_init(&m->position, p, "position", POSITION_LEARNED, LONGEST, CHANNELS);
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_transformer_block_init(&m->block[i], p, params_format(p, "blocks.%d", i), c);
    return ok && nn_layernorm_init(&m->norm, p, "norm", CHANNELS) &&
           nn_linear_init(&m->head, p, "head", CHANNELS, WORDS, true);
}

static void model_close(Model *m)
{
    tape_free(m->tape);
    params_free(m->params);
}

static Tensor *token_ids(Model *m)
{
    int ids[BATCH * T];
    for (int i = 0; i < BATCH * T; i++)
        ids[i] = (i * i + 3 * i) % WORDS;
    return tape_ids(m->tape, ids, shape2(BATCH, T));
}

static Tensor *logits(Model *m)
{
    tape_reset(m->tape);
    Tensor *x = nn_position(&m->position, nn_embedding(&m->embedding, token_ids(m)));
    for (int i = 0; i < LAYERS; i++)
        x = nn_transformer_block(&m->block[i], x, (Mask){.causal = true});
    return nn_linear(&m->head, nn_layernorm(&m->norm, x));
}

/* ---- PyTorch's side -------------------------------------------------------------------------- */

enum { DONE = 0, NO_TORCH = 77, NO_PYTHON = 127 };

/* The script's status, by the first Python that has torch. */
static int run_script(void)
{
    static const char *const python[] = {"python3", "/usr/bin/python3"};
    const char *source = getenv("GRADUS_SOURCE");
    char command[3000];
    int status = NO_PYTHON;
    for (int i = 0; i < 2 && (status == NO_TORCH || status == NO_PYTHON); i++) {
        snprintf(command, sizeof command, "%s '%s/tests/torch_weights.py' '%s' >&2", python[i],
                 source && *source ? source : "..", scratch_path("."));
        status = WEXITSTATUS(system(command));
    }
    return status;
}

static void check_logits(Model *m, const char *name)
{
    Tensor *want = tensor_npy_read(scratch_path(name));
    if (CHECK(want, "%s", tensor_error()))
        CHECK_TENSOR(logits(m), want, 1e-5, 1e-5);
    tensor_free(want);
}

/* ---- both ways ------------------------------------------------------------------------------- */

/* Biases and norms begin with 0 and 1, which would hide an exchange of two. */
static void stir(Params *p)
{
    Rng r = {.seed = 5};
    for (int i = 0; i < p->count; i++)
        for (int64_t k = 0; k < tensor_size(p->weight[i]); k++)
            p->weight[i]->data[k] += (real)(0.1 * rng_normal(&r));
}

static void weights_go_both_ways(void)
{
    Model m;
    REQUIRE(model_open(&m, 1), "%s", tensor_error());
    stir(m.params);
    CHECK(params_save(m.params, scratch_path("ours.safetensors"), NULL, 0) &&
              tensor_npy_write(scratch_path("ids.npy"), token_ids(&m)),
          "%s", tensor_error());
    int status = run_script();
    if (status == NO_TORCH || status == NO_PYTHON) {
        test_skip("neither python3 nor /usr/bin/python3 has torch and numpy");
    } else if (CHECK(status == DONE, "torch_weights.py: status %d", status)) {
        check_logits(&m, "ours.npy");
        CHECK(params_load(m.params, scratch_path("theirs.safetensors")), "%s", tensor_error());
        check_logits(&m, "theirs.npy");
    }
    model_close(&m);
}

static const TestCase cases[] = {
    {"weights go both ways", weights_go_both_ways},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("torch", cases, argc, argv);
}
