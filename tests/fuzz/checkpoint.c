/* checkpoint.c: nn_checkpoint_load and params_load. A file that is refused changes nothing of the
 * training run. */
#include "tests/fuzz/fuzz.h"

#include "nn/nn.h"

#include <string.h>

/* A small run, the same each time. */
typedef struct {
    Params *p;
    Linear layer;
    Adam adam;
    Tape *tape;
    Rng rng[2];
    Checkpoint point;
} Run;

static void begin(Run *r)
{
    *r = (Run){.p = params_new(1), .tape = tape_new(7)};
    FUZZ_REQUIRE(r->p && r->tape && nn_linear_init(&r->layer, r->p, "fc", 3, 2, true) &&
                     adam_init(&r->adam, r->p, 0.01),
                 "%s", tensor_error());
    r->point = (Checkpoint){
        .params = r->p, .adam = &r->adam, .tape = r->tape, .rng = r->rng, .rngs = 2, .step = 4};
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static Run a, b; /* b is not loaded into */
    if (!b.p)
        begin(&b);
    begin(&a);
    const char *path = fuzz_file(bytes, size);
    bool whole = nn_checkpoint_load(path, &a.point);
    tensor_clear_error(); /* begins with safetensors_read where the container is damaged */
    bool weights = params_load(path, a.p);
    tensor_clear_error();
    if (!whole && !weights) {
        FUZZ_REQUIRE(memcmp(a.layer.weight->data, b.layer.weight->data, 6 * sizeof(real)) == 0 &&
                         memcmp(a.adam.m, b.adam.m, 16 * sizeof(real)) == 0,
                     "the weights changed");
        FUZZ_REQUIRE(a.point.step == 4 && a.adam.rate == 0.01 && a.tape->seed == 7, "step %lld",
                     (long long)a.point.step);
    }
    adam_free(&a.adam);
    params_free(a.p);
    tape_free(a.tape);
    return 0;
}
