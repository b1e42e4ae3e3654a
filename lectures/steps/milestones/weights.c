/* weights.c: see weights.h. */
#include "weights.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *input;

static void *memory(size_t bytes)
{
    void *block = malloc(bytes + 1);
    if (!block) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return block;
}

static FILE *opened(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    return file;
}

Weights weights_open(const char *path)
{
    FILE *file = opened(path);
    unsigned char length[8] = {0};
    size_t bytes = 0, n = 0, more, most = 1 << 26;
    bytes = fread(length, 1, 8, file) == 8 ? length[0] | length[1] << 8 | length[2] << 16 : 0;
    Weights w = {memory(bytes), memory(most)};
    if (!bytes || fread(w.header, 1, bytes, file) != bytes) {
        fprintf(stderr, "%s is no file of weights\n", path);
        exit(2);
    }
    w.header[bytes] = 0;
    while (n < most && (more = fread(w.numbers + n, 1, most - n, file)) > 0)
        n += more;
    fclose(file);
    return w;
}

const float *weights_of(const Weights *w, const char *format, ...)
{
    char name[128], mark[140];
    long begin = 0, end = 0;
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    snprintf(mark, sizeof mark, "\"%s\":", name);
    const char *at = strstr(w->header, mark);
    at = at ? strstr(at, "\"data_offsets\":[") : NULL;
    if (!at || sscanf(at, "\"data_offsets\":[%ld,%ld]", &begin, &end) != 2) {
        fprintf(stderr, "there are no weights \"%s\"\n", name);
        exit(2);
    }
    float *x = memory((size_t)(end - begin));
    memcpy(x, w->numbers + begin, (size_t)(end - begin));
    return x;
}

/* ---- the input ------------------------------------------------------------------------------- */

void input_open(const char *path)
{
    input = opened(path);
}

static void check(int read)
{
    if (read != 1) {
        fprintf(stderr, "the input is too short\n");
        exit(2);
    }
}

int input_int(void)
{
    int n;
    check(fscanf(input, "%d", &n));
    return n;
}

void input_numbers(float *x, int n)
{
    for (int i = 0; i < n; i++)
        check(fscanf(input, "%f", &x[i]));
}

const char *input_word(char word[64])
{
    check(fscanf(input, "%63s", word));
    return word;
}

double farthest(const float *a, const float *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs((double)a[i] - b[i]) <= most))
            most = fabs((double)a[i] - b[i]);
    return most;
}
