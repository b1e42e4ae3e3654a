/* equivariance.c: does attention see the order of its input?
 *
 *   f(P x) = P f(x) for every permutation P of the tokens?  lectures Z, J (permutation equivariance),
 *                                                           H (z_4 = z'_1), B (swapping earlier tokens)
 *
 * The program measures max |f(Px) - P f(x)| for attention without weights, multi-head attention, a
 * block and a stack of blocks; then again with positional encoding added to x, and with a causal
 * mask. If the result is zero up to rounding, f treats its input as a set. Both the encoding and
 * the mask break this symmetry; the table shows by how much.
 * --html writes the attention maps of x and Px as a page: A(Px) = P A(x) P^T. */
#include "examples/common/html.h"

#include <math.h>
#include <stdlib.h>

enum { LAYERS = 4, WIDEST = 512, LONGEST = 1024 };

typedef struct {
    Common common;
    int tokens, channels, heads, permutations;
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

/* The numbers of one check: x, Px, f(x), f(Px) and P f(x), each (T, C). */
typedef struct {
    real *x, *px, *fx, *fpx, *pfx;
    int *order; /* P: row t of Px is row order[t] of x */
    int64_t size;
    Shape shape; /* (1, T, C) */
} Check;

static bool build(Model *m, Params *p, const Settings *s)
{
    BlockConfig config = {.channels = s->channels, .heads = s->heads};
    bool ok =
        nn_attention_init(&m->attention, p, "attention", s->channels, s->heads, 0) &&
        nn_position_init(&m->position, p, "position", POSITION_SINUSOIDAL, LONGEST, s->channels);
    for (int i = 0; ok && i < LAYERS; i++)
        ok = nn_transformer_block_init(&m->blocks[i], p, params_path(p, "blocks.%d", i), config);
    return ok;
}

static void check_begin(Check *c, const Settings *s)
{
    int64_t n = (int64_t)s->tokens * s->channels;
    real *x = example_alloc(sizeof *x * 5 * (size_t)n);
    int *order = example_alloc(sizeof *order * (size_t)s->tokens);
    if (!x || !order)
        exit(1);
    *c = (Check){.x = x,
                 .px = x + n,
                 .fx = x + 2 * n,
                 .fpx = x + 3 * n,
                 .pfx = x + 4 * n,
                 .order = order,
                 .size = n,
                 .shape = shape3(1, s->tokens, s->channels)};
}

static void check_free(Check *c)
{
    free(c->x);
    free(c->order);
}

/* Computes P x: row t of `out` is row order[t] of x. */
static void permute(const real *x, const int *order, int tokens, int channels, real *out)
{
    for (int t = 0; t < tokens; t++)
        for (int c = 0; c < channels; c++)
            out[t * channels + c] = x[order[t] * channels + c];
}

/* Draws tokens and a permutation of them. */
static void draw(Check *c, const Settings *s, Rng *rng)
{
    for (int64_t i = 0; i < c->size; i++)
        c->x[i] = (real)rng_normal(rng);
    for (int t = 0; t < s->tokens; t++)
        c->order[t] = t;
    rng_shuffle(rng, c->order, s->tokens);
    permute(c->x, c->order, s->tokens, s->channels, c->px);
}

/* Computes f of T rows of numbers. */
static Tensor *evaluate(const Model *m, Tape *tape, Function f, Variant v, const real *rows,
                        Shape shape)
{
    tape_reset(tape);
    Tensor *x = tape_input(tape, rows, shape);
    if (v == WITH_POSITION)
        x = nn_position(&m->position, x);
    return f(m, x, (Mask){.causal = v == WITH_CAUSAL_MASK});
}

/* The largest |f(Px) - P f(x)| over several permutations. */
static double measure(const Model *m, Tape *tape, const Settings *s, Function f, Variant v)
{
    Rng rng = {.seed = (uint64_t)s->common.seed};
    double worst = 0;
    Check c;
    check_begin(&c, s);
    for (int k = 0; k < s->permutations; k++) {
        draw(&c, s, &rng);
        tensor_read(evaluate(m, tape, f, v, c.x, c.shape), c.fx);
        tensor_read(evaluate(m, tape, f, v, c.px, c.shape), c.fpx);
        permute(c.fx, c.order, s->tokens, s->channels, c.pfx);
        for (int64_t i = 0; i < c.size; i++) {
            double off = fabs((double)c.fpx[i] - (double)c.pfx[i]);
            worst = off > worst || isnan(off) ? off : worst; /* fmax would drop a NaN */
        }
    }
    check_free(&c);
    return worst;
}

static void print_table(const Model *m, Tape *tape, const Settings *s)
{
    printf("max |f(Px) - P f(x)| over %d permutations of %d tokens, %d channels, %d heads, seed "
           "%d\n\n",
           s->permutations, s->tokens, s->channels, s->heads, s->common.seed);
    printf("%-24s %12s %14s %14s\n", "f", "plain", "with position", "causal mask");
    bool set = true, broken = true;
    for (int f = 0; f < FUNCTIONS; f++) {
        double found[VARIANTS];
        for (int v = 0; v < VARIANTS; v++)
            found[v] = measure(m, tape, s, functions[f].f, (Variant)v);
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

/* ---- the page of --html ---------------------------------------------------------------------- */

/* The stack's maps of x and of Px, and the names of their tokens, which stay with the tokens when P
 * moves them. */
static bool add_pair(Html *html, const Model *m, Tape *tape, const Check *c, Variant v,
                     const char *const *names[2])
{
    static const char *const title[VARIANTS][2] = {
        [AS_IT_IS] = {"tokens x", "permuted tokens Px"},
        [WITH_POSITION] = {"x + position", "Px + position"},
        [WITH_CAUSAL_MASK] = {"x, causal mask", "Px, causal mask"},
    };
    const real *rows[2] = {c->x, c->px};
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        const HtmlAttention all = {.path = "blocks.%d.attn",
                                   .layers = LAYERS,
                                   .rows = names[i],
                                   .columns = names[i]};
        ok = !tensor_is_poison(evaluate(m, tape, stack, v, rows[i], c->shape)) &&
             html_add(html, tape, 0, title[v][i], &all, 1);
    }
    return ok;
}

/* The page shows the first of the checks, without and with position, and with a causal mask. */
static bool write_page(const Model *m, Tape *tape, const Settings *s)
{
    static char name[LONGEST][8];
    static const char *x_names[LONGEST], *px_names[LONGEST];
    const char *const *names[2] = {x_names, px_names};
    Html html = {.wanted = true};
    Rng rng = {.seed = (uint64_t)s->common.seed};
    Check c;
    check_begin(&c, s);
    draw(&c, s, &rng);
    for (int t = 0; t < s->tokens; t++) {
        snprintf(name[t], sizeof name[t], "x%d", t);
        x_names[t] = name[t];
        px_names[t] = name[c.order[t]];
    }
    tape->keep_maps = true;
    bool ok = true;
    for (int v = 0; ok && v < VARIANTS; v++)
        ok = add_pair(&html, m, tape, &c, (Variant)v, names);
    ok = ok && html_write(&html, &s->common, "Attention of tokens in two orders");
    html_free(&html);
    check_free(&c);
    return ok;
}

int main(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1,
                             .out = "out/equivariance",
                             .pages = "attention.html",
                             .no_pictures = true},
                  .tokens = 10,
                  .channels = 32,
                  .heads = 4,
                  .permutations = 5};
    const Option own[] = {
        {"tokens", OPTION_INT, &s.tokens, "T", "number of tokens", 2, LONGEST},
        {"channels", OPTION_INT, &s.channels, "C", "model width", 1, WIDEST},
        {"heads", OPTION_INT, &s.heads, "H", "number of heads, a divisor of the channels", 1,
         WIDEST},
        {"permutations", OPTION_INT, &s.permutations, "N", "number of permutations to try", 1,
         1000},
        {0},
    };
    example_begin(
        argc, argv,
        "Measures whether attention and transformer blocks depend on the order of their input.",
        &s.common, own);

    Params *params = params_new((uint64_t)s.common.seed);
    Tape *tape = tape_new((uint64_t)s.common.seed);
    Model model;
    bool ok = params && tape && build(&model, params, &s);
    if (ok)
        print_table(&model, tape, &s);
    ok = ok && (!s.common.html || write_page(&model, tape, &s));
    tape_free(tape);
    params_free(params);
    return ok ? 0 : 1;
}
