/* refusal.c: see refusal.h. */
#include "tests/harness/refusal.h"

#include <string.h>

void check_refused_call(const char *call, bool failed, const char *file, int line)
{
    char name[64];
    const char *error = tensor_error(), *text = strstr(error, ": ");
    snprintf(name, sizeof name, "%.*s: ", (int)strcspn(call, "("), call);
    text = text && strstr(error, ".c:") ? text + 2 : error; /* without the caller's file and line */
    check_that(failed, file, line, call, "the call succeeds");
    check_that(strncmp(text, name, strlen(name)) == 0, file, line, call,
               "the error \"%s\" does not begin with the function's name", error);
    check_that(strstr(text, "; expected") != NULL, file, line, call,
               "the error \"%s\" states no expectation", error);
    check_that(!strchr(text, '\n'), file, line, call, "the error \"%s\" has several lines", error);
    tensor_clear_error();
}
