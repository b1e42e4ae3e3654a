/* test_exactness.c: the promised accuracy of matrix products, in every kernel set, on the inputs of
 * exactness.c.
 *
 * Promised are no error at all (whole numbers, powers of two, one-hot rows, identities), or at most
 * twice the element-wise error of PyTorch's sgemm on the same matrices, which is stored. */
#include "tests/kernels/exactness.h"
#include "tests/kernels/set_cases.h"

#include <stdlib.h>
#include <string.h>

/* Half a unit in the last place of each of sum, product and result: a sum of few terms that sgemm
 * happens to round well may be off by so much. In 2^-24. */
static const double few_roundings = 1.5;

static void check_product(int kind, int length, Promise promise)
{
    Factors f;
    ProductError sgemm;
    if (!exactness_factors(&f, kind, length))
        return;
    float *c = malloc((size_t)(f.m * f.n) * sizeof *c);
    exactness_multiply(c, &f);
    ProductError e = exactness_errors(c, &f);
    if (promise == PROMISE_EXACT)
        CHECK(e.element == 0, "%s, k %d: off by %.3g 2^-24; expected no error",
              exactness_name(kind), (int)f.k, e.element);
    else if (CHECK(exactness_sgemm(&sgemm, kind, length), "%s, k %d: no figure of sgemm",
                   exactness_name(kind), (int)f.k)) {
        double most = 2 * (sgemm.element > few_roundings ? sgemm.element : few_roundings);
        CHECK(e.element <= most, "%s, k %d: off by %.3g 2^-24; expected at most %.3g",
              exactness_name(kind), (int)f.k, e.element, most);
    }
    free(c);
    free(f.a);
    free(f.b);
}

static void check_all(Promise promise)
{
    for (int kind = 0; kind < EXACTNESS_KINDS; kind++)
        for (int length = 0; length < EXACTNESS_LENGTHS; length++)
            if (exactness_promise(kind) == promise)
                check_product(kind, length, promise);
}

static void exact_products(void)
{
    check_all(PROMISE_EXACT);
}

static void twice_sgemm(void)
{
    check_all(PROMISE_TWICE);
}

/* Threads divide C into other rectangles. */
static void same_bits_with_threads(void)
{
    for (int kind = 0; kind < EXACTNESS_KINDS; kind++) {
        Factors f;
        if (!exactness_factors(&f, kind, 1))
            continue;
        const size_t count = (size_t)(f.m * f.n);
        float *one = malloc(count * sizeof *one), *three = malloc(count * sizeof *three);
        tensor_set_threads(1);
        exactness_multiply(one, &f);
        tensor_set_threads(3);
        exactness_multiply(three, &f);
        CHECK(memcmp(one, three, count * sizeof *one) == 0, "%s: three threads change bits",
              exactness_name(kind));
        free(one);
        free(three);
        free(f.a);
        free(f.b);
    }
    tensor_set_threads(0);
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {
        {"whole numbers, powers of two and one-hot rows are exact", exact_products},
        {"the element-wise error is at most twice sgemm's", twice_sgemm},
        {"the bits do not depend on the number of threads", same_bits_with_threads},
        {NULL, NULL},
    };
    return run_in_every_set("exactness", cases, argc, argv);
}
