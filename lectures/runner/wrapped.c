/* wrapped.c: see wrapped.h. */
#include "lectures/runner/wrapped.h"

#include "tensor/system/system.h"

#include <stdarg.h>
#include <string.h>

enum { NARROWEST = 40, WIDEST = 96 };

/* The columns of text on standard output: the terminal's, 40 to 96; 96 where it is none. */
static int wrapped_columns(void)
{
    int width = system_terminal_width(stdout);
    return width <= 0 || width > WIDEST ? WIDEST : width < NARROWEST ? NARROWEST : width;
}

void wrapped_print(const char *text, int indent)
{
    int column = indent, most = wrapped_columns();
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > indent && column + 1 + n > most) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", n, text);
        column += n;
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

void wrapped_say(const char *label, int indent, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%-*s", indent, label);
    wrapped_print(text, indent);
    fflush(stdout);
}
