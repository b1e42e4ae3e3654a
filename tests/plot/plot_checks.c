/* plot_checks.c: a file, a directory, an SVG. */
#include "tests/plot/plot_checks.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

int count_of(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

static Tensor *all[128];
static int count;

static void release(void)
{
    while (count > 0)
        tensor_free(all[--count]);
}

Tensor *kept(Tensor *t)
{
    if (count == 0)
        atexit(release);
    if (CHECK(t && count < 128, "%s", tensor_error()))
        all[count++] = t;
    return t;
}

Tensor *map_of(int64_t rows, int64_t columns)
{
    Tensor *t = kept(tensor_new(shape2(rows, columns)));
    for (int64_t i = 0; t && i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            t->data[i * columns + j] =
                (real)(1 + (3 * i + j) % 5) / (real)(columns > 1 ? 3 * columns : 5);
    return t;
}

const char *drawn_file(const char *name, bool ok)
{
    CHECK(ok, "%s", tensor_error());
    return scratch_text(scratch_path(name));
}

static FILE *screen;

FILE *printing(void)
{
    return screen = fopen(scratch_path("printed"), "wb");
}

const char *printed(bool ok)
{
    fclose(screen);
    return drawn_file("printed", ok);
}

Spot svg_spot(const char *svg, const char *want)
{
    char text[64];
    Spot s = {NAN, NAN};
    snprintf(text, sizeof text, "<text>%s<", want);
    const char *end = strstr(svg, text);
    for (const char *p = svg; end && (p = strstr(p, "translate(")) && p < end; p++)
        sscanf(p, "translate(%lf,%lf)", &s.x, &s.y);
    return s;
}

bool comma_locale(int category)
{
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    bool set = false;
    for (size_t i = 0; i < sizeof commas / sizeof *commas && !set; i++)
        set = setlocale(category, commas[i]) != NULL;
    return set;
}

bool well_formed(const char *p)
{
    const char *open[64];
    int depth = 0;
    bool any = false;
    while ((p = strchr(p, '<'))) {
        const char *end = strncmp(p, "<!--", 4) == 0 ? strstr(p, "-->") : p + 1;
        for (char quote = 0; end && *end && (quote || *end != '>'); end++)
            quote = quote ? (*end == quote ? 0 : quote) : *end == '"' || *end == '\'' ? *end : 0;
        if (!end || !*end)
            return false;
        size_t name = strcspn(p + 1, " \t\n/>");
        if (p[1] == '/') {
            name = strcspn(p + 2, " \t\n>");
            if (depth == 0 || strncmp(open[--depth], p + 2, name) != 0)
                return false;
        } else if (p[1] != '?' && p[1] != '!' && end[-1] != '/' && name > 0) {
            if (depth == 64)
                return false;
            open[depth++] = p + 1;
            any = true;
        }
        p = end + 1;
    }
    return any && depth == 0;
}

int svg_texts(const char *svg, const char *want)
{
    char element[1000] = "<text>", *out = element + 6;
    for (; *want; want++)
        out += sprintf(out, *want == '&' ? "&amp;" : *want == '<' ? "&lt;" : "%c", *want);
    strcpy(out, "</text>");
    return count_of(svg, element);
}
