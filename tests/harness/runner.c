/* runner.c: CUnit's cases, reported as TAP.
 *
 *   TAP version 13
 *   1..3
 *   ok 1 - name
 *   not ok 2 - name
 *   # file:line: what failed
 *   ok 3 - name # SKIP why
 *
 * CUnit registers, runs and counts the cases; its own output is not used. With the argument
 * --self-test-fail a program runs a table with one case of each outcome instead of its own, so that
 * the runner can be tested. */
#include "tests/harness/runner.h"

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_MAX = 2048, SHOWN_MAX = 20 };

typedef struct {
    const char *name;
    void (*function)(void);
} TestCase;

static struct {
    FILE *tap;
    const char *program;
    const TestCase *cases;
    int *selected;  /* indices of the cases that run */
    int count, now; /* of selected, and the running one */
    int failed;
    long checks;       /* made by the running case */
    char skipped[256]; /* the reason, while a case is being skipped */
} run;

int test_index(void)
{
    int running = run.selected[run.now], first = running;
    while (first > 0 && run.cases[first - 1].function == run.cases[running].function)
        first--;
    return running - first;
}

const char *test_program(void)
{
    return run.program;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool report(bool passed, const char *file, int line, const char *text)
{
    run.checks++;
    CU_assertImplementation(passed ? CU_TRUE : CU_FALSE, (unsigned)line, text, file, "", CU_FALSE);
    return passed;
}

bool check_that(bool passed, const char *file, int line, const char *condition, const char *format,
                ...)
{
    char values[MESSAGE_MAX / 2], text[MESSAGE_MAX];
    if (passed)
        return report(true, file, line, condition);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(values, sizeof values, format, arguments);
    va_end(arguments);
    snprintf(text, sizeof text, "%.900s: %s", condition, values);
    return report(false, file, line, text);
}

bool check_close(double got, double want, double tolerance, const char *file, int line,
                 const char *got_text, const char *want_text)
{
    char text[MESSAGE_MAX];
    if (fabs(got - want) <= tolerance)
        return report(true, file, line, got_text);
    snprintf(text, sizeof text, "%.400s is %.17g; expected %.400s = %.17g within %.3g", got_text,
             got, want_text, want, tolerance);
    return report(false, file, line, text);
}

double larger_or_nan(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

bool check_text(const char *got, const char *want, const char *file, int line, const char *got_text)
{
    char text[MESSAGE_MAX];
    got = got ? got : "";
    want = want ? want : "";
    snprintf(text, sizeof text, "%.200s is \"%.800s\"; expected \"%.800s\"", got_text, got, want);
    return report(strcmp(got, want) == 0, file, line, text);
}

bool check_tensor(const Tensor *got, const Tensor *want, double relative, double absolute,
                  const char *file, int line, const char *got_text)
{
    char text[MESSAGE_MAX];
    const char *difference = tensor_difference(got, want, relative, absolute);
    snprintf(text, sizeof text, "%.400s: %s", got_text, difference ? difference : "agrees");
    return report(!difference, file, line, text);
}

bool check_error(const char *part, const char *file, int line)
{
    char text[MESSAGE_MAX];
    bool as_expected = part ? strstr(tensor_error(), part) != NULL : !tensor_failed();
    snprintf(text, sizeof text, "the error is \"%.900s\"; expected %s%.900s", tensor_error(),
             part ? "one with: " : "none", part ? part : "");
    tensor_clear_error();
    return report(as_expected, file, line, text);
}

/* The place of the call, file:line, may be in front of the function's name. */
static bool is_refusal(const char *error, const char *function)
{
    char start[100];
    snprintf(start, sizeof start, "%s: ", function);
    const char *at = strstr(error, start);
    return at && (at == error || (at - error > 2 && strncmp(at - 2, ": ", 2) == 0)) &&
           strstr(at, "; expected ") && !strchr(at, '\n');
}

bool check_refusal(const char *function, const char *part, const char *file, int line)
{
    char text[MESSAGE_MAX];
    bool formed = is_refusal(tensor_error(), function);
    snprintf(text, sizeof text,
             "the error is \"%.900s\"; expected a line \"%s: what was found; expected ...\"",
             tensor_error(), function);
    report(formed, file, line, text);
    return check_error(part, file, line) && formed;
}

bool is_minus_1(int number)
{
    return number == -1;
}

bool is_nan(double number)
{
    return isnan(number);
}

bool is_false(bool value)
{
    return !value;
}

void test_skip(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run.skipped, sizeof run.skipped, format, arguments);
    va_end(arguments);
}

/* ---- TAP ------------------------------------------------------------------------------------- */

/* Prints each line as a TAP comment, so that no text can be taken for a result. */
static void comment(const char *file, unsigned line, const char *text)
{
    fprintf(run.tap, "# %s:%u: ", file, line);
    for (; *text; text++)
        fputs(*text == '\n' ? "\n#   " : (char[]){*text, 0}, run.tap);
    putc('\n', run.tap);
}

static void before_case(const CU_pTest test, const CU_pSuite suite)
{
    (void)test;
    (void)suite;
    run.skipped[0] = 0;
    run.checks = 0;
    tensor_set_allocator(NULL);
    tensor_on_error(NULL, NULL);
    tensor_clear_error();
}

static void after_case(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure)
{
    (void)suite;
    int shown = 0;
    bool empty = run.checks == 0 && !run.skipped[0];
    bool ok = !failure && !empty;
    fprintf(run.tap, "%s %d - %s", ok ? "ok" : "not ok", run.now + 1, test->pName);
    if (run.skipped[0] && ok)
        fprintf(run.tap, " # SKIP %s", run.skipped);
    putc('\n', run.tap);
    if (empty)
        fprintf(run.tap, "# the case checks nothing\n");
    for (const CU_FailureRecord *f = failure; f; f = f->pNext)
        if (shown++ < SHOWN_MAX)
            comment(f->strFileName ? f->strFileName : "?", f->uiLineNumber,
                    f->strCondition ? f->strCondition : "?");
    if (shown > SHOWN_MAX)
        fprintf(run.tap, "# and %d more\n", shown - SHOWN_MAX);
    if (!ok && tensor_failed())
        fprintf(run.tap, "# pending error: %s\n", tensor_error());
    fflush(run.tap); /* otherwise a crash in the next case would lose this line */
    run.failed += !ok;
    run.now++;
}

/* Keeps standard output for TAP and redirects everything else that is printed there to standard
 * error. */
static bool take_standard_output(void)
{
    fflush(stdout);
    int real_output = dup(STDOUT_FILENO);
    if (real_output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return false;
    run.tap = fdopen(real_output, "w");
    return run.tap != NULL;
}

static bool is_selected(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc < 2;
}

static bool register_cases(int argc, char **argv)
{
    int total = 0;
    while (run.cases[total].name)
        total++;
    run.selected = malloc((size_t)(total + 1) * sizeof *run.selected);
    if (!run.selected || CU_initialize_registry() != CUE_SUCCESS)
        return false;
    CU_pSuite suite = CU_add_suite(run.program, NULL, NULL);
    for (int i = 0; suite && i < total; i++) {
        if (!is_selected(run.cases[i].name, argc, argv))
            continue;
        run.selected[run.count++] = i;
        if (!CU_add_test(suite, run.cases[i].name, run.cases[i].function))
            return false;
    }
    return suite != NULL;
}

static int run_selected(void)
{
    CU_set_test_start_handler(before_case);
    CU_set_test_complete_handler(after_case);
    fprintf(run.tap, "TAP version 13\n1..%d\n", run.count);
    fflush(run.tap);
    if (CU_run_all_tests() != CUE_SUCCESS && run.failed == 0)
        fprintf(run.tap, "Bail out! CUnit: %s\n", CU_get_error_msg());
    bool all_ran = run.now == run.count && CU_get_number_of_tests_run() == (unsigned)run.count;
    if (!all_ran)
        fprintf(run.tap, "Bail out! %d of %d cases ran\n", run.now, run.count);
    return all_ran && run.failed == 0 ? 0 : 1;
}

/* ---- the runner's own test ------------------------------------------------------------------- */

static void case_passes(void)
{
    CHECK(true, "this passes");
}

static void case_fails(void)
{
    printf("ok 99 - a line that only looks like a result\n");
    CHECK(1 + 1 == 3, "the sum is %d,\nnot ok 98 - in two lines", 1 + 1);
    CHECK_CLOSE(0.0 / 0.0, 1.0, 1e9);
    tensor_fail("f: 3 was found");
    CHECK_REFUSAL("f", "3");
    tensor_fail("g: 3; expected 4");
    CHECK_REFUSAL("f", "3; expected 4");
}

static void case_skips(void)
{
    SKIP("there is no %s", "moon");
}

static void case_checks_nothing(void) {}

static bool allocates_nothing(void *context)
{
    (void)context;
    return true;
}

static void case_tries_nothing(void)
{
    CHECK_OUT_OF_MEMORY(allocates_nothing, NULL);
}

static const TestCase self_test[] = {
    {"passes", case_passes},
    {"fails", case_fails},
    {"skips", case_skips},
    {"checks nothing", case_checks_nothing},
    {"tries nothing", case_tries_nothing},
    {NULL, NULL},
};

static int run_tests(const TestCase *cases, int argc, char **argv)
{
    run.program = argv[0];
    run.cases = cases;
    if (argc > 1 && strcmp(argv[1], "--self-test-fail") == 0) {
        run.cases = self_test;
        argc--;
        argv++;
    }
    int status = 1;
    if (!take_standard_output() || !register_cases(argc, argv))
        fprintf(stderr, "%s: cannot set up the tests: %s\n", run.program, CU_get_error_msg());
    else if (run.count == 0)
        fprintf(run.tap, "Bail out! no case's name contains what was asked for\n");
    else
        status = run_selected();
    scratch_remove();
    CU_cleanup_registry();
    free(run.selected);
    if (run.tap && fclose(run.tap) != 0)
        status = 1;
    return status;
}

/* ---- cases that register themselves ---------------------------------------------------------- */

typedef struct {
    const char *name;
    void (*function)(void);
    int line, (*count)(void);
    const char *(*of)(int index);
} Registered;

enum { REGISTERED_MAX = 100, CASES_MAX = 2000 };

static Registered registered[REGISTERED_MAX];
static int registrations;

/* Constructors run in the order of the file with most systems, and with some in the opposite. */
void test_register(const char *name, void (*function)(void), int line, int (*count)(void),
                   const char *(*of)(int index))
{
    int at = registrations < REGISTERED_MAX ? registrations++ : REGISTERED_MAX - 1;
    for (; at > 0 && registered[at - 1].line > line; at--)
        registered[at] = registered[at - 1];
    registered[at] = (Registered){name, function, line, count, of};
}

int run_registered(int argc, char **argv)
{
    static TestCase cases[CASES_MAX + 1];
    static char names[CASES_MAX][100];
    int n = 0;
    for (const Registered *r = registered; r < registered + registrations; r++)
        for (int i = 0; i < (r->count ? r->count() : 1) && n < CASES_MAX; i++, n++) {
            snprintf(names[n], sizeof names[n], "%s%s%s", r->name, r->of ? ": " : "",
                     r->of ? r->of(i) : "");
            for (char *at = names[n]; *at && *at != ':'; at++)
                *at = *at == '_' ? ' ' : *at;
            cases[n] = (TestCase){names[n], r->function};
        }
    if (n == CASES_MAX || registrations == REGISTERED_MAX) {
        fprintf(stderr, "%s: %d cases; expected fewer than %d\n", argv[0], n, CASES_MAX);
        return 1;
    }
    return run_tests(cases, argc, argv);
}
