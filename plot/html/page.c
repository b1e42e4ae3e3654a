/* page.c: the data of a page as JSON, and the file around it.
 *
 * The data stand in <script type="application/json">, where an HTML parser sees nothing but the end
 * of the element: every '<' is written as \u003c, so that no text of the data can end it. A
 * script's text contains no "</script" (embed.py refuses one that does). */
#include "plot/html/page.h"
#include "tensor/io/json.h"
#include "tensor/system/system.h"

#include <math.h>
#include <string.h>

enum { NESTING_MAX = 32 };

/* text[0 .. used) is the JSON so far. open: for each object or array that is open, its closing
 * bracket. */
struct Page {
    const PageKind *kind;
    const char *who; /* the public function that was called */
    char *title;
    char *module, *module_hash; /* of page_module; or NULL */
    char *text;
    size_t used, capacity;
    char open[NESTING_MAX];
    int depth;
    bool comma, failed; /* the next value needs a comma before it; an earlier call failed */
};

/* ---- the text ------------------------------------------------------------------------------- */

bool page_failed(const Page *p)
{
    return !p || p->failed;
}

/* Capacity for so many bytes more; it doubles, so that a page of n bytes is copied log n times. */
static bool need(Page *p, size_t more)
{
    if (page_failed(p))
        return false;
    if (p->capacity - p->used >= more)
        return true;
    size_t capacity = p->capacity;
    while (capacity - p->used < more && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *text = capacity - p->used < more ? NULL : mem_grow(p->text, p->used, capacity);
    if (!text) {
        p->failed = true;
        return tensor_fail("%s: the data take more than %zu bytes; expected less", p->who, p->used);
    }
    p->text = text;
    p->capacity = capacity;
    return true;
}

void page_raw(Page *p, const char *bytes, size_t count)
{
    if (!need(p, count))
        return;
    memcpy(p->text + p->used, bytes, count);
    p->used += count;
}

void page_value(Page *p)
{
    if (page_failed(p))
        return;
    if (p->comma)
        page_raw(p, ",", 1);
    p->comma = true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void put_quoted(Page *p, const char *utf8)
{
    page_raw(p, "\"", 1);
    for (size_t left = strlen(utf8), taken; left > 0 && !page_failed(p);
         utf8 += taken, left -= taken) {
        char escaped[JSON_CHARACTER];
        size_t length;
        taken = json_character(utf8, left, escaped, &length);
        page_raw(p, escaped, length);
    }
    page_raw(p, "\"", 1);
}

void page_text(Page *p, const char *utf8)
{
    page_value(p);
    if (utf8)
        put_quoted(p, utf8);
    else
        page_raw(p, "null", 4);
}

void page_key(Page *p, const char *key)
{
    page_text(p, key);
    page_raw(p, ":", 1);
    if (p)
        p->comma = false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void put_number(Page *p, double x, const char *format)
{
    char text[40];
    if (page_failed(p))
        return;
    page_value(p);
    snprintf(text, sizeof text, format, x);
    char *point = text + strspn(text, "+-0123456789e"); /* the locale's, of one byte or more */
    if (isfinite(x) && *point) {
        const char *decimals = point + strcspn(point, "0123456789");
        *point = '.';
        memmove(point + 1, decimals, strlen(decimals) + 1);
    }
    const char *shown = isfinite(x) ? text : isnan(x) ? "null" : x < 0 ? "-1e999" : "1e999";
    page_raw(p, shown, strlen(shown));
}

void page_number(Page *p, double x)
{
    put_number(p, x, "%.9g");
}

void page_count(Page *p, long long n)
{
    char text[32];
    page_value(p);
    page_raw(p, text, (size_t)snprintf(text, sizeof text, "%lld", n));
}

static void page_bool(Page *p, bool b)
{
    page_value(p);
    page_raw(p, b ? "true" : "false", b ? 4 : 5);
}

/* ---- objects and arrays ---------------------------------------------------------------------- */

static void begin(Page *p, char opens, char closes)
{
    if (page_failed(p))
        return;
    page_value(p);
    if (p->depth == NESTING_MAX) {
        p->failed = true;
        tensor_fail("%s: objects nested deeper than %d; expected less", p->who, NESTING_MAX);
        return;
    }
    page_raw(p, &opens, 1);
    p->open[p->depth++] = closes;
    p->comma = false;
}

void page_object(Page *p)
{
    begin(p, '{', '}');
}

void page_array(Page *p)
{
    begin(p, '[', ']');
}

void page_end(Page *p)
{
    if (page_failed(p) || p->depth == 0)
        return;
    page_raw(p, &p->open[--p->depth], 1);
    p->comma = true;
}

/* ---- a key with its value -------------------------------------------------------------------- */

void page_key_text(Page *p, const char *key, const char *utf8)
{
    page_key(p, key);
    page_text(p, utf8);
}

void page_key_number(Page *p, const char *key, double x)
{
    page_key(p, key);
    page_number(p, x);
}

void page_key_exact(Page *p, const char *key, double x)
{
    page_key(p, key);
    put_number(p, x, "%.17g");
}

void page_key_count(Page *p, const char *key, long long n)
{
    page_key(p, key);
    page_count(p, n);
}

void page_key_bool(Page *p, const char *key, bool b)
{
    page_key(p, key);
    page_bool(p, b);
}

void page_key_array(Page *p, const char *key)
{
    page_key(p, key);
    page_array(p);
}

void page_texts(Page *p, const char *key, const char *const *texts, int count)
{
    page_key(p, key);
    if (!texts) {
        page_text(p, NULL);
        return;
    }
    page_array(p);
    for (int i = 0; i < count; i++)
        page_text(p, texts[i]);
    page_end(p);
}

void page_module(Page *p, const char *script, const char *hash)
{
    if (page_failed(p))
        return;
    p->module = mem_strdup(script);
    p->module_hash = mem_strdup(hash);
    p->failed = !p->module || !p->module_hash;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_scale(Page *p, const char *key, bool diverging)
{
    char colour[8];
    page_key_array(p, key);
    for (int i = 0; plot_colours_at(diverging, i, colour); i++)
        page_text(p, colour);
    page_end(p);
}

/* The colours of plot's pictures. */
static void put_colours(Page *p)
{
    page_key(p, "colours");
    page_object(p);
    put_scale(p, "sequential", false);
    put_scale(p, "diverging", true);
    page_end(p);
}

Page *page_data_new(const char *who)
{
    enum { FIRST = 1 << 16 };
    Page *p = mem_zeroed(sizeof *p);
    if (!p)
        return NULL;
    p->who = who;
    p->text = mem_alloc(FIRST);
    p->capacity = p->text ? FIRST : 0;
    p->failed = !p->text;
    page_object(p);
    return p;
}

size_t page_data(Page *p, char *text, size_t size)
{
    while (p && !p->failed && p->depth > 0)
        page_end(p);
    size_t length = page_failed(p) ? 0 : p->used;
    if (length && size) {
        size_t copied = length < size ? length : size - 1;
        memcpy(text, p->text, copied);
        text[copied] = 0;
    }
    return length;
}

Page *page_new(const char *kind, const char *title, const char *who)
{
    const PageKind *k = page_kinds;
    while (k->kind && strcmp(k->kind, kind) != 0)
        k++;
    if (!k->kind) {
        tensor_fail("%s: found no kind of page \"%s\"; expected one of plot/html", who, kind);
        return NULL;
    }
    Page *p = page_data_new(who);
    if (!p)
        return NULL;
    p->kind = k;
    p->title = mem_strdup(title ? title : "gradus");
    p->failed = p->failed || !p->title;
    page_key_text(p, "kind", kind);
    page_key_text(p, "title", p->title);
    put_colours(p);
    return p;
}

void page_free(Page *p)
{
    if (!p)
        return;
    mem_free(p->title);
    mem_free(p->module);
    mem_free(p->module_hash);
    mem_free(p->text);
    mem_free(p);
}

/* The title as text of HTML. */
static void put_html(FILE *out, const char *text)
{
    for (uint32_t c; (c = plot_text_next(&text)) != 0;)
        if (c == '<' || c == '&')
            fputs(c == '<' ? "&lt;" : "&amp;", out);
        else
            plot_text_put(out, c);
}

static void write_page(FILE *out, const void *page)
{
    const Page *p = page;
    fprintf(out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "script-src 'sha256-%s'%s%s%s; style-src 'sha256-%s'; img-src data: blob:; %s"
            "base-uri 'none'; form-action 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>",
            p->kind->script_hash, p->module ? " 'sha256-" : "", p->module ? p->module_hash : "",
            p->module ? "' 'wasm-unsafe-eval'" : "", p->kind->style_hash,
            p->module ? "worker-src blob:; " : "");
    put_html(out, p->title);
    fputs("</title>\n<style>", out);
    fwrite(page_frame_style, 1, page_frame_style_size, out);
    fwrite(p->kind->style, 1, p->kind->style_size, out);
    fputs("</style>\n</head>\n<body>\n<noscript>This page draws its figures with JavaScript, "
          "which is switched off.</noscript>\n",
          out);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    fwrite(p->text, 1, p->used, out);
    fputs("</script>\n", out);
    if (p->module)
        fprintf(out, "<script>%s</script>\n", p->module);
    fputs("<script>", out);
    fwrite(page_frame_script, 1, page_frame_script_size, out);
    fwrite(p->kind->script, 1, p->kind->script_size, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

/* Makes the folder of the path. */
static bool make_folder(const char *path)
{
    char *folder = mem_strdup(path), *slash = folder ? system_last_slash(folder) : NULL;
    bool ok = folder != NULL;
    if (slash && slash != folder) {
        *slash = 0;
        ok = tensor_make_directory(folder);
    }
    mem_free(folder);
    return ok;
}

bool page_write(Page *p, const char *path)
{
    while (p && !p->failed && p->depth > 0)
        page_end(p);
    bool ok = !page_failed(p);
    if (ok && (!path || !*path))
        ok = tensor_fail("%s: path is NULL or empty; expected the name of a file", p->who);
    ok = ok && make_folder(path) && plot_file_write(path, "", write_page, p);
    page_free(p);
    return ok;
}
