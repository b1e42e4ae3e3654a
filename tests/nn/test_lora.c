/* test_lora.c: which weights are trained: LoRA of a layer, a weight that two modules share, and
 * gradient accumulation over small batches. */
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

static double apart(const Tensor *a, const Tensor *b)
{
    double sum = 0;
    for (int64_t i = 0; i < tensor_size(a); i++)
        sum += fabs((double)a->data[i] - b->data[i]);
    return sum;
}

/* Training reaches a target through the small layers alone, and the layer stays bit for bit. */
static void training_leaves_the_layer_alone(void)
{
    Setting s;
    Adam adam;
    REQUIRE(setting_open(&s) && adamw_init(&adam, s.params, 0.05, 0.1), "%s", tensor_error());
    Tensor *weight = tensor_clone(s.base.weight), *bias = tensor_clone(s.base.bias);
    double first = 0, last = 0;
    for (int step = 0; step < 100; step++) {
        tape_reset(s.tape);
        Tensor *y = nn_lora(&s.lora, rows(&s));
        Tensor *target = ag_reshape(sequence_leaf(s.tape, 1, ROWS, OUT, 5), shape2(ROWS, OUT));
        Tensor *d = ag_sub(y, target), *loss = ag_sum(ag_mul(d, d));
        last = tensor_item(loss);
        first = step == 0 ? last : first;
        if (!CHECK(ag_backward(loss) && adam_step(&adam, s.params), "%s", tensor_error()))
            break;
    }
    CHECK(last < 0.5 * first, "the loss goes from %g to %g", first, last);
    CHECK(apart(s.base.weight, weight) == 0 && apart(s.base.bias, bias) == 0, "the layer moved");
    CHECK(s.base.weight->grad == NULL, "the layer has a gradient");
    tensor_free(weight);
    tensor_free(bias);
    adam_free(&adam);
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

/* ---- frozen ---------------------------------------------------------------------------------- */

typedef struct {
    Params *params;
    Tape *tape;
    Linear low, high;
    Adam adam;
} Two;

static bool two_open(Two *t)
{
    *t = (Two){.params = params_new(1), .tape = tape_new(1)};
    return CHECK(nn_linear_init(&t->low, t->params, "low", IN, OUT, true) &&
                     nn_linear_init(&t->high, t->params, "high", OUT, 2, true) &&
                     adamw_init(&t->adam, t->params, 0.01, 0.1),
                 "%s", tensor_error());
}

static void two_close(Two *t)
{
    CHECK_NO_ERROR();
    adam_free(&t->adam);
    tape_free(t->tape);
    params_free(t->params);
}

/* Backward of the sum of squares over `count` rows of eight, from row `first`, scaled. */
static void two_back(Two *t, int first, int count, double scale)
{
    tape_reset(t->tape);
    Tensor *x = ag_slice(sequence_leaf(t->tape, 1, 8, IN, 0), 1, first, first + count);
    Tensor *y = nn_linear(&t->high, ag_tanh(nn_linear(&t->low, x)));
    Tensor *loss = ag_scale(ag_mean(ag_mul(y, y)), (real)scale);
    CHECK(ag_backward(loss), "%s", tensor_error());
}

/* ---- small batches for a large one ----------------------------------------------------------- */

/* The mean over 8 rows is the mean of 4 means over 2: the same gradient but for the order of
 * additions. */
static void small_batches_add_up(void)
{
    Two one, four;
    REQUIRE(two_open(&one) && two_open(&four), "no layers");
    two_back(&one, 0, 8, 1);
    for (int k = 0; k < 4; k++)
        two_back(&four, 2 * k, 2, 0.25);
    double close = sizeof(real) == sizeof(double) ? 1e-15 : 1e-6;
    for (int i = 0; i < one.params->count; i++) {
        const Tensor *a = one.params->weight[i], *b = four.params->weight[i];
        for (int64_t k = 0; k < tensor_size(a); k++)
            CHECK_CLOSE(b->grad[k], a->grad[k], close);
    }
    CHECK(params_grad_norm(one.params) > 0.1, "there is nothing to compare");
    CHECK(adam_step(&one.adam, one.params) && adam_step(&four.adam, four.params), "%s",
          tensor_error());
    CHECK(params_grad_norm(four.params) == 0, "the step keeps the gradient");
    two_close(&one);
    two_close(&four);
}

/* ---- shared ---------------------------------------------------------------------------------- */

typedef struct {
    Params *params;
    Embedding words;
    Linear output; /* with the embedding's weight */
} Tied;

static bool tied_open(Tied *t, uint64_t seed)
{
    *t = (Tied){.params = params_new(seed)};
    bool ok = nn_embedding_init(&t->words, t->params, "words", 7, IN);
    t->output.weight = t->words.weight;
    return CHECK(ok, "%s", tensor_error());
}

static Tensor *tied_loss(const Tied *t, Tape *tape)
{
    tape_reset(tape);
    Tensor *ids = tape_ids(tape, (int[]){1, 5, 1, 0}, shape1(4));
    Tensor *next = tape_ids(tape, (int[]){5, 1, 0, 6}, shape1(4));
    return ag_cross_entropy(nn_linear(&t->output, nn_embedding(&t->words, ids)), next);
}

/* Registered once, so it is saved once, and stepped once: SGD takes rate times the whole
 * gradient. */
static void a_shared_weight_is_one(void)
{
    Tied a, b;
    Sgd sgd;
    Safetensors file;
    Tape *tape = tape_new(1);
    REQUIRE(tied_open(&a, 1) && tied_open(&b, 2), "no models");
    CHECK(a.params->count == 1 && params_size(a.params) == 7 * IN, "%d weights", a.params->count);
    CHECK(sgd_init(&sgd, a.params, 0.5, 0, 0), "%s", tensor_error());
    Tensor *before = tensor_clone(a.words.weight);
    CHECK(ag_backward(tied_loss(&a, tape)), "%s", tensor_error());
    real gradient[7 * IN];
    memcpy(gradient, a.words.weight->grad, sizeof gradient);
    CHECK(sgd_step(&sgd, a.params), "%s", tensor_error());
    for (int i = 0; i < 7 * IN; i++)
        CHECK_CLOSE(a.output.weight->data[i], before->data[i] - 0.5 * (double)gradient[i], 1e-6);

    const char *path = scratch_path("tied.safetensors");
    CHECK(params_save(path, a.params, NULL, 0), "%s", tensor_error());
    REQUIRE(safetensors_read(path, &file), "%s", tensor_error());
    CHECK(file.count == 1, "the file has %d tensors", file.count);
    CHECK(params_load(path, b.params), "%s", tensor_error());
    double loss = tensor_item(tied_loss(&a, tape));
    CHECK_CLOSE(tensor_item(tied_loss(&b, tape)), loss, 0);
    safetensors_free(&file);
    tensor_free(before);
    sgd_free(&sgd);
    tape_free(tape);
    params_free(a.params);
    params_free(b.params);
    CHECK_NO_ERROR();
}

static const TestCase cases[] = {
    {"LoRA: zeros change nothing", zeros_change_nothing},
    {"LoRA is its formula", it_is_its_formula},
    {"LoRA is merged into a transposed weight", merged_into_a_transposed_weight},
    {"LoRA's training leaves the layer alone", training_leaves_the_layer_alone},
    {"LoRA refuses", refusals},
    {"small batches add up", small_batches_add_up},
    {"a shared weight is one", a_shared_weight_is_one},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("lora", cases, argc, argv);
}
