/* lora.c: a change of low rank, trained beside frozen weights (row 46).
 * Z "Large language models (LLMs)"; Hu et al. 2021
 *
 *   y = x (W + (alpha / r) B A)^T,  A (r, in) drawn, B (out, r) zeros: r (in + out) trained numbers of in out */
#include "lectures/06-language/language.h"

enum { IN = 24, OUT = 16, RANK = 3 };

/* A layer, its adaptation and tokens. */
typedef struct {
    Linear base;
    Lora lora;
    Tensor *x; /* (5, IN) */
} Adapted;

static Adapted adapted(Trial *t)
{
    Adapted a;
    Params *p = trial_params(t);
    nn_linear_init(&a.base, p, "base", IN, OUT, true);
    nn_lora_init(&a.lora, p, "lora", a.base, RANK, 2.0 * RANK);
    a.x = trial_normal(t, 700, shape2(5, IN));
    return a;
}

/* Numbers in B, as if it had been trained. */
static void fill_B(Adapted *a, Trial *t)
{
    for (int64_t i = 0; i < tensor_size(a->lora.lora_B); i++)
        a->lora.lora_B->data[i] = (real)(0.3 * rng_normal(trial_rng(t, 701)));
}

/* ---- identity, merging, counting ------------------------------------------------------------- */

static double lora_identity(Trial *t)
{
    Adapted a = adapted(t);
    if (broken(t, "drawn"))
        fill_B(&a, t);
    double off = values_difference(nn_lora(&a.lora, a.x), nn_linear(&a.base, a.x));
    explain(t, "B (%d, %d): max |adapted - base| = %.3g", OUT, RANK, off);
    return off;
}

static double lora_merge(Trial *t)
{
    Adapted a = adapted(t);
    fill_B(&a, t);
    Tensor *before = nn_lora(&a.lora, a.x), *frozen = nn_linear(&a.base, a.x);
    bool ok = broken(t, "unmerged") || nn_lora_merge(&a.lora);
    double off = ok ? values_difference(before, nn_linear(&a.base, a.x)) : (double)NAN;
    explain(t, "the adaptation moves the output by %.3f; base alone after merging: apart by %.2g",
            values_difference(before, frozen), off);
    return off;
}

/* Trained numbers, for several layers and ranks, against r (in + out). */
static double lora_count(Trial *t)
{
    static const int sizes[][3] = {{24, 16, 3}, {64, 256, 4}, {768, 768, 8}};
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        int in = sizes[k][0], out = sizes[k][1], r = sizes[k][2];
        Params *p = params_new(t->seed);
        Linear base;
        Lora lora;
        bool ok = nn_linear_init(&base, p, "base", in, out, false) &&
                  nn_lora_init(&lora, p, "lora", base, r, r);
        if (ok && broken(t, "unfrozen"))
            params_freeze(p, "base", false);
        int64_t trained = ok ? params_trained(p) : -1;
        explain(t, "%d -> %d, r = %d: %lld numbers are trained, r (in + out) = %d; in out = %d", in,
                out, r, (long long)trained, r * (in + out), in * out);
        worst = values_worst(worst, fabs((double)trained - r * (in + out)));
        params_free(p);
    }
    return worst;
}

/* ---- where it may begin ---------------------------------------------------------------------- */

/* The first gradients for L = mean (y - target)^2, with G = dL/dy (rows tokens):
 *   1  dL/dB = s G^T (x A^T),  which is 0 if A is 0
 *   2  dL/dA = s (G B)^T x,    which is 0 if B is 0
 *   3  so with A = B = 0 both are 0, and stay 0: no step ever changes them
 * Returns the largest gradient of A and B. */
static double both_zero(Trial *t)
{
    Adapted a = adapted(t);
    Tensor *A = a.lora.lora_A, *B = a.lora.lora_B;
    for (int64_t i = 0; i < tensor_size(A) && !broken(t, "drawn"); i++)
        A->data[i] = 0;
    Tensor *y = nn_lora(&a.lora, a.x), *loss = ag_mse(y, trial_normal(t, 702, y->shape));
    if (!ag_backward(loss) || !(tensor_item(loss) > 0))
        return (double)NAN;
    double gA = 0, gB = 0;
    for (int64_t i = 0; i < tensor_size(A); i++)
        gA = values_worst(gA, fabs((double)A->grad[i]));
    for (int64_t i = 0; i < tensor_size(B); i++)
        gB = values_worst(gB, fabs((double)B->grad[i]));
    explain(t, "loss %.3f; max |dL/dA| = %.3g, max |dL/dB| = %.3g", (double)tensor_item(loss), gA,
            gB);
    return values_worst(gA, gB);
}

const Claim lora_claims[] = {
    {46, lora_identity, "with B = 0 the adapted layer is the layer itself, number for number",
     .slides = {"Z: Large language models (LLMs)"}, .quantity = "max |adapted output - output|",
     EXACTLY(0, "B A = 0, and y + 0 = y"), .faults = {{"drawn", "B is drawn at random, as A is"}}},
    {46, lora_merge, "the merged weight W + (alpha / r) B A computes the same, at no further cost",
     .slides = {"Z: Large language models (LLMs)"},
     .quantity = "max |adapted output - output of the merged layer|",
     AT_MOST(1e-5, "the same sum in another order; numbers of size 3"),
     .faults = {{"unmerged", "the layer is used without merging"}}},
    {46, lora_count, "LoRA trains r (in + out) numbers in place of in out",
     .slides = {"Z: Large language models (LLMs)"},
     .quantity = "largest |trained numbers - r (in + out)|, three layers",
     EXACTLY(0, "A is (r, in), B is (out, r); W is frozen"),
     .faults = {{"unfrozen", "W is trained as well"}},
     HOLDS_POISONED("counts weights; no number is read")},
    {46, both_zero, "if both factors begin at 0, neither ever has a gradient",
     .slides = {"Z: Large language models (LLMs)"},
     .quantity = "max |dL/dA|, |dL/dB| with A = B = 0",
     EXACTLY(0, "each gradient is a product with the other factor"),
     .faults = {{"drawn", "A is drawn, as LoRA does: B has a gradient"}}},
    {0},
};
