/* listener.c: see listener.h. */
#include "tests/autograd/listener.h"

#include <stdlib.h>
#include <string.h>

Heard heard;

static void listen(const char *message, void *context)
{
    (void)context;
    heard.calls++;
    snprintf(heard.last, sizeof heard.last, "%s", message);
}

void start_listening(void)
{
    heard = (Heard){0};
    tensor_on_error(listen, NULL);
}

void check_location(const char *file, int first, int last, const char *part)
{
    size_t n = strlen(file);
    const char *error = tensor_error();
    int line =
        strncmp(error, file, n) == 0 && error[n] == ':' ? (int)strtol(error + n + 1, NULL, 10) : -1;
    CHECK(line >= first && line <= last, "not of lines %d to %d of %s: \"%s\"", first, last, file,
          error);
    CHECK_ERROR(part);
}
