/* fonts.c: which characters no installed font has.
 *
 * For PNG and PDF, gnuplot draws text with Pango. Some versions of Pango (seen with 1.50) draw a
 * character that no font has as a box many times the size of the page. Characters beyond Latin are
 * therefore looked up first: fc-list, a program of fontconfig, prints for each font
 *
 *     TrueType 20-7e a0-1a9 1ab-1b9 ...      (ranges of code points, hexadecimal)
 *
 * A character that is in none of them is drawn as U+FFFD. An SVG keeps it, since its reader may
 * have other fonts. */
#include "plot/internal.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FOREIGN = 0x180, FIRST_CAPACITY = 64 };

/* Joiners and variation selectors are invisible in every font. */
static bool is_foreign(uint32_t c)
{
    return c >= FIRST_FOREIGN && !(c >= 0x200B && c <= 0x200F) && !(c >= 0xFE00 && c <= 0xFE0F);
}

bool plot_fonts_lack(const Fonts *f, uint32_t c)
{
    for (int i = 0; i < f->count; i++)
        if (f->lacking[i] == c)
            return true;
    return false;
}

static bool add(Fonts *f, uint32_t c)
{
    if (f->count == f->capacity) {
        int capacity = f->capacity ? 2 * f->capacity : FIRST_CAPACITY;
        uint32_t *more =
            mem_grow(f->lacking, (size_t)f->capacity * sizeof c, (size_t)capacity * sizeof c);
        if (!more)
            return false;
        f->lacking = more;
        f->capacity = capacity;
    }
    f->lacking[f->count++] = c;
    return true;
}

bool plot_fonts_want(Fonts *f, const char *text)
{
    for (uint32_t c; text && (c = plot_text_next(&text));)
        if (is_foreign(c) && !plot_fonts_lack(f, c) && !add(f, c))
            return false;
    return true;
}

bool plot_fonts_want_all(Fonts *f, const char *const *texts, int count)
{
    bool ok = true;
    for (int i = 0; ok && texts && i < count; i++)
        ok = plot_fonts_want(f, texts[i]);
    return ok;
}

static void found(Fonts *f, uint32_t first, uint32_t last)
{
    int kept = 0;
    for (int i = 0; i < f->count; i++)
        if (f->lacking[i] < first || f->lacking[i] > last)
            f->lacking[kept++] = f->lacking[i];
    f->count = kept;
}

/* One word of fc-list's output. Pango draws with TrueType and CFF fonts only. */
static void take_word(Fonts *f, const char *word, bool *usable)
{
    if (strchr("0123456789abcdef", *word)) {
        char *end;
        unsigned long first = strtoul(word, &end, 16);
        unsigned long last = *end == '-' ? strtoul(end + 1, NULL, 16) : first;
        if (*usable)
            found(f, (uint32_t)first, (uint32_t)last);
    } else {
        *usable = strcmp(word, "TrueType") == 0 || strcmp(word, "CFF") == 0;
    }
}

static void read_ranges(Fonts *f, Program *p)
{
    char buffer[4096], word[64];
    size_t n, length = 0;
    bool usable = false;
    while ((n = plot_program_read(p, buffer, sizeof buffer)) > 0)
        for (size_t i = 0; i < n; i++) {
            bool inside = !strchr(" \n", buffer[i]);
            if (inside && length + 1 < sizeof word)
                word[length++] = buffer[i];
            if (inside || length == 0)
                continue;
            word[length] = 0;
            take_word(f, word, &usable);
            length = 0;
        }
}

/* Which Debian package has a character. */
static const char *package_of(uint32_t c)
{
    bool emoji = (c >= 0x2600 && c <= 0x27BF) || (c >= 0x1F000 && c <= 0x1FAFF);
    bool cjk = (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7FF) ||
               (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFFEF) ||
               (c >= 0x20000 && c <= 0x3FFFF);
    return emoji ? "fonts-noto-color-emoji" : cjk ? "fonts-noto-cjk" : "fonts-noto";
}

/* A line for each package. */
static void note_lacking(const Fonts *f)
{
    for (int i = 0; i < f->count; i++) {
        const char *package = package_of(f->lacking[i]);
        int same = 0, before = 0;
        for (int j = 0; j < f->count; j++)
            if (strcmp(package_of(f->lacking[j]), package) == 0)
                same++, before += j < i;
        if (before == 0)
            plot_note("no font has U+%04X%s, which PNG and PDF show as U+FFFD; expected one such "
                      "as of the Debian package %s",
                      (unsigned)f->lacking[i], same > 1 ? " and others" : "", package);
    }
}

bool plot_fonts_ask(Fonts *f)
{
    char path[PROGRAM_MAX];
    char *argv[] = {path, "--format=%{fontformat} %{charset}\n", NULL};
    Program p;
    if (f->count == 0)
        return true;
    if (!plot_program_find("fc-list",
                           path)) { /* without fc-list, every character is assumed to exist */
        f->count = 0;
        return true;
    }
    if (!plot_program_start(&p, argv, 1, "fc-list"))
        return false;
    read_ranges(f, &p);
    if (!plot_program_end(&p))
        f->count = 0;
    note_lacking(f);
    return true;
}

void plot_fonts_free(Fonts *f)
{
    mem_free(f->lacking);
    *f = (Fonts){0};
}
