/* test_plot_rollout.c: attention rollout, by hand. */
#include "tests/plot/plot_checks.h"
#include "tests/harness/test.h"

/* Layer 1's heads are I and the exchange of both tokens, so that (A + I)/2 = (3/4 1/4; 1/4 3/4);
 * layer 2's are both (1 0; 1/2 1/2), so that it is (1 0; 1/4 3/4). The product in the other order
 * would be (13/16 3/16; 7/16 9/16). Of two sequences, the second has these maps; the first I. */
TEST(two_layers_by_hand)
{
    static const real one[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
    static const real two[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, .5, .5, 1, 0, .5, .5};
    static const double first[] = {0.75, 0.25, 0.25, 0.75}, both[] = {0.75, 0.25, 0.375, 0.625};
    const Tensor *maps[] = {kept(tensor_from(one, shape4(2, 2, 2, 2))),
                            kept(tensor_from(two, shape4(2, 2, 2, 2)))};
    for (int layers = 1; layers <= 2; layers++) {
        Tensor *r = plot_rollout(maps, layers, 1);
        REQUIRE(r, "%s", tensor_error());
        CHECK(shape_equal(r->shape, shape2(2, 2)), "%s", tensor_describe(r));
        for (int i = 0; i < 4; i++)
            CHECK_CLOSE(r->data[i], (layers == 1 ? first : both)[i], 0);
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
