/* text.c: sanitises labels and computes their widths.
 *
 * A label comes from a vocabulary or from a user's sentence and may contain any bytes. Every
 * character that plot writes passes through plot_text_next, which lets only visible characters and
 * spaces through. What gnuplot would still interpret is handled where it is written: by
 * plot_text_field in data files, and by plot_text_quoted in scripts. */
#include "plot/internal.h"

#include "tensor/io/utf8.h"

#include <string.h>

enum {
    REPLACEMENT = 0xFFFD,
    NO_BREAK_SPACE = 0xA0,
    ELLIPSIS = 0x2026,
    OPEN_BOX = 0x2423,
    ZERO_WIDTH_SPACE = 0x200B
};

/* ---- characters ------------------------------------------------------------------------------ */

/* XML, and therefore SVG, allows neither control characters nor U+FFFE and U+FFFF. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF;
}

uint32_t plot_text_next(const char **text)
{
    if (!**text)
        return 0;
    int32_t symbol;
    *text += utf8_read((const unsigned char *)*text, strnlen(*text, UTF8_MAX_BYTES), &symbol);
    const uint32_t code = (uint32_t)symbol;
    if (code >= '\t' && code <= '\r') /* tab, newline, vertical tab, form feed, return */
        return ' ';
    return symbol >= UTF8_BYTE || is_control(code) ? REPLACEMENT : code;
}

void plot_text_put(FILE *out, uint32_t c)
{
    unsigned char bytes[UTF8_MAX_BYTES];
    fwrite(bytes, 1, utf8_write((int32_t)c, bytes), out);
}

/* ---- widths ---------------------------------------------------------------------------------- */

/* Combining accents, and marks without width. */
static bool is_combining(uint32_t c)
{
    return (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0xFE00 && c <= 0xFE0F);
}

/* Ideographs, kana, Hangul and emoji take two columns (Unicode's East Asian Width W and F, by
 * block). */
static bool is_wide(uint32_t c)
{
    static const uint32_t range[][2] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                                        {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                                        {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
    for (size_t i = 0; i < sizeof range / sizeof range[0]; i++)
        if (c >= range[i][0] && c <= range[i][1])
            return true;
    return false;
}

int plot_text_columns(uint32_t c)
{
    return is_combining(c) ? 0 : is_wide(c) ? 2 : 1;
}

int plot_text_length(const char *text)
{
    int columns = 0;
    for (uint32_t c; (c = plot_text_next(&text));)
        columns += plot_text_columns(c);
    return columns;
}

/* The widths of DejaVu Sans, a wide font, rounded up: other fonts are narrower. */
static double code_ems(uint32_t c)
{
    if (c >= 0x80)
        return plot_text_columns(c) * (c < 0x250 ? 0.78 : is_wide(c) ? 0.5 : 1.0);
    if (strchr("ijl'|", (int)c))
        return 0.3;
    if (strchr(" .,:;!I/\\[]()`-frt", (int)c))
        return 0.41;
    if (strchr("mwMW@%", (int)c))
        return 1.0;
    if (strchr("+=<>~^#_", (int)c))
        return 0.84;
    return c >= 'A' && c <= 'Z' ? 0.76 : 0.64;
}

double plot_text_ems(const char *text)
{
    double ems = 0;
    for (uint32_t c; (c = plot_text_next(&text));)
        ems += code_ems(c);
    return ems;
}

double plot_text_fit(const char *text, double width, double largest, double smallest)
{
    double ems = plot_text_ems(text), font = ems > 0 ? width / ems : largest;
    return font > largest ? largest : font < smallest ? smallest : font;
}

/* ---- into a picture -------------------------------------------------------------------------- */

static bool is_blank(const char *text)
{
    for (uint32_t c; (c = plot_text_next(&text));)
        if (c != ' ')
            return false;
    return true;
}

/* Where a text that is wider than max_ems is cut: at a word's end, unless that leaves out half of
 * what fits. */
static const char *cut_end(const char *text, double max_ems)
{
    double left = max_ems - code_ems(ELLIPSIS);
    const char *end = text, *word = text, *at = text;
    uint32_t before = ' ';
    for (uint32_t c; (c = plot_text_next(&at)); end = at) {
        if (c == ' ' && before != ' ')
            word = end;
        if ((left -= code_ems(c)) < 0)
            break;
        before = c;
    }
    return 2 * (word - text) >= end - text ? word : end;
}

/* Calls put for each character as it is shown, cut to max_ems. gnuplot's data reader and SVG trim
 * spaces at the edges and merge adjacent ones, so a no-break space replaces such a space; a label
 * of spaces alone is made visible. */
static void show(FILE *out, const char *text, double max_ems, void (*put)(FILE *, uint32_t))
{
    const char *whole = text;
    bool blank = is_blank(text), cut = plot_text_ems(text) > max_ems;
    const char *end = cut ? cut_end(text, max_ems) : text + strlen(text);
    uint32_t before = 0, earlier = 0;
    for (uint32_t c; text < end && (c = plot_text_next(&text));) {
        bool fragile = !before || before == ' ' || !*text;
        uint32_t shown = c != ' ' ? c : blank ? OPEN_BOX : fragile ? NO_BREAK_SPACE : c;
        /* XML, and therefore SVG, does not allow "]]>" */
        if (earlier == ']' && before == ']' && c == '>')
            put(out, ZERO_WIDTH_SPACE);
        put(out, plot_fonts_lack(c) ? REPLACEMENT : shown);
        earlier = before;
        before = c;
    }
    if (cut) {
        put(out, ELLIPSIS);
        plot_note_cut(whole);
    }
}

/* gnuplot's data reader interprets a backslash as an escape and double quotes as the ends of a
 * string, in which two of them are one. */
static void put_field(FILE *out, uint32_t c)
{
    if (c == '\\' || c == '"')
        fputc((int)c, out);
    plot_text_put(out, c);
}

void plot_text_field(FILE *out, const char *text, double max_ems)
{
    const char *quote = strchr(text, '"') ? "\"" : "";
    fputs(quote, out);
    show(out, text, max_ems, put_field);
    fputs(quote, out);
}

void plot_text_fields(FILE *out, const char *text, double max_ems)
{
    plot_fonts_literal(true);
    plot_text_field(out, text, max_ems);
    plot_fonts_literal(false);
    if (!plot_fonts_lacking())
        return;
    fputc('\t', out);
    plot_text_field(out, text, max_ems);
}

/* In single quotes gnuplot interprets nothing: no backslash, no backquote, no macro. Only a single
 * quote itself has to stand outside of them, 'it'."\047".'s'. Doubled, as the manual has it, it
 * would end the string after all where it comes first or next to another; and written as "'" it
 * would make gnuplot look for macros in the rest of the line (both in 5.4). */
static void put_quoted(FILE *out, uint32_t c)
{
    if (c == '\'')
        fputs("'.\"\\047\".'", out);
    else
        plot_text_put(out, c);
}

void plot_text_quoted(FILE *out, const char *text, double max_ems)
{
    fputc('\'', out);
    show(out, text, max_ems, put_quoted);
    fputc('\'', out);
}

/* ---- labels ---------------------------------------------------------------------------------- */

const char *plot_label_at(const Labels *labels, int i, LabelBuffer *buffer)
{
    if (labels->blank)
        return "";
    if (labels->text)
        return labels->text[i] ? labels->text[i] : "";
    snprintf(buffer->digits, sizeof buffer->digits, "%d", i + 1);
    return buffer->digits;
}

double plot_labels_ems(const Labels *labels)
{
    LabelBuffer buffer;
    double most = 0;
    for (int i = 0; i < labels->count; i++) {
        double ems = plot_text_ems(plot_label_at(labels, i, &buffer));
        most = ems > most ? ems : most;
    }
    return most;
}

char *plot_text_join(const char *a, const char *b, const char *c)
{
    size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    char *all = mem_alloc(n);
    if (all)
        snprintf(all, n, "%s%s%s", a, b, c);
    return all;
}
