/* op_checks.c: see op_checks.h. */
#include "tests/autograd/op_checks.h"

#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

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
        Operands o;
        int learning = 0;
        operands_make(&o, op, test, s);
        scalar |= o.x[0]->shape.rank == 0;
        for (int k = 0; k < o.count; k++) {
            if (!o.x[k])
                continue;
            Shape shape = o.x[k]->shape;
            ranks |= shape.rank != o.x[0]->shape.rank;
            learning += operand_learns(&o, k);
            empty |= !s->fails && shape_size(shape) == 0;
            single |= !s->fails && shape.rank > 0 && shape.dim[shape.rank - 1] == 1;
        }
        pair |= !s->fails && same_pair(&o, &(int){0}, &(int){0});
        most = !s->fails && learning > most ? learning : most;
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

/* y + y brings each operand twice the gradient. */
static void adds(const Operands *o, Tape *tape)
{
    Pass once, twice;
    CHECK(pass_run(&once, tape, o, &(How){0}) && pass_run(&twice, tape, o, &(How){.twice = true}),
          "%s, %s: %s", AT(o), tensor_error());
    for (int k = 0; k < o->count; k++) {
        if (!once.grad[k])
            continue;
        for (int64_t i = 0; i < tensor_size(once.grad[k]); i++)
            once.grad[k]->data[i] *= 2;
        const char *difference = tensor_difference(twice.grad[k], once.grad[k], rounding, rounding);
        CHECK(!difference, "%s, %s: twice the gradient of operand %d: %s", AT(o), k + 1,
              difference);
    }
    pass_free(&once);
    pass_free(&twice);
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
