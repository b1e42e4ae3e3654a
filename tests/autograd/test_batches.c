/* test_batches.c: batches of matrix products, in every way in which a batch may lie in memory.
 *
 * The numbers are small and whole, so that every order of additions gives the same sum exactly, and
 * every kernel set's results and gradients are compared exactly with this file's own loops. */
#include "tests/harness/runner.h"
#include "tests/kernels/kernel_sets.h"

#include "autograd/autograd.h"

#include <stdlib.h>

/* How matrices (B, H, r, c) are stored. */
typedef enum {
    PLAIN,      /* (B, H, r, c)                                   */
    TRANSPOSED, /* (B, H, c, r), transposed                   */
    HEADS,      /* (B, r, H, c), as attention has them, permuted  */
    SHARED,     /* (1, H, r, c): one for all of B                 */
    ONE,        /* (r, c): one for all                            */
    FORMS
} Form;

static const char *const forms[] = {"plain", "transposed", "heads", "shared", "one"};

enum { B = 2, H = 3 };

typedef struct {
    Form form;
    int64_t r, c;
} Layout;

static Shape stored_shape(Layout x)
{
    switch (x.form) {
    case TRANSPOSED:
        return shape4(B, H, x.c, x.r);
    case HEADS:
        return shape4(B, x.r, H, x.c);
    case SHARED:
        return shape4(1, H, x.r, x.c);
    case ONE:
        return shape2(x.r, x.c);
    default:
        return shape4(B, H, x.r, x.c);
    }
}

/* Where element (b, h, i, j) is stored. */
static int64_t place(Layout x, int64_t b, int64_t h, int64_t i, int64_t j)
{
    switch (x.form) {
    case TRANSPOSED:
        return ((b * H + h) * x.c + j) * x.r + i;
    case HEADS:
        return ((b * x.r + i) * H + h) * x.c + j;
    case SHARED:
        return (h * x.r + i) * x.c + j;
    case ONE:
        return i * x.c + j;
    default:
        return ((b * H + h) * x.r + i) * x.c + j;
    }
}

static Tensor *as_matrices(Layout x, Tensor *stored)
{
    if (x.form == TRANSPOSED)
        return ag_transpose(stored, 2, 3);
    return x.form == HEADS ? ag_permute(stored, (int[]){0, 2, 1, 3}) : stored;
}

/* Whole numbers from -3 to 3. */
static Tensor *whole_numbers(Tape *tape, Shape shape, int64_t salt)
{
    int64_t n = shape_size(shape);
    real *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (real)((i * 31 + i / 7 * 17 + salt) % 7 - 3);
    Tensor *t = tape_leaf(tape, x, shape);
    free(x);
    return t;
}

/* The products, and the gradients of sum w y, element by element. */
typedef struct {
    real *y, *da, *db;
} Want;

static void multiply(Want *want, Layout a, Layout b, const real *A, const real *Bs, const real *w)
{
    int64_t m = a.r, n = b.c;
    for (int64_t z = 0; z < B * H; z++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t l = 0; l < a.c; l++)
                for (int64_t j = 0; j < n; j++) {
                    int64_t at = place(a, z / H, z % H, i, l), bt = place(b, z / H, z % H, l, j);
                    int64_t yt = (z * m + i) * n + j;
                    want->y[yt] += A[at] * Bs[bt];
                    want->da[at] += w[yt] * Bs[bt];
                    want->db[bt] += w[yt] * A[at];
                }
}

static int64_t differing(const real *got, const real *want, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        count += got[i] != want[i];
    return count;
}

static void try_forms(Tape *tape, Layout a, Layout b)
{
    tape_reset(tape);
    Tensor *x = whole_numbers(tape, stored_shape(a), 1),
           *y = whole_numbers(tape, stored_shape(b), 2);
    Tensor *w = whole_numbers(tape, shape4(B, H, a.r, b.c), 4);
    Tensor *product = ag_matmul(as_matrices(a, x), as_matrices(b, y));
    bool ok = ag_backward(ag_sum(ag_mul(product, w)));
    REQUIRE(ok, "%s times %s fails", forms[a.form], forms[b.form]);
    int64_t ny = tensor_size(w), na = tensor_size(x), nb = tensor_size(y);
    real *numbers = calloc((size_t)(ny + na + nb), sizeof *numbers);
    Want want = {numbers, numbers + ny, numbers + ny + na};
    multiply(&want, a, b, x->data, y->data, w->data);
    /* (r, c) times (r, c) is one matrix, which w repeats */
    int64_t wrong = differing(product->data, want.y, tensor_size(product));
    CHECK(wrong == 0, "%s, %s times %s, (%d, %d) times (%d, %d): %d elements", tensor_kernels(),
          forms[a.form], forms[b.form], (int)a.r, (int)a.c, (int)b.r, (int)b.c, (int)wrong);
    int64_t wrong_a = differing(x->grad, want.da, na), wrong_b = differing(y->grad, want.db, nb);
    CHECK(wrong_a + wrong_b == 0, "%s, %s times %s, (%d, %d) times (%d, %d): %d and %d gradients",
          tensor_kernels(), forms[a.form], forms[b.form], (int)a.r, (int)a.c, (int)b.r, (int)b.c,
          (int)wrong_a, (int)wrong_b);
    free(numbers);
}

static void all_forms(int64_t m, int64_t k, int64_t n)
{
    const char *before = tensor_kernels();
    Tape *tape = tape_new(1);
    for (int s = 0; s < KERNEL_SETS; s++) {
        if (!tensor_set_kernels(kernel_sets[s])) {
            CHECK_ERROR("kernels"); /* not on this processor, or not in this build */
            continue;
        }
        for (Form i = PLAIN; i < FORMS; i++)
            for (Form j = PLAIN; j < FORMS; j++)
                try_forms(tape, (Layout){i, m, k}, (Layout){j, k, n});
    }
    tensor_set_kernels(before);
    tape_free(tape);
}

/* Whole tiles, as the benchmark's row has them. */
static void whole_tiles(void)
{
    all_forms(64, 32, 64);
}

/* One more than a tile each way, and more steps than a block has. */
static void edges(void)
{
    all_forms(33, 17, 35);
    all_forms(15, 33, 31);
    all_forms(3, 129, 5);
}

/* A vector each way. */
static void vectors(void)
{
    all_forms(1, 40, 19);
    all_forms(19, 40, 1);
    all_forms(9, 1, 9);
}

static const TestCase cases[] = {{"whole tiles", whole_tiles},
                                 {"edges of tiles", edges},
                                 {"vectors", vectors},
                                 {NULL, NULL}};

int main(int argc, char **argv)
{
    return run_tests("batches", cases, argc, argv);
}
