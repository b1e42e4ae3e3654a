/* test_quantised_weights.c: linear with copies of its weights in 8 and 16 bits, in every kernel
 * set.
 *
 * The copy is made here once more, from the words in decode.h, and multiplied in double. */
#include "tests/kernels/set_cases.h"
#include "gradus.h"

#include <math.h>

enum { IN = 203, OUT = 41, ROWS = 5 }; /* no whole vectors, no whole blocks of rows */

typedef struct {
    Params *params;
    Tape *tape;
    Linear layer;
    real x[ROWS * IN];
} Layer;

static bool layer_init(Layer *l, bool bias)
{
    Rng rng = {.seed = 3};
    l->params = params_new(7);
    l->tape = tape_new(1);
    l->tape->no_grad = true;
    for (int i = 0; i < ROWS * IN; i++)
        l->x[i] = (real)rng_normal(&rng);
    bool ok =
        CHECK(nn_linear_init(&l->layer, l->params, "layer", IN, OUT, bias), "%s", tensor_error());
    for (int o = 0; ok && o < OUT; o++) /* each row has its scale; row 5 is zeros */
        for (int i = 0; i < IN; i++)
            l->layer.weight->data[o * IN + i] *= o == 5 ? 0 : (real)ldexp(1, o % 9);
    return ok;
}

static void layer_free(Layer *l)
{
    tape_free(l->tape);
    params_free(l->params);
}

static void apply(Layer *l, int rows, real *y)
{
    tape_reset(l->tape);
    Tensor *out = nn_linear(&l->layer, tape_input(l->tape, l->x, shape2(rows, IN)));
    if (CHECK(!tensor_is_poison(out), "%s", tensor_error()))
        tensor_read(out, y);
}

/* Element (r, o) as decode.h says it; *bound: how far that may be from floats' weights. */
static double expected(const Layer *l, int bits, int r, int o, double *bound)
{
    const real *w = l->layer.weight->data + o * IN, *x = l->x + r * IN;
    double most = bits == 8 ? 127 : 32767, largest = 0, sum = 0, size = 0;
    for (int i = 0; i < IN; i++)
        largest = fmax(largest, fabs((double)w[i]));
    for (int i = 0; i < IN; i++) {
        double n = largest > 0 ? rint((double)w[i] / largest * most) : 0;
        sum += (double)x[i] * n * largest / most;
        size += fabs((double)x[i]);
    }
    *bound = size * largest / most / 2;
    return sum + (l->layer.bias ? (double)l->layer.bias->data[o] : 0);
}

/* Sums of 203 products of up to 4 times the row's largest weight, in floats: 203 * 4 * 2^-24 of
 * that at most. */
static void check_copy(Layer *l, int bits, int rows)
{
    static real exact[ROWS * OUT], y[ROWS * OUT];
    apply(l, rows, exact);
    QuantisedWeights *copy = nn_quantise_weights(l->params, bits);
    l->tape->quantised_weights = copy;
    apply(l, rows, y);
    int wrong = 0, far = 0;
    for (int r = 0; r < rows; r++)
        for (int o = 0; o < OUT; o++) {
            double bound, want = expected(l, bits, r, o, &bound), got = (double)y[r * OUT + o];
            double rounding = 5e-5 * ldexp(1, o % 9);
            wrong += !(fabs(got - want) <= rounding);
            far += !(fabs(got - (double)exact[r * OUT + o]) <= bound + rounding);
        }
    CHECK(copy && wrong == 0, "%d bits, %d rows: %d sums are not the copy's", bits, rows, wrong);
    CHECK(far == 0, "%d bits, %d rows: %d sums are farther from floats' than rounding", bits, rows,
          far);
    l->tape->quantised_weights = NULL;
    nn_quantised_weights_free(copy);
}

static void few_rows_read_the_copy(void)
{
    for (int bias = 0; bias < 2; bias++) {
        Layer l;
        bool ok = layer_init(&l, bias != 0);
        for (int rows = 1; ok && rows < ROWS; rows++) {
            check_copy(&l, 8, rows);
            check_copy(&l, 16, rows);
        }
        layer_free(&l);
    }
    CHECK_NO_ERROR();
}

/* More rows, a tape that wants gradients, and weights of others: all read floats. */
static void the_rest_reads_floats(void)
{
    Layer l, other;
    real floats[ROWS * OUT], y[ROWS * OUT];
    if (layer_init(&l, true) && layer_init(&other, true)) {
        QuantisedWeights *copy = nn_quantise_weights(l.params, 8);
        for (int way = 0; way < 3; way++) {
            int rows = way == 0 ? ROWS : 2;
            Layer *used = way == 2 ? &other : &l;
            apply(used, rows, floats);
            used->tape->no_grad = way != 1;
            used->tape->quantised_weights = copy;
            apply(used, rows, y);
            int changed = 0;
            for (int i = 0; i < rows * OUT; i++)
                changed += y[i] != floats[i];
            CHECK(changed == 0, "way %d: %d sums changed", way, changed);
            used->tape->no_grad = true;
            used->tape->quantised_weights = NULL;
        }
        nn_quantised_weights_free(copy);
    }
    layer_free(&l);
    layer_free(&other);
    CHECK_NO_ERROR();
}

static void says_what_it_needs(void)
{
    Layer l;
    if (layer_init(&l, false)) {
        CHECK(!nn_quantise_weights(l.params, 4), "4 bits are taken");
        CHECK_ERROR("nn_quantise_weights: params, 4 bits; expected params, and 8 or 16 bits");
        CHECK(!nn_quantise_weights(NULL, 8), "no params are taken");
        CHECK_ERROR(
            "nn_quantise_weights: params is NULL, 8 bits; expected params, and 8 or 16 bits");
        l.layer.weight->data[3 * IN + 1] = (real)NAN;
        CHECK(!nn_quantise_weights(l.params, 8), "a NaN is taken");
        CHECK_ERROR(
            "nn_quantise_weights: row 3 of 'layer.weight' has a NaN or an infinity; expected");
    }
    nn_quantised_weights_free(NULL);
    layer_free(&l);
}

int main(int argc, char **argv)
{
    static const TestCase cases[] = {{"few rows read the copy", few_rows_read_the_copy},
                                     {"the rest reads floats", the_rest_reads_floats},
                                     {"says what it needs", says_what_it_needs},
                                     {NULL, NULL}};
    return run_in_every_set("quantised_weights", cases, argc, argv);
}
