/* test_slices.c: products of floats as bfloat16 slices, packed and multiplied by the functions of
 * kernels/amx in the emulated tile unit: three slices, which keep all bits of a float, and one,
 * which is the float rounded to bfloat16. */
#include "tests/harness/runner.h"
#ifdef GRADUS_AMX_EMULATED
#define UNIT amx_emulated
#include "tests/kernels/tile_emulation.h"

#include "tensor/kernels/amx/slices.h"

enum { M = 37, N = 50, K = 75 }; /* no whole panels, no whole registers */

static float a[M * K], b[K * N], c[M * N];

/* x rounded to 8 significant bits; of two such numbers the one whose last bit is 0 (rint). */
static double to_bfloat16(double x)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(rint(ldexp(fraction, 8)), exponent - 8);
}

/* All bits random; every third number is halfway between two bfloat16. */
static float draw(Rng *rng, int64_t i)
{
    const double x = (double)rng_normal(rng);
    int exponent;
    frexp(x, &exponent);
    return (float)(i % 3 == 0 ? to_bfloat16(x) + ldexp(0.5, exponent - 8) : x);
}

static void multiply(int slices)
{
    static unsigned char of_a[1 << 16] __attribute__((aligned(64)));
    static unsigned char of_b[1 << 16] __attribute__((aligned(64)));
    REQUIRE(packed_bytes(M, K, slices) <= (int64_t)sizeof of_a &&
                packed_bytes(N, K, slices) <= (int64_t)sizeof of_b,
            "no memory for the panels");
    CHECK(UNIT_NAME(pack)(of_a, SIDE_A, &(Factor){a, K, 1, M, K}, slices), "A has its slices");
    CHECK(UNIT_NAME(pack)(of_b, SIDE_B, &(Factor){b, 1, N, N, K}, slices), "B has its slices");
    UNIT_NAME(unit_begin)();
    UNIT_NAME(multiply)
    (&(TileProduct){.m = M,
                    .n = N,
                    .steps = K,
                    .slices = slices,
                    .a = of_a,
                    .b = of_b,
                    .a_next = panel_bytes(K, slices),
                    .b_next = panel_bytes(K, slices),
                    .c = c,
                    .c_row = N,
                    .c_column = 1});
    UNIT_NAME(unit_end)();
}

/* 17 + K / 32 additions for each product of slices, and 2 for what three slices leave out. */
static void check(int slices)
{
    const double most = 17 + (slices == 1 ? 1 : 6) * 3 + 2;
    Rng rng = {.seed = 1};
    for (int64_t i = 0; i < M * K; i++)
        a[i] = draw(&rng, i);
    for (int64_t i = 0; i < K * N; i++)
        b[i] = draw(&rng, i);
    multiply(slices);
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, size = 0;
            for (int l = 0; l < K; l++) {
                const double x =
                    slices == 1 ? to_bfloat16((double)a[i * K + l]) : (double)a[i * K + l];
                const double y =
                    slices == 1 ? to_bfloat16((double)b[l * N + j]) : (double)b[l * N + j];
                sum += x * y;
                size += fabs(x * y);
            }
            wrong += !(fabs((double)c[i * N + j] - sum) <= most * 0x1p-24 * size);
        }
    CHECK(wrong == 0, "%d slices: %d elements are off by more than %.0f 2^-24 |A||B|", slices,
          wrong, most);
}
#else
static void check(int slices)
{
    (void)slices;
    SKIP("this build does not emulate the tile unit");
}
#endif

static bool has_avx512(void)
{
    const bool here = tensor_set_kernels("avx512");
    tensor_clear_error();
    return here;
}

static void three_slices(void)
{
    if (!has_avx512())
        SKIP("this processor has no AVX-512");
    check(3);
}

static void one_slice(void)
{
    if (!has_avx512())
        SKIP("this processor has no AVX-512");
    check(1);
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"three slices keep all bits", three_slices},
        {"one slice is a number rounded to bfloat16", one_slice},
        {NULL, NULL},
    };
    return run_tests("slices", cases, argc, argv);
}
