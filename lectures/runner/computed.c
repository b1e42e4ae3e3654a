/* computed.c: see computed.h. */
#include "lectures/runner/computed.h"

#include "tensor/io/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const ComputedFigure *const computed_figures[] = {&through_time_computed,
                                                  &merges_computed,
                                                  &sinusoids_computed,
                                                  &saturation_computed,
                                                  &masks_computed,
                                                  &jobs_computed,
                                                  &residual_computed,
                                                  &truncated_computed,
                                                  &tree_computed,
                                                  &sound_computed,
                                                  &em_computed,
                                                  &manifold_computed,
                                                  NULL};

/* ---- numbers that are given ------------------------------------------------------------------ */

enum { GIVEN = 16 };
static struct {
    char name[64];
    real *numbers;
    int count;
} given[GIVEN];

real *computed_give(const char *name, int count)
{
    int i = 0;
    while (i < GIVEN && given[i].numbers && strcmp(given[i].name, name) != 0)
        i++;
    if (i == GIVEN || strlen(name) >= sizeof given[i].name || count < 1) {
        tensor_fail("computed_give: found %d numbers \"%.64s\"; expected 1 or more, of %d names "
                    "at most",
                    count, name, GIVEN);
        return NULL;
    }
    free(given[i].numbers);
    strcpy(given[i].name, name);
    given[i].count = count;
    return given[i].numbers = calloc((size_t)count, sizeof(real));
}

const real *computed_given(const char *name, int count)
{
    for (int i = 0; i < GIVEN && given[i].numbers; i++)
        if (strcmp(given[i].name, name) == 0 && given[i].count == count)
            return given[i].numbers;
    tensor_fail("computed_given: found no %d numbers \"%s\"; expected those of the program", count,
                name);
    return NULL;
}

bool computed_numbers(const ComputedFigure *f, int n, const char **name, const real **numbers,
                      int *count)
{
    const size_t length = strlen(f->name);
    for (int i = 0; i < GIVEN && given[i].numbers; i++)
        if (strncmp(given[i].name, f->name, length) == 0 && given[i].name[length] == '/' &&
            n-- == 0) {
            *name = given[i].name, *numbers = given[i].numbers, *count = given[i].count;
            return true;
        }
    return false;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A text that grows up to its size; what is longer is an error in the end. */
enum { PART = 1 << 18 };
typedef struct {
    char text[PART];
    size_t used;
} Part;
static Part drawings, maps, tokens, fact, whole;
static bool has_marks; /* of the last drawing, which is not closed yet */

static void put_list(Part *p, const char *format, va_list list)
{
    if (p->used < PART)
        p->used += (size_t)vsnprintf(p->text + p->used, PART - p->used, format, list);
}

static void put(Part *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_list(p, format, list);
    va_end(list);
}

static void put_text(Part *p, const char *text, size_t left)
{
    char one[JSON_CHARACTER];
    size_t taken, length;
    put(p, "\"");
    for (; left > 0; text += taken, left -= taken) {
        taken = json_character(text, left, one, &length);
        put(p, "%.*s", (int)length, one);
    }
    put(p, "\"");
}

static void put_key_text(Part *p, const char *key, const char *text)
{
    put(p, ", \"%s\": ", key);
    put_text(p, text, strlen(text));
}

/* x NULL: 1, 2, ... */
static void put_numbers(Part *p, const char *key, int count, const double *x)
{
    put(p, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        const double number = x ? x[i] : i + 1;
        put(p, isfinite(number) ? "%s%.9g" : "%snull", i ? ", " : "", number);
    }
    put(p, "]");
}

static void close_drawing(void)
{
    if (drawings.used)
        put(&drawings, has_marks ? "}]}" : "]}");
}

void computed_axes(const char *x_name, const char *y_name, bool log_y)
{
    close_drawing();
    put(&drawings, "%s{\"log\": %s", drawings.used ? ", " : "", log_y ? "true" : "false");
    if (x_name)
        put_key_text(&drawings, "x", x_name);
    if (y_name)
        put_key_text(&drawings, "y", y_name);
    put(&drawings, ", \"marks\": [");
    has_marks = false;
}

static void put_mark(const char *as, const char *name, int count, const double *x, const double *y)
{
    put(&drawings, "%s{\"as\": \"%s\"", has_marks ? "}, " : "", as);
    put_key_text(&drawings, "name", name);
    put_numbers(&drawings, "x", count, x);
    put_numbers(&drawings, "y", count, y);
    has_marks = true;
}

void computed_line(const char *name, int count, const double *x, const double *y)
{
    put_mark("line", name, count, x, y);
}

void computed_points(const char *name, int count, const double *x, const double *y)
{
    put_mark("points", name, count, x, y);
}

void computed_bars(const char *name, int count, const char *const *labels, const double *y)
{
    put_mark("bars", name, count, NULL, y);
    put(&drawings, ", \"labels\": [");
    for (int i = 0; i < count; i++) {
        put(&drawings, i ? ", " : "");
        put_text(&drawings, labels[i], strlen(labels[i]));
    }
    put(&drawings, "]");
}

void computed_label(double x, double y, const char *text)
{
    put_mark("label", text, 1, &x, &y);
}

void computed_map(const char *name, int rows, int columns, const real *numbers)
{
    put(&maps, "%s{\"name\": ", maps.used ? ", " : "");
    put_text(&maps, name, strlen(name));
    put(&maps, ", \"rows\": %d, \"columns\": %d, \"numbers\": [", rows, columns);
    for (int i = 0; i < rows * columns; i++)
        put(&maps, "%s%.6g", i ? ", " : "", (double)numbers[i]);
    put(&maps, "]}");
}

void computed_token(const char *bytes, size_t count)
{
    put(&tokens, tokens.used ? ", " : "");
    put_text(&tokens, bytes, count);
}

void computed_fact(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_list(&fact, format, list);
    va_end(list);
}

/* ---- an answer ------------------------------------------------------------------------------- */

static const char *answer(const ComputedFigure *f, const double *value, const char *text)
{
    Part *const parts[] = {&drawings, &maps, &tokens, &fact, &whole};
    for (int i = 0; i < 5; i++)
        parts[i]->used = 0, parts[i]->text[0] = 0;
    if (!f->compute(value, text))
        return NULL;
    close_drawing();
    put(&whole, "{\"drawings\": [%s], \"maps\": [%s], \"tokens\": [%s]", drawings.text, maps.text,
        tokens.text);
    put_key_text(&whole, "fact", fact.text);
    put(&whole, "}");
    for (int i = 0; i < 5; i++)
        if (parts[i]->used >= PART) {
            tensor_fail("computed_answer: %s needs %zu bytes; expected fewer than %d", f->name,
                        parts[i]->used, PART);
            return NULL;
        }
    return whole.text;
}

const char *computed_answer(const char *request)
{
    double value[COMPUTED_CONTROLS] = {0};
    const size_t name = strcspn(request, " \n");
    const ComputedFigure *const *f = computed_figures;
    while (*f && (strlen((*f)->name) != name || memcmp((*f)->name, request, name) != 0))
        f++;
    char *at = (char *)request + name;
    for (int i = 0; *f && i < COMPUTED_CONTROLS && (*f)->control[i].label; i++) {
        const ComputedControl *c = &(*f)->control[i];
        value[i] = strtod(at, &at);
        if (!(value[i] >= c->low && value[i] <= c->high)) {
            tensor_fail("computed_answer: %s is %g; expected %g to %g", c->label, value[i], c->low,
                        c->high);
            return NULL;
        }
    }
    if (!*f || (*at && *at != '\n')) {
        tensor_fail("computed_answer: found \"%.40s\"; expected a figure and its numbers", request);
        return NULL;
    }
    return answer(*f, value, *at ? at + 1 : "");
}

const char *computed_first(const ComputedFigure *f)
{
    double value[COMPUTED_CONTROLS];
    for (int i = 0; i < COMPUTED_CONTROLS; i++)
        value[i] = f->control[i].value;
    return answer(f, value, f->text ? f->text : "");
}

const char *computed_controls(const ComputedFigure *f)
{
    whole.used = 0;
    put(&whole, "{\"pointed\": %d, \"row\": %d, \"plays\": %d", f->pointed, f->row, f->plays);
    put_key_text(&whole, "title", f->title);
    put_key_text(&whole, "about", f->about);
    if (f->text)
        put_key_text(&whole, "text", f->text);
    put(&whole, ", \"controls\": [");
    for (int i = 0; i < COMPUTED_CONTROLS && f->control[i].label; i++) {
        const ComputedControl *c = &f->control[i];
        put(&whole, "%s{\"step\": %g", i ? ", " : "", c->step);
        put_key_text(&whole, "label", c->label);
        put(&whole, ", \"low\": %g, \"high\": %g, \"value\": %g}", c->low, c->high, c->value);
    }
    put(&whole, "]}");
    return whole.text;
}
