/* text_stream.c: see text_stream.h. */
#include "lectures/runner/text_stream.h"

#include <stdlib.h>
#include <string.h>

/* The capacity doubles, with one byte more for the closing 0. */
static bool put(void *context, const void *bytes, size_t count)
{
    TextStream *s = context;
    if (s->capacity - s->length < count) {
        size_t capacity = 2 * (s->length + count);
        char *grown = realloc(s->text, capacity + 1);
        if (!grown)
            return false;
        s->text = grown;
        s->capacity = capacity;
    }
    memcpy(s->text + s->length, bytes, count);
    s->length += count;
    s->text[s->length] = 0;
    return true;
}

FILE *text_open(TextStream *s)
{
    *s = (TextStream){.text = calloc(1, 1), .sink = {.put = put, .context = s}};
    s->stream = s->text ? system_stream(&s->sink) : NULL;
    if (!s->stream)
        free(s->text);
    return s->stream;
}

char *text_close(TextStream *s, size_t *length)
{
    if (!s->stream)
        return NULL;
    if (!system_stream_close(s->stream, &s->sink)) {
        free(s->text);
        return NULL;
    }
    if (length)
        *length = s->length;
    return s->text;
}

char *text_read(const char *path, size_t *length)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t capacity = 1 << 16, n = 0;
    for (text = in ? malloc(capacity) : NULL; text;) {
        n += fread(text + n, 1, capacity - n - 1, in);
        if (n < capacity - 1)
            break;
        char *larger = realloc(text, capacity *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    if (text) {
        text[n] = 0;
        if (length)
            *length = n;
    }
    if (in)
        fclose(in);
    return text;
}

char *text_cut(char *line)
{
    char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : NULL;
    while (end > line && strchr(" \t\r", end[-1]))
        end--;
    *end = 0;
    return next;
}
