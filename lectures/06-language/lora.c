/* lora.c: a change of low rank, trained beside frozen weights (row 46).
 * Z "Large language models (LLMs)"; Hu et al. 2021
 *
 *   y = x (W + (alpha / r) B A)^T,  A (r, in) drawn, B (out, r) zeros: r (in + out) trained numbers of in out */
#include "lectures/06-language/language.h"

enum { IN = 24, OUT = 16, RANK = 3 };

/* A layer, its adaptation and tokens. */
typedef struct {
    Params *params;
    Tape *tape;
    Linear base;
    Lora lora;
    Tensor *x; /* (5, IN) */
} Adapted;

static void adapted_begin(Adapted *a, uint64_t seed, int64_t rank)
{
    Rng rng = {.seed = seed, .stream = 700};
    *a = (Adapted){.params = params_new(seed), .tape = tape_new(seed)};
    nn_linear_init(&a->base, a->params, "base", IN, OUT, true);
    nn_lora_init(&a->lora, a->params, "lora", a->base, rank, 2.0 * (double)rank);
    a->x = values_normal(a->tape, &rng, shape2(5, IN), 1);
}

static void adapted_end(Adapted *a)
{
    tape_free(a->tape);
    params_free(a->params);
}

/* Numbers in B, as if it had been trained. */
static void fill_B(Adapted *a, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 701};
    for (int64_t i = 0; i < tensor_size(a->lora.lora_B); i++)
        a->lora.lora_B->data[i] = (real)(0.3 * rng_normal(&rng));
}

/* ---- identity, merging, counting ------------------------------------------------------------- */

static double lora_identity(Trial *t)
{
    Adapted a;
    adapted_begin(&a, t->seed, RANK);
    if (broken(t, "drawn"))
        fill_B(&a, t->seed);
    double off = values_difference(nn_lora(&a.lora, a.x), nn_linear(&a.base, a.x));
    explain(t, "B (%d, %d): max |adapted - base| = %.3g", OUT, RANK, off);
    adapted_end(&a);
    return off;
}

static double lora_merge(Trial *t)
{
    Adapted a;
    adapted_begin(&a, t->seed, RANK);
    fill_B(&a, t->seed);
    Tensor *before = nn_lora(&a.lora, a.x), *frozen = nn_linear(&a.base, a.x);
    bool ok = broken(t, "unmerged") || nn_lora_merge(&a.lora);
    double off = ok ? values_difference(before, nn_linear(&a.base, a.x)) : (double)NAN;
    explain(t, "the adaptation moves the output by %.3f; base alone after merging: apart by %.2g",
            values_difference(before, frozen), off);
    adapted_end(&a);
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
    Adapted a;
    double largest = (double)NAN;
    adapted_begin(&a, t->seed, RANK);
    Rng rng = {.seed = t->seed, .stream = 702};
    for (int64_t i = 0; i < tensor_size(a.lora.lora_A) && !broken(t, "drawn"); i++)
        a.lora.lora_A->data[i] = 0;
    Tensor *y = nn_lora(&a.lora, a.x), *target = values_normal(a.tape, &rng, y->shape, 1);
    Tensor *loss = ag_mse(y, target);
    if (ag_backward(loss) && tensor_item(loss) > 0) {
        double gA = 0, gB = 0;
        for (int64_t i = 0; i < tensor_size(a.lora.lora_A); i++)
            gA = values_worst(gA, fabs((double)a.lora.lora_A->grad[i]));
        for (int64_t i = 0; i < tensor_size(a.lora.lora_B); i++)
            gB = values_worst(gB, fabs((double)a.lora.lora_B->grad[i]));
        explain(t, "loss %.3f; max |dL/dA| = %.3g, max |dL/dB| = %.3g", (double)tensor_item(loss),
                gA, gB);
        largest = values_worst(gA, gB);
    }
    adapted_end(&a);
    return largest;
}

/* ---- loss by rank ---------------------------------------------------------------------------- */

enum { N = 16, RANKS = 5, STEPS = 500 };
static const double sigma[] = {4, 2}; /* singular values of the change that is to be learned */

/* n orthonormal vectors of N numbers (Gram and Schmidt). */
static void orthonormal(Rng *rng, int n, double (*v)[N])
{
    for (int k = 0; k < n; k++) {
        double length = 0;
        for (int i = 0; i < N; i++)
            v[k][i] = rng_normal(rng);
        for (int j = 0; j < k; j++) {
            double along = 0;
            for (int i = 0; i < N; i++)
                along += v[k][i] * v[j][i];
            for (int i = 0; i < N; i++)
                v[k][i] -= along * v[j][i];
        }
        for (int i = 0; i < N; i++)
            length += v[k][i] * v[k][i];
        for (int i = 0; i < N; i++)
            v[k][i] /= sqrt(length);
    }
}

typedef struct {
    double loss[RANKS];          /* after training, r = 0 (nothing trained) to 4 */
    double change[RANKS][N * N]; /* (alpha / r) B A                              */
    double wanted[N * N];        /* sigma_1 u_1 v_1^T + sigma_2 u_2 v_2^T        */
} Ranks;

/* What is left by the best change of rank r (Eckart and Young 1936): the other singular values. */
static double floor_of(int r)
{
    return ((r < 1 ? sigma[0] * sigma[0] : 0) + (r < 2 ? sigma[1] * sigma[1] : 0)) / (N * N);
}

/* Trains a LoRA of rank r so that W + B A becomes W + wanted. Inputs are the N unit vectors, so
 * that the loss is the mean square of the N^2 entries of the difference. */
static bool train_rank(uint64_t seed, int r, Ranks *out)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Linear base;
    Lora lora;
    Adam adam = {0};
    real x[N * N] = {0}, y[N * N];
    bool ok = nn_linear_init(&base, p, "base", N, N, false) &&
              nn_lora_init(&lora, p, "lora", base, r, r) && adam_init(&adam, p, 0.02);
    for (int i = 0; ok && i < N * N;
         i++) { /* row i of y is what unit vector i becomes: column i of the matrix */
        x[i] = i / N == i % N;
        y[i] = base.weight->data[i % N * N + i / N] + (real)out->wanted[i % N * N + i / N];
    }
    for (int step = 0; ok && step <= STEPS; step++) {
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 10, STEPS, 0.03, 0);
        Tensor *loss = ag_mse(nn_lora(&lora, tape_input(tape, x, shape2(N, N))),
                              tape_input(tape, y, shape2(N, N)));
        out->loss[r] = (double)tensor_item(loss);
        ok = step == STEPS || (ag_backward(loss) && adam_step(&adam, p));
    }
    for (int i = 0; ok && i < N * N; i++) {
        out->change[r][i] = 0;
        for (int k = 0; k < r; k++)
            out->change[r][i] += (double)lora.scale * (double)lora.lora_B->data[i / N * r + k] *
                                 (double)lora.lora_A->data[k * N + i % N];
    }
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok && out->loss[r] > 0;
}

static const Ranks *ranks_of(uint64_t seed)
{
    static Ranks ranks;
    static Made made;
    double u[2][N], v[2][N];
    Rng rng = {.seed = seed, .stream = 703};
    if (made_for(&made, seed))
        return &ranks;
    orthonormal(&rng, 2, u);
    orthonormal(&rng, 2, v);
    for (int i = 0; i < N * N; i++)
        ranks.wanted[i] =
            sigma[0] * u[0][i / N] * v[0][i % N] + sigma[1] * u[1][i / N] * v[1][i % N];
    ranks.loss[0] = floor_of(0);
    for (int r = 1; r < RANKS; r++)
        made.is = train_rank(seed, r, &ranks) && made.is;
    return made.is ? &ranks : NULL;
}

static double lora_rank(Trial *t)
{
    const Ranks *ranks = ranks_of(t->seed);
    double worst = 0;
    for (int r = 1; ranks && r < RANKS; r++) {
        double loss = ranks->loss[broken(t, "rank-one") ? 1 : r];
        explain(t, "r = %d: loss %.6f, least possible %.6f", r, loss, floor_of(r));
        worst = values_worst(worst, fabs(loss - floor_of(r)) / floor_of(0));
    }
    return ranks ? worst : (double)NAN;
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
    {46, lora_rank,
     "a change of rank 2 is learned from r = 2 on; r = 1 leaves its second singular value",
     .slides = {"Z: Large language models (LLMs)"},
     .quantity = "max |loss - (sum of sigma_i^2, i > r) / N^2| / loss without a change, r = 1 .. 4",
     AT_MOST(0.01, "Eckart and Young: no matrix of rank r is nearer; 1 % of the loss is left to "
                   "training"),
     .faults = {{"rank-one", "r = 1 throughout"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_rank(const Sketch *s)
{
    static const char *const names[RANKS] = {"nothing trained", "r = 1", "r = 2", "r = 3", "r = 4"};
    static double least[RANKS], after[RANKS];
    const Ranks *ranks = ranks_of(s->seed);
    for (int r = 0; ranks && r < RANKS; r++) {
        after[r] = round(100 * N * N * ranks->loss[r]) / 100; /* two decimals, for the bars */
        least[r] = N * N * floor_of(r);
    }
    const PlotBars bars[] = {{.names = names,
                              .values = after,
                              .count = RANKS,
                              .title = "missing after training: sum of squared entries"},
                             {.names = names,
                              .values = least,
                              .count = RANKS,
                              .title = "least possible: \xcf\x83\xc2\xb2 beyond r"}};
    return ranks && plot_bars(s->stem, bars, 2, sketch_title(s, "LoRA learns a change of rank 2"),
                              s->formats);
}

const Figure lora_figures[] = {
    {46, "rank", draw_rank,
     .what = "the loss of LoRA by rank, where the change that is to be learned has rank 2"},
    {0},
};
