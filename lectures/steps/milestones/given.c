/* given.c: see given.h. */
#include "given.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static struct {
    char name[64];
    int count;
    float *x;
} list[MOST];
static int names;

void given_open(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, "%s: expected the name of its input\n", argv[0]);
        exit(2);
    }
    while (names < MOST && fscanf(file, "%63s %d", list[names].name, &list[names].count) == 2) {
        int n = list[names].count;
        float *x = list[names].x = malloc((size_t)n * sizeof *x);
        for (int i = 0; i < n; i++)
            if (!x || fscanf(file, "%f", &x[i]) != 1) {
                fprintf(stderr, "%s: \"%s\" is not whole\n", argv[1], list[names].name);
                exit(2);
            }
        names++;
    }
    fclose(file);
}

static int index_of(const char *name)
{
    for (int i = 0; i < names; i++)
        if (strcmp(list[i].name, name) == 0)
            return i;
    fprintf(stderr, "the input has no \"%s\"\n", name);
    exit(2);
}

const float *given(const char *format, ...)
{
    char name[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return list[index_of(name)].x;
}

int given_int(const char *name, int i)
{
    return (int)given("%s", name)[i];
}

void given_print(const char *format, int i)
{
    char name[64];
    snprintf(name, sizeof name, format, i);
    int k = index_of(name);
    for (int c = 0; c < list[k].count; c++)
        putchar((int)list[k].x[c]);
}

int largest(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

int agrees(const float *x, const char *name, double most)
{
    int k = index_of(name);
    double far = 0;
    for (int i = 0; i < list[k].count; i++)
        if (!(fabs((double)x[i] - list[k].x[i]) <= far)) /* NaN, too */
            far = fabs((double)x[i] - list[k].x[i]);
    printf("at most %.1g from the library's %s; expected less than %g\n", far, name, most);
    return far < most;
}
