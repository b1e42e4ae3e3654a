/* exchange.c: see exchange.h. */
#include "examples/live/exchange.h"

#include "tensor/io/json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

Params *live_params;
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
    if (!take(&output, &output_size, head + length + 1))
        return -1;
    if (write(output + head - 1, length + 1, what) != length)
        return live_error();
    memcpy(output, prefix, head); /* its last character takes the place of the bracket */
    return (int)(head + length - 1);
}

/* ---- words ----------------------------------------------------------------------------------- */

void live_quote(const char *text, char *quoted, size_t size)
{
    size_t at = 0, length, taken;
    for (; *text && at + JSON_CHARACTER < size; text += taken, at += length)
        taken = json_character(text, strlen(text), quoted + at, &length);
    quoted[at] = 0;
}

size_t live_word(char *list, size_t size, size_t used, const char *text, bool known)
{
    enum { WORD = 64, END = 2 };
    char word[WORD * JSON_CHARACTER];
    if (!text)
        return used + (size_t)sprintf(list + used, used ? "]" : "[]");
    live_quote(text, word, sizeof word);
    if (used + strlen(word) + sizeof "[[\"\", 1], " + END > size)
        return used;
    return used + (size_t)sprintf(list + used, "%s[\"%s\", %d]", used ? ", " : "[", word, known);
}

int live_refuse(const char *words)
{
    char quoted[1024];
    live_quote(tensor_error() ? tensor_error() : "the module failed", quoted, sizeof quoted);
    tensor_clear_error();
    return live_answer("{\"error\": \"%s\", \"words\": %s}", quoted, words);
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
