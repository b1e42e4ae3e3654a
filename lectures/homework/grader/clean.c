/* clean.c: what a submission prints, and what a file is called, may hold any bytes. Before they
 * reach a terminal, a browser or a parser, bytes that are not UTF-8 and characters that control a
 * terminal become U+FFFD. */
#include "text.h"

#include <string.h>

/* The length of the UTF-8 character at s, or 0 if there is none (RFC 3629). */
static int utf8_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return 1;
    int length = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                 : (s[0] & 0xF0) == 0xE0        ? 3
                 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                : 0;
    if (length == 0 || (size_t)length > left)
        return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool outside = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F);
    return overlong || outside ? 0 : length;
}

/* Control characters (also those of U+0080 to U+009F), and those that reverse the direction of
 * text. */
static bool is_control(const unsigned char *s, int length)
{
    if (length == 1)
        return (s[0] < 0x20 && s[0] != '\n' && s[0] != '\t') || s[0] == 0x7f;
    if (length == 2)
        return s[0] == 0xC2 && s[1] < 0xA0;
    bool general = length == 3 && s[0] == 0xE2;
    return general &&
           ((s[1] == 0x80 && ((s[2] >= 0xAA && s[2] <= 0xAE) || s[2] == 0xA8 || s[2] == 0xA9)) ||
            (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9));
}

void text_clean(Text *t)
{
    Text clean = {0};
    const unsigned char *s = (const unsigned char *)text_of(t);
    for (size_t left = t->length; left > 0;) {
        int length = utf8_length(s, left), step = length ? length : 1;
        if (length == 0 || is_control(s, length))
            text_put(&clean, "\xEF\xBF\xBD");
        else
            text_add(&clean, s, (size_t)length);
        s += step;
        left -= (size_t)step;
    }
    text_free(t);
    *t = clean;
}

void name_clean(char *name, size_t size)
{
    Text t = {0};
    text_put(&t, name);
    text_clean(&t);
    size_t length = t.length < size ? t.length : size - 1;
    while (length > 0 && length < t.length && ((unsigned char)t.data[length] & 0xC0) == 0x80)
        length--; /* no half of a character */
    memcpy(name, text_of(&t), length);
    name[length] = 0;
    for (char *at = name; *at; at++)
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
    text_free(&t);
}
