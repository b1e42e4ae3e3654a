/* test_lora.c: LoRA of a layer, and a weight that two modules share. */
#include "tests/harness/runner.h"
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
    return CHECK(nn_linear_init(&s->base, s->params, "layer", IN, OUT, true) &&
                     nn_lora_init(&s->lora, s->params, "lora", s->base, RANK, 3),
                 "%s", tensor_error());
}

static void setting_close(Setting *s)
{
    CHECK_NO_ERROR();
    tape_free(s->tape);
    params_free(s->params);
}

static Tensor *rows(Setting *s)
{
    return ag_reshape(sequence_leaf(s->tape, 1, ROWS, IN, 0), shape2(ROWS, IN));
}

/* ---- LoRA ------------------------------------------------------------------------------------ */

static void zeros_change_nothing(void)
{
    Setting s;
    REQUIRE(setting_open(&s), "no setting");
    Tensor *x = rows(&s), *y = nn_lora(&s.lora, x), *want = nn_linear(&s.base, x);
    CHECK(sequence_difference(y, want) == 0, "a fresh adaptation changes the layer");
    double largest = 0;
    for (int64_t i = 0; i < RANK * IN; i++)
        largest = fmax(largest, fabs((double)s.lora.lora_A->data[i]));
    CHECK(largest > 0, "with A = 0, too, nothing would ever be learned");
    CHECK(params_trained(s.params) == RANK * (IN + OUT), "%lld numbers are trained",
          (long long)params_trained(s.params));
    CHECK(params_size(s.params) == IN * OUT + OUT + RANK * (IN + OUT), "%lld numbers in all",
          (long long)params_size(s.params));
    setting_close(&s);
}

static void fill_b(Setting *s)
{
    for (int i = 0; i < OUT * RANK; i++)
        s->lora.lora_B->data[i] = sequence_number(i, 2);
}

/* y_o = sum_i (W_oi + 3/2 sum_r B_or A_ri) x_i + b_o, in double. */
static void it_is_its_formula(void)
{
    Setting s;
    REQUIRE(setting_open(&s), "no setting");
    fill_b(&s);
    Tensor *x = rows(&s), *y = nn_lora(&s.lora, x);
    REQUIRE(!tensor_is_poison(y), "%s", tensor_error());
    for (int n = 0; n < ROWS; n++)
        for (int o = 0; o < OUT; o++) {
            double want = s.base.bias->data[o];
            for (int i = 0; i < IN; i++) {
                double w = s.base.weight->data[o * IN + i];
                for (int r = 0; r < RANK; r++)
                    w += 1.5 * s.lora.lora_B->data[o * RANK + r] * s.lora.lora_A->data[r * IN + i];
                want += w * x->data[n * IN + i];
            }
            CHECK_CLOSE(y->data[n * OUT + o], want, SEQUENCE_CLOSE);
        }
    setting_close(&s);
}

/* A weight of a pretrained model may be stored as its transpose (nn_pretrained_load, mapped):
 * element (o, i) then has the offset i OUT + o. */
static void merged_into_a_transposed_weight(void)
{
    Setting s;
    REQUIRE(setting_open(&s), "no setting");
    fill_b(&s);
    Tensor *want = tensor_clone(nn_lora(&s.lora, rows(&s))), *W = s.base.weight;
    real row_major[OUT * IN];
    memcpy(row_major, W->data, sizeof row_major);
    for (int k = 0; k < OUT * IN; k++)
        W->data[k % IN * OUT + k / IN] = row_major[k];
    W->stride[0] = 1;
    W->stride[1] = OUT;
    CHECK_TENSOR(nn_lora(&s.lora, rows(&s)), want, SEQUENCE_CLOSE, SEQUENCE_CLOSE);
    CHECK(nn_lora_merge(&s.lora), "%s", tensor_error());
    CHECK_TENSOR(nn_linear(&s.base, rows(&s)), want, SEQUENCE_CLOSE, SEQUENCE_CLOSE);
    tensor_free(want);
    setting_close(&s);
}

static void refusals(void)
{
    Setting s;
    Lora other;
    REQUIRE(setting_open(&s), "no setting");
    CHECK(!nn_lora_init(&other, s.params, "a", s.base, 6, 1), "rank 6 of 6 to 5");
    CHECK_ERROR("nn_lora_init: rank 6 for a layer from 6 to 5 channels; expected 1 to 5");
    CHECK(!nn_lora_merge(&other), "without weights");
    CHECK_ERROR(
        "nn_lora_merge: the module is NULL or has no weights; expected one whose init succeeded");
    CHECK(!nn_lora_init(&other, s.params, "b", (Linear){0}, 1, 1), "no layer");
    CHECK_ERROR("nn_lora_init: the layer `base` has no weight; expected one whose init succeeded");
    Params *elsewhere = params_new(1);
    CHECK(!nn_lora_init(&other, elsewhere, "c", s.base, 1, 1), "another's layer");
    CHECK_ERROR("nn_lora_init: the weight 'layer.weight' (5, 6) is not in params; expected a layer "
                "that params can freeze");
    params_free(elsewhere);
    setting_close(&s);
}

/* ---- a shared weight ------------------------------------------------------------------------- */

/* One weight as embedding and as output: its gradient is the sum of what two separate ones get. */
static void tied_weights_add_their_gradients(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    Embedding tied, apart;
    Linear head;
    CHECK(nn_embedding_init(&tied, p, "tied", 7, IN) &&
              nn_embedding_init(&apart, p, "apart", 7, IN) &&
              nn_linear_init(&head, p, "head", IN, 7, false),
          "%s", tensor_error());
    memcpy(apart.weight->data, tied.weight->data, 7 * IN * sizeof(real));
    memcpy(head.weight->data, tied.weight->data, 7 * IN * sizeof(real));
    for (int i = 0; i < 2; i++) {
        tape_reset(tape);
        Tensor *ids = tape_ids(tape, (int[]){1, 5, 1}, shape1(3));
        Tensor *next = tape_ids(tape, (int[]){5, 1, 6}, shape1(3));
        Linear output = i ? head : (Linear){.weight = tied.weight};
        Tensor *x = nn_embedding(i ? &apart : &tied, ids);
        CHECK(ag_backward(ag_cross_entropy(nn_linear(&output, x), next)), "%s", tensor_error());
    }
    for (int k = 0; k < 7 * IN; k++)
        CHECK_CLOSE(tied.weight->grad[k], (double)apart.weight->grad[k] + head.weight->grad[k],
                    1e-6); /* the additions of a row come in another order */
    tape_free(tape);
    params_free(p);
}

static const TestCase cases[] = {
    {"LoRA: zeros change nothing", zeros_change_nothing},
    {"LoRA is its formula", it_is_its_formula},
    {"LoRA is merged into a transposed weight", merged_into_a_transposed_weight},
    {"LoRA refuses", refusals},
    {"tied weights add their gradients", tied_weights_add_their_gradients},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("lora", cases, argc, argv);
}
