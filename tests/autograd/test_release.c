/* test_release.c: tape_release_since: the numbers of a run with and without, the memory of deep
 * models, what stays and what goes. Whole models: tests/nn/test_models.c. */
#include "tests/autograd/on_tape.h"

#include "autograd/tape.h"

/* A layer more takes its two nodes, of at most 256 bytes each, where its results take N numbers
 * each; and memory that is used again while something still reads it would change the numbers. */
TEST_ON_TAPE(depth_takes_no_memory)
{
    enum { N = 1000, FEW = 4, MANY = 104 };
    double bytes[2];
    tape->no_grad = true;
    for (int many = 0; many < 2; many++) {
        Tensor *want = NULL;
        for (int release = 0; release < 2; release++) {
            tape_reset(tape);
            Tensor *x = tape_full(tape, 0.5, shape1(N));
            for (int i = 0, mark = tape->tensors; i < (many ? MANY : FEW); i++) {
                x = ag_tanh(ag_scale(x, 2));
                if (release)
                    tape_release_since(tape, mark, x);
            }
            bytes[many] = (double)tape->bytes - tape->tensors * (double)sizeof(Tensor);
            CHECK(release || bytes[many] >= (many ? MANY : FEW) * 2.0 * N * sizeof(real),
                  "results that are not released take %.0f bytes", bytes[many]);
            if (release)
                CHECK_TENSOR(x, want, 0, 0);
            else
                want = tensor_clone(x);
        }
        tensor_free(want);
    }
    CHECK(bytes[1] - bytes[0] <= (MANY - FEW) * 2 * 256, "100 layers take %.0f bytes",
          bytes[1] - bytes[0]);
}

TEST_ON_TAPE(what_stays)
{
    tape->no_grad = true;
    Tensor *before = ag_scale(tape_full(tape, 1, shape2(4, 4)), 2);
    int mark = tape->tensors;
    Tensor *input = tape_full(tape, 3, shape2(4, 4)), *of_input = ag_transpose(input, 0, 1);
    Tensor *named = ag_name(ag_scale(input, 2), "named"), *gone = ag_scale(input, 5);
    Tensor *view_of_before = ag_transpose(before, 0, 1);
    Tensor *base = ag_scale(input, 7), *named_base = ag_scale(input, 11),
           *x = ag_slice(base, 0, 1, 3);
    ag_name(ag_transpose(named_base, 0, 1), "view");
    tape_release_since(tape, mark, x);
    Tensor *const stay[] = {before, input,          of_input, named,      tape_find(tape, "named"),
                            x,      view_of_before, base,     named_base, tape_find(tape, "view")};
    const real value[] = {2, 3, 3, 6, 6, 21, 2, 21, 33, 33};
    for (int i = 0; i < 40; i++) /* these take what was released */
        ag_scale(tape_full(tape, -1, shape2(4, 4)), 1);
    for (int i = 0; i < 10; i++)
        CHECK(stay[i]->data && stay[i]->data[0] == value[i], "%d: %g, not %g", i,
              (double)stay[i]->data[0], (double)value[i]);
    CHECK(!gone->data, "a result that nobody named stays");
    tape_release_since(tape, mark, x); /* leaves what the first has done */
    CHECK(x->data && x->data[0] == 21, "a second release takes x");
}

static int seen;

static void count_results(TapeEvent event, Tape *tape, const Node *node)
{
    seen += event == TAPE_COMPUTED && tape && node->out->data[0] > 0;
}

/* A watcher may read any result until the reset. */
TEST_ON_TAPE(nothing_goes_while_a_watcher_looks)
{
    tape->no_grad = true;
    tape_on_event(count_results);
    Tensor *first = ag_scale(tape_full(tape, 1, shape1(8)), 2), *x = ag_scale(first, 3);
    tape_release_since(tape, 0, x);
    ag_scale(x, 4);
    tape_on_event(NULL);
    CHECK(seen == 3 && first->data && first->data[0] == 2, "%d results", seen);
}

static Tensor *chain(Tape *tape, int ops)
{
    Tensor *x = tape_leaf(tape, (real[]){1, 2, 3, 4}, shape1(4));
    for (int i = 0; i < ops; i++)
        x = ag_scale(x, 1);
    return x;
}

/* What autograd.h says at Tape.bytes: a tape of many small ops takes at most 700 bytes for each,
 * headers of earlier steps included, and a tensor of the last step is still told by its name. */
TEST(many_small_ops)
{
    enum { OPS = 20000 };
    Memory memory = {0};
    memory_watch(&memory);
    Tape *tape = tape_new(1);
    Tensor *last = NULL;
    for (int step = 0; step < 3; step++) {
        tape_reset(tape);
        last = ag_name(ag_sum(chain(tape, OPS)), "loss");
        CHECK(ag_backward(last), "%s", tensor_error());
    }
    tape_reset(tape);
    chain(tape, OPS);
    double step = (double)tape->bytes;
    CHECK(memory.bytes <= (size_t)700 * OPS, "%zu bytes an op", memory.bytes / OPS);
    CHECK(step <= (double)memory.bytes && step >= 0.75 * (double)memory.bytes,
          "%.0f bytes said, %zu taken", step, memory.bytes);
    REFUSES(ag_scale, "'loss' () is of an earlier step", last, 2);
    tape_free(tape);
    CHECK(memory.blocks == 0, "%ld blocks are left", memory.blocks);
    memory_unwatch();
}

/* Steps of other sizes, which make the ring grow at different places: every header is of its
 * own. */
TEST_ON_TAPE(steps_of_any_size)
{
    static const int sizes[] = {3, 700, 64, 65, 5000, 1, 128, 9000, 63, 700, 20, 9500, 1};
    for (int k = 0; k < 60; k++) {
        tape_reset(tape);
        Tensor *x = chain(tape, sizes[k % 13]);
        CHECK(x && tensor_item(ag_sum(x)) == 10, "step %d", k);
        for (int i = 0; i < tape->nodes; i++)
            CHECK(tape->node[i]->out->step == tape->resets &&
                      tape->node[i]->out->node == tape->node[i],
                  "step %d: node %d has lost its result", k, i);
    }
}
