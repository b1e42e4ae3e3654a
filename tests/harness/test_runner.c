/* test_runner.c: the runner's report and its exit status.
 *
 * The program starts itself with --self-test-fail, which runs one case of each outcome, and
 * compares the output line by line. If the runner did not report failures, no other test would mean
 * anything. */
#include "tests/harness/test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs this program with two arguments; its output into text. Returns its exit status, or -1. */
static int run_again(const char *first, const char *second, char *text, size_t size)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (!freopen("/dev/null", "w", stderr))
            _exit(126);
        execl(test_program(), test_program(), first, second, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n = 1; n > 0 && used<size - 1; used += n> 0 ? (size_t)n : 0)
        n = read(ends[0], text + used, size - 1 - used);
    text[used] = 0;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static void has_lines(const char *text, const char *const *lines)
{
    for (; *lines; lines++) {
        const char *found = strstr(text, *lines);
        CHECK(found && (found == text || found[-1] == '\n'), "\"%s\" is not a line of:\n%s", *lines,
              text);
    }
}

TEST(every_outcome)
{
    static const char *const lines[] = {
        "TAP version 13\n1..5\n",
        "ok 1 - passes\n",
        "not ok 2 - fails\n# ",
        "ok 3 - skips # SKIP there is no moon\n",
        "not ok 4 - checks nothing\n# the case checks nothing\n",
        "not ok 5 - tries nothing\n# ",
        NULL,
    };
    char text[4096];
    int status = run_again("--self-test-fail", NULL, text, sizeof text);
    CHECK(status == 1, "the exit status is %d; expected 1", status);
    has_lines(text, lines);
    CHECK(strstr(text, "runner.c:") && strstr(text, ": 1 + 1 == 3: the sum is 2,"),
          "file, line, condition and values are missing in:\n%s", text);
    CHECK(strstr(text, "nan; expected 1.0 = 1 within 1e+09"), "NaN counts as close in:\n%s", text);
    CHECK(strstr(text, "the error is \"f: 3 was found\"; expected a line") &&
              strstr(text, "the error is \"g: 3; expected 4\"; expected a line"),
          "an error of another form or of another function is a refusal in:\n%s", text);
    CHECK(!strstr(text, "ok 99") && !strstr(text, "\nnot ok 98"),
          "the output of a case, or a line of a message, is a result:\n%s", text);
}

TEST(one_case_by_name)
{
    char text[4096];
    int status = run_again("--self-test-fail", "pass", text, sizeof text);
    CHECK(status == 0, "the exit status is %d; expected 0", status);
    CHECK_TEXT(text, "TAP version 13\n1..1\nok 1 - passes\n");
}

TEST(no_case_is_a_failure)
{
    char text[4096];
    int status = run_again("--self-test-fail", "no such case", text, sizeof text);
    CHECK(status == 1, "the exit status is %d; expected 1", status);
    CHECK(strncmp(text, "Bail out!", 9) == 0, "printed:\n%s", text);
}

static bool leaks(void *context)
{
    Tensor **kept = context;
    *kept = tensor_new(shape1(1));
    return *kept != NULL;
}

static bool fails_silently(void *context)
{
    (void)context;
    Tensor *t = tensor_new(shape1(1));
    bool ok = t != NULL;
    tensor_free(t);
    tensor_clear_error();
    return ok;
}

/* The out-of-memory check itself: it has to see a leak, and a failure without an error. */
TEST(memory_check_sees_faults)
{
    Memory m = {0};
    Tensor *kept = NULL;
    memory_watch(&m);
    CHECK(leaks(&kept) && m.blocks == 2 && m.calls == 2, "%ld blocks of %ld calls", m.blocks,
          m.calls);
    CHECK(m.bytes == sizeof(Tensor) + sizeof(real) && m.peak == m.bytes, "%zu bytes", m.bytes);
    tensor_free(kept);
    CHECK(m.blocks == 0 && m.bytes == 0, "%ld blocks, %zu bytes", m.blocks, m.bytes);
    m = (Memory){.fail_at = 2};
    CHECK(!leaks(&kept) && m.calls == 2 && m.blocks == 0, "%ld calls, %ld blocks", m.calls,
          m.blocks);
    CHECK_ERROR("out of memory: ");
    m = (Memory){.fail_at = 1};
    CHECK(!fails_silently(NULL) && !tensor_failed(), "%s", tensor_error());
    memory_unwatch();
}
