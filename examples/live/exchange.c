/* exchange.c: texts in and out. See live.h. */
#include "examples/live/live.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char *input, *output;
static size_t input_size, output_size;

/* The page of this module is no command line: these stand for example.c's. */
Tape *example_tape(uint64_t seed)
{
    return tape_new(seed);
}

/* A buffer of at least so many bytes; its old contents are lost. */
static bool take(char **buffer, size_t *size, size_t bytes)
{
    if (bytes <= *size)
        return true;
    free(*buffer);
    *buffer = malloc(bytes);
    *size = *buffer ? bytes : 0;
    return *buffer != NULL;
}

char *live_input(int bytes)
{
    if (bytes < 1 || !take(&input, &input_size, (size_t)bytes))
        return NULL;
    memset(input, 0, (size_t)bytes);
    return input;
}

const char *live_text(void)
{
    return input ? input : "";
}

const char *live_output(void)
{
    return output ? output : "";
}

int live_answer(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0 || !take(&output, &output_size, (size_t)length + 1))
        return -1;
    va_start(list, format);
    vsnprintf(output, output_size, format, list);
    va_end(list);
    return length;
}

int live_error(void)
{
    live_answer("%s", tensor_error() ? tensor_error() : "the module failed");
    tensor_clear_error();
    return -1;
}

int live_answer_with(const char *prefix, size_t (*write)(char *text, size_t size, void *what),
                     void *what)
{
    size_t head = strlen(prefix), length = write(NULL, 0, what);
    if (!length)
        return live_error();
    if (!take(&output, &output_size, head + length + 2))
        return -1;
    memcpy(output, prefix, head);
    return write(output + head, length + 2, what) == length ? (int)(head + length) : live_error();
}
