/* equivariance.c: does attention see the order of its input?
 *
 *   f(P x) = P f(x) for every permutation P of the tokens?        lectures Z, J (permutation equivariance),
 *                                                                 H (z_4 = z'_1), B (swapping earlier tokens)
 *
 * The program measures max |f(Px) - P f(x)| for attention without weights, multi-head attention, a block and a stack of
 * blocks; then again with positional encoding added to x, and with a causal mask. If the result is zero up to rounding, f
 * treats its input as a set. Both the encoding and the mask break this symmetry; the table shows by how much. */
#include "examples/common/options.h"
#include "examples/common/trace.h"
#include "gradus.h"

#include <math.h>
#include <stdlib.h>

enum { LAYERS = 4, WIDEST = 512, LONGEST = 1024 };

typedef struct {
    int seed, tokens, channels, heads, permutations;
} Settings;

typedef struct {
    MultiHeadAttention attention;
    TransformerBlock blocks[LAYERS];
    PositionalEncoding position;
} Model;

/* The functions under test, each (1, T, C) -> (1, T, C). */
typedef Tensor *(*Function)(const Model *m, Tensor *x, Mask mask);

/* softmax(X X^T / sqrt(C)) X: the first form in lecture Z, without any weight */
static Tensor *plain_attention(const Model *m, Tensor *x, Mask mask)
{
    (void)m;
    return ag_attention(x, x, x, mask, 0);
}

static Tensor *multi_head(const Model *m, Tensor *x, Mask mask)
{
    return nn_attention(&m->attention, x, mask);
}

static Tensor *block(const Model *m, Tensor *x, Mask mask)
{
    return nn_transformer_block(&m->blocks[0], x, mask);
}

static Tensor *stack(const Model *m, Tensor *x, Mask mask)
{
    for (int i = 0; i < LAYERS; i++)
        x = nn_transformer_block(&m->blocks[i], x, mask);
    return x;
}

static const struct {
    const char *name;
    Function f;
} functions[] = {
    {"attention, no weights", plain_attention},
    {"multi-head attention", multi_head},
    {"block", block},
    {"stack of 4 blocks", stack},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef enum { AS_IT_IS, WITH_POSITION, WITH_CAUSAL_MASK, VARIANTS } Variant;

static bool build(Model *m, Params *p, const Settings *s)
{
    BlockConfig config = {.channels = s->channels, .heads = s->heads};
    bool ok =
        nn_attention_init(&m->attention, p, "attention", s->channels, s->heads, 0) &&
        nn_position_init(&m->position, p, "position", POSITION_SINUSOIDAL, LONGEST, s->channels);
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_transformer_block_init(&m->blocks[i], p, params_format(p, "blocks.%d", i), config);
    return ok;
}

/* Computes f of T rows of numbers into `out`. */
static void evaluate(const Model *m, Tape *tape, Function f, Variant v, const real *rows,
                     Shape shape, real *out)
{
    tape_reset(tape);
    Tensor *x = tape_input(tape, rows, shape);
    if (v == WITH_POSITION)
        x = nn_position(&m->position, x);
    Tensor *y = f(m, x, (Mask){.causal = v == WITH_CAUSAL_MASK});
    tensor_read(y, out);
}

/* Computes P x: row t of `out` is row order[t] of x. */
static void permute(const real *x, const int *order, int tokens, int channels, real *out)
{
    for (int t = 0; t < tokens; t++)
        for (int c = 0; c < channels; c++)
            out[t * channels + c] = x[order[t] * channels + c];
}

/* The largest |f(Px) - P f(x)| over several permutations. */
static double measure(const Model *m, Tape *tape, const Settings *s, int function, Variant v)
{
    int64_t n = (int64_t)s->tokens * s->channels;
    Shape shape = shape3(1, s->tokens, s->channels);
    real *buffer = malloc(sizeof *buffer * 5 * (size_t)n);
    int *order = malloc(sizeof *order * (size_t)s->tokens);
    if (!buffer || !order)
        options_refuse("no memory for the tokens; expected some");
    real *x = buffer, *px = x + n, *fx = px + n, *fpx = fx + n, *pfx = fpx + n;
    Rng rng = {.seed = (uint64_t)s->seed};
    double worst = 0;
    for (int k = 0; k < s->permutations; k++) {
        for (int64_t i = 0; i < n; i++)
            x[i] = (real)rng_normal(&rng);
        for (int t = 0; t < s->tokens; t++)
            order[t] = t;
        rng_shuffle(&rng, order, s->tokens);
        permute(x, order, s->tokens, s->channels, px);
        evaluate(m, tape, functions[function].f, v, x, shape, fx);
        evaluate(m, tape, functions[function].f, v, px, shape, fpx);
        permute(fx, order, s->tokens, s->channels, pfx);
        for (int64_t i = 0; i < n; i++) {
            double off = fabs((double)fpx[i] - (double)pfx[i]);
            worst = off > worst || isnan(off) ? off : worst; /* fmax would drop a NaN */
        }
    }
    free(buffer);
    free(order);
    return worst;
}

static void print_table(const Model *m, Tape *tape, const Settings *s)
{
    printf("max |f(Px) - P f(x)| over %d permutations of %d tokens, %d channels, %d heads, seed "
           "%d\n\n",
           s->permutations, s->tokens, s->channels, s->heads, s->seed);
    printf("%-24s %12s %14s %14s\n", "f", "plain", "with position", "causal mask");
    bool set = true, broken = true;
    for (int f = 0; f < FUNCTIONS; f++) {
        double found[VARIANTS];
        for (int v = 0; v < VARIANTS; v++)
            found[v] = measure(m, tape, s, f, (Variant)v);
        printf("%-24s %12.1e %14.3f %14.3f\n", functions[f].name, found[AS_IT_IS],
               found[WITH_POSITION], found[WITH_CAUSAL_MASK]);
        set &= found[AS_IT_IS] < 1e-4;
        broken &= found[WITH_POSITION] > 1e-2 && found[WITH_CAUSAL_MASK] > 1e-2;
    }
    printf(
        "\nWithout positions and mask, each f %s: permuting the tokens only permutes the result.\n",
        set ? "is equivariant up to rounding" : "is NOT equivariant");
    printf("Positional encoding and a causal mask %s equivariance: the order of the tokens then "
           "matters.\n",
           broken ? "both break" : "do NOT both break");
}

int main(int argc, char **argv)
{
    Settings s = {.seed = 1, .tokens = 10, .channels = 32, .heads = 4, .permutations = 5};
    int threads = 0;
    bool quiet = false;
    const char *trace = NULL;
    const Option table[] = {
        {"tokens", OPTION_INT, &s.tokens, "T", "number of tokens", 2, LONGEST},
        {"channels", OPTION_INT, &s.channels, "C", "model width", 1, WIDEST},
        {"heads", OPTION_INT, &s.heads, "H", "number of heads, a divisor of the channels", 1,
         WIDEST},
        {"permutations", OPTION_INT, &s.permutations, "N", "number of permutations to try", 1,
         1000},
        {"seed", OPTION_INT, &s.seed, "N", "seed of weights, tokens and permutations", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "number of threads; 0: one for each processor", 0,
         1024},
        {"trace", OPTION_MAYBE, &trace, "V",
         "print the first pass op by op, in the symbols of lecture V, B, H, Z or J, and end", 0, 0},
        {"quiet", OPTION_FLAG, &quiet, NULL,
         "accepted for uniformity; this program prints results only", 0, 0},
        {0},
    };
    options_parse(
        argc, argv,
        "Measures whether attention and transformer blocks depend on the order of their input.",
        table);
    if (trace)
        trace_begin(trace);
    example_exit_on_error();
    tensor_set_threads(threads);

    Params *params = params_new((uint64_t)s.seed);
    Tape *tape = tape_new((uint64_t)s.seed);
    Model model;
    if (params && tape && build(&model, params, &s))
        print_table(&model, tape, &s);
    tape_free(tape);
    params_free(params);
    return 0;
}
