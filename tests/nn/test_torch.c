/* test_torch.c: weight files are exchanged with PyTorch in both directions. PyTorch loads a file of
 * gradus into the same architecture with load_state_dict(strict=True), gradus loads PyTorch's, and
 * each computes the other's outputs within 1e-5, about a hundred roundings of numbers around 1.
 * PyTorch's side is torch_weights.py; without a Python that has torch the cases are skipped. */
#include "tensor/io/npy.h"
#include "tests/nn/language_model.h"
#include "tests/harness/runner.h"

#include <stdlib.h>
#include <sys/wait.h>

/* The script knows these five numbers too. */
static const LanguageConfig config = {
    .seed = 1, .words = 11, .channels = 12, .heads = 3, .longest = 9};
enum { BATCH = 3, T = 7 };

static Tensor *token_ids(const LanguageModel *m)
{
    int ids[BATCH * T];
    for (int i = 0; i < BATCH * T; i++)
        ids[i] = (i * i + 3 * i) % config.words;
    return tape_ids(m->tape, ids, shape2(BATCH, T));
}

/* ---- PyTorch's side -------------------------------------------------------------------------- */

enum { DONE = 0, NO_TORCH = 77, NO_PYTHON = 127 };

/* The script's status, by the first Python that has torch. */
static int run_script(void)
{
    static const char *const python[] = {"python3", "/usr/bin/python3"};
    char command[4000];
    int status = NO_PYTHON;
    for (int i = 0; i < 2 && (status == NO_TORCH || status == NO_PYTHON); i++) {
        snprintf(command, sizeof command, "%s '%s' '%s' >&2", python[i],
                 source_path("tests/nn/torch_weights.py"), scratch_path("."));
        status = WEXITSTATUS(system(command));
    }
    return status;
}

static void check_logits(const LanguageModel *m, const char *name)
{
    tape_reset(m->tape);
    Tensor *want = tensor_npy_read(scratch_path(name));
    if (CHECK(want, "%s", tensor_error()))
        CHECK_TENSOR(language_logits(m, token_ids(m)), want, 1e-5, 1e-5);
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
    LanguageModel m;
    REQUIRE(language_open(&m, config), "%s", tensor_error());
    stir(m.params);
    CHECK(params_save(scratch_path("ours.safetensors"), m.params, NULL, 0) &&
              tensor_npy_write(scratch_path("ids.npy"), token_ids(&m)),
          "%s", tensor_error());
    int status = run_script();
    if (status == NO_TORCH || status == NO_PYTHON) {
        test_skip("neither python3 nor /usr/bin/python3 has torch and numpy");
    } else if (CHECK(status == DONE, "torch_weights.py: status %d", status)) {
        check_logits(&m, "ours.npy");
        CHECK(params_load(scratch_path("theirs.safetensors"), m.params), "%s", tensor_error());
        check_logits(&m, "theirs.npy");
    }
    language_close(&m);
}

static const TestCase cases[] = {
    {"weights go both ways", weights_go_both_ways},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("torch", cases, argc, argv);
}
