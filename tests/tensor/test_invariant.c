/* test_invariant.c: the tests' copy of the library checks its invariants; a violated one ends the
 * process by abort with a line that names file, line and statement. (tests/project/consumer.sh
 * checks that the library which is installed never calls abort.) */
#include "tests/harness/test.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRADUS_INVARIANTS 1 /* this file's statements are checked in every build */
#include "tensor/invariant.h"
#include "tensor/kernels/strided.h"
#include "tensor/memory.h"

/* Runs f in a child process. Its wait status, and what it wrote to standard error. */
static int status_of(void (*f)(void), char *text, size_t size)
{
    int ends[2], status = -1;
    size_t length = 0;
    ssize_t more;
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        f();
        _exit(0);
    }
    close(ends[1]);
    while ((more = read(ends[0], text + length, size - 1 - length)) > 0)
        length += (size_t)more;
    text[length] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

enum { VIOLATED_LINE = __LINE__ + 5 };

static void violate(void)
{
    int one = 1;
    GRADUS_INVARIANT(one == 2);
}

static void hold(void)
{
    int one = 1;
    GRADUS_INVARIANT(one == 1);
}

TEST(violation_aborts)
{
    char text[1024], wanted[1024];
    int status = status_of(violate, text, sizeof text);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "the wait status is %#x", status);
    snprintf(wanted, sizeof wanted, "test_invariant.c:%d: invariant violated: one == 2\n",
             (int)VIOLATED_LINE);
    CHECK(strstr(text, wanted) != NULL, "standard error is \"%s\"", text);
}

TEST(true_statement_passes)
{
    char text[1024];
    int status = status_of(hold, text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the wait status is %#x", status);
    CHECK_TEXT(text, "");
}

/* Arrays that touch are apart; one common byte, either way round or inside, is an overlap. */
TEST(memory_apart_is_exact)
{
    static char x[8];
    CHECK(memory_apart(x, 4, x + 4, 4), "neighbours");
    CHECK(memory_apart(x + 4, 4, x, 4), "neighbours, the other way round");
    CHECK(!memory_apart(x, 5, x + 4, 4), "the last byte is the other's first");
    CHECK(!memory_apart(x + 4, 4, x, 5), "the first byte is the other's last");
    CHECK(!memory_apart(x, 8, x + 2, 1), "one inside the other");
    CHECK(memory_apart(x, 0, x, 8), "an empty array");
}

/* Each does what no caller can: it breaks the library's own data. */

static void leave_the_base(void)
{
    Tensor *t = tensor_new(shape2(2, 3));
    t->stride[0] = 4; /* the last element is number 6 of 6 */
    strided_rows(t->shape, 1, (const Tensor *[]){t});
}

static void lose_bytes_of_an_arena(void)
{
    Arena arena = {0};
    arena_alloc(&arena, 64);
    arena.used += 64;
    arena_alloc(&arena, 64);
}

static void check_violation(void (*f)(void), const char *statement)
{
    char text[1024];
    int status = status_of(f, text, sizeof text);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "the wait status is %#x", status);
    CHECK(strstr(text, statement) != NULL, "standard error is \"%s\"", text);
}

/* In gradus.c the names of static functions have a suffix, before the parentheses. */
TEST(library_checks_itself)
{
    check_violation(leave_the_base, "invariant violated: strides_in_bounds");
    check_violation(lose_bytes_of_an_arena, "invariant violated: chunks_agree");
}
