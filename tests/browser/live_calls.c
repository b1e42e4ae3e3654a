/* live_calls.c: the functions that a page's module has, called by a native program: what they
 * answer there is compared with what the page's answer.
 *
 * Reads lines "FUNCTION NUMBER TEXT", separated by tabs, where \n in TEXT is a newline, and prints
 * each answer in a line; for live_weight and live_given the numbers themselves follow in a fourth
 * field. */
#include "examples/live/live.h"
#include "examples/live/writer.h"

#include <stdlib.h>
#include <string.h>

static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++)
        *to++ = text[0] == '\\' && text[1] == 'n' ? (text++, '\n') : *text;
    *to = 0;
}

static void write_input(char *text)
{
    unescape(text);
    char *at = live_input((int)strlen(text) + 1);
    if (at)
        strcpy(at, text);
}

static bool put_numbers(real *at, int count, char *numbers)
{
    for (int i = 0; at && i < count; i++)
        at[i] = (real)strtod(numbers, &numbers);
    return at != NULL;
}

static bool call(const char *name, int number, char *numbers)
{
    static const struct {
        const char *name;
        int (*without)(void);
        int (*with)(int);
    } known[] = {
        {"live_begin", live_begin, NULL},       {"live_sentence", live_sentence, NULL},
        {"live_steps", live_steps, NULL},       {"live_write", live_write, NULL},
        {"live_computed", live_computed, NULL}, {"live_train", NULL, live_train},
        {"live_test", NULL, live_test},
    };
    if (strcmp(name, "live_weight") == 0 || strcmp(name, "live_given") == 0)
        return put_numbers(name[5] == 'w' ? live_weight(number) : live_given(number), number,
                           numbers);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            int length = known[i].with ? known[i].with(number) : known[i].without();
            puts(live_output());
            return length >= 0;
        }
    fprintf(stderr, "live_calls: found %s; expected a function of examples/live\n", name);
    return false;
}

#undef main /* an example among the module's files has one, too, which the build renames */
int main(void)
{
    static char line[1 << 24];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *number = strchr(line, '\t'), *text = number ? strchr(number + 1, '\t') : NULL;
        if (!text)
            return 2;
        *number++ = *text++ = 0;
        char *numbers = strchr(text, '\t');
        if (numbers)
            *numbers++ = 0;
        write_input(text);
        if (!call(line, atoi(number), numbers)) {
            fprintf(stderr, "%s: %s\n", line, live_output());
            return 1;
        }
        fflush(stdout);
    }
    return 0;
}
