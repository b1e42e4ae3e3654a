/* test_tape_page.c: what --html records of a step: numbers, modules, and files. Expected numbers
 * are derivatives by hand. tests/browser/tape.py tries what its readers see. */
#include "gradus.h"
#include "autograd/inspect.h"
#include "plot/tape/tape_page.h"
#include "tests/harness/test.h"

#include <math.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

TEST(numbers_of_a_matrix)
{
    real x[5 * 8] = {0};
    for (int i = 0; i < 24; i++)
        x[8 + i] = (real)(i - 4);
    Tensor *t = tensor_from(x, shape2(5, 8));
    TapeNumbers n = tape_numbers_of(t, t->data, NULL);
    CHECK(n.row == 1 && n.rows == 4 && n.columns == 6, "%d rows of %d from %lld", n.rows, n.columns,
          (long long)n.row);
    CHECK(n.number[0] == -4 && n.number[6] == 4 && n.number[17] == 17 && n.number[18] == 0,
          "%g %g %g %g", n.number[0], n.number[6], n.number[17], n.number[18]);
    /* -4 .. 19 have the sum 180 and the squares' sum 30 + 2470 */
    CHECK(n.low == -4 && n.high == 19 && n.mean == 180.0 / 40 && fabs(n.norm - 50) < 1e-12,
          "%g to %g, mean %g, norm %g", n.low, n.high, n.mean, n.norm);
    n = tape_numbers_of(t, t->data, t->data);
    CHECK(n.row == 0 && n.rows == 4 && n.norm == 0, "the difference to itself: norm %g", n.norm);
    tensor_free(t);
}

/* A view's numbers are read by its strides: the transpose of a matrix. */
TEST(numbers_of_a_view)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_input(tape, (real[]){1, 2, 3, 4, 5, 6}, shape2(2, 3));
    Tensor *t = ag_slice(ag_transpose(x, 0, 1), 0, 1, 3);
    TapeNumbers n = tape_numbers_of(t, t->data, NULL);
    CHECK(n.rows == 2 && n.columns == 2 && n.number[0] == 2 && n.number[1] == 5 &&
              n.number[2] == 3 && n.number[3] == 6,
          "%g %g %g %g", n.number[0], n.number[1], n.number[2], n.number[3]);
    Tensor *ids = tape_ids(tape, (int[]){7, 9}, shape1(2));
    n = tape_numbers_of(ids, ids->data, NULL);
    CHECK(n.number[0] == 7 && n.number[1] == 9, "ids %g %g", n.number[0], n.number[1]);
    Tensor *none = tape_input(tape, NULL, shape2(3, 0));
    CHECK(tape_numbers_of(none, none->data, NULL).rows == 0, "rows of a tensor without elements");
    tape_free(tape);
}

TEST(numbers_that_are_not_finite)
{
    Tensor *t = tensor_from((real[]){(real)NAN, 3, (real)INFINITY, -4}, shape1(4));
    TapeNumbers n = tape_numbers_of(t, t->data, NULL);
    CHECK(isnan(n.number[0]) && n.not_finite == 2, "%g, not finite: %lld", n.number[0],
          (long long)n.not_finite);
    CHECK(n.low == -4 && n.high == 3 && n.mean == -0.5 && n.norm == 5, "%g to %g, mean %g, norm %g",
          n.low, n.high, n.mean, n.norm);
    tensor_free(t);
}

/* ---- modules --------------------------------------------------------------------------------- */

enum { WIDTH = 4, TOKENS = 3, BLOCKS = 2 };

static void watch(TapeEvent event, Tape *tape, const Node *n)
{
    (void)event, (void)tape, (void)n;
}

/* Two blocks and a head; then the module of each op, in order, one line a run of ops. */
static const char *modules_of_a_model(void)
{
    static char text[2000];
    static TransformerBlock block[BLOCKS];
    Linear head;
    BlockConfig c = {.channels = WIDTH, .heads = 2, .activation = ACTIVATION_RELU};
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    CHECK(nn_transformer_block_init(&block[0], p, "blocks.0", c) &&
              nn_transformer_block_init(&block[1], p, "blocks.1", c) &&
              nn_linear_init(&head, p, "head", WIDTH, 5, true),
          "%s", tensor_error());
    tape_on_event(watch); /* so that the modules give names */
    Tensor *x = tape_full(tape, (real)0.5, shape3(1, TOKENS, WIDTH));
    x = ag_scale(x, 2);
    for (int i = 0; i < BLOCKS; i++)
        x = nn_transformer_block(&block[i], x, (Mask){.causal = true});
    x = ag_cross_entropy(nn_linear(&head, x), tape_ids(tape, (int[]){0, 1, 2}, shape2(1, 3)));
    static char module[200][TAPE_MODULE];
    CHECK(tape->nodes > 20 && tape->nodes < 200, "%d nodes", tape->nodes);
    tape_modules(tape, module);
    tape_on_event(NULL);
    text[0] = 0;
    for (int i = 0; i < tape->nodes; i++)
        if (i == 0 || strcmp(module[i], module[i - 1]) != 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.60s(%.60s)\n", module[i],
                     tape->node[i]->op->name);
    tape_free(tape);
    params_free(p);
    return text;
}

/* The sums x + attention and x + feed-forward are their block's, the softmax is its attention's,
 * the loss is no module's: as a reader of nn/block.c would say. */
TEST(modules_of_ops_without_weights)
{
    const char *want =
        "(scale)\n"
        "blocks.0.norm1(layernorm)\nblocks.0.attn(linear)\nblocks.0.attn.out_proj(linear)\n"
        "blocks.0(add)\nblocks.0.norm2(layernorm)\n"
        "blocks.0.ff.up(linear)\nblocks.0.ff(relu)\nblocks.0.ff.down(linear)\n"
        "blocks.0(add)\n"
        "blocks.1.norm1(layernorm)\nblocks.1.attn(linear)\nblocks.1.attn.out_proj(linear)\n"
        "blocks.1(add)\nblocks.1.norm2(layernorm)\n"
        "blocks.1.ff.up(linear)\nblocks.1.ff(relu)\nblocks.1.ff.down(linear)\n"
        "blocks.1(add)\n"
        "head(linear)\n(cross_entropy)\n";
    const char *found = modules_of_a_model();
    CHECK(strcmp(found, want) == 0, "found\n%s; expected\n%s", found, want);
}

/* ---- files ----------------------------------------------------------------------------------- */

TEST(files_of_the_sources)
{
    Arena arena = {0};
    TapeFiles files = {.arena = &arena};
    int here = tape_source_file(&files, __FILE__), again = tape_source_file(&files, __FILE__);
    if (CHECK(here == 0 && again == 0 && files.file[0].text, "file %d, again %d", here, again)) {
        CHECK(strcmp(files.file[0].path, "tests/plot/test_tape_page.c") == 0, "path %s",
              files.file[0].path);
        CHECK(strncmp(files.file[0].text, "/* test_tape_page.c", 19) == 0, "%.30s",
              files.file[0].text);
    }
    int rule = tape_rule_file(&files, "tanh");
    if (CHECK(rule == 1, "rule %d", rule))
        CHECK(strstr(files.file[rule].text, "dL/dx") && !strstr(files.file[rule].text, "*/") &&
                  !strstr(files.file[rule].text, "\n *"),
              "%s", files.file[rule].text);
    int gone = tape_source_file(&files, "../gone/model.c");
    CHECK(gone == 2 && !files.file[2].text && strcmp(files.file[2].path, "gone/model.c") == 0,
          "file %d", gone);
    CHECK(tape_source_file(&files, NULL) == -1, "a file without a name");
    CHECK(tape_rule_file(&files, "of_my_own") == -1, "a rule of an op that is not there");
    arena_free(&arena);
}

/* ---- the record ------------------------------------------------------------------------------ */

static char page[1 << 20];

static bool has(const char *text)
{
    return CHECK(strstr(page, text) != NULL, "the page lacks %s", text);
}

static void read_page(const char *path)
{
    long length = scratch_read(path, page, sizeof page - 1);
    page[length > 0 ? length : 0] = 0;
}

/* y = x (x + 3 x) = 4 x^2 at x = 2: dy/dx is 8 by the product, 2 by the sum, 6 by the scale. The
 * first step has no backward, and the third is another one: neither is on the page. */
TEST(the_first_training_step)
{
    const char *path = scratch_path("tape.html");
    Tape *tape = tape_new(1);
    CHECK(tape_page_begin(path, "a step", ""), "%s", tensor_error());
    for (int i = 0; i < 3; i++) {
        tape_reset(tape);
        Tensor *x = tape_leaf(tape, (real[]){(real)(i == 1 ? 2 : 50)}, shape1(1));
        Tensor *y = ag_sum(ag_mul(x, ag_add(x, ag_scale(x, 3))));
        CHECK(i == 0 || ag_backward(y), "%s", tensor_error());
        CHECK(i == 0 || tensor_item(y) == (i == 1 ? 16 : 10000), "%g", (double)tensor_item(y));
    }
    CHECK(!tape->keep_maps && !tensor_error()[0], "maps are kept, or: %s", tensor_error());
    tape_free(tape);
    read_page(path);
    has("\"added\":{\"row\":0,\"columns\":1,\"numbers\":[8]");
    has("\"added\":{\"row\":0,\"columns\":1,\"numbers\":[2]");
    has("\"added\":{\"row\":0,\"columns\":1,\"numbers\":[6]");
    has("\"sum\":{\"row\":0,\"columns\":1,\"numbers\":[10]");
    has("\"sum\":{\"row\":0,\"columns\":1,\"numbers\":[16]");
    has("\"gradient\":{\"row\":0,\"columns\":1,\"numbers\":[2]"); /* of x + 3 x */
    has("\"symbols\":\"#2\"");                                    /* in every notation */
    has("\"operands\":[{\"op\":2,");                              /* the sum reads the product */
    CHECK(!strstr(page, "\"numbers\":[10000]"), "another step is on the page");
}

/* A recording without a file has the data of the page. */
TEST(data_without_a_file)
{
    static char text[sizeof page];
    Tape *tape = tape_new(1);
    for (int file = 0; file < 2; file++) {
        tape_reset(tape);
        if (file)
            tape_page_begin(scratch_path("same.html"), "", "");
        else
            tape_page_record();
        CHECK(tape_page_data(text, sizeof text) == 0 || file, "data before backward");
        Tensor *x = tape_leaf(tape, (real[]){2}, shape1(1));
        CHECK(ag_backward(ag_sum(ag_mul(x, x))), "%s", tensor_error());
        size_t length = file ? 0 : tape_page_data(text, sizeof text);
        CHECK(file || (length > 500 && strlen(text) == length), "%zu bytes", length);
    }
    tape_page_end();
    tape_free(tape);
    read_page(scratch_path("same.html"));
    const char *ops = strstr(text, "\"ops\":"), *leaves = strstr(text, ",\"files\":");
    char *of_page = strstr(page, "\"ops\":");
    CHECK(ops && leaves && of_page && strncmp(ops, of_page, (size_t)(leaves - ops)) == 0, "%s",
          text);
}

/* A failure in the middle leaves nothing behind, and the next recording is a whole one. */
TEST(a_step_that_fails)
{
    const char *path = scratch_path("failed.html");
    CHECK(!tape_page_begin(path, "", "Q") && strstr(tensor_error(), "notation 'Q'; expected"), "%s",
          tensor_error());
    tensor_clear_error();
    Tape *tape = tape_new(1);
    tape->watch = true;
    CHECK(tape_page_begin(path, "fails", ""), "%s", tensor_error());
    Tensor *x = tape_leaf(tape, (real[]){0}, shape1(1));
    CHECK(!ag_backward(ag_sum(ag_sqrt(x))), "the square root's infinite derivative at 0");
    tape_reset(tape);
    CHECK(!tape->keep_maps && scratch_read(path, page, sizeof page) <= 0, "a page of half a step");
    tape_free(tape);
}

/* A text ends no element, NaN is null, and a notation with a text of its own has it. */
TEST(texts_and_numbers)
{
    const char *path = scratch_path("texts.html");
    Tape *tape = tape_new(1);
    CHECK(tape_page_begin(path, "a </script> in the title", "Z"), "%s", tensor_error());
    Tensor *x = ag_name(tape_leaf(tape, (real[]){1, (real)NAN}, shape1(2)), "</script>");
    CHECK(ag_backward(ag_sum(ag_name(ag_scale(x, 2), "A"))) && !tensor_failed(), "%s",
          tensor_error());
    tape_free(tape);
    read_page(path);
    has("\"symbols\":[\"A\",\"alpha\",\"alpha\",\"w\",\"a\",\"A\"]");
    has("\"numbers\":[1,null]");
    has("\\u003c/script>");
    int ends = 0;
    for (const char *s = page; (s = strstr(s, "</script")); s++)
        ends++;
    CHECK(ends == 2, "%d scripts end; expected the data's and the page's", ends);
}

/* As many ops as a page shows are written; one more is refused. */
TEST(tapes_that_are_too_large)
{
    for (int more = 0; more < 2; more++) {
        const char *path = scratch_path(more ? "larger.html" : "large.html");
        Tape *tape = tape_new(1);
        CHECK(tape_page_begin(path, "", ""), "%s", tensor_error());
        Tensor *y = tape_leaf(tape, (real[]){1}, shape1(1));
        for (int i = 0; i < TAPE_OPS - 1 + more; i++)
            y = ag_scale(y, 1);
        ag_backward(ag_sum(y));
        CHECK(tensor_failed() == more && (!more || strstr(tensor_error(), "a tape of 6001 ops; "
                                                                          "expected at most 6000")),
              "%d ops more: %s", more, tensor_error());
        CHECK((scratch_read(path, page, 1) > 0) == !more, "%d ops more: a page", more);
        tensor_clear_error();
        tape_free(tape);
    }
}

static bool record_once(void *context)
{
    (void)context;
    Tape *tape = tape_new(1);
    bool ok = tape && tape_page_begin(scratch_path("pages/once.html"), "once", "");
    Tensor *x = ok ? tape_leaf(tape, (real[]){1, 2}, shape1(2)) : NULL;
    ok = ok && ag_backward(ag_sum(ag_scale(x, 2))) && !tensor_failed();
    tape_page_end();
    tape_free(tape);
    return ok;
}

/* Every allocation and every use of the file fails once: an error, no crash, no leak. */
TEST(failures)
{
    const Attempt trial = {.attempt = record_once, .file = "pages"};
    CHECK_TRIAL_MEMORY(&trial);
    CHECK_TRIAL_DISK(&trial);
}
