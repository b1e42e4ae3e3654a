/* tests.c: the tests of the lab on modules. Values and gradients are compared with the solution's
 * and with finite differences; and with those of the library's op, ag_attention, between layers of
 * the same weights. Its names come first: the lab's header forbids them. */
#include "nn/nn.h"

#include <math.h>

/* (B, T, heads d) as heads (B, heads, T, d). */
static Tensor *library_heads(Tensor *x, int heads)
{
    Shape s = x->shape;
    return ag_transpose(ag_reshape(x, shape4(s.dim[0], s.dim[1], heads, s.dim[2] / heads)), 1, 2);
}

/* l: query, key, value, out. */
static Tensor *library(const Linear *l, Tensor *x, int heads, int kv_heads, Mask mask)
{
    Tensor *q = library_heads(nn_linear(&l[0], x), heads);
    Tensor *k = library_heads(nn_linear(&l[1], x), kv_heads);
    Tensor *v = library_heads(nn_linear(&l[2], x), kv_heads);
    Tensor *y = ag_transpose(ag_attention(q, k, v, mask, 0), 1, 2);
    return nn_linear(&l[3], ag_reshape(y, shape3(x->shape.dim[0], x->shape.dim[1], -1)));
}

#include "lab-module.h"

#include "lab.h"

#include <stdlib.h>

/* ---- a module with the weights of a case ----------------------------------------------------- */

enum { WEIGHTS = 4 };
static const char *const names[WEIGHTS] = {"wq", "wk", "wv", "wo"};

typedef struct {
    int batch, tokens, heads, groups, size, channels;
    const real *x, *from[WEIGHTS];
    int rows[WEIGHTS];
    const int *lengths; /* or NULL */
    Mask mask;
    Tape *tape;
    Params *params;
    GroupedAttention module;
    Tensor *in, *weight[WEIGHTS];
} Setting;

/* Causal, or with padding at the end, or both, or neither. */
static void draw_mask(Setting *s, Case *c)
{
    int causal = case_choice(c, "causal", 0, 1), padded = case_choice(c, "padded", 0, 1);
    const int *lengths = case_integers(c, "lengths", 1, s->tokens, 1, s->batch);
    s->mask.causal = causal;
    s->lengths = padded ? lengths : NULL;
}

/* x and the mask on the tape, which is empty. */
static void put_in(Setting *s)
{
    s->in = tape_leaf(s->tape, s->x, shape3(s->batch, s->tokens, s->channels));
    if (s->lengths)
        s->mask.lengths = tape_ids(s->tape, s->lengths, shape1(s->batch));
}

static void draw(Setting *s, Case *c, bool masked)
{
    s->batch = case_size(c, "B", 1, 2), s->tokens = case_size(c, "T", 2, 4);
    s->groups = case_turn(c, "G", 1, 2); /* in 6 cases each way to share heads */
    s->heads = s->groups * case_turn(c, "r", 1, 3);
    s->size = case_size(c, "d", 1, 3);
    s->channels = s->heads * s->size;
    s->x = case_input(c, "x", 3, s->batch, s->tokens, s->channels);
    for (int i = 0; i < WEIGHTS; i++) {
        s->rows[i] = (i == 1 || i == 2 ? s->groups : s->heads) * s->size;
        s->from[i] = case_input(c, names[i], 2, s->rows[i], s->channels);
    }
    s->tape = tape_new(1);
    s->params = params_new(1);
    if (masked)
        draw_mask(s, c);
}

static void begin(Setting *s, Case *c, bool masked)
{
    *s = (Setting){0};
    draw(s, c, masked);
    grouped_attention_init(&s->module, s->params, "attn", s->channels, s->heads, s->groups);
    s->weight[0] = s->module.query.weight, s->weight[1] = s->module.key.weight;
    s->weight[2] = s->module.value.weight, s->weight[3] = s->module.out.weight;
    for (int i = 0; i < WEIGHTS; i++)
        memcpy(s->weight[i]->data, s->from[i],
               (size_t)s->rows[i] * (size_t)s->channels * sizeof(real));
    put_in(s);
}

static void end(Setting *s)
{
    tensor_clear_error();
    params_free(s->params);
    tape_free(s->tape);
}

static int count_of(const Setting *s)
{
    return s->batch * s->tokens * s->channels;
}

/* ---- init ------------------------------------------------------------------------------------ */

/* The rows and columns of each weight under its path, 0 where there is none; how many there are;
 * and the members. The text of the path ends before the module does. */
static void init_case(Case *c)
{
    static const char *const paths[WEIGHTS] = {"attn.query.weight", "attn.key.weight",
                                               "attn.value.weight", "attn.out.weight"};
    int groups = case_turn(c, "G", 1, 2), heads = groups * case_turn(c, "r", 1, 3);
    int channels = heads * case_size(c, "d", 1, 3);
    int *shape = case_output_integers(c, "shape", 2, WEIGHTS, 2);
    int *weights = case_output_integers(c, "weights", 0);
    int *members = case_output_integers(c, "members", 1, 3);
    Params *p = params_new(1);
    GroupedAttention a = {0};
    char path[] = "attn";
    bool good = grouped_attention_init(&a, p, path, channels, heads, groups);
    memset(path, 0, sizeof path);
    if (good) {
        for (int i = 0; i < WEIGHTS; i++) {
            const Tensor *w = params_find(p, paths[i]);
            shape[2 * i] = w ? (int)w->shape.dim[0] : 0;
            shape[2 * i + 1] = w ? (int)w->shape.dim[1] : 0;
        }
        *weights = p->count;
        members[0] = a.heads, members[1] = a.kv_heads;
        members[2] = !a.path ? 0 : strcmp(a.path, "attn") == 0 ? 1 : 2; /* 2: another text */
    }
    if (tensor_failed())
        printf("error: %s\n", tensor_error());
    tensor_clear_error();
    params_free(p);
}

static int init_refusal(Tape *tape, int channels, int heads, int groups, int *weights,
                        const char *what)
{
    Params *p = params_new(1);
    GroupedAttention a = {0};
    bool refused = !grouped_attention_init(&a, p, "attn", channels, heads, groups);
    int found = refusal(tape, refused, what);
    *weights += p->count;
    params_free(p);
    return found;
}

static void init_refused_case(Case *c)
{
    int *refused = case_output_integers(c, "refused", 1, 4);
    int *weights = case_output_integers(c, "weights", 0), registered = 0;
    Tape *tape = tape_new(1);
    Params *p = params_new(1);
    GroupedAttention a = {0};
    if (grouped_attention_init(&a, p, "attn", 4, 2, 1)) {
        refused[0] = init_refusal(tape, 5, 2, 1, &registered, "5 channels, 2 heads");
        refused[1] = init_refusal(tape, 12, 3, 2, &registered, "3 heads, 2 of keys");
        refused[2] = init_refusal(tape, 4, 2, 0, &registered, "2 heads, 0 of keys");
        refused[3] = init_refusal(tape, 4, 0, 1, &registered, "0 heads, 1 of keys");
        *weights = registered;
    }
    params_free(p);
    tape_free(tape);
}

/* ---- values and gradients -------------------------------------------------------------------- */

static void values(Case *c, bool masked, bool flat)
{
    Setting s;
    begin(&s, c, masked);
    Shape one = shape2(s.tokens, s.channels);
    if (flat && s.batch == 1)
        s.in = tape_leaf(s.tape, s.x, one);
    const Tensor *y = grouped_attention(&s.module, s.in, s.mask);
    bool same = is_result(y, count_of(&s)) && shape_equal(y->shape, s.in->shape);
    if (is_result(y, count_of(&s)) && !same)
        printf("x is %s, the result %s; expected one shape\n", shape_str(s.in->shape),
               shape_str(y->shape));
    put_result(case_output(c, "y", 3, s.batch, s.tokens, s.channels), same ? y : NULL,
               count_of(&s));
    end(&s);
}

static void plain_case(Case *c)
{
    values(c, false, false);
}

static void masked_case(Case *c)
{
    values(c, true, false);
}

static void flat_case(Case *c)
{
    values(c, false, true);
}

static void backward_case(Case *c)
{
    Setting s;
    begin(&s, c, true);
    const real *dy = case_input(c, "dy", 3, s.batch, s.tokens, s.channels);
    bool good = goes_back(grouped_attention(&s.module, s.in, s.mask), dy, count_of(&s));
    put(case_output(c, "dx", 3, s.batch, s.tokens, s.channels), good ? s.in->grad : NULL,
        count_of(&s));
    for (int i = 0; i < WEIGHTS; i++) {
        char name[8];
        snprintf(name, sizeof name, "d%s", names[i]);
        put(case_output(c, name, 2, s.rows[i], s.channels), good ? s.weight[i]->grad : NULL,
            s.rows[i] * s.channels);
    }
    end(&s);
}

/* ---- the library's module -------------------------------------------------------------------- */

static int differing(const char *what, const real *one, const real *other, int count)
{
    int differ = 0;
    double allowed = sizeof(real) == sizeof(double) ? 1e-9 : 1e-4;
    for (int i = 0; i < count; i++)
        if (!(fabs((double)one[i] - (double)other[i]) <= allowed * (1 + fabs((double)other[i]))))
            differ++;
    if (differ)
        printf("%s: %d of %d numbers are not those of ag_attention\n", what, differ, count);
    return differ;
}

/* y, then dL/dx of the step on the tape; NULL where there is none. */
static real *results(Setting *s, Tensor *y, const real *dy)
{
    int count = count_of(s);
    real *numbers = malloc(2 * (size_t)count * sizeof *numbers);
    if (!goes_back(y, dy, count)) {
        free(numbers);
        return NULL;
    }
    tensor_read(y, numbers);
    put(numbers + count, s->in->grad, count);
    return numbers;
}

/* The same weights in four layers of the library, with ag_attention between them. */
static void compare_with_library(Setting *s, const real *dy, const real *mine, int *differ)
{
    Linear l[WEIGHTS];
    Params *p = params_new(1);
    int count = count_of(s);
    for (int i = 0; i < WEIGHTS; i++) {
        int in = i < 3 ? s->channels : s->rows[0], out = s->rows[i];
        nn_linear_init(&l[i], p, names[i], in, out, false);
        memcpy(l[i].weight->data, s->from[i], (size_t)(in * out) * sizeof *mine);
    }
    tape_reset(s->tape);
    put_in(s);
    real *want = results(s, library(l, s->in, s->heads, s->groups, s->mask), dy);
    differ[0] = differing("y", mine, want, count);
    differ[1] = differing("dL/dx", mine + count, want + count, count);
    for (int i = 0; i < WEIGHTS; i++)
        differ[2 + i] =
            differing(names[i], s->weight[i]->grad, l[i].weight->grad, s->rows[i] * s->channels);
    free(want);
    params_free(p);
}

static void library_case(Case *c)
{
    Setting s;
    int *differ = case_output_integers(c, "differ", 1, 2 + WEIGHTS);
    begin(&s, c, true);
    const real *dy = case_input(c, "dy", 3, s.batch, s.tokens, s.channels);
    real *mine = results(&s, grouped_attention(&s.module, s.in, s.mask), dy);
    if (mine)
        compare_with_library(&s, dy, mine, differ);
    free(mine);
    end(&s);
}

/* ---- maps, and what is refused --------------------------------------------------------------- */

static void maps_case(Case *c)
{
    Setting s;
    begin(&s, c, true);
    s.tape->keep_maps = true;
    int rows = s.batch * s.heads * s.tokens;
    real *to = case_output(c, "A", 2, rows, s.tokens);
    if (is_result(grouped_attention(&s.module, s.in, s.mask), count_of(&s)))
        put_result(to, tape_find(s.tape, "attn.A"), rows * s.tokens);
    end(&s);
}

static int forward_refusal(Setting *s, Shape x, const char *what)
{
    const Tensor *y = grouped_attention(&s->module, ones(s->tape, x), (Mask){0});
    return refusal(s->tape, y && tensor_is_poison(y), what);
}

static void refused_case(Case *c)
{
    Setting s;
    begin(&s, c, false);
    int *refused = case_output_integers(c, "refused", 1, 3), n = s.channels;
    if (grouped_attention(&s.module, s.in, (Mask){0})) {
        refused[0] = forward_refusal(&s, shape3(1, 2, n + 1), "x (1, 2, C + 1)");
        refused[1] = forward_refusal(&s, shape1(n), "x (C)");
        refused[2] = forward_refusal(&s, shape4(1, 1, 2, n), "x (1, 1, 2, C)");
    }
    end(&s);
}

/* ---- the table ------------------------------------------------------------------------------- */

#define INIT  "grouped_attention_init"
#define WHOLE "grouped_attention"
const Test tests[] = {
    {"init", INIT, "the weights and where they are registered", POINTS(14), init_case},
    {"init_refused", INIT, "sizes that are refused", POINTS(6), init_refused_case, .needs = "init",
     .cases = 1},
    {"attention", WHOLE, "grouped attention without a mask", POINTS(24), plain_case},
    {"masked", WHOLE, "with masks", POINTS(10), masked_case, .needs = "attention"},
    {"backward", WHOLE, "the gradients of x and of all weights", POINTS(20), backward_case,
     .needs = "masked", .forward = masked_case, .gradients = "dx:x dwq:wq dwk:wk dwv:wv dwo:wo",
     .upstream = "dy:y"},
    {"library", WHOLE, "the same numbers as the library's module", POINTS(8), library_case,
     .needs = "masked"},
    {"flat", WHOLE, "a sequence without a batch", POINTS(6), flat_case, .needs = "attention"},
    {"maps", WHOLE, "the weights that stay on the tape", POINTS(6), maps_case, .needs = "masked"},
    {"refused", WHOLE, "inputs that are refused", POINTS(6), refused_case, .cases = 1},
    {0},
};
