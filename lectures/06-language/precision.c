/* precision.c: with how many bits a large model is trained (row 44).            B "Ready for LLMs!"
 *
 *             bits of the exponent, significant bits      smallest normal, largest
 *   float     8, 24                                       2^-126, 2^128
 *   bfloat16  8, 8: the upper half of a float             2^-126, 2^128
 *   fp16      5, 11                                       2^-14 (with fewer bits 2^-24), 65504
 *
 * Micikevicius et al., "Mixed precision training" (2018): fp16 operands, float sums and weights,
 * and a scaled loss. Kalamkar et al., "A study of bfloat16 for deep learning training" (2019). */
#include "lectures/06-language/language.h"

/* x rounded to `bits` significant bits, and to multiples of `smallest` below that. */
static double rounded(double x, int bits, double smallest)
{
    int exponent;
    frexp(x, &exponent);
    const double unit = fmax(ldexp(1, exponent - bits), smallest);
    return rint(x / unit) * unit;
}

static double bfloat16(double x)
{
    return rounded(x, 8, 0x1p-133);
}

static double fp16(double x)
{
    return rounded(x, 11, 0x1p-24);
}

/* x with every number rounded to bfloat16. */
static Tensor *narrowed(const Tensor *x)
{
    Tensor *y = tape_full(x->tape, 0, x->shape);
    for (int64_t i = 0; i < tensor_size(y); i++)
        y->data[i] = (real)bfloat16((double)x->data[i]);
    return y;
}

/* ---- a product ------------------------------------------------------------------------------- */

/* Rounding a and b to 8 bits changes each by at most 2^-8 of itself; k + 2 roundings of float sums
 * are 2^-24 of the sum of the absolute values each. */
static double product_error(Trial *t)
{
    enum { M = 6 };
    double worst = 0;
    for (int k = 16; k <= 4096; k *= 4) {
        Tensor *a = ag_abs(trial_normal(t, 4410, shape2(M, k)));
        Tensor *b = ag_abs(trial_normal(t, 4410, shape2(k, M)));
        Tensor *c = ag_matmul(narrowed(a), narrowed(b));
        double of_this = 0, bound = 0x1p-7 + 0x1p-16 + (k + 2) * 0x1p-24;
        for (int i = 0; i < M * M; i++) {
            double exact = 0, got = (double)c->data[i], sum = 0;
            for (int l = 0; l < k; l++) {
                const double x = (double)a->data[i / M * k + l], y = (double)b->data[l * M + i % M];
                exact += x * y;
                sum = bfloat16(sum + bfloat16(x) * bfloat16(y));
            }
            got = broken(t, "bf16-sums") ? sum : got;
            of_this = values_worst(of_this, fabs(got - exact) / exact);
        }
        explain(t, "k = %4d: |C - A B| <= %.5f |A||B|, bound %.5f", k, of_this, bound);
        worst = values_worst(worst, of_this / bound);
    }
    return worst;
}

/* ---- a sum ----------------------------------------------------------------------------------- */

/* 256 + 1 lies halfway between 256 and 258, and is rounded to 256, whose last bit is 0. */
static double sum_of_ones(Trial *t)
{
    enum { ONES = 4096 };
    Tape *tape = trial_tape(t);
    double in_bfloat16 = 0;
    for (int i = 0; i < ONES; i++)
        in_bfloat16 = broken(t, "float-sums") ? in_bfloat16 + 1 : bfloat16(in_bfloat16 + 1);
    Tensor *product = ag_matmul(narrowed(tape_full(tape, 1, shape2(1, ONES))),
                                narrowed(tape_full(tape, 1, shape2(ONES, 1))));
    const double in_float = (double)tensor_item(product);
    explain(t,
            "4096 ones, each sum rounded to bfloat16: %.0f; products of bfloat16 with float "
            "sums: %.0f",
            in_bfloat16, in_float);
    return fabs(in_bfloat16 - 256) + fabs(in_float - ONES);
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* The share of the gradients that are not 0 in float and are 0 after rounding a scaled one. */
static double lost(const Tensor *logits, double scale, double (*round)(double))
{
    double count = 0, zeros = 0;
    for (int64_t i = 0; i < tensor_size(logits); i++) {
        const double g = (double)logits->grad[i];
        count += g != 0;
        zeros += g != 0 && round(g * scale) == 0;
    }
    return zeros / count;
}

/* Gradients of the logits of 64 tokens, 2,048 words each, in a batch of 8,192 tokens: p / 8192,
 * where most words have a p far below 1 / 2048. fp16 takes what is below 2^-25 for 0. */
static double gradients_lost(Trial *t)
{
    enum { ROWS = 64, WORDS = 2048, BATCH = 8192 };
    Tape *tape = trial_tape(t);
    int next[ROWS];
    for (int i = 0; i < ROWS; i++)
        next[i] = (int)(rng_uniform(trial_rng(t, 4411)) * WORDS);
    Tensor *normal = trial_normal(t, 4412, shape2(ROWS, WORDS));
    Tensor *logits = ag_keep(ag_scale(tape_leaf(tape, normal->data, normal->shape), 3));
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, next, shape1(ROWS)));
    ag_backward(ag_scale(loss, (real)ROWS / BATCH));
    const double scale = broken(t, "scaled") ? 0x1p16 : 1;
    const double in_fp16 = lost(logits, scale, fp16);
    const double in_scaled = lost(logits, 0x1p16, fp16);
    const double in_bf16 = lost(logits, 1, broken(t, "fp16-range") ? fp16 : bfloat16);
    explain(t, "fp16 loses %.3f of the gradients, with the loss times 2^16 %.3f; bfloat16 %.3f",
            in_fp16, in_scaled, in_bf16);
    return in_fp16 - in_scaled - in_bf16;
}

const Claim precision_claims[] = {
    {44, product_error,
     "a product of bfloat16 operands with float sums is off by at most 2^-7 of |A| |B|, and what "
     "float sums add",
     .slides = {"B: Ready for LLMs!"},
     .quantity = "largest |C - A B| / bound, 16 to 4,096 positive terms",
     AT_MOST(1, "two operands, each rounded to 8 bits, and k + 2 roundings of a float"),
     .faults = {{"bf16-sums", "each sum is rounded to bfloat16, too"}}},
    {44, sum_of_ones,
     "a sum of 4,096 ones stops at 256 where it is kept in bfloat16; sums in float reach 4,096",
     .slides = {"B: Ready for LLMs!"},
     .quantity = "|sum in bfloat16 - 256| + |product with float sums - 4096|",
     EXACTLY(0, "256 + 1 has 9 significant bits and is rounded to 256; whole numbers are exact in "
                "float"),
     .faults = {{"float-sums", "the sum is kept in float"}}},
    {44, gradients_lost,
     "fp16 rounds many of a batch's gradients to 0 unless the loss is scaled; bfloat16 rounds none",
     .slides = {"B: Ready for LLMs!"},
     .quantity = "share of gradients lost in fp16, less those lost with the loss times 2^16 and in "
                 "bfloat16",
     AT_LEAST(0.5, "logits of deviation 3: p is above 8192 2^-25 only 1.6 deviations above their "
                   "mean, so that fp16 keeps one word in ten; half of the others are left for the "
                   "scaled loss"),
     .faults = {{"scaled", "the loss is scaled in fp16"},
                {"fp16-range", "bfloat16 has the exponents of fp16"}}},
    {0},
};
