/* test_place.c: a mistake in a program is one message with the program's own file and line, told once;
 * what comes after it is poison, and touches nothing. */
#include "tests/harness/runner.h"

#include "nn/nn.h"

#include <stdlib.h>
#include <string.h>

/* ---- the host's ear ------------------------------------------------------------------------------------- */

static struct {
    int calls;
    char last[512];
} heard;

static void listen(const char *message, void *context)
{
    (void)context;
    heard.calls++;
    snprintf(heard.last, sizeof heard.last, "%s", message);
}

static void start_listening(void)
{
    heard.calls = 0;
    heard.last[0] = 0;
    tensor_on_error(listen, NULL);
}

/* Does the message begin with a line of this file, from first to last, and contain the part? */
static void told(int first, int last, const char *part)
{
    size_t file = strlen(__FILE__);
    int line = strncmp(tensor_error(), __FILE__ ":", file + 1) == 0
                   ? (int)strtol(tensor_error() + file + 1, NULL, 10)
                   : -1;
    CHECK(line >= first && line <= last, "not of lines %d to %d: \"%s\"", first, last,
          tensor_error());
    CHECK_ERROR(part);
}

static Tensor *ones(Tape *tape, Shape shape)
{
    return tape_full(tape, 1, shape);
}

/* ---- the place ---------------------------------------------------------------------------------------------- */

static void the_line_of_the_call(void)
{
    Tape *tape = tape_new(1);
    Tensor *a = ones(tape, shape2(2, 4)), *b = ones(tape, shape2(2, 16));
    ag_name(b, "logits");
    start_listening();
    Tensor *y = ag_matmul(a, b);
    const int line = __LINE__ - 1;
    char want[512];
    snprintf(want, sizeof want,
             "%s:%d: ag_matmul: a is (2, 4), b is 'logits' (2, 16); expected a (m, k) times b (k, "
             "n), and "
             "leading axes that are equal or 1",
             __FILE__, line);
    CHECK(tensor_is_poison(y), "a wrong product has a result");
    CHECK_TEXT(tensor_error(), want);
    CHECK_TEXT(heard.last, want);
    CHECK(heard.calls == 1, "told %d times", heard.calls);
    tape_free(tape);
}

/* A student's function, two calls above the op that does not fit. */
static Tensor *student_forward(const TransformerBlock *block, Tensor *x)
{
    return nn_transformer_block(block, x, (Mask){.causal = true});
}

enum { STUDENT_LINE = __LINE__ - 3 };

static void three_calls_deep(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    TransformerBlock pre, post;
    BlockConfig c = {.channels = 8, .heads = 2};
    CHECK(nn_transformer_block_init(&pre, p, "pre", c), "%s", tensor_error());
    c.post_norm = true;
    CHECK(nn_transformer_block_init(&post, p, "post", c), "%s", tensor_error());
    CHECK(tensor_is_poison(student_forward(&pre, ones(tape, shape3(2, 3, 6)))), "it fits");
    told(STUDENT_LINE, STUDENT_LINE,
         "nn_transformer_block: ag_layernorm: x is (2, 3, 6), gain 'pre.norm1.weight' (8,)");
    tape_reset(tape);
    CHECK(tensor_is_poison(student_forward(&post, ones(tape, shape3(2, 3, 6)))), "it fits");
    told(STUDENT_LINE, STUDENT_LINE,
         "nn_attention: post.attn: x is (2, 3, 6); expected (B, T, C) with 8 channels");
    tape_reset(tape);
    CHECK(tensor_is_poison(student_forward(&post, ones(tape, shape1(8)))), "it fits");
    told(STUDENT_LINE, STUDENT_LINE, "expected (B, T, C) with 8 channels");
    tape_free(tape);
    params_free(p);
}

static void a_call_of_several_lines(void)
{
    Tape *tape = tape_new(1);
    const int first = __LINE__ + 1;
    Tensor *y = ag_add(ones(tape, shape2(2, 3)), ag_scale(ones(tape, shape2(2, 4)), 2));
    told(first, __LINE__ - 1, "ag_add: a is (2, 3), b is (2, 4)");
    CHECK(tensor_is_poison(y), "it fits");
    tape_free(tape);
}

/* Nodes carry the place too: for the watch, and for whoever looks at a tape in the debugger. */
static void nodes_know_their_line(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    FeedForward f;
    CHECK(nn_feedforward_init(&f, p, "ff", 4, 8, ACTIVATION_RELU, 0), "%s", tensor_error());
    Tensor *x = ag_scale(ones(tape, shape2(2, 4)), 2);
    int scale = __LINE__ - 1;
    x = nn_feedforward(&f, x);
    CHECK(tape->nodes == 4, "%d nodes", tape->nodes);
    for (int i = 0; i < tape->nodes; i++) {
        const Node *n = tape->node[i];
        int want = i == 0 ? scale : scale + 2;
        CHECK(n->file && strcmp(n->file, __FILE__) == 0 && n->line == want, "%s: line %d, not %d",
              n->op->name, n->line, want);
    }
    tape_free(tape);
    params_free(p);
}

/* ---- told once, and poison after it ----------------------------------------------------------------------------- */

typedef struct {
    Params *params;
    Tensor *w;
    Tape *tape;
    Sgd sgd;
    Adam adam;
    real before[4], grad[4], m[4];
} Setting;

static bool setting_open(Setting *s)
{
    *s = (Setting){.params = params_new(1), .tape = tape_new(1)};
    s->w = params_add(s->params, "w", shape1(4), nn_normal(1));
    bool ok = sgd_init(&s->sgd, s->params, 0.1, 0.9, 0) && adam_init(&s->adam, s->params, 0.1);
    Tensor *y = ag_sum(ag_mul(ones(s->tape, shape1(4)), s->w));
    ok = ok && ag_backward(y) && adam_step(&s->adam, s->params) && !tensor_failed();
    for (int i = 0; i < 4; i++) {
        s->w->grad[i] = (real)i; /* from a pass before */
        s->grad[i] = (real)i;
    }
    memcpy(s->before, s->w->data, sizeof s->before);
    memcpy(s->m, s->adam.m, sizeof s->m);
    tape_reset(s->tape);
    start_listening();
    return CHECK(ok, "%s", tensor_error());
}

static void setting_close(Setting *s)
{
    adam_free(&s->adam);
    sgd_free(&s->sgd);
    tape_free(s->tape);
    params_free(s->params);
}

static void untouched(const Setting *s)
{
    CHECK(memcmp(s->before, s->w->data, sizeof s->before) == 0, "the weights changed");
    CHECK(memcmp(s->grad, s->w->grad, sizeof s->grad) == 0, "the gradients changed");
    CHECK(memcmp(s->m, s->adam.m, sizeof s->m) == 0, "Adam's means changed");
    CHECK(s->adam.steps == 1, "Adam counts %d steps", (int)s->adam.steps);
}

static void failure_poisons_the_rest(void)
{
    Setting s;
    if (!setting_open(&s))
        return;
    Tensor *x = ones(s.tape, shape1(4)), *bad = ag_add(x, ones(s.tape, shape1(3)));
    const int line = __LINE__ - 1;
    Tensor *after[] = {
        ag_mul(bad, s.w),        ag_mul(x, s.w),      ag_reshape(x, shape2(2, 2)),
        ag_transpose(bad, 0, 1), ag_name(bad, "bad"), ones(s.tape, shape1(2)),
        tape_param(s.tape, s.w), ag_detach(x),        ag_attention(bad, bad, bad, (Mask){0}, 0),
    };
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        CHECK(tensor_is_poison(after[i]), "call %d after the failure has a result", (int)i);
    CHECK(!ag_backward(ag_sum(ag_mul(bad, s.w))), "backward of poison succeeds");
    CHECK(!adam_step(&s.adam, s.params) && !sgd_step(&s.sgd, s.params), "a step on poison");
    untouched(&s);
    CHECK(s.tape->failed && heard.calls == 1, "told %d times", heard.calls);
    told(line, line, "ag_add: a is (4,), b is (3,)");

    /* Only the reset mends the tape: a program that clears the error early gets no further. */
    CHECK(tensor_is_poison(ag_scale(x, 2)) && !ag_backward(x), "the tape forgot that it failed");
    untouched(&s);
    tape_reset(s.tape);
    CHECK(ag_backward(ag_sum(ag_mul(ones(s.tape, shape1(4)), s.w))), "%s", tensor_error());
    CHECK(adam_step(&s.adam, s.params), "after the reset: %s", tensor_error());
    CHECK(heard.calls == 1, "a success was told");
    ag_add(ones(s.tape, shape1(2)), ones(s.tape, shape1(3)));
    CHECK(heard.calls == 2, "the second failure was told %d times", heard.calls - 1);
    setting_close(&s);
}

/* ---- misuse of the tape --------------------------------------------------------------------------------------------- */

static void tensors_of_an_earlier_step(void)
{
    Tape *tape = tape_new(1);
    for (int use = 0; use < 7; use++) {
        tape_reset(tape);
        Tensor *x = ag_name(ones(tape, shape2(2, 3)), "hidden"), *y = ag_sum(x);
        x->needs_grad = y->needs_grad = true;
        tape_reset(tape);
        Tensor *fresh = ones(tape, shape2(2, 3));
        const int line = __LINE__;
        bool failed = use == 0   ? tensor_is_poison(ag_scale(x, 2))
                      : use == 1 ? tensor_is_poison(ag_add(fresh, x))
                      : use == 2 ? tensor_is_poison(ag_transpose(x, 0, 1))
                      : use == 3 ? tensor_is_poison(ag_detach(x))
                      : use == 4 ? tensor_is_poison(ag_name(x, "again"))
                      : use == 5 ? tensor_is_poison(tape_param(tape, x))
                                 : !ag_backward(y);
        CHECK(failed && tape->failed, "use %d of a tensor of the step before succeeds", use);
        char part[160];
        snprintf(part, sizeof part, "%s is of an earlier step, which tape_reset has ended",
                 use == 6 ? "()" : "'hidden' (2, 3)");
        told(line + 1, line + 7, part);
    }
    tape_free(tape);
}

/* A tensor kept over several resets is reported, whatever was made in its place since; only after a multiple of
 * TAPE_GENERATIONS resets its header has been used again. */
static void tensors_of_any_earlier_step(void)
{
    Tape *tape = tape_new(1);
    for (int resets = 1; resets <= 3 * TAPE_GENERATIONS; resets++) {
        tape_reset(tape);
        Tensor *old = ag_name(ones(tape, shape1(3)), "kept");
        for (int i = 0; i < resets; i++) {
            tape_reset(tape);
            for (int k = 0; k < 5; k++)
                ag_scale(ones(tape, shape1(2)), 2);
        }
        bool refused = tensor_is_poison(ag_scale(old, 2));
        const int line = __LINE__ - 1;
        bool reused = resets % TAPE_GENERATIONS == 0;
        CHECK(refused != reused, "%d resets: %s", resets, refused ? "refused" : "taken");
        if (!reused)
            told(line, line,
                 resets < TAPE_GENERATIONS ? "'kept' (3,) is of an earlier step"
                                           : "is of an earlier step");
        CHECK(!tensor_failed(), "%s", tensor_error());
    }
    tape_free(tape);
}

static void operands_that_do_not_belong(void)
{
    Params *p = params_new(1);
    Tensor *w = params_add(p, "w", shape1(2), nn_normal(1));
    Tape *tape = tape_new(1), *other = tape_new(2);
    Tensor *x = ones(tape, shape1(2));
    ag_add(x, ones(other, shape1(2)));
    told(__LINE__ - 1, __LINE__ - 1, "ag_add: the operands are on two tapes; expected one");
    CHECK(tape->failed && other->failed, "a tape goes on");
    tape_reset(tape);
    tape_reset(other);
    ag_mul(w, w);
    told(__LINE__ - 1, __LINE__ - 1, "ag_mul: no operand is on a tape; expected one that is");
    ag_transpose(w, 0, 0);
    told(__LINE__ - 1, __LINE__ - 1, "; expected a tensor on one (tape_param puts a weight there)");
    CHECK(!tensor_is_poison(ag_mul(tape_param(tape, w), w)), "%s", tensor_error());
    Tensor *ids = tape_ids(tape, (int[]){0, 1}, shape1(2));
    ag_embedding(ids, ids);
    told(__LINE__ - 1, __LINE__ - 1,
         "ag_embedding: operand 1, (2,), holds whole numbers; expected real numbers");
    tape_reset(tape);
    ag_softmax(tape_ids(tape, (int[]){0, 1}, shape1(2)));
    told(__LINE__ - 1, __LINE__ - 1, "holds whole numbers");
    tape_reset(tape);
    x = ones(tape, shape2(2, 2));
    ag_embedding(x, x);
    told(__LINE__ - 1, __LINE__ - 1,
         "operand 2, (2, 2), holds real numbers; expected whole numbers");
    tape_free(tape);
    tape_free(other);
    params_free(p);
}

/* A NULL is what a failed tape_new, params_new or tensor_new gives. */
static void null_is_an_error(void)
{
    Tape *tape = tape_new(1);
    Linear l = {0};
    MultiHeadAttention a;
    CHECK(tensor_is_poison(tape_full(NULL, 1, shape0())), "a tensor on no tape");
    told(__LINE__ - 1, __LINE__ - 1, "tape_full: the tape is NULL");
    CHECK(tensor_is_poison(ag_add(ones(tape, shape0()), NULL)), "a sum with nothing");
    told(__LINE__ - 1, __LINE__ - 1, "ag_add: operand 2 is NULL");
    tape_reset(tape);
    CHECK(tensor_is_poison(ag_mul(ones(tape, shape0()), tape_full(NULL, 1, shape0()))), "poison");
    CHECK(tape->failed, "the tape goes on after a poisoned op");
    told(__LINE__ - 2, __LINE__ - 2, "tape_full: the tape is NULL");
    tape_reset(tape);
    CHECK(tensor_is_poison(ag_reshape(NULL, shape1(1))), "a view of nothing");
    told(__LINE__ - 1, __LINE__ - 1, "ag_reshape: x is NULL");
    CHECK(tensor_is_poison(tape_param(tape, NULL)), "no weight");
    told(__LINE__ - 1, __LINE__ - 1, "tape_param: the weight is NULL");
    tape_reset(tape);
    CHECK(!ag_backward(NULL), "backward of nothing");
    told(__LINE__ - 1, __LINE__ - 1, "ag_backward: ");
    CHECK(tensor_is_poison(ag_concat(NULL, 3, 0)), "a row of nothing");
    told(__LINE__ - 1, __LINE__ - 1,
         "ag_concat: the array of operands is NULL; expected 3 operands");
    CHECK(!nn_linear_init(&l, NULL, "l", 2, 2, true), "a layer without weights");
    told(__LINE__ - 1, __LINE__ - 1,
         "nn_linear_init: params is NULL; expected a module, params and a name");
    CHECK(tensor_is_poison(nn_linear(&l, ones(tape, shape1(2)))), "a layer without weights");
    told(__LINE__ - 1, __LINE__ - 1, "nn_linear: the module is NULL or has no weights");
    tape_reset(tape);
    CHECK(!nn_attention_init(&a, NULL, "a", 4, 3, 0), "4 channels in 3 heads");
    told(__LINE__ - 1, __LINE__ - 1, "nn_attention_init: params is NULL");
    CHECK(tensor_is_poison(nn_attention(&a, ones(tape, shape2(2, 4)), (Mask){0})), "no weights");
    told(__LINE__ - 1, __LINE__ - 1, "the module is NULL or has no weights");
    tape_reset(NULL);
    tape_free(NULL);
    params_free(NULL);
    tape_free(tape);
}

static void backward_needs_one_number_once(void)
{
    Setting s;
    if (!setting_open(&s))
        return;
    Tensor *y = ag_mul(ones(s.tape, shape1(4)), s.w);
    CHECK(!ag_backward(y), "of four numbers");
    told(__LINE__ - 1, __LINE__ - 1, "ag_backward: the loss is (4,); expected one element");
    tape_reset(s.tape);
    CHECK(!ag_backward(ag_sum(ones(s.tape, shape1(4)))), "of a constant");
    told(__LINE__ - 1, __LINE__ - 1, "depends on nothing that needs a gradient");
    tape_reset(s.tape);
    s.tape->no_grad = true;
    CHECK(!ag_backward(ag_sum(ag_mul(ones(s.tape, shape1(4)), s.w))), "under no_grad");
    told(__LINE__ - 1, __LINE__ - 1, "no_grad");
    s.tape->no_grad = false;
    tape_reset(s.tape);
    CHECK(!ag_backward_from(ag_mul(ones(s.tape, shape1(4)), s.w), NULL), "from nothing");
    told(__LINE__ - 1, __LINE__ - 1, "upstream is NULL; expected a gradient of shape (4,)");
    untouched(&s);

    tape_reset(s.tape);
    y = ag_sum(ag_mul(ones(s.tape, shape1(4)), s.w));
    CHECK(ag_backward(y), "%s", tensor_error());
    for (int i = 0; i < 4; i++)
        s.grad[i] = s.w->grad[i]; /* with the first pass, and not with the second */
    CHECK(!ag_backward(y), "a second time");
    told(__LINE__ - 1, __LINE__ - 1, "ag_backward: backward already ran on this tape");
    CHECK(!adam_step(&s.adam, s.params) == tensor_failed(), "the step does not follow the error");
    setting_close(&s);
}

/* An error of any kind holds the optimisers: what the gradients are is no longer sure. */
static void optimisers_wait_for_the_reset(void)
{
    Setting s;
    if (!setting_open(&s))
        return;
    tensor_fail("something else");
    CHECK(!adam_step(&s.adam, s.params) && !sgd_step(&s.sgd, s.params), "a step after a failure");
    untouched(&s);
    CHECK_ERROR("something else");
    params_add(s.params, "late", shape1(1), nn_constant(0));
    CHECK(!adam_step(&s.adam, s.params), "a step with a weight that it does not know");
    told(__LINE__ - 1, __LINE__ - 1,
         "adam_step: the model has 5 parameters; expected 4, as at init");
    CHECK(!sgd_step(&s.sgd, s.params), "a step with a weight that it does not know");
    CHECK_ERROR("sgd_step: the model has 5 parameters");
    untouched(&s);
    setting_close(&s);
}

static const TestCase cases[] = {
    {"the line of the call", the_line_of_the_call},
    {"three calls deep", three_calls_deep},
    {"a call of several lines", a_call_of_several_lines},
    {"nodes know their line", nodes_know_their_line},
    {"a failure is told once and poisons the rest", failure_poisons_the_rest},
    {"tensors of an earlier step are reported by name", tensors_of_an_earlier_step},
    {"whichever step it was", tensors_of_any_earlier_step},
    {"operands that do not belong together", operands_that_do_not_belong},
    {"NULL is an error", null_is_an_error},
    {"backward needs one number, once", backward_needs_one_number_once},
    {"optimisers wait for the reset", optimisers_wait_for_the_reset},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("place", cases, argc, argv);
}
