/* test_errors.c: the first failure is kept, with the caller's file and line, and the host is told
 * once. */
#include "tests/harness/test.h"

#include <pthread.h>
#include <string.h>

/* The message that a call on this line should give. */
static const char *placed(int line, const char *text)
{
    static char message[512];
    snprintf(message, sizeof message, "%s:%d: %s", __FILE__, line, text);
    return message;
}

TEST(place_of_the_caller)
{
    CHECK_TEXT(tensor_error(), "");
    Tensor *t = tensor_new(shape2(3, -1));
    int line = __LINE__ - 1;
    CHECK(!t, "a tensor of a negative axis was made");
    CHECK_TEXT(tensor_error(),
               placed(line, "tensor_new: shape (3, -1); expected no negative axis"));

    tensor_clear_error();
    CHECK(!tensor_make_directory(""), "a directory without a name was made");
    line = __LINE__ - 1;
    CHECK_TEXT(tensor_error(),
               placed(line, "tensor_make_directory: the path is empty; expected a directory"));
}

TEST(place_is_optional)
{
    CHECK(!tensor_fail("op: found %d; expected %s", 3, "4"), "tensor_fail returns true");
    CHECK_TEXT(tensor_error(), "op: found 3; expected 4");
    tensor_place(NULL, "first.c", 1);
    tensor_place(NULL, "second.c", 2);
    CHECK_TEXT(tensor_error(), "first.c:1: op: found 3; expected 4");
    tensor_clear_error();
    CHECK(!tensor_failed(), "cleared, and still failed");
    tensor_place(NULL, "nothing.c", 3);
    CHECK_TEXT(tensor_error(), "");
    tensor_fail("again");
    CHECK_TEXT(tensor_error(), "again"); /* without the old place */
}

/* The public function that was called stands first, and once. */
TEST(names_the_function_called)
{
    static const struct {
        const char *message, *function, *want;
    } cases[] = {
        {"ag_linear: x is (2,)", "nn_linear", "a.c:1: nn_linear: ag_linear: x is (2,)"},
        {"ag_linear: x is (2,)", "ag_linear", "a.c:1: ag_linear: x is (2,)"},
        {"ag_linear: x is (2,)", "ag_lin", "a.c:1: ag_lin: ag_linear: x is (2,)"},
        {"ag_linear: x is (2,)", NULL, "a.c:1: ag_linear: x is (2,)"},
        {"", "ag_linear", "a.c:1: ag_linear: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tensor_clear_error();
        tensor_fail("%s", cases[i].message);
        tensor_place(cases[i].function, "a.c", 1);
        tensor_place("nn_outer", "b.c", 2); /* a message is completed once */
        CHECK_TEXT(tensor_error(), cases[i].want);
    }
}

TEST(first_failure_wins)
{
    tensor_fail("the cause");
    tensor_fail("a consequence");
    tensor_place(NULL, "a.c", 7);
    tensor_fail("another consequence");
    CHECK_TEXT(tensor_error(), "a.c:7: the cause");
}

typedef struct {
    int calls;
    char message[256];
} Heard;

static void listen(const char *message, void *context)
{
    Heard *heard = context;
    heard->calls++;
    snprintf(heard->message, sizeof heard->message, "%s", message);
    tensor_place(NULL, "from/the/handler.c", 1); /* a handler may call the library */
}

TEST(handler_is_called_once)
{
    Heard heard = {0};
    tensor_on_error(listen, &heard);
    tensor_fail("one");
    CHECK(heard.calls == 0, "called before the place is known");
    tensor_place(NULL, "a.c", 1);
    tensor_place(NULL, "b.c", 2);
    tensor_fail("a consequence");
    tensor_place(NULL, "c.c", 3);
    CHECK(heard.calls == 1, "called %d times", heard.calls);
    CHECK_TEXT(heard.message, "a.c:1: one");

    tensor_clear_error();
    tensor_new(shape1(-1));
    CHECK(heard.calls == 2, "called %d times for two failures", heard.calls);
    CHECK(strstr(heard.message, __FILE__) != NULL, "heard \"%s\"", heard.message);

    tensor_clear_error();
    tensor_on_error(NULL, NULL);
    tensor_new(shape1(-1));
    CHECK(heard.calls == 2, "called after it was taken off");
}

/* A name out of a file may hold anything; an error stays one line of text, and within bounds. */
TEST(error_is_one_line)
{
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    tensor_fail("a\nb\033[31mc\x7f\xc3\xa9");
    CHECK_TEXT(tensor_error(), "a?b?[31mc?\xc3\xa9");
    tensor_clear_error();
    tensor_fail("%s", longest);
    tensor_place("tensor_new", longest, 1);
    CHECK(strlen(tensor_error()) > 1000 && strlen(tensor_error()) < 2000, "%zu characters",
          strlen(tensor_error()));
}

static void *fail_elsewhere(void *seen)
{
    *(bool *)seen = tensor_failed();
    tensor_fail("on the other thread");
    return NULL;
}

TEST(errors_are_per_thread)
{
    pthread_t thread;
    bool seen = true;
    tensor_fail("on this thread");
    REQUIRE(pthread_create(&thread, NULL, fail_elsewhere, &seen) == 0, "no thread");
    pthread_join(thread, NULL);
    CHECK(!seen, "the other thread saw this thread's failure");
    CHECK_TEXT(tensor_error(), "on this thread");
}
