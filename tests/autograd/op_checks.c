/* op_checks.c: see op_checks.h. */
#include "tests/autograd/op_checks.h"

#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

#include <stdlib.h>
#include <string.h>

/* Two orders of the same additions in real: a few units in the last place of numbers up to about
 * 10. */
static const double rounding = sizeof(real) == sizeof(double) ? 1e-14 : 5e-6;

typedef struct {
    const char *name;
    void (*sample)(const Operands *o, Tape *tape); /* for each sample that must compute */
    void (*op)(const Op *op, const OpTest *test);  /* or once for the op                */
} Kind;

/* Every check is about the sample that is being tried. */
#define AT(o) (o)->op->name, (o)->sample->label

/* ---- samples --------------------------------------------------------------------------------- */

static int learning(const Op *op, const OpTest *test, const OpSample *s)
{
    int n = 0;
    for (int k = 0; k < s->inputs; k++)
        n += !(s->absent >> k & 1) && !sample_is_ids(op, k) && !sample_is_constant(test, k);
    return n;
}

/* Two operands of the same shape that take gradients, from `first` on. */
static bool same_pair(const Operands *o, int *first, int *second)
{
    for (int a = *first; a < o->count; a++)
        for (int b = a == *first ? *second + 1 : a + 1; b < o->count; b++)
            if (operand_learns(o, a) && operand_learns(o, b) &&
                shape_equal(o->x[a]->shape, o->x[b]->shape)) {
                *first = a;
                *second = b;
                return true;
            }
    return false;
}

static void demand_samples(const Op *op, const OpTest *test)
{
    bool empty = false, single = false, scalar = false, ranks = false, pair = false;
    int most = 0;
    for (const OpSample *s = test->samples; s->label; s++) {
        scalar |= s->in[0].rank == 0;
        for (int k = 1; k < s->inputs; k++)
            ranks |= s->in[k].rank != s->in[0].rank;
        if (s->fails)
            continue;
        Operands o;
        operands_make(&o, op, test, s);
        single |= shape_size(s->in[0]) == 1 && s->in[0].rank > 0;
        for (int k = 0; k < s->inputs; k++) {
            empty |= o.x[k] && shape_size(s->in[k]) == 0;
            single |= o.x[k] && s->in[k].rank > 0 && s->in[k].dim[s->in[k].rank - 1] == 1;
        }
        pair |= same_pair(&o, &(int){0}, &(int){0});
        most = learning(op, test, s) > most ? learning(op, test, s) : most;
        operands_free(&o);
    }
    CHECK(empty, "%s: no sample has an axis of length 0", op->name);
    CHECK(single, "%s: no sample has an axis of length 1", op->name);
    CHECK(scalar, "%s: no sample (that may have to fail) has a scalar as its first operand",
          op->name);
    CHECK(ranks || most < 2, "%s: no sample broadcasts, or is refused because it would", op->name);
    CHECK(pair || most < 2, "%s: no sample has two operands of one shape", op->name);
}

/* ---- gradient -------------------------------------------------------------------------------- */

typedef struct {
    const Operands *o;
    Tape *tape;
    int position[SAMPLE_INPUTS]; /* of the leaves that gradcheck moves */
    int leaves;
    bool twice; /* the second operand is the first */
    int first, second;
} Setting;

/* The op as gradcheck sees it: a function of its learning operands alone. */
static Tensor *as_function(Tensor **x, void *context)
{
    Setting *s = context;
    Tensor *in[SAMPLE_INPUTS] = {0};
    for (int k = 0; k < s->o->count; k++)
        if (!operand_learns(s->o, k))
            in[k] = operand_leaf(s->o, k, s->tape);
    for (int i = 0; i < s->leaves; i++)
        in[s->position[i]] = x[i];
    if (s->twice)
        in[s->second] = in[s->first];
    return operands_call(s->o, in);
}

static void check_gradient(const Operands *o, Tape *tape, bool twice, int first, int second)
{
    Setting s = {.o = o, .tape = tape, .twice = twice, .first = first, .second = second};
    Tensor *x[SAMPLE_INPUTS];
    for (int k = 0; k < o->count; k++)
        if (operand_learns(o, k) && !(twice && k == second)) {
            x[s.leaves] = o->x[k];
            s.position[s.leaves++] = k;
        }
    /* 1e-7 + 1e-5 |g|: said here, so that a change of the defaults cannot loosen it */
    GradCheck check = {.step = 1e-5, .relative = 1e-5, .absolute = 1e-7};
    bool ok = ag_gradcheck(tape, as_function, &s, x, s.leaves, check);
    CHECK(ok, "%s, %s%s: %s", AT(o), twice ? ", twice" : "", tensor_error());
    tensor_clear_error();
}

static void gradient(const Operands *o, Tape *tape)
{
    if (sizeof(real) != sizeof(double))
        SKIP("finite differences need double");
    check_gradient(o, tape, false, 0, 0);
    for (int first = 0, second = 0; same_pair(o, &first, &second);)
        check_gradient(o, tape, true, first, second);
}

/* ---- views ----------------------------------------------------------------------------------- */

static void views(const Operands *o, Tape *tape)
{
    enum { WAYS = 6 };
    Pass plain, viewed;
    CHECK(pass_run(&plain, tape, o, &(How){0}), "%s, %s: %s", AT(o), tensor_error());
    for (int way = 0; way < WAYS; way++) {
        How how = {0};
        for (int k = 0; k < o->count; k++)
            how.storage[k] = way < 3                  ? (Storage)(way + 1)
                             : way == 3               ? (Storage)(k % 3 + 1)
                             : (way == 4) == (k == 0) ? REVERSED
                                                      : PLAIN;
        bool ok = pass_run(&viewed, tape, o, &how);
        const char *difference = ok ? pass_difference(&viewed, &plain, rounding, rounding) : NULL;
        CHECK(ok && !difference, "%s, %s, stored in way %d: %s", AT(o), way,
              ok ? difference : tensor_error());
        CHECK(!viewed.leaked, "%s, %s, way %d: a gradient fell outside of the view", AT(o), way);
        pass_free(&viewed);
    }
    pass_free(&plain);
}

/* ---- operands that take no gradient ---------------------------------------------------------- */

static void constants(const Operands *o, Tape *tape)
{
    Pass all, some;
    CHECK(pass_run(&all, tape, o, &(How){0}), "%s, %s: %s", AT(o), tensor_error());
    for (unsigned fixed = 1; fixed < 1u << o->count; fixed++) {
        How how = {.fixed = fixed};
        bool ok = pass_run(&some, tape, o, &how);
        CHECK(ok, "%s, %s, fixed %x: %s", AT(o), fixed, tensor_error());
        for (int k = 0; ok && k < o->count; k++) {
            bool wanted = operand_learns(o, k) && !(fixed >> k & 1);
            CHECK((some.grad[k] != NULL) == wanted, "%s, %s: operand %d, fixed %x", AT(o), k + 1,
                  fixed);
            const char *difference =
                wanted && some.grad[k] ? tensor_difference(some.grad[k], all.grad[k], 0, 0) : NULL;
            CHECK(!difference, "%s, %s: operand %d, fixed %x: %s", AT(o), k + 1, fixed, difference);
        }
        pass_free(&some);
    }
    pass_free(&all);
}

/* ---- backward adds --------------------------------------------------------------------------- */

/* Operands that learn become weights: without a tape, with a gradient that stays from pass to
 * pass. */
static void make_weights(const Operands *o, Tensor *weight, real *grads)
{
    for (int k = 0; k < o->count; k++) {
        if (!operand_learns(o, k))
            continue;
        weight[k] = *o->x[k];
        weight[k].grad = grads;
        weight[k].needs_grad = weight[k].keep_grad = true;
        grads += tensor_size(&weight[k]);
    }
}

static bool train_once(const Operands *o, Tape *tape, Tensor *weight)
{
    Tensor *in[SAMPLE_INPUTS] = {0};
    tape_reset(tape);
    for (int k = 0; k < o->count; k++)
        in[k] = operand_learns(o, k) ? tape_param(tape, &weight[k]) : operand_leaf(o, k, tape);
    Tensor *y = operands_call(o, in);
    if (tensor_is_poison(y))
        return false;
    real *upstream = malloc((size_t)tensor_size(y) * sizeof *upstream);
    for (int64_t i = 0; i < tensor_size(y); i++)
        upstream[i] = sample_upstream(i);
    bool ok = ag_backward_from(y, upstream);
    free(upstream);
    return ok;
}

static void adds(const Operands *o, Tape *tape)
{
    int64_t size = 0;
    for (int k = 0; k < o->count; k++)
        size += operand_learns(o, k) ? tensor_size(o->x[k]) : 0;
    real *grads = calloc((size_t)size + 1, sizeof *grads);
    real *once = malloc(((size_t)size + 1) * sizeof *once);
    Tensor weight[SAMPLE_INPUTS];
    make_weights(o, weight, grads);
    bool first = train_once(o, tape, weight);
    memcpy(once, grads, (size_t)size * sizeof *once);
    bool second = first && train_once(o, tape, weight);
    CHECK(second, "%s, %s: %s", AT(o), tensor_error());
    Tensor got = {.data = grads}, want = {.data = once};
    for (int64_t i = 0; i < size; i++)
        once[i] *= 2;
    tensor_set_contiguous(&got, shape1(size));
    tensor_set_contiguous(&want, shape1(size));
    const char *difference = tensor_difference(&got, &want, rounding, rounding);
    CHECK(!difference, "%s, %s: twice the gradient: %s", AT(o), difference);
    free(once);
    free(grads);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const Kind kinds[] = {
    {.name = "samples", .op = demand_samples}, {.name = "gradient", .sample = gradient},
    {.name = "views", .sample = views},        {.name = "constants", .sample = constants},
    {.name = "adds", .sample = adds},
};
_Static_assert(sizeof kinds / sizeof *kinds == OP_CHECKS,
               "op_checks.h says how many checks there are");

const char *op_check_name(int check)
{
    return kinds[check].name;
}

void op_check(int check, const Op *op, const OpTest *test)
{
    const Kind *kind = &kinds[check];
    REQUIRE(test, "%s: no row in tests/autograd/ops says on what it is tried", op->name);
    if (kind->op) {
        kind->op(op, test);
        return;
    }
    Tape *tape = tape_new(1);
    for (const OpSample *s = test->samples; s->label; s++) {
        Operands o;
        if (s->fails)
            continue;
        operands_make(&o, op, test, s);
        kind->sample(&o, tape);
        operands_free(&o);
        CHECK_NO_ERROR();
    }
    tape_free(tape);
}
