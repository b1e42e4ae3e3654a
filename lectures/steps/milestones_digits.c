/* milestones_digits.c: what the milestones digit and vae read: pictures of digits, and what the
 * library computes for them. See milestones.h. */
#include "lectures/steps/milestones.h"

#include "lectures/08-vae/small.h"

#include "examples/common/store.h"
#include "examples/vit/model.h"

enum { SHOWN = 5, PIXELS = 28 * 28, PICTURES = 992 }; /* 31 batches of 32 */

bool milestone_vae(FILE *out, const char *weights)
{
    const Pictures *digits = small_digits(1);
    (void)weights;
    if (!digits)
        return false;
    fprintf(out, "%d\n", PICTURES);
    for (int64_t i = 0; i < PICTURES * SMALL_PIXELS; i++)
        fprintf(out, "%d ", digits->train.bytes[i] ? 1 : 0);
    return true;
}

static bool put_digits(FILE *out, const Model *m)
{
    Pictures digits;
    real x[SHOWN * PIXELS];
    int32_t labels[SHOWN];
    if (!pictures_drawn(&digits, 1, SHOWN, 7))
        return false;
    bool ok = pictures_test(&digits, 0, SHOWN, x, labels);
    Tape *tape = tape_new(1);
    Tensor *logits = vit_logits(m, tape_input(tape, x, shape4(SHOWN, 1, 28, 28)));
    fprintf(out, "%d\n", SHOWN);
    for (int n = 0; ok && n < SHOWN; n++) {
        fprintf(out, "%d\n", (int)labels[n]);
        for (int i = 0; i < PIXELS; i++)
            fprintf(out, "%.9g ", (double)x[n * PIXELS + i]);
        for (int i = 0; i < 10; i++)
            fprintf(out, "%.9g ", (double)tensor_get(logits, (int64_t[]){n, i}));
    }
    tape_free(tape);
    pictures_free(&digits);
    return ok;
}

bool milestone_digit(FILE *out, const char *weights)
{
    Store store;
    ModelConfig c = {0};
    const Fact facts[] = {
        {"side", &c.side, 28, 28, NULL},       {"colours", &c.colours, 1, 1, NULL},
        {"patch", &c.patch, 7, 7, NULL},       {"channels", &c.channels, 64, 64, NULL},
        {"heads", &c.heads, 4, 4, NULL},       {"layers", &c.layers, 4, 4, NULL},
        {"classes", &c.classes, 10, 10, NULL}, {"position", &c.position, 0, 2, NULL},
        {"pool", &c.pool, 0, 1, NULL},         {0},
    };
    Model m;
    Params *p = params_new(1);
    bool ok = store_open(&store, weights, "vit", facts);
    if (ok) {
        ok = store_expect(&store, p) && vit_init(&m, p, c) && store_weights(&store, p) &&
             put_digits(out, &m);
        store_close(&store);
    }
    params_free(p);
    return ok;
}
