/* test_page_tape.c: what plot_page_tape writes of a tape, and which tapes it refuses. tests/browser/tape.py sees the
 * pages as their readers do. */
#include "plot/pages.h"
#include "tests/plot/plot_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const notations[] = {"", "Z"};
static const char *const x_symbols[] = {"x", "x"}, *const a_symbols[] = {"A", "a"};
static const char *const shapes[] = {"(2)", "(N 2)"};
static const char *const equations[] = {"softmax(x)", "softmax(x)"};

/* a = softmax(x), b = sum(a). The parts may be changed before the page is written. */
static struct {
    PlotTapeLeaf leaf;
    PlotTapeOperand of_a, of_b;
    PlotTapeOp op[2];
    PlotTapeFile file;
    PlotTape tape;
} t;

static void make_tape(void)
{
    t.leaf = (PlotTapeLeaf){.tensor = {x_symbols, shapes}, .kind = "leaf", .name = "x"};
    t.leaf.value = (PlotNumbers){.rows = 1,
                                 .columns = 2,
                                 .number = {1, NAN},
                                 .low = 1,
                                 .high = 1,
                                 .mean = 1,
                                 .norm = 1,
                                 .not_finite = 1};
    t.of_a = (PlotTapeOperand){.tensor = {x_symbols, shapes}, .op = -1, .leaf = 0};
    t.of_b = (PlotTapeOperand){.tensor = {a_symbols, shapes}, .op = 0, .leaf = -1};
    t.op[0] = (PlotTapeOp){.name = "softmax",
                           .function = "ag_softmax",
                           .module = "",
                           .equations = equations,
                           .result = {a_symbols, shapes},
                           .turn = 1,
                           .operands = &t.of_a,
                           .operand_count = 1,
                           .source = 0,
                           .line = 3,
                           .rule = -1};
    t.op[1] = t.op[0];
    t.op[1].operands = &t.of_b;
    t.op[1].turn = 0;
    t.file = (PlotTapeFile){"a.c", "one\ntwo\nthree </script>\n"};
    t.tape = (PlotTape){.title = "a tape",
                        .notations = notations,
                        .notation_count = 2,
                        .ops = t.op,
                        .op_count = 2,
                        .leaves = &t.leaf,
                        .leaf_count = 1,
                        .files = &t.file,
                        .file_count = 1};
}

static void what_is_written(void)
{
    make_tape();
    const char *path = scratch_path("tape.html");
    if (!CHECK(plot_page_tape(path, &t.tape), "%s", tensor_error()))
        return;
    const char *page = scratch_text(path);
    CHECK(strstr(page, "\"symbols\":\"x\""), "one text of two equal ones is missing");
    CHECK(strstr(page, "\"symbols\":[\"A\",\"a\"]"), "the text of each notation is missing");
    CHECK(strstr(page, "\"numbers\":[1,null]"), "NaN is not null");
    CHECK(strstr(page, "three \\u003c/script>"), "the source can end its element");
    CHECK(count_of(page, "</script") == 2, "%d scripts end; expected the data's and the page's",
          count_of(page, "</script"));
    CHECK(count_of(page, "\"gradient\":") == 0, "a gradient without numbers is written");
}

/* The tape is refused with this error, and no file is written. */
static void check_refused(const PlotTape *tape, const char *error)
{
    const char *path = scratch_path("refused.html");
    CHECK(!plot_page_tape(path, tape), "not refused: %s", error);
    CHECK(strstr(tensor_error(), error), "\"%s\" lacks \"%s\"", tensor_error(), error);
    CHECK(!exists(path), "a file is there after: %s", error);
    tensor_clear_error();
}

static void tapes_that_are_refused(void)
{
    make_tape();
    check_refused(NULL, "plot_page_tape: a tape without ops; expected at least one");
    t.tape.op_count = 0;
    check_refused(&t.tape, "plot_page_tape: a tape without ops; expected at least one");
    make_tape();
    t.tape.notation = 2;
    check_refused(&t.tape, "plot_page_tape: notation 2 of 2; expected one of 1 to 8");
    make_tape();
    t.of_b.op = 1;
    check_refused(&t.tape, "operand 0 of op 1 is op 1 and leaf -1; expected an op from 0 to 0");
    make_tape();
    t.of_a.leaf = 1;
    check_refused(&t.tape, "operand 0 of op 0 is op -1 and leaf 1; expected an op from 0 to -1, or "
                           "a leaf from 0 to 0");
    make_tape();
    t.op[1].source = 1;
    check_refused(&t.tape, "op 1 is of file 1, its rule of file -1; expected -1 to 0");
    make_tape();
    t.op[0].turn = 2;
    check_refused(&t.tape, "the turn of op 0 is 2; expected -1 to 1");
    make_tape();
    t.op[1].equations = NULL;
    check_refused(&t.tape, "op 1 lacks a text, or has more than 4 by 6 numbers; expected a name");
    make_tape();
    t.op[0].value.rows = 5;
    check_refused(&t.tape, "op 0 lacks a text, or has more than 4 by 6 numbers; expected a name");
    make_tape();
    t.of_b.tensor.shapes = (const char *const[]){"(2)", NULL};
    check_refused(&t.tape, "operand 0 of op 1 lacks a text, or has more than 4 by 6 numbers");
    make_tape();
    t.leaf.kind = NULL;
    check_refused(&t.tape, "leaf 0 lacks a text, or has more than 4 by 6 numbers; expected a kind");
    make_tape();
    t.tape.leaves = NULL;
    check_refused(&t.tape, "1 leaves and 1 files, of which one list is NULL; expected both");
    make_tape();
    t.file.path = NULL;
    check_refused(&t.tape, "file 0 has the path NULL; expected its name");
    make_tape();
    t.tape.notations = (const char *const[]){"", NULL};
    check_refused(&t.tape, "a notation is NULL; expected its name");
    make_tape();
    t.op[0].operands = NULL;
    check_refused(&t.tape, "op 0 has 1 operands at NULL; expected them");
}

/* As many ops as a page shows are written; one more is refused. */
static void tapes_that_are_too_large(void)
{
    make_tape();
    PlotTapeOp *ops = malloc((PLOT_TAPE_OPS + 1) * sizeof *ops);
    for (int i = 0; ops && i <= PLOT_TAPE_OPS; i++) {
        ops[i] = t.op[0];
        ops[i].turn = -1;
    }
    t.tape.ops = ops;
    t.tape.op_count = PLOT_TAPE_OPS + 1;
    check_refused(&t.tape, "plot_page_tape: a tape of 6001 ops; expected at most 6000");
    t.tape.op_count = PLOT_TAPE_OPS;
    CHECK(plot_page_tape(scratch_path("large.html"), &t.tape), "%s", tensor_error());
    free(ops);
}

static bool write_once(void *context)
{
    (void)context;
    return plot_page_tape(scratch_path("pages/tape.html"), &t.tape);
}

/* Every allocation and every use of the file fails once: an error, no crash, no leak. */
static void failures(void)
{
    const Trial trial = {.attempt = write_once, .file = "pages"};
    make_tape();
    CHECK_TRIAL_MEMORY(&trial);
    CHECK_TRIAL_DISK(&trial);
}

static const TestCase cases[] = {
    {"what is written", what_is_written},
    {"tapes that are refused", tapes_that_are_refused},
    {"tapes that are too large", tapes_that_are_too_large},
    {"memory or the disk fails", failures},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("page_tape", cases, argc, argv);
}
