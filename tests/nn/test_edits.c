/* test_edits.c: results that are replaced before they are used (tape_edit). 60 edits of pretrained
 * models against hooks in transformers (golden/edits.tsv, made by pretrained/make_edits.py);
 * gradients against finite differences; wrong edits. */
#include "tests/autograd/on_tape.h"
#include "tests/nn/pretrained_folders.h"

#include "autograd/inspect.h"
#include "nn/pretrained/pretrained.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- against transformers -------------------------------------------------------------------- */

/* Relative to the Euclidean norm of the tensor that is summed: as test_pretrained.c, since the
 * sums' factors are at most 1; in double, what pretrained models lose themselves is below 1e-11. */
#define CLOSE (sizeof(real) == 8 ? 1e-10 : 3e-5)

enum { SUMS = 4 };

typedef struct {
    char model[32], name[64], kind[16];
    long long limit[8];
    double number, want[2 * SUMS];
} Line;

static bool read_line(FILE *f, Line *l)
{
    char text[1000];
    int at = 0, more = 0;
    bool ok = fgets(text, sizeof text, f) &&
              sscanf(text, "%31s %63s %15s%n", l->model, l->name, l->kind, &at) == 3;
    for (int i = 0; ok && i < 8; i++, at += more)
        ok = sscanf(text + at, "%lld%n", &l->limit[i], &more) == 1;
    for (int i = 0; ok && i <= 2 * SUMS; i++, at += more)
        ok = sscanf(text + at, "%lf%n", i ? &l->want[i - 1] : &l->number, &more) == 1;
    return ok;
}

/* Sums of x cos((k + 1) (index + 1)), as the lines have them. */
static void compare_sums(const Line *l, const real *x, const Tensor *of, const double *want)
{
    double norm = 0;
    Tensor *numbers = x == of->data ? tensor_clone(of) : tensor_from(x, of->shape);
    for (int64_t i = 0; i < tensor_size(of); i++)
        norm += (double)numbers->data[i] * (double)numbers->data[i];
    for (int k = 0; k < SUMS; k++) {
        double sum = 0;
        for (int64_t i = 0; i < tensor_size(of); i++)
            sum += (double)numbers->data[i] * cos((k + 1) * (double)(i + 1));
        CHECK(fabs(sum - want[k]) <= CLOSE * sqrt(norm),
              "%s: %s %s: sum %d of %s is %.12g; expected %.12g", l->model, l->kind, l->name, k,
              of->name, sum, want[k]);
    }
    tensor_free(numbers);
}

static Tensor *logits_of(const Pretrained *m, const Safetensors *in, Tape *tape, bool other)
{
    Tensor *x = fixture_states(m, in, tape, other, NULL);
    return m->config.kind == PRETRAINED_VISION ? nn_pretrained_classify(m, x)
                                               : nn_pretrained_logits(m, x);
}

static Edit edit_of(const Line *l, Tape *other)
{
    static const char *const kinds[] = {"zero", "mean", "scale", "add", "patch"};
    static real sines[64];
    static Tensor vector = {.data = sines};
    Edit e = {0};
    while (strcmp(kinds[e.kind], l->kind) != 0)
        e.kind++;
    for (int i = 0; i < 8; i++)
        *(i % 2 ? &e.part[i / 2].end : &e.part[i / 2].begin) = l->limit[i];
    for (int i = 0; i < 64; i++)
        sines[i] = (real)sin(i + 1);
    if (e.kind == EDIT_MEAN)
        e.axis = (int)l->number;
    if (e.kind == EDIT_SCALE)
        e.factor = l->number;
    if (e.kind == EDIT_PATCH)
        e.with = tape_find(other, l->name);
    if (e.kind == EDIT_ADD) {
        tensor_set_contiguous(&vector, shape1(shape_last(tape_find(other, l->name)->shape)));
        e.with = &vector;
    }
    return e;
}

typedef struct {
    Pretrained m;
    Safetensors in;
    Tape *tape, *other;
    char name[32];
} Model;

static bool open_model(Model *m, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "tests/golden/pretrained/%s", name);
    *m = (Model){.tape = tape_new(1), .other = tape_new(1)};
    snprintf(m->name, sizeof m->name, "%s", name);
    bool ok = nn_pretrained_load(source_path("%s", path), &m->m) &&
              params_freeze(m->m.params, "", false) == m->m.params->count;
    snprintf(path, sizeof path, "tests/golden/pretrained/%s/expected.safetensors", name);
    m->other->keep_names = true;
    return ok && safetensors_read(source_path("%s", path), &m->in) &&
           !tensor_is_poison(logits_of(&m->m, &m->in, m->other, true));
}

static void close_model(Model *m)
{
    nn_pretrained_free(&m->m);
    safetensors_free(&m->in);
    tape_free(m->tape);
    tape_free(m->other);
}

static void try_line(Model *m, const Line *l)
{
    tape_reset(m->tape);
    params_zero_grad(m->m.params);
    CHECK(tape_edit(m->tape, l->name, edit_of(l, m->other)), "%s", tensor_error());
    Tensor *y = logits_of(&m->m, &m->in, m->tape, false);
    Tensor *w = m->m.words.weight ? m->m.words.weight : m->m.patches.weight;
    if (!CHECK(!tensor_is_poison(y) && tape_edits_used(m->tape), "%s: %s", l->name, tensor_error()))
        return;
    CHECK(fixture_backward(y), "%s", tensor_error());
    compare_sums(l, y->data, y, l->want);
    compare_sums(l, w->grad, w, l->want + SUMS);
}

TEST(as_hooks_in_transformers)
{
    FILE *f = fopen(source_path("tests/golden/edits.tsv"), "r");
    Line l;
    Model m = {0};
    int lines = 0;
    for (; f && read_line(f, &l); lines++) {
        if (strcmp(l.model, m.name) != 0) {
            close_model(&m);
            REQUIRE(open_model(&m, l.model), "%s: %s", l.model, tensor_error());
        }
        try_line(&m, &l);
    }
    close_model(&m);
    CHECK(lines == 60, "%d lines", lines);
    if (f)
        fclose(f);
    CHECK_NO_ERROR();
}

/* ---- gradients, order, names ----------------------------------------------------------------- */

static Tensor *edited_product(Tensor **x, void *context)
{
    const Edit *e = context;
    Tape *tape = x[0]->tape;
    tape_edit(tape, "h", e[0]);
    tape_edit(tape, "h", e[1]);
    Tensor *h = ag_name(ag_mul(x[0], x[0]), "h");
    return ag_mul(h, ag_tanh(x[0]));
}

/* The mean depends on x, and an element outside of the part has two ways to the result. */
TEST_ON_TAPE(gradients_of_what_was_computed)
{
    const Edit edits[] = {
        {.kind = EDIT_ZERO, .part = {[1] = {1, 3}}},
        {.kind = EDIT_MEAN, .part = {[1] = {0, 2}}, .axis = 1},
        {.kind = EDIT_SCALE, .part = {[0] = {1, 2}}, .factor = -3},
        {.kind = EDIT_MEAN, .axis = 0},
    };
    Rng rng = {.seed = 3};
    Tensor *x = tensor_new(shape2(3, 4));
    for (int i = 0; i < 12; i++)
        x->data[i] = (real)rng_normal(&rng);
    for (int i = 0; i < 3; i++)
        CHECK(ag_gradcheck(tape, edited_product, (void *)(uintptr_t)&edits[i], &x, 1,
                           (GradCheck){0}),
              "edit %d: %s", i, tensor_error());
    tensor_free(x);
}

TEST_ON_TAPE(edits_in_order)
{
    const real ones[] = {1, 1};
    Tensor vector = {.data = (real[]){3, 4}};
    tensor_set_contiguous(&vector, shape1(2));
    tape_edit(tape, "x", (Edit){.kind = EDIT_SCALE, .factor = 2});
    tape_edit(tape, "x", (Edit){.kind = EDIT_ADD, .with = &vector, .part = {[0] = {1, 2}}});
    vector.data[1] = 100; /* its numbers were copied */
    Tensor *x = ag_name(tape_input(tape, ones, shape1(2)), "x");
    CHECK(x->data[0] == 2 && x->data[1] == 6, "%g %g", (double)x->data[0], (double)x->data[1]);
    CHECK(tape_find(tape, "x") == x && tape->names == 1, "the name means another tensor");
    CHECK(ag_name(x, "x") == x, "edited twice");
    tape_reset(tape);
    x = ag_name(tape_input(tape, ones, shape1(2)), "x");
    CHECK(x->data[0] == 1, "an edit outlives its step");
}

TEST_ON_TAPE(wrong_edits)
{
    const struct {
        const char *name;
        Edit edit;
        const char *error;
    } wrong[] = {
        {"y",
         {.kind = EDIT_ZERO},
         "no tensor has the name 'y'; expected one of this step's names: x"},
        {"x", {.kind = EDIT_ZERO, .part = {[1] = {0, 3}}}, "'x' (2, 2): a part, an axis"},
        {"x", {.kind = EDIT_ZERO, .part = {[2] = {0, 1}}}, "names so far: x"},
        {"x", {.kind = EDIT_ZERO, .part = {[0] = {1, 1}}}, "names so far: x"},
        {"x", {.kind = EDIT_MEAN, .axis = 2}, "'x' (2, 2)"},
        {"x", {.kind = EDIT_PATCH}, "with a member that it does not read"},
        {"x", {.kind = EDIT_ZERO, .factor = 2}, "with a member that it does not read"},
        {"x", {.kind = EDIT_SCALE, .factor = 2, .axis = 1}, "with a member that it does not read"},
        {"x", {.kind = (EditKind)9}, "has kind 9"},
        {"", {.kind = EDIT_ZERO}, "the name is ''"},
        {NULL, {.kind = EDIT_ZERO}, "the name is 'NULL'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tape_reset(tape);
        bool ok = tape_edit(tape, wrong[i].name, wrong[i].edit);
        Tensor *x = ag_name(tape_leaf(tape, (real[]){1, 2, 3, 4}, shape2(2, 2)), "x");
        ok = ok && ag_backward(ag_sum(x));
        CHECK(!ok && strstr(tensor_error(), wrong[i].error), "%zu: %s", i, tensor_error());
    }
    tape_reset(tape);
    Tensor *three = tape_full(tape, 1, shape1(3));
    CHECK(tape_edit(tape, "x", (Edit){.kind = EDIT_PATCH, .with = three}), "%s", tensor_error());
    CHECK(tensor_is_poison(ag_name(tape_full(tape, 1, shape1(2)), "x")), "another shape");
    CHECK(strstr(tensor_error(), "'x' (2,)"), "%s", tensor_error());
    for (int axis = 0; axis < 2; axis++) { /* 3 are too many of the first axis alone */
        tape_reset(tape);
        Edit e = {.kind = EDIT_ZERO};
        e.part[axis].end = 3;
        CHECK(tape_edit(tape, "x", e), "%s", tensor_error());
        Tensor *x = ag_name(tape_full(tape, 1, shape2(2, 3)), "x");
        CHECK(tensor_is_poison(x) == (axis == 0), "3 of axis %d of (2, 3)", axis);
    }
    tape_reset(tape);
}
