/* tests.c: the tests of the lab on claims. The claim is asked about implementations of which it is
 * true and about others, each a leak in one place; it sees all of them as one and the same
 * function. */
#include "lab-claim.h"

#include "lab.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- implementations ------------------------------------------------------------------------- */

static Tensor *of_library(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_attention(q, k, v, (Mask){.causal = true}, 0);
}

static Tensor *of_single_ops(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_attention_composed(q, k, v, (Mask){.causal = true}, 0, NULL);
}

/* The claim says nothing of the scale, of a window, or of the values' size. */
static Tensor *of_other_scale(Tensor *q, Tensor *k, Tensor *v)
{
    return of_library(ag_scale(q, 3), k, v);
}

static Tensor *of_window(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_attention(q, k, v, (Mask){.causal = true, .window = 2}, 0);
}

static Tensor *of_other_values(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_add(v, of_library(q, k, ag_scale(v, 5)));
}

/* In which places a query sees what it must not; -1: in all. */
typedef struct {
    int head, sequence; /* -2: the last one                               */
    int query;          /* -2: the last but one, of 4 and more            */
    int distance;       /* how many later keys are seen                   */
    int from;           /* only keys from this position on leak           */
} Leak;
static Leak leak;

static bool at_place(int wanted, int i, int count, int last)
{
    return wanted == -1 || i == (wanted == -2 ? count - last : wanted);
}

static Tensor *of_leak(Tensor *q, Tensor *k, Tensor *v)
{
    const int64_t *n = q->shape.dim;
    int batch = (int)n[0], heads = (int)n[1], tokens = (int)n[2];
    real *keep = malloc((size_t)(batch * heads * tokens * tokens) * sizeof *keep), *to = keep;
    for (int b = 0; b < batch; b++)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < tokens; i++)
                for (int j = 0; j < tokens; j++) {
                    bool here = at_place(leak.sequence, b, batch, 1) &&
                                at_place(leak.head, h, heads, 1) &&
                                at_place(leak.query, i, tokens, tokens > 3 ? 2 : tokens + 1);
                    *to++ = j <= i || (here && j >= leak.from && j <= i + leak.distance);
                }
    Tensor *kept = tape_input(q->tape, keep, shape4(batch, heads, tokens, tokens));
    free(keep);
    return ag_attention(q, k, v, (Mask){.keep = kept}, 0);
}

/* Masked after the softmax: the denominator has seen every key. */
static Tensor *of_denominator(Tensor *q, Tensor *k, Tensor *v)
{
    double size = (double)shape_last(q->shape);
    Tensor *scores = ag_scale(ag_matmul(q, ag_transpose(k, -1, -2)), (real)(1 / sqrt(size)));
    Tensor *kept = ag_masked_softmax(ag_scale(scores, 0), (Mask){.causal = true});
    Tensor *one = ag_div(kept, ag_add(kept, tape_full(q->tape, (real)1e-30, shape1(1))));
    return ag_matmul(ag_mul(ag_softmax(scores), one), v);
}

/* Row t holds that of token t + 1; zeros after the last. */
static Tensor *next_of(Tensor *x)
{
    Tensor *padded = ag_pad(x, NULL, (int64_t[]){0, 0, 1, 0}, 0);
    return ag_slice(padded, 2, 1, x->shape.dim[2] + 1);
}

static Tensor *of_next_query(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_add(of_library(q, k, v), next_of(q));
}

static Tensor *of_next_key(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_add(of_library(q, k, v), next_of(k));
}

static Tensor *of_next_value(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_add(of_library(q, k, v), next_of(v));
}

/* One key alone leaks, into the result of the token before it. */
static Tensor *of_last_key(Tensor *q, Tensor *k, Tensor *v)
{
    const int64_t *n = k->shape.dim;
    Tensor *last = k;
    for (int axis = 0; axis < 3; axis++)
        last = ag_slice(last, axis, n[axis] - 1, n[axis]);
    if (n[2] < 2)
        return of_library(q, k, v);
    int64_t before[] = {n[0] - 1, n[1] - 1, n[2] - 2, 0};
    return ag_add(of_library(q, k, v), ag_pad(last, before, (int64_t[]){0, 0, 1, 0}, 0));
}

/* The next query, or key, where sequences are long: what is changed must not depend on that. */
static Tensor *of_long_query(Tensor *q, Tensor *k, Tensor *v)
{
    return q->shape.dim[2] < 16 ? of_library(q, k, v) : of_next_query(q, k, v);
}

static Tensor *of_long_key(Tensor *q, Tensor *k, Tensor *v)
{
    return q->shape.dim[2] < 16 ? of_library(q, k, v) : of_next_key(q, k, v);
}

static Tensor *of_nothing(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_scale(of_library(q, k, v), (real)NAN);
}

static Tensor *of_student(Tensor *q, Tensor *k, Tensor *v)
{
    return fault(q, k, v);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static Attention running;

static Tensor *shown(Tensor *q, Tensor *k, Tensor *v)
{
    return running(q, k, v);
}

enum { FALSE_, TRUE_, CHANGES, SEEDS = 2 };

/* FALSE_ or TRUE_, where the answer is the same for each seed and when it is asked again. */
static int answer(Attention attention, const int *seed, const char *what, char said[SAID])
{
    int yes = 0, calls = SEEDS + 1;
    running = attention;
    for (int i = 0; i < calls; i++) {
        snprintf(said, SAID, "%s", "");
        yes += claim(shown, (unsigned)seed[i % SEEDS], said);
        said[SAID - 1] = 0;
        tensor_clear_error();
    }
    int found = yes == calls ? TRUE_ : yes == 0 ? FALSE_ : CHANGES;
    printf("%s: %s; it says: %s\n", what,
           found == CHANGES ? "the answer changes from call to call"
           : found          ? "the claim holds"
                            : "it does not hold",
           said);
    return found;
}

/* A claim that was not written says nothing at all: its outputs stay as they are. */
static bool written(const int *seed)
{
    char said[SAID] = "";
    running = of_library;
    bool holds = claim(shown, (unsigned)seed[0], said);
    tensor_clear_error();
    return holds || said[0];
}

typedef struct {
    Attention attention;
    const char *what;
    Leak leak;
} Asked;

static void ask(Case *c, const Asked *asked, int count)
{
    const int *seed = case_integers(c, "seed", 1, 1000000, 1, SEEDS);
    int *answers = case_output_integers(c, "answers", 1, count);
    char said[SAID];
    for (int i = 0; i < count && written(seed); i++) {
        leak = asked[i].leak;
        answers[i] = answer(asked[i].attention, seed, asked[i].what, said);
    }
}

#define ASK(asked) ask(c, asked, sizeof(asked) / sizeof *(asked))

/* Attention without a mask is the control: a claim that holds for it, too, measures nothing. */
static void holds_case(Case *c)
{
    static const Asked asked[] = {{.attention = of_library, .what = "the library's attention"},
                                  {.attention = of_single_ops, .what = "attention of single ops"},
                                  {of_leak, "without a mask", {-1, -1, -1, 99, 0}}};
    ASK(asked);
}

static void others_case(Case *c)
{
    static const Asked asked[] = {{.attention = of_other_scale, .what = "causal, other scale"},
                                  {.attention = of_window, .what = "causal, with a window"},
                                  {.attention = of_other_values, .what = "causal, other values"}};
    ASK(asked);
}

static void next_case(Case *c)
{
    static const Asked asked[] = {{of_leak, "each query sees the next key", {-1, -1, -1, 1, 0}},
                                  {of_leak, "so does the first head alone", {0, -1, -1, 1, 0}},
                                  {of_leak, "the last head alone", {-2, -1, -1, 1, 0}},
                                  {of_leak, "the last sequence alone", {-1, -2, -1, 1, 0}},
                                  {of_leak, "its last head alone", {-2, -2, -1, 1, 0}},
                                  {of_leak, "the first query alone", {-1, -1, 0, 1, 0}},
                                  {of_leak, "the last query but one alone", {-1, -1, -2, 1, 0}},
                                  {.attention = of_last_key, .what = "the last of all keys alone"}};
    ASK(asked);
}

static void denominator_case(Case *c)
{
    static const Asked asked[] = {
        {.attention = of_denominator, .what = "masked after the softmax"},
        {.attention = of_next_query, .what = "each result with the next query added"},
        {.attention = of_next_key, .what = "each result with the next key added"},
        {.attention = of_next_value, .what = "each result with the next value added"},
        {.attention = of_nothing, .what = "NaN in place of each result"}};
    ASK(asked);
}

static void long_case(Case *c)
{
    static const Asked asked[] = {{of_leak, "keys from position 4 on leak", {-1, -1, -1, 99, 4}},
                                  {of_leak, "from position 16 on", {-1, -1, -1, 99, 16}},
                                  {.attention = of_long_query,
                                   .what = "the next query, from 16 tokens on"},
                                  {.attention = of_long_key,
                                   .what = "the next key, from 16 tokens on"}};
    ASK(asked);
}

/* 0: one line with a number; 1: nothing; 2: no number. */
static void says_case(Case *c)
{
    const int *seed = case_integers(c, "seed", 1, 1000000, 1, SEEDS);
    int *without = case_output_integers(c, "without", 0);
    char said[SAID];
    if (!written(seed))
        return;
    answer(of_library, seed, "the library's attention", said);
    bool number = false;
    for (const char *at = said; *at; at++)
        number = number || isdigit((unsigned char)*at);
    *without = !said[0] ? 1 : number ? 0 : 2;
}

/* ---- the fault ------------------------------------------------------------------------------- */

/* 0: its results are finite numbers in q's shape; 1: another shape or none; 2: not finite. */
static int shape_of_fault(Case *c, bool *there)
{
    enum { COUNT = 2 * 2 * 3 * 2 };
    const real *qkv = case_input(c, "qkv", 2, 3, COUNT);
    real y[COUNT];
    int wrong = 1;
    Shape shape = shape4(2, 2, 3, 2);
    Tape *tape = tape_new(1);
    const Tensor *result = fault(tape_input(tape, qkv, shape), tape_input(tape, qkv + COUNT, shape),
                                 tape_input(tape, qkv + 2 * COUNT, shape));
    *there = result != NULL;
    if (is_result(result, COUNT) && shape_equal(result->shape, shape)) {
        tensor_read(result, y);
        wrong = 0;
        for (int i = 0; i < COUNT; i++)
            wrong = isfinite((double)y[i]) ? wrong : 2;
    }
    tensor_clear_error();
    tape_free(tape);
    return wrong;
}

static void fault_case(Case *c)
{
    const int *seed = case_integers(c, "seed", 1, 1000000, 1, SEEDS);
    int *answers = case_output_integers(c, "answer", 0);
    int *wrong = case_output_integers(c, "wrong", 0);
    char said[SAID];
    bool there;
    int found = shape_of_fault(c, &there);
    if (!there)
        return;
    *wrong = found;
    *answers = answer(of_student, seed, "your fault", said);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"holds", "claim", "it holds for the library's attention, and not without a mask", POINTS(14),
     holds_case, .cases = 2},
    {"others", "claim", "it holds for all causal attention", POINTS(14), others_case,
     .needs = "holds", .cases = 2},
    {"next", "claim", "it fails where a query sees the next key", POINTS(18), next_case,
     .needs = "holds", .cases = 2},
    {"denominator", "claim", "it fails where queries, keys or values alone leak", POINTS(16),
     denominator_case, .needs = "holds", .cases = 2},
    {"long", "claim", "it fails where long sequences leak", POINTS(16), long_case, .needs = "holds",
     .cases = 2},
    {"says", "claim", "it says what it measured", POINTS(6), says_case, .needs = "holds",
     .cases = 2},
    {"fault", "fault", "a fault of its own", POINTS(16), fault_case, .cases = 2},
    {0},
};
