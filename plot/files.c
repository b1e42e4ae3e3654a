/* files.c: a picture's stem, and the files beside the picture. */
#include "plot/internal.h"
#include "tensor/files.h"
#include "tensor/system/system.h"

#include <string.h>

/* ---- stems ----------------------------------------------------------------------------------- */

static bool check(const char *stem, const char *who)
{
    size_t n = stem ? strlen(stem) : 0;
    if (n == 0 || system_last_slash(stem) == stem + n - 1)
        return tensor_fail(
            "%s: stem \"%s\"; expected a path that ends in the picture's name, without "
            ".png",
            who, stem ? stem : "(NULL)");
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)stem[i] < ' ' || stem[i] == 127)
            return tensor_fail("%s: stem with control character %d; expected none", who, stem[i]);
    return true;
}

/* gnuplot runs a program if a path begins with '<' or '|', expands '~', and reads '-' as an option.
 * A path that begins with '.' or '/' is safe. */
static char *harmless(const char *stem)
{
    if (system_is_absolute(stem))
        return mem_strdup(stem);
    return plot_text_join("./", stem, "");
}

bool plot_stem_open(Stem *s, const char *stem, const char *who)
{
    *s = (Stem){0};
    if (!check(stem, who))
        return false;
    s->path = harmless(stem);
    s->directory = s->path ? mem_strdup(s->path) : NULL;
    s->base = s->directory ? mem_strdup(system_last_slash(s->path) + 1) : NULL;
    if (s->base) {
        char *slash = system_last_slash(s->directory);
        slash[slash == s->directory] = 0; /* the root keeps its slash */
        if (tensor_make_directory(s->directory))
            return true;
    }
    plot_stem_close(s);
    return false;
}

void plot_stem_close(Stem *s)
{
    mem_free(s->path);
    mem_free(s->directory);
    mem_free(s->base);
    *s = (Stem){0};
}

/* ---- files ----------------------------------------------------------------------------------- */

bool plot_file_write(const char *path, const char *suffix, FileWriter write, const void *what)
{
    char *whole = plot_text_join(path, suffix, "");
    if (!whole)
        return false;
    AtomicFile *file = tensor_file_open(whole);
    mem_free(whole);
    if (!file)
        return false;
    if (system_write_with_points(tensor_file_stream(file), write, what))
        return tensor_file_commit(file);
    tensor_file_discard(file);
    return tensor_fail("plot: found no memory for a locale; expected some");
}
