/* test_kmeans.c: centres of vectors that lie in groups. */
#include "examples/common/kmeans.h"
#include "tests/harness/test.h"

enum { K = 3, WIDTH = 2, EACH = 4, N = K * EACH };

/* Group k: the corners of a square of side 2 around (100 k, -50 k); each is sqrt 2 from the middle,
 * which is the mean. */
static void draw_groups(real x[N][WIDTH])
{
    for (int i = 0; i < N; i++) {
        x[i][0] = (real)(100 * (i / EACH) + (i % 2 ? 1 : -1));
        x[i][1] = (real)(-50 * (i / EACH) + (i / 2 % 2 ? 1 : -1));
    }
}

TEST(groups_far_apart_are_found_from_every_seed)
{
    real x[N][WIDTH], centres[K][WIDTH];
    draw_groups(x);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Rng rng = {.seed = seed};
        double left = kmeans(centres[0], K, x[0], N, WIDTH, 5, &rng);
        CHECK(left > 2 - 1e-6 && left < 2 + 1e-6, "seed %d: mean squared distance %g", (int)seed,
              left);
        for (int k = 0; k < K; k++) {
            const real middle[WIDTH] = {(real)(100 * k), (real)(-50 * k)};
            const real *c = centres[kmeans_nearest(centres[0], K, middle, WIDTH)];
            CHECK(c[0] == middle[0] && c[1] == middle[1], "seed %d: (%g, %g)", (int)seed,
                  (double)c[0], (double)c[1]);
        }
    }
}

TEST(the_nearest_is_the_first_of_equals)
{
    const real centres[] = {0, 4, 4, 8}, x[] = {5, 6.5};
    CHECK(kmeans_nearest(centres, 4, &x[0], 1) == 1, "nearest to 5");
    CHECK(kmeans_nearest(centres, 4, &x[1], 1) == 3, "nearest to 6.5");
}
