/* error.c: the first failure on each thread, and the host that decides on it.
 *
 * A failure is recorded where it happens (tensor_fail). When the public function returns that the
 * program called, tensor_place adds that function's name and the source location of the call, and
 * the host's handler gets the message:
 *
 *   none --tensor_fail--> pending --tensor_place--> placed, told to the handler --clear--> none
 *
 * A failure that occurs while one is kept is its consequence and is dropped. The failure of a step
 * belongs to its tape, which keeps the text and whose reset ends it (error.h). Each thread has a
 * record of its own. A tape may have a handler of its own; the process's is a plain variable, which
 * a program sets before it starts threads. A violated invariant is no failure: it ends the
 * process. */
#include "tensor/error.h"

#include "tensor/invariant.h"
#include "tensor/tensor.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 1024, FILE_MAX = 512 };

typedef struct {
    TensorErrorHandler call;
    void *context;
} Handler;

/* The record of a thread. delivered implies pending; placed says that file and line are valid. */
typedef struct {
    bool pending, placed, delivered;
    int line;
    const void *owner;   /* whose reset ends the failure; NULL: the program alone ends it */
    char *text;          /* the owner's copy; NULL: the owner has it already */
    Handler handler;     /* the owner's; call NULL: the process's is called */
    char file[FILE_MAX]; /* a copy, since the caller's text need not outlive the call */
    char message[MESSAGE_MAX];
} Failure;

static _Thread_local Failure failure;

static Handler handler; /* of the process */

bool tensor_fail(const char *format, ...)
{
    if (failure.pending)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure.message, sizeof failure.message, format, arguments);
    va_end(arguments);
    /* An error is one line of plain text, whatever characters a name from a file contains. */
    for (char *c = failure.message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    failure.pending = true;
    failure.owner = failure.text = NULL;
    failure.handler = (Handler){0};
    return false;
}

/* The calling thread's state. Loops of parallel_for record no error on other threads. */
bool tensor_failed(void)
{
    return failure.pending;
}

/* The source location is added when the text is read, since it becomes known after the message. */
const char *tensor_error(void)
{
    static _Thread_local char text[ERROR_TEXT];
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
    failure.owner = failure.text = NULL;
}

void error_belongs(const void *owner, char *text, TensorErrorHandler call, void *context)
{
    if (!failure.pending || failure.delivered || failure.owner)
        return;
    failure.owner = owner;
    failure.text = text;
    failure.handler = (Handler){call, context};
    if (text)
        snprintf(text, ERROR_TEXT, "%s", tensor_error());
}

void error_forget(const void *owner)
{
    if (failure.owner == owner)
        tensor_clear_error();
}

void error_disown(const void *owner)
{
    if (failure.owner == owner)
        failure.owner = failure.text = NULL;
}

void tensor_on_error(TensorErrorHandler call, void *context)
{
    handler = (Handler){call, context};
}

/* Puts "function: " in front of the message, unless it begins with that name already. */
static void name_function(const char *function)
{
    size_t length = strlen(function);
    char next = strncmp(failure.message, function, length) == 0 ? failure.message[length] : 'x';
    if (next == ':' || next == ' ')
        return;
    char inner[MESSAGE_MAX];
    memcpy(inner, failure.message, sizeof inner);
    snprintf(failure.message, sizeof failure.message, "%s: %.*s", function,
             (int)(MESSAGE_MAX - 3 - length), inner);
}

void tensor_place(const char *function, const char *file, int line)
{
    if (!failure.pending || failure.delivered)
        return;
    if (function && strlen(function) < MESSAGE_MAX / 2)
        name_function(function);
    if (file) {
        snprintf(failure.file, sizeof failure.file, "%s", file);
        failure.line = line;
        failure.placed = true;
    }
    /* Before the call, since the handler may call the library again, or leave by longjmp. */
    failure.delivered = true;
    if (failure.text)
        snprintf(failure.text, ERROR_TEXT, "%s", tensor_error());
    Handler h = failure.handler.call ? failure.handler : handler;
    if (h.call)
        h.call(tensor_error(), h.context);
}

#ifdef GRADUS_INVARIANTS
void invariant_violated(const char *statement, const char *file, int line)
{
    fprintf(stderr, "%s:%d: invariant violated: %s\n", file, line, statement);
    abort();
}
#endif
