/* test_trace.c: what a watcher is told of a tape, and what --trace prints of it. The numbers
 * expected of the small functions are derivatives by hand; the symbols are those of the slides
 * (lectures/glossary.md). */
#include "gradus.h"
#include "plot/tape/trace.h"
#include "tests/harness/test.h"

#include <string.h>

/* ---- the watcher ----------------------------------------------------------------------------- */

typedef struct {
    int told[TAPE_OVER + 1];
    int next;         /* node that backward comes to */
    bool in_order;    /* from last to first          */
    bool had_nothing; /* no gradient before its rule */
} Told;

static Told told;

static void count(TapeEvent event, Tape *tape, const Node *n)
{
    told.told[event]++;
    if (event == TAPE_BACKWARD_BEGINS) {
        told.in_order &= tape->node[told.next--] == n;
        told.had_nothing &= n->out->grad != NULL && n->in[0]->grad != NULL;
    }
}

TEST(every_op_is_told)
{
    told = (Told){.next = 2, .in_order = true, .had_nothing = true};
    Tape *tape = tape_new(1);
    tape_on_event(count);
    Tensor *x = tape_leaf(tape, (real[]){1, 2}, shape1(2));
    Tensor *y = ag_sum(ag_mul(ag_scale(x, 3), x));
    CHECK(told.told[TAPE_COMPUTED] == 3 && told.told[TAPE_OVER] == 0, "%d computed, %d over",
          told.told[TAPE_COMPUTED], told.told[TAPE_OVER]);
    CHECK(ag_backward(y), "%s", tensor_error());
    CHECK(told.told[TAPE_BACKWARD_BEGINS] == 3 && told.told[TAPE_BACKWARD_DONE] == 3 &&
              told.in_order,
          "%d, %d, from last to first: %d", told.told[TAPE_BACKWARD_BEGINS],
          told.told[TAPE_BACKWARD_DONE], told.in_order);
    CHECK(told.had_nothing, "a gradient was not there when its node was told of");
    CHECK(told.told[TAPE_OVER] == 1, "over %d times", told.told[TAPE_OVER]);
    tape_reset(tape);
    CHECK(told.told[TAPE_OVER] == 2, "the reset: %d", told.told[TAPE_OVER]);
    tape_on_event(NULL);
    ag_scale(tape_input(tape, (real[]){1}, shape1(1)), 2);
    CHECK(told.told[TAPE_COMPUTED] == 3, "told %d after the end", told.told[TAPE_COMPUTED]);
    tape_on_event(count);
    tape_free(tape);
    CHECK(told.told[TAPE_OVER] == 3, "the end of the tape: %d", told.told[TAPE_OVER]);
    tape_on_event(NULL);
}

/* ---- what is printed ------------------------------------------------------------------------- */

enum { PAGE = 1 << 16 };
static char page[PAGE];

/* Runs `steps` steps of make (and back) under the trace of a lecture; what it prints is in page. */
static void print_page(const char *lecture, Tensor *(*make)(Tape *tape), int steps)
{
    const char *path = scratch_path("trace");
    FILE *out = fopen(path, "w");
    Tape *tape = tape_new(1);
    CHECK(trace_to(out, lecture, NULL), "lecture %s is not known", lecture);
    for (int i = 0; i < steps; i++) {
        tape_reset(tape);
        CHECK(ag_backward(make(tape)), "%s", tensor_error());
    }
    CHECK(!tape->keep_maps, "the tape still keeps maps");
    tape_on_event(NULL);
    tape_free(tape);
    fclose(out);
    long length = scratch_read(path, page, PAGE - 1);
    page[length > 0 ? length : 0] = 0;
}

/* The page has these texts, one after the other; NULL ends them. */
static void check_order(const char *const *texts)
{
    const char *at = page;
    for (; *texts; texts++) {
        const char *found = strstr(at, *texts);
        if (!CHECK(found, "lacks, or has not in this place: %s\n%s", *texts, page))
            return;
        at = found + 1;
    }
}

/* y = x (x + 3 x) = 4 x^2 at x = 2. */
static Tensor *square(Tape *tape)
{
    Tensor *x = tape_leaf(tape, (real[]){2}, shape1(1));
    return ag_sum(ag_mul(x, ag_add(x, ag_scale(x, 3))));
}

/* dy/dx = 16 in all: 8 by the product's first factor, 2 by the sum, 6 by the scale. Each is shown
 * for itself. */
TEST(gradients_are_shares)
{
    print_page("", square, 1);
    check_order((const char *const[]){"#0               = scale(input)",
                                      " 6\n",
                                      "#1",
                                      " 8\n",
                                      "#2",
                                      " 16\n",
                                      "backward",
                                      "#2 = input\xc2\xb7#1",
                                      "in  dL/d #2",
                                      " 1\n",
                                      "add dL/d input",
                                      " 8\n",
                                      "add dL/d #1",
                                      " 2\n",
                                      "#1 = input + #0",
                                      "add dL/d input",
                                      " 2\n",
                                      "#0 = scale(input)",
                                      "in  dL/d #0",
                                      " 2\n",
                                      "add dL/d input",
                                      " 6\n",
                                      NULL});
}

/* A sequence of three words through a block. */
static struct {
    Params *params;
    Embedding words;
    PositionalEncoding places;
    TransformerBlock block;
} model;

static Tensor *block_loss(Tape *tape)
{
    Tensor *x = nn_embedding(&model.words, tape_ids(tape, (int[]){4, 0, 2}, shape2(1, 3)));
    x = nn_position(&model.places, x);
    x = nn_transformer_block(&model.block, x, (Mask){.causal = true});
    return ag_mse(x, tape_full(tape, 0, x->shape));
}

/* The page of a step through the block. */
static void print_block(const char *lecture)
{
    BlockConfig c = {.channels = 8, .heads = 2, .activation = ACTIVATION_RELU};
    Params *p = model.params = params_new(1);
    CHECK(nn_embedding_init(&model.words, p, "embedding", 5, 8) &&
              nn_position_init(&model.places, p, "position", POSITION_SINUSOIDAL, 3, 8) &&
              nn_transformer_block_init(&model.block, p, "blocks.0", c),
          "%s", tensor_error());
    print_page(lecture, block_loss, 2);
    params_free(p);
}

TEST(symbols_of_a_block)
{
    print_block("J");
    check_order((const char *const[]){"forward",
                                      "X                = E[ids]",
                                      "(B 1, L 3, C 8)",
                                      "X                = X + PE",
                                      "blocks.0.norm1",
                                      "X'               = LN(X)",
                                      "blocks.0.attn",
                                      "= X' W_Q,K,V + b_qkv",
                                      "Q K^T",
                                      "(B 1, h 2, L 3, L 3)",
                                      "E                = Q K^T / sqrt(D)",
                                      "A                = softmax(E)",
                                      " 1 0 0 ...",
                                      "head_i           = A V",
                                      "(B 1, h 2, L 3, D 4)",
                                      "= head_i W^O + b^O",
                                      "X + X_att",
                                      "= LN(X + X_att)",
                                      "h                = X' W^1 + b^1",
                                      "relu(h)",
                                      "= relu(h) W^2 + b^2",
                                      "x_(l+1)          = X + X_att + FFN",
                                      "L                = mse(x_(l+1)",
                                      "backward",
                                      "dL/d x_(l+1)",
                                      "dL/d W^2",
                                      "dL/d E ",
                                      "dL/d Q K^T",
                                      "dL/d Q ",
                                      "dL/d K ",
                                      "dL/d W_Q,K,V",
                                      "dL/d gamma",
                                      "dL/d beta",
                                      NULL});
}

TEST(each_lecture_has_its_own)
{
    static const struct {
        const char *lecture, *softmax, *shape, *projection;
    } rows[] = {
        {"", "A                = softmax(scores)", "(B 1, H 2, T 3, S 3)", "x' W_qkv^T + b_qkv"},
        {"V", "alpha            = softmax(Q K^T/sqrt(d_k))", "(B 1, h 2, T 3, T 3)",
         "W^Q,K,V LN(x) + b_qkv"},
        {"B", "alpha            = softmax(xi)", "(B 1, H 2, T 3, T 3)", "W_q,k,v LN(x) + b_qkv"},
        {"H", "w                = softmax(", "(B 1, h 2, n 3, m 3)", "X' W^Q,K,V + b_qkv"},
        {"Z", "a                = softmax(", "(B 1, H 2, N 3, N 3)", "X' W^(q,k,v) + b_qkv"},
    };
    for (int i = 0; i < 5; i++) {
        print_block(rows[i].lecture);
        CHECK(strstr(page, rows[i].softmax), "%s: %s", rows[i].lecture, page);
        CHECK(strstr(page, rows[i].shape), "%s: %s", rows[i].lecture, page);
        CHECK(strstr(page, rows[i].projection), "%s: %s", rows[i].lecture, page);
    }
    CHECK(!trace_to(stderr, "X", NULL) && !trace_to(stderr, "v", NULL),
          "an unknown lecture is taken");
}

/* A program's own names for what no module made. */
static Tensor *plain_attention(Tape *tape)
{
    Tensor *x = ag_name(tape_leaf(tape, (real[]){1, 0, 0, 1}, shape2(2, 2)), "tokens");
    Tensor *q = ag_name(ag_scale(x, 1), "Q"), *k = ag_name(ag_scale(x, 1), "K");
    Tensor *products = ag_name(ag_matmul(q, ag_transpose(k, 0, 1)), "products");
    Tensor *scores = ag_name(ag_scale(products, (real)0.5), "scores");
    Tensor *v =
        ag_name(ag_scale(x, 3), "V"); /* a line each: C leaves the order of arguments open */
    return ag_sum(ag_name(ag_matmul(ag_name(ag_softmax(scores), "A"), v), "heads"));
}

TEST(names_of_a_program)
{
    print_page("J", plain_attention, 1);
    check_order((const char *const[]){"Q                = scale(tokens)", "Q K^T",
                                      "E                = Q K^T / sqrt(D)",
                                      "V                = scale(tokens)",
                                      "A                = softmax(E)", "head_i           = A V",
                                      NULL});
}

static int occurrences(const char *text)
{
    int n = 0;
    for (const char *at = page; (at = strstr(at, text)); at++)
        n++;
    return n;
}

TEST(one_step_is_printed)
{
    print_block("");
    int forward = occurrences("softmax(scores)"), losses = occurrences("mse(");
    CHECK(forward == 2 && losses == 2,
          "softmax %d times, the loss %d times; expected once forward and once backward", forward,
          losses);
    print_page("", square, 3);
    CHECK(occurrences("scale(input)") == 2, "%d times in three steps", occurrences("scale(input)"));
}
