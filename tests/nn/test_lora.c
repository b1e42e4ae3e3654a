/* test_lora.c: LoRA of a layer. */
#include "tests/autograd/on_tape.h"
#include "tests/nn/sequences.h"

#include "nn/nn.h"

#include <math.h>
#include <string.h>

enum { IN = 6, OUT = 5, RANK = 2, ROWS = 3 };

typedef struct {
    Params *params;
    Tape *tape;
    Linear base;
    Lora lora;
} Setting;

static bool setting_open(Setting *s)
{
    *s = (Setting){.params = params_new(1), .tape = tape_new(1)};
    return nn_linear_init(&s->base, s->params, "layer", IN, OUT, true) &&
           nn_lora_init(&s->lora, s->params, "lora", s->base, RANK, 3);
}

static void setting_close(Setting *s)
{
    tape_free(s->tape);
    params_free(s->params);
}

#define LORA_TEST(function) TEST_WITH(function, Setting, s, setting_open, setting_close)

static Tensor *rows(Setting *s)
{
    return ag_reshape(sequence_leaf(s->tape, 1, ROWS, IN, 0), shape2(ROWS, IN));
}

/* ---- LoRA ------------------------------------------------------------------------------------ */

LORA_TEST(zeros_change_nothing)
{
    Tensor *x = rows(s), *y = nn_lora(&s->lora, x), *want = nn_linear(&s->base, x);
    CHECK(sequence_difference(y, want) == 0, "a fresh adaptation changes the layer");
    double largest = 0;
    for (int64_t i = 0; i < RANK * IN; i++)
        largest = fmax(largest, fabs((double)s->lora.lora_A->data[i]));
    CHECK(largest > 0, "with A = 0, too, nothing would ever be learned");
    CHECK(params_trained(s->params) == RANK * (IN + OUT), "%lld numbers are trained",
          (long long)params_trained(s->params));
    CHECK(params_size(s->params) == IN * OUT + OUT + RANK * (IN + OUT), "%lld numbers in all",
          (long long)params_size(s->params));
}

static void fill_b(Setting *s)
{
    for (int i = 0; i < OUT * RANK; i++)
        s->lora.lora_B->data[i] = sequence_number(i, 2);
}

/* y_o = sum_i (W_oi + 3/2 sum_r B_or A_ri) x_i + b_o, in double. */
LORA_TEST(it_is_its_formula)
{
    fill_b(s);
    Tensor *x = rows(s), *y = nn_lora(&s->lora, x);
    REQUIRE(!tensor_is_poison(y), "%s", tensor_error());
    for (int n = 0; n < ROWS; n++)
        for (int o = 0; o < OUT; o++) {
            double want = s->base.bias->data[o];
            for (int i = 0; i < IN; i++) {
                double w = s->base.weight->data[o * IN + i];
                for (int r = 0; r < RANK; r++)
                    w +=
                        1.5 * s->lora.lora_B->data[o * RANK + r] * s->lora.lora_A->data[r * IN + i];
                want += w * x->data[n * IN + i];
            }
            CHECK_CLOSE(y->data[n * OUT + o], want, SEQUENCE_CLOSE);
        }
}

/* A weight of a pretrained model may be stored as its transpose (nn_pretrained_load, mapped):
 * element (o, i) then has the offset i OUT + o. */
LORA_TEST(merged_into_a_transposed_weight)
{
    fill_b(s);
    Tensor *want = tensor_clone(nn_lora(&s->lora, rows(s))), *W = s->base.weight;
    real row_major[OUT * IN];
    memcpy(row_major, W->data, sizeof row_major);
    for (int k = 0; k < OUT * IN; k++)
        W->data[k % IN * OUT + k / IN] = row_major[k];
    W->stride[0] = 1;
    W->stride[1] = OUT;
    CHECK_TENSOR(nn_lora(&s->lora, rows(s)), want, SEQUENCE_CLOSE, SEQUENCE_CLOSE);
    CHECK(nn_lora_merge(&s->lora), "%s", tensor_error());
    CHECK_TENSOR(nn_linear(&s->base, rows(s)), want, SEQUENCE_CLOSE, SEQUENCE_CLOSE);
    tensor_free(want);
}

LORA_TEST(refusals)
{
    Lora other;
    REFUSES(nn_lora_init, "rank 6 for a layer from 6 to 5 channels; expected 1 to 5", &other,
            s->params, "a", s->base, 6, 1);
    REFUSES(nn_lora_merge,
            "the module is NULL or has no weights; expected one whose init succeeded", &other);
    REFUSES(nn_lora_init, "the layer `base` has no weight; expected one whose init succeeded",
            &other, s->params, "b", (Linear){0}, 1, 1);
    Params *elsewhere = params_new(1);
    REFUSES(nn_lora_init,
            "the weight 'layer.weight' (5, 6) is not in params; expected a layer that params can "
            "freeze",
            &other, elsewhere, "c", s->base, 1, 1);
    params_free(elsewhere);
}
