/* computed.c: see computed.h. */
#include "lectures/runner/computed.h"

#include "tensor/io/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const ComputedFigure *const computed_figures[] = {
    &through_time_computed, &gates_computed,    &merges_computed,
    &compare_computed,      &residual_computed, &collapse_computed,
    &patches_computed,      &sound_computed,    NULL};

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A text that grows up to its size; what is longer is an error in the end. */
enum { PART = 1 << 18 };
typedef struct {
    char text[PART];
    size_t used;
} Part;
static Part lines, maps, tokens, fact, whole;

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

static void put_numbers(Part *p, const char *key, int count, const double *x)
{
    put(p, ", \"%s\": [", key);
    for (int i = 0; i < count; i++)
        put(p, isfinite(x[i]) ? "%s%.9g" : "%snull", i ? ", " : "", x[i]);
    put(p, "]");
}

void computed_line(const char *name, int count, const double *x, const double *y)
{
    put(&lines, "%s{\"name\": ", lines.used ? ", " : "");
    put_text(&lines, name, strlen(name));
    put_numbers(&lines, "x", count, x);
    put_numbers(&lines, "y", count, y);
    put(&lines, "}");
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
    Part *const parts[] = {&lines, &maps, &tokens, &fact, &whole};
    for (int i = 0; i < 5; i++)
        parts[i]->used = 0, parts[i]->text[0] = 0;
    if (!f->compute(value, text))
        return NULL;
    put(&whole, "{\"lines\": [%s], \"maps\": [%s], \"tokens\": [%s], \"fact\": ", lines.text,
        maps.text, tokens.text);
    put_text(&whole, fact.text, strlen(fact.text));
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
    const char *const keys[] = {"title", "about", "x", "y", "text"}, *const texts[] = {f->title,
                                                                                       f->about,
                                                                                       f->x_name,
                                                                                       f->y_name,
                                                                                       f->text};
    whole.used = 0;
    put(&whole, "{\"log\": %s", f->log_y ? "true" : "false");
    for (int i = 0; i < 5; i++)
        if (texts[i]) {
            put(&whole, ", \"%s\": ", keys[i]);
            put_text(&whole, texts[i], strlen(texts[i]));
        }
    put(&whole, ", \"controls\": [");
    for (int i = 0; i < COMPUTED_CONTROLS && f->control[i].label; i++) {
        const ComputedControl *c = &f->control[i];
        put(&whole, "%s{\"label\": ", i ? ", " : "");
        put_text(&whole, c->label, strlen(c->label));
        put(&whole, ", \"low\": %g, \"high\": %g, \"step\": %g, \"value\": %g}", c->low, c->high,
            c->step, c->value);
    }
    put(&whole, "]}");
    return whole.text;
}
