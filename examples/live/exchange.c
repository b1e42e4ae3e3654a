/* exchange.c: see exchange.h. */
#include "examples/live/exchange.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

Params *live_params;
static char *input, *output;
static size_t input_size, output_size;

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

int live_answer_data(bool ok, Page *p, size_t (*write)(char *text, size_t size, void *what),
                     void *what)
{
    const size_t head = ok ? page_data(p, NULL, 0) : 0;
    const size_t more = head && write ? write(NULL, 0, what) : 0;
    ok = head && (more || !write) && take(&output, &output_size, head + more + 1);
    if (ok)
        page_data(p, output, head + 1);
    if (ok && write) {
        ok = write(output + head - 1, more + 1, what) == more;
        output[head - 1] = ','; /* in place of the brackets between the two */
    }
    page_free(p);
    return ok ? (int)(head + more - (write != NULL)) : live_error();
}

void live_word(Page *p, const char *text, bool known)
{
    page_array(p);
    page_text(p, text);
    page_count(p, known);
    page_end(p);
}

int live_refuse(Page *p)
{
    page_key_text(p, "error", tensor_error() ? tensor_error() : "the module failed");
    tensor_clear_error();
    return live_answer_data(true, p, NULL, NULL);
}

real *live_weight(int count)
{
    Tensor *t = live_params ? params_find(live_params, live_text()) : NULL;
    if (t && tensor_size(t) == count)
        return t->data;
    if (!tensor_error())
        tensor_fail("live_weight: found %d numbers for \"%.80s\"; expected a weight of the model "
                    "with as many",
                    count, live_text());
    live_error();
    return NULL;
}
