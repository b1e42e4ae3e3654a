/* error.c: the first failure on each thread, and the host that decides on it.
 *
 * A failure is recorded where it happens (tensor_fail), learns its place in the caller's source
 * when the public call returns (tensor_place), and is told to the host's handler at that moment:
 *
 *   none --tensor_fail--> pending --tensor_place--> placed, told to the handler --clear--> none
 *
 * A failure that comes while one is kept is only a consequence of it and is dropped. Records are
 * thread-local; the handler is one for the process, a plain variable: set it before starting
 * threads. */
#include "tensor.h"

#include <stdarg.h>
#include <string.h>

enum { MESSAGE_MAX = 1024, FILE_MAX = 512 };

typedef struct {
    bool pending, placed, delivered;
    int line;
    char file[FILE_MAX]; /* a copy: the caller's text need not outlive its call */
    char message[MESSAGE_MAX];
} Failure;

static _Thread_local Failure failure;

static struct {
    TensorErrorHandler call;
    void *context;
} handler;

bool tensor_fail(const char *format, ...)
{
    if (failure.pending)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.message, sizeof failure.message, format, arguments);
    va_end(arguments);
    /* An error is one line of plain text, whatever a name out of a file may hold. */
    for (char *c = failure.message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    failure.pending = true;
    return false;
}

bool tensor_failed(void)
{
    return failure.pending;
}

const char *tensor_error(void)
{
    static _Thread_local char text[FILE_MAX + MESSAGE_MAX + 16];
    if (!failure.pending)
        return "";
    if (!failure.placed)
        return failure.message;
    snprintf(text, sizeof text, "%s:%d: %s", failure.file, failure.line, failure.message);
    return text;
}

void tensor_clear_error(void)
{
    failure.pending = failure.placed = failure.delivered = false;
}

void tensor_on_error(TensorErrorHandler call, void *context)
{
    handler.call = call;
    handler.context = context;
}

void tensor_place(const char *file, int line)
{
    if (!failure.pending || failure.delivered)
        return;
    if (file) {
        snprintf(failure.file, sizeof failure.file, "%s", file);
        failure.line = line;
        failure.placed = true;
    }
    /* First, since the handler may call the library again, or leave by longjmp. */
    failure.delivered = true;
    if (handler.call)
        handler.call(tensor_error(), handler.context);
}
