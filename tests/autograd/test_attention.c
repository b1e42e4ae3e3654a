/* test_attention.c: attention composed of single ops against the op, also with dropout; masks that
 * are refused; operands that share memory. The op under every kind of mask, and masked softmax,
 * against PyTorch: ops/rows.c. */
#include "tests/autograd/on_tape.h"
#include "tests/autograd/samples.h"

#include <math.h>
#include <stdlib.h>

/* Softmax's weights are at most 1 and the values at most 2, so errors stay near those of one
 * rounding. */
static const double close = sizeof(real) == sizeof(double) ? 1e-13 : 1e-5;

/* Operands: q, k, v, lengths (3 and 2), keep; args: causal, window, dilation, global. */
static const OpSample samples[] = {
    {"all", "2,3,5,4 2,3,5,4 2,3,5,5"},
    {"lengths, causal", "2,3,5,4 2,3,5,4 2,3,5,5 2", {1}},
    {"causal, fewer queries", "2,3,3,4 2,3,6,4 2,3,6,5", {1}},
    {"causal, more queries", "2,3,6,4 2,3,3,4 2,3,3,5", {1}},
    {"keep (B, H, T, S)", "2,3,4,4 2,3,5,4 2,3,5,5 - 2,3,4,5"},
    {"everything", "2,3,9,4 2,3,9,4 2,3,9,5 2 2,9,9", {1, 2, 2, 1}},
    {"no queries", "2,3,0,4 2,3,4,4 2,3,4,5"},
    {"no keys", "2,3,3,4 2,3,0,4 2,3,0,5"},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* ---- fused and composed ---------------------------------------------------------------------- */

static double dropout;

static Tensor *attend(Tensor **in, const double *arg, bool composed)
{
    Mask mask = {.causal = arg[0] != 0,
                 .lengths = in[3],
                 .keep = in[4],
                 .window = (int)arg[1],
                 .dilation = (int)arg[2],
                 .global = (int)arg[3]};
    return composed ? ag_attention_composed(in[0], in[1], in[2], mask, dropout, "x")
                    : ag_attention(in[0], in[1], in[2], mask, dropout);
}

static Tensor *fused_call(Tensor **in, const double *arg)
{
    return attend(in, arg, false);
}

static Tensor *composed_call(Tensor **in, const double *arg)
{
    return attend(in, arg, true);
}

static void check_both(const OpSample *sample)
{
    static const Op op = {.name = "attention", .ids = 1 << 3};
    OpTest test = {.ids_below = 10, .constant = 1 << 4};
    Pass pass[2];
    for (int composed = 0; composed < 2; composed++) {
        Operands o;
        Tape *tape = tape_new(21);
        test.call = composed ? composed_call : fused_call;
        tape->training = dropout > 0;
        operands_make(&o, &op, &test, sample);
        CHECK(pass_run(&pass[composed], tape, &o, &(How){0}), "%s: %s", sample->label,
              tensor_error());
        operands_free(&o);
        tape_free(tape);
    }
    const char *difference = pass_difference(&pass[0], &pass[1], close, close);
    CHECK(!difference, "%s: %s", sample->label, difference);
    for (int64_t i = 0; i < tensor_size(pass[0].y); i++)
        CHECK(isfinite(pass[0].y->data[i]), "%s: element %d", sample->label, (int)i);
    pass_free(&pass[0]);
    pass_free(&pass[1]);
    CHECK_NO_ERROR();
}

TEST(fused_is_composed)
{
    for (int i = 0; i < 2 * SAMPLES; i++) { /* both drop the same weights */
        dropout = i % 2 * 0.4;
        check_both(&samples[i / 2]);
    }
    dropout = 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Keys whose heads lie in the memory of other heads of the queries. Each thread adds to the
 * gradients of whole heads, so such keys must be copied: two threads would add to the same numbers
 * at the same time.
 *   shifted    x (batch, tokens, 96): head 1 of q, the channels 32 to 63, is head 0 of k
 *   reordered  x (batch, tokens, 64): the same numbers as (batch, tokens, heads, 32) and as (batch, heads, tokens, 32) */
static void check_overlap(bool shifted)
{
    enum { BATCH = 2, TOKENS = 40, HEADS = 2, DEPTH = 32 };
    static real numbers[BATCH * TOKENS * (HEADS + 1) * DEPTH];
    int64_t channels = (HEADS + shifted) * DEPTH, first = shifted ? DEPTH : 0;
    Tensor *gradient[2];
    for (int64_t i = 0; i < BATCH * TOKENS * channels; i++)
        numbers[i] = (real)sin((double)i);
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
        CHECK(sample_backward(y), "%s", tensor_error());
        gradient[copied] = tensor_from(x->grad, x->shape);
        tape_free(tape);
    }
    CHECK_TENSOR(gradient[0], gradient[1], close, close);
    tensor_free(gradient[0]);
    tensor_free(gradient[1]);
    CHECK_NO_ERROR();
}

TEST(heads_that_overlap_are_copied)
{
    check_overlap(true);
    check_overlap(false);
}

/* The three parts of a projection lie side by side, also of a single token, as in decoding: none of
 * them is copied. */
TEST_ON_TAPE(parts_of_a_projection_are_not)
{
    enum { CHANNELS = 8 };
    for (int i = 0; i < 4; i++) {
        int64_t sequences = i < 2 ? 1 : 2, tokens = i % 2 ? 3 : 1;
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
}

/* ---- bad input ------------------------------------------------------------------------------- */

TEST_ON_TAPE(other_masks_are_refused)
{
    const struct {
        real number;
        Shape shape;
        const char *error;
    } bad[] = {
        {(real)0.5, shape2(3, 3), "has 0.5 at element 0; expected 1 (keep) or 0"},
        {-1, shape2(3, 3), "has -1 at element 0; expected 1 (keep) or 0"},
        {(real)NAN, shape2(3, 3), "expected 1 (keep) or 0"},
        {1, shape3(3, 3, 3), "keep matrix is (3, 3, 3)"},
    };
    for (int i = 0; i < 8; i++) {
        tape_reset(tape);
        Tensor *x = tape_full(tape, 1, shape4(2, 3, 3, 3));
        Mask mask = {.keep = tape_full(tape, bad[i / 2].number, bad[i / 2].shape)};
        const Tensor *y = i % 2 ? ag_attention(x, x, x, mask, 0) : ag_masked_softmax(x, mask);
        CHECK(tensor_is_poison(y), "it is taken: %s", bad[i / 2].error);
        CHECK_ERROR(bad[i / 2].error);
    }
}
