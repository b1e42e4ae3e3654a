/* oracle.c: see oracle.h. */
#include "tests/harness/oracle.h"
#include "tests/harness/runner.h"

#include <stdarg.h>
#include <string.h>

const char *oracle_path(const char *file)
{
    return source_path("tests/golden/%s", file);
}

bool oracle_open(Safetensors *s, const char *file)
{
    *s = (Safetensors){0};
    return safetensors_read(oracle_path(file), s);
}

Tensor *oracle_find(const Safetensors *s, const char *format, ...)
{
    char name[TENSOR_NAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return safetensors_find(s, name);
}

bool oracle_skips(const Safetensors *s, const char *name)
{
    for (int i = 0; i < s->metadata_count; i++)
        if (strcmp(s->metadata[2 * i], name) == 0)
            return true;
    return false;
}
