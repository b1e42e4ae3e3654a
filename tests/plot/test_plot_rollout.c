/* test_plot_rollout.c: attention rollout, by hand and against plain loops in double. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

#include <math.h>
#include <string.h>

/* Layer 1's heads are I and the exchange of both tokens, so that (A + I)/2 = (3/4 1/4; 1/4 3/4);
 * layer 2's are both (1 0; 1/2 1/2), so that it is (1 0; 1/4 3/4). The product in the other order
 * would be (13/16 3/16; 7/16 9/16). */
TEST(two_layers_by_hand)
{
    static const real one[] = {1, 0, 0, 1, 0, 1, 1, 0};
    static const real two[] = {1, 0, (real)0.5, (real)0.5, 1, 0, (real)0.5, (real)0.5};
    static const double first[] = {0.75, 0.25, 0.25, 0.75}, both[] = {0.75, 0.25, 0.375, 0.625};
    const Tensor *maps[] = {kept(tensor_from(one, shape3(2, 2, 2))),
                            kept(tensor_from(two, shape3(2, 2, 2)))};
    for (int layers = 1; layers <= 2; layers++) {
        Tensor *r = plot_rollout(maps, layers, 0);
        REQUIRE(r, "%s", tensor_error());
        CHECK(shape_equal(r->shape, shape2(2, 2)), "%s", tensor_describe(r));
        for (int i = 0; i < 4; i++)
            CHECK_CLOSE(r->data[i], (layers == 1 ? first : both)[i], 0);
        tensor_free(r);
    }
}

/* ---- plain loops ----------------------------------------------------------------------------- */

enum { ITEMS = 2, HEADS = 3, T = 37, LAYERS = 4 };

/* Rows that sum to 1, as a softmax makes them. */
static Tensor *new_maps(Rng *rng)
{
    Tensor *t = kept(tensor_new(shape4(ITEMS, HEADS, T, T)));
    for (int i = 0; t && i < ITEMS * HEADS * T; i++) {
        double sum = 0;
        for (int j = 0; j < T; j++)
            sum += (double)(t->data[i * T + j] = (real)rng_uniform(rng));
        for (int j = 0; j < T; j++)
            t->data[i * T + j] /= (real)sum;
    }
    return t;
}

static void plain(const Tensor *maps, int item, double *r)
{
    static double next[T * T];
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            next[i * T + j] = r[i * T + j] / 2;
            for (int k = 0; k < T; k++)
                for (int h = 0; h < HEADS; h++)
                    next[i * T + j] += (double)maps->data[((item * HEADS + h) * T + i) * T + k] /
                                       HEADS / 2 * r[k * T + j];
        }
    memcpy(r, next, sizeof next);
}

/* Every row of a factor and of a product sums to 1, so that a product of T terms errs by at most (T
 * + 2) roundings of a number below 1, and L layers by L times as much. */
TEST(every_item_as_plain_loops_have_it)
{
    const Tensor *maps[LAYERS];
    Rng rng = {.seed = 3};
    for (int l = 0; l < LAYERS; l++)
        REQUIRE((maps[l] = new_maps(&rng)), "%s", tensor_error());
    for (int item = 0; item < ITEMS; item++) {
        double want[T * T];
        for (int i = 0; i < T * T; i++)
            want[i] = i % (T + 1) == 0;
        for (int l = 0; l < LAYERS; l++)
            plain(maps[l], item, want);
        Tensor *r = plot_rollout(maps, LAYERS, item);
        REQUIRE(r, "%s", tensor_error());
        for (int i = 0; i < T * T; i++)
            CHECK_CLOSE(r->data[i], want[i],
                        LAYERS * (T + 2) * (sizeof(real) == sizeof(double) ? 1.2e-16 : 6e-8));
        tensor_free(r);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(refusals)
{
    Tensor *square = map_of(3, 3), *cross = map_of(3, 4);
    const Tensor *none[] = {NULL}, *two[] = {square, cross}, *crossed[] = {cross};
    REFUSES(plot_rollout, "1 layers at NULL; expected 1 to", NULL, 1, 0);
    REFUSES(plot_rollout, "0 layers at an array; expected 1 to", two, 0, 0);
    REFUSES(plot_rollout, "map is NULL or poison; expected", none, 1, 0);
    REFUSES(plot_rollout, "layer 2's map is (3, 4), layer 1's (3, 3); expected one shape", two, 2,
            0);
    REFUSES(plot_rollout, "a map has 3 queries and 4 keys; expected the same tokens", crossed, 1,
            0);
    REFUSES(plot_rollout, "item is 1; expected 0 to 0", two, 1, 1);
}

static bool roll_once(void *context)
{
    Tensor *r = plot_rollout(context, 2, 0);
    bool ok = r != NULL;
    tensor_free(r);
    return ok;
}

TEST(out_of_memory)
{
    Tensor *square = map_of(3, 3);
    const Tensor *maps[] = {square, square};
    CHECK_OUT_OF_MEMORY(roll_once, maps);
}
