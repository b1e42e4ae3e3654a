/* fonts.c: which characters no installed font has.
 *
 * For PNG and PDF, gnuplot draws text with Pango. Some versions of Pango (seen with 1.50) draw a
 * character that no font has as a box many times the size of the page. Characters beyond Latin are
 * therefore looked up first: fc-list, a program of fontconfig, prints for each font
 *
 *     TrueType 20-7e a0-1a9 1ab-1b9 ...      (ranges of code points, hexadecimal)
 *
 * A character that is in none of them is drawn as U+FFFD. An SVG keeps it, since its reader may
 * have other fonts. Every text of a picture passes through plot_text_field, plot_text_quoted or a
 * formula, where each character is looked up here: while a picture is written for the first time,
 * that notes the character; once fc-list was asked, the answer is what it said. */
#include "plot/internal.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FOREIGN = 0x180, FIRST_CAPACITY = 64 };

/* Joiners and variation selectors are invisible in every font. */
static bool is_foreign(uint32_t c)
{
    return c >= FIRST_FOREIGN && !(c >= 0x200B && c <= 0x200F) && !(c >= 0xFE00 && c <= 0xFE0F);
}

/* While fc-list was not asked, the characters that were looked up; then those that it lacks. */
static _Thread_local struct {
    uint32_t *codes;
    int count, capacity;
    bool asked, literal, failed;
} fonts;

static void add(uint32_t c)
{
    if (fonts.count == fonts.capacity) {
        int capacity = fonts.capacity ? 2 * fonts.capacity : FIRST_CAPACITY;
        uint32_t *more =
            mem_grow(fonts.codes, (size_t)fonts.capacity * sizeof c, (size_t)capacity * sizeof c);
        fonts.failed |= !more;
        if (!more)
            return;
        fonts.codes = more;
        fonts.capacity = capacity;
    }
    fonts.codes[fonts.count++] = c;
}

static bool replaces(void)
{
    return fonts.asked && fonts.count > 0 && !fonts.literal;
}

bool plot_fonts_lack(uint32_t c)
{
    for (int i = 0; i < fonts.count; i++)
        if (fonts.codes[i] == c)
            return replaces();
    if (!fonts.asked && is_foreign(c))
        add(c);
    return false;
}

bool plot_fonts_lacking(void)
{
    return fonts.asked && fonts.count > 0;
}

int plot_fonts_field(int field)
{
    return field + replaces();
}

void plot_fonts_literal(bool literal)
{
    fonts.literal = literal;
}

static void found(uint32_t first, uint32_t last)
{
    int kept = 0;
    for (int i = 0; i < fonts.count; i++)
        if (fonts.codes[i] < first || fonts.codes[i] > last)
            fonts.codes[kept++] = fonts.codes[i];
    fonts.count = kept;
}

/* One word of fc-list's output. Pango draws with TrueType and CFF fonts only. */
static void take_word(const char *word, bool *usable)
{
    if (strchr("0123456789abcdef", *word)) {
        char *end;
        unsigned long first = strtoul(word, &end, 16);
        unsigned long last = *end == '-' ? strtoul(end + 1, NULL, 16) : first;
        if (*usable)
            found((uint32_t)first, (uint32_t)last);
    } else {
        *usable = strcmp(word, "TrueType") == 0 || strcmp(word, "CFF") == 0;
    }
}

static void read_ranges(Program *p)
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
            take_word(word, &usable);
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
static void note_lacking(void)
{
    for (int i = 0; i < fonts.count; i++) {
        const char *package = package_of(fonts.codes[i]);
        int same = 0, before = 0;
        for (int j = 0; j < fonts.count; j++)
            if (strcmp(package_of(fonts.codes[j]), package) == 0)
                same++, before += j < i;
        if (before == 0)
            plot_note("no font has U+%04X%s, which PNG and PDF show as U+FFFD; expected one such "
                      "as of the Debian package %s",
                      (unsigned)fonts.codes[i], same > 1 ? " and others" : "", package);
    }
}

bool plot_fonts_ask(void)
{
    char path[PROGRAM_MAX];
    char *argv[] = {path, "--format=%{fontformat} %{charset}\n", NULL};
    Program p;
    fonts.asked = true;
    if (fonts.failed)
        return false;
    if (fonts.count == 0)
        return true;
    if (!plot_program_find("fc-list", path)) {
        fonts.count = 0; /* every character is assumed to exist */
        return true;
    }
    if (!plot_program_start(&p, argv, 1, "fc-list"))
        return false;
    read_ranges(&p);
    if (!plot_program_end(&p))
        fonts.count = 0;
    note_lacking();
    return true;
}

void plot_fonts_free(void)
{
    mem_free(fonts.codes);
    memset(&fonts, 0, sizeof fonts);
}
