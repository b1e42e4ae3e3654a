/* test_attention.c: attention fused and composed, under every kind of mask.
 *
 * Both must give the same values and gradients. What each query sees is said here once more,
 * element by element, from the words in autograd.h; the weights A are held against that: exactly 0
 * where nothing may be seen, and summing to 1 elsewhere. */
#include "tests/harness/runner.h"
#include "autograd/autograd.h"
#include "tests/autograd/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = 2, H = 3, D = 4, E = 5, LONGEST = 9 };

/* Softmax's weights are at most 1 and the values at most 2, so errors stay near those of one
 * rounding. */
static const double close = sizeof(real) == sizeof(double) ? 1e-13 : 1e-5;

typedef struct {
    const char *name;
    int T, S;
    bool causal;
    int lengths[B]; /* -1: none                                       */
    int keep;       /* rank of the keep matrix; 0: none               */
    int window, dilation, global;
} Case;

static const Case all_cases[] = {
    {"all", 5, 5, .lengths = {-1}},
    {"causal", 5, 5, .causal = true, .lengths = {-1}},
    {"causal, fewer queries", 3, 6, .causal = true, .lengths = {-1}},
    {"causal, more queries", 6, 3, .causal = true, .lengths = {-1}},
    {"one query", 1, 6, .causal = true, .lengths = {-1}},
    {"lengths", 4, 5, .lengths = {5, 2}},
    {"a length of 0", 4, 5, .lengths = {3, 0}},
    {"lengths, causal", 5, 5, .causal = true, .lengths = {4, 2}},
    {"keep (T, S)", 4, 5, .lengths = {-1}, .keep = 2},
    {"keep (B, T, S)", 4, 5, .lengths = {-1}, .keep = 3},
    {"keep (B, H, T, S)", 4, 5, .lengths = {-1}, .keep = 4},
    {"keep, causal, lengths", 5, 5, .causal = true, .lengths = {4, 5}, .keep = 4},
    {"window", 8, 8, .lengths = {-1}, .window = 2},
    {"window, causal", 8, 8, .causal = true, .lengths = {-1}, .window = 2},
    {"window, fewer queries", 3, 8, .lengths = {-1}, .window = 1},
    {"window, dilation", 9, 9, .lengths = {-1}, .window = 2, .dilation = 3},
    {"window, global", 9, 9, .lengths = {-1}, .window = 1, .global = 2},
    {"everything", 9, 9, true, {9, 6}, 3, 2, 2, 1},
    {"no queries", 0, 4, .lengths = {-1}},
    {"no keys", 3, 0, .lengths = {-1}},
};
enum { CASES = sizeof all_cases / sizeof *all_cases };

/* Element i of the keep matrix: 1 or 0, with some rows of zeros. */
static real keep_number(int64_t i)
{
    return (i * 7 + i / 5) % 4 == 0 || (i / 5) % 6 == 4 ? 0 : 1;
}

/* May query i of sequence b, head h see key j? */
static bool sees(const Case *c, int b, int h, int i, int j)
{
    int place = i + c->S - c->T, step = c->dilation > 1 ? c->dilation : 1;
    if (c->causal && j > place)
        return false;
    if (c->lengths[0] >= 0 && j >= c->lengths[b])
        return false;
    if (c->window > 0) {
        int gap = abs(j - place);
        bool near = gap <= c->window * step && gap % step == 0;
        bool global = j < c->global || place < c->global;
        if (!near && !global)
            return false;
    }
    int matrix = c->keep == 4 ? b * H + h : c->keep == 3 ? b : 0;
    return c->keep == 0 || keep_number(((int64_t)matrix * c->T + i) * c->S + j) != 0;
}

/* ---- one pass -------------------------------------------------------------------------------- */

typedef struct {
    Tensor *q, *k, *v, *y, *A;
    Tape *tape;
} Run;

static Tensor *operand(Tape *tape, int salt, Shape shape, double size)
{
    real x[B * H * LONGEST * E];
    for (int64_t i = 0; i < shape_size(shape); i++)
        x[i] = (real)(size * sin(1.7 * (double)i + salt));
    return tape_leaf(tape, x, shape);
}

static Mask mask_of(const Case *c, Tape *tape)
{
    Mask mask = {.causal = c->causal,
                 .window = c->window,
                 .dilation = c->dilation,
                 .global = c->global};
    Shape shapes[] = {shape2(c->T, c->S), shape3(B, c->T, c->S), shape4(B, H, c->T, c->S)};
    if (c->lengths[0] >= 0)
        mask.lengths = tape_ids(tape, c->lengths, shape1(B));
    if (c->keep > 0) {
        real keep[B * H * LONGEST * LONGEST];
        for (int64_t i = 0; i < shape_size(shapes[c->keep - 2]); i++)
            keep[i] = keep_number(i);
        mask.keep = tape_input(tape, keep, shapes[c->keep - 2]);
    }
    return mask;
}

/* size: of queries and keys. Backward begins with the upstream weights. */
static bool run(Run *r, const Case *c, bool composed, double size, real dropout)
{
    real upstream[B * H * LONGEST * E];
    Tape *tape = r->tape = tape_new(21);
    tape->training = dropout > 0;
    r->q = operand(tape, 1, shape4(B, H, c->T, D), size);
    r->k = operand(tape, 2, shape4(B, H, c->S, D), size);
    r->v = operand(tape, 3, shape4(B, H, c->S, E), 2);
    Mask mask = mask_of(c, tape);
    r->y = composed ? ag_attention_composed(r->q, r->k, r->v, mask, dropout, "x")
                    : ag_attention(r->q, r->k, r->v, mask, dropout);
    r->A = composed ? tape_find(tape, "x.A") : NULL;
    for (int64_t i = 0; i < (int64_t)B * H * c->T * E; i++)
        upstream[i] = sample_upstream(i);
    return CHECK(!tensor_is_poison(r->y) && ag_backward_from(r->y, upstream), "%s: %s", c->name,
                 tensor_error());
}

static void check_same(const Case *c, const Tensor *got, const Tensor *want, double tolerance,
                       const char *what)
{
    Tensor a = *got, b = *want;
    const char *difference = tensor_difference(got, want, tolerance, tolerance);
    CHECK(!difference, "%s, %s: %s", c->name, what, difference);
    a.data = got->grad;
    b.data = want->grad;
    if (!strchr("qkv", *what))
        return;
    difference = tensor_difference(&a, &b, tolerance, tolerance);
    CHECK(!difference, "%s, gradient of %s: %s", c->name, what, difference);
}

static void check_both(const Case *c, double size, real dropout)
{
    /* a score's own rounding grows with it, and exp passes it on */
    double tolerance = size > 1 ? close * size : close;
    Run fused, composed;
    if (run(&fused, c, false, size, dropout) && run(&composed, c, true, size, dropout)) {
        check_same(c, fused.y, composed.y, tolerance, "y");
        check_same(c, fused.q, composed.q, tolerance, "q");
        check_same(c, fused.k, composed.k, tolerance, "k");
        check_same(c, fused.v, composed.v, tolerance, "v");
    }
    tape_free(fused.tape);
    tape_free(composed.tape);
    CHECK_NO_ERROR();
}

/* Keys whose heads lie in the memory of other heads of the queries. Each thread adds to the
 * gradients of whole heads, so such keys must be copied: two threads would add to the same numbers
 * at the same time.
 *   shifted    x (batch, tokens, 96): head 1 of q, the channels 32 to 63, is head 0 of k
 *   reordered  x (batch, tokens, 64): the same numbers as (batch, tokens, heads, 32) and as (batch, heads, tokens, 32) */
static void check_overlap(bool shifted)
{
    enum { BATCH = 2, TOKENS = 40, HEADS = 2, DEPTH = 32 };
    static real numbers[BATCH * TOKENS * (HEADS + 1) * DEPTH],
        upstream[BATCH * TOKENS * HEADS * DEPTH];
    int64_t channels = (HEADS + shifted) * DEPTH, first = shifted ? DEPTH : 0;
    Tensor *gradient[2];
    for (int64_t i = 0; i < BATCH * TOKENS * channels; i++)
        numbers[i] = (real)sin((double)i);
    for (int i = 0; i < BATCH * TOKENS * HEADS * DEPTH; i++)
        upstream[i] = sample_upstream(i);
    for (int copied = 0; copied < 2; copied++) {
        Tape *tape = tape_new(1);
        Tensor *x = tape_leaf(tape, numbers, shape3(BATCH, TOKENS, channels)), *q, *k;
        Shape split = shape4(BATCH, TOKENS, HEADS, DEPTH);
        q = ag_transpose(ag_reshape(ag_slice(x, 2, 0, HEADS * DEPTH), split), 1, 2);
        k = ag_slice(x, 2, first, first + HEADS * DEPTH);
        k = shifted ? ag_transpose(ag_reshape(k, split), 1, 2)
                    : ag_reshape(k, shape4(BATCH, HEADS, TOKENS, DEPTH));
        Tensor *v = ag_scale(k, 1);
        k = copied ? ag_copy(k) : k;
        int before = tape->nodes;
        Tensor *y = ag_attention(q, k, v, (Mask){0}, 0);
        CHECK(tape->nodes == before + (copied ? 1 : 2), "%s, %d: %d nodes",
              shifted ? "shifted" : "reordered", copied, tape->nodes - before);
        CHECK(ag_backward_from(y, upstream), "%s", tensor_error());
        gradient[copied] = tensor_from(x->grad, x->shape);
        tape_free(tape);
    }
    CHECK_TENSOR(gradient[0], gradient[1], close, close);
    tensor_free(gradient[0]);
    tensor_free(gradient[1]);
    CHECK_NO_ERROR();
}

static void heads_that_overlap(void)
{
    check_overlap(true);
    check_overlap(false);
}

/* The three parts of a projection lie side by side, also of a single token, as in decoding: none of
 * them is copied. */
static void parts_of_a_projection(void)
{
    enum { CHANNELS = 8 };
    Tape *tape = tape_new(1);
    for (int i = 0; i < 4; i++) {
        int64_t sequences = i < 2 ? 1 : B, tokens = i % 2 ? 3 : 1;
        tape_reset(tape);
        Tensor *x = tape_full(tape, 1, shape3(sequences, tokens, 3 * CHANNELS)), *part[3];
        x->needs_grad = true;
        REQUIRE(ag_split(ag_scale(x, 1), 2, part, 3), "%s", tensor_error());
        Shape heads = shape4(sequences, tokens, 2, CHANNELS / 2);
        for (int k = 0; k < 3; k++)
            part[k] = ag_transpose(ag_reshape(part[k], heads), 1, 2);
        ag_attention(part[0], part[1], part[2], (Mask){0}, 0);
        CHECK(tape->nodes == 2, "%d sequences of %d tokens: %d nodes", (int)sequences, (int)tokens,
              tape->nodes);
    }
    tape_free(tape);
    CHECK_NO_ERROR();
}

static const Case *this_case(void)
{
    return &all_cases[test_index() % CASES];
}

static void fused_is_composed(void)
{
    check_both(this_case(), 1, 0);
}

/* Both drop the same weights: the same random number for (b, h, i, j). */
static void fused_is_composed_with_dropout(void)
{
    check_both(this_case(), 1, (real)0.4);
}

/* ---- what is seen ---------------------------------------------------------------------------- */

/* The weights of one query. Returns how many keys it sees. */
static int check_row(const Case *c, const real *A, int b, int h, int i)
{
    int seen = 0;
    double sum = 0;
    for (int j = 0; j < c->S; j++) {
        bool may = sees(c, b, h, i, j);
        CHECK(may ? A[j] > 0 : A[j] == 0, "%s: A(%d, %d, %d, %d) is %g", c->name, b, h, i, j,
              (double)A[j]);
        seen += may;
        sum += (double)A[j];
    }
    CHECK(fabs(sum - (seen > 0)) < close, "%s: the row (%d, %d, %d) sums to %g", c->name, b, h, i,
          sum);
    return seen;
}

static bool all_zero(const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* A query that sees nothing: zeros, and nothing flows back to it. A key that nobody sees gets
 * nothing. */
static void check_blind(const Case *c, const Run *r, const Tensor *y, int b, int h)
{
    int64_t head = b * H + h;
    for (int i = 0; i < c->T; i++) {
        int seen = 0;
        for (int j = 0; j < c->S; j++)
            seen += sees(c, b, h, i, j);
        if (seen == 0)
            CHECK(all_zero(y->data + (head * c->T + i) * E, E) &&
                      all_zero(r->q->grad + (head * c->T + i) * D, D),
                  "%s: query (%d, %d, %d) sees nothing", c->name, b, h, i);
    }
    for (int j = 0; j < c->S; j++) {
        int seen = 0;
        for (int i = 0; i < c->T; i++)
            seen += sees(c, b, h, i, j);
        if (seen == 0)
            CHECK(all_zero(r->k->grad + (head * c->S + j) * D, D) &&
                      all_zero(r->v->grad + (head * c->S + j) * E, E),
                  "%s: key (%d, %d, %d) is seen by none", c->name, b, h, j);
    }
}

static void sees_what_it_may(void)
{
    const Case *c = this_case();
    for (int composed = 0; composed < 2; composed++) {
        Run r;
        if (run(&r, c, composed != 0, 1, 0)) {
            Tensor *y = tensor_clone(r.y); /* contiguous */
            for (int b = 0; b < B; b++)
                for (int h = 0; h < H; h++) {
                    check_blind(c, &r, y, b, h);
                    for (int i = 0; composed && i < c->T; i++)
                        check_row(c, r.A->data + ((int64_t)(b * H + h) * c->T + i) * c->S, b, h, i);
                }
            tensor_free(y);
        }
        tape_free(r.tape);
    }
    CHECK_NO_ERROR();
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Scores of some 10^4: exp of any of them overflows; after the largest is subtracted, none does. */
static void large_scores(void)
{
    check_both(&all_cases[0], 100, 0);
    check_both(&all_cases[7], 100, 0);
    Run r;
    if (run(&r, &all_cases[1], false, 100, 0)) {
        Tensor *y = tensor_clone(r.y);
        for (int64_t i = 0; i < tensor_size(y); i++)
            CHECK(isfinite(y->data[i]), "element %d is %g", (int)i, (double)y->data[i]);
        tensor_free(y);
    }
    tape_free(r.tape);
}

static void check_keep(real number, Shape shape, const char *error)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_full(tape, 1, shape4(B, H, 3, D));
    Mask mask = {.keep = tape_full(tape, number, shape)};
    CHECK(tensor_is_poison(ag_attention(x, x, x, mask, 0)), "a keep matrix of %g is taken",
          (double)number);
    CHECK_ERROR(error);
    tape_reset(tape);
    x = tape_full(tape, 1, shape4(B, H, 3, 3));
    mask.keep = tape_full(tape, number, shape);
    CHECK(tensor_is_poison(ag_masked_softmax(x, mask)), "a keep matrix of %g is taken",
          (double)number);
    CHECK_ERROR(error);
    tape_free(tape);
}

static void refuses_other_masks(void)
{
    check_keep((real)0.5, shape2(3, 3), "has 0.5 at element 0; expected 1 (keep) or 0");
    check_keep(-1, shape2(3, 3), "has -1 at element 0; expected 1 (keep) or 0");
    check_keep((real)NAN, shape2(3, 3), "expected 1 (keep) or 0");
    check_keep(1, shape2(3, 4), "keep matrix is (3, 4)");
    check_keep(1, shape3(H, 3, 3), "keep matrix is (3, 3, 3)");
}

int main(int argc, char **argv)
{
    static char names[3 * CASES][64];
    static TestCase cases[3 * CASES + 5];
    static void (*const kinds[])(void) = {fused_is_composed, fused_is_composed_with_dropout,
                                          sees_what_it_may};
    static const char *const titles[] = {"fused is composed", "with dropout", "what is seen"};
    for (int i = 0; i < 3 * CASES; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s", titles[i / CASES], all_cases[i % CASES].name);
        cases[i] = (TestCase){names[i], kinds[i / CASES]};
    }
    cases[3 * CASES] = (TestCase){"large scores", large_scores};
    cases[3 * CASES + 1] = (TestCase){"other masks are refused", refuses_other_masks};
    cases[3 * CASES + 2] = (TestCase){"heads that overlap are copied", heads_that_overlap};
    cases[3 * CASES + 3] = (TestCase){"parts of a projection are not", parts_of_a_projection};
    return run_tests("attention", cases, argc, argv);
}
