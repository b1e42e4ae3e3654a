/* labelled.c: texts with a label each, one on each line: LABEL<TAB>TEXT.
 *
 * The content of the file stays in memory; its tabs and line ends become zeros, so that each text
 * is a C string in it. */
#include "data/data.h"
#include "data/file.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <string.h>

static const char *const blanks = " \t\r\v\f";

static bool is_blank(const char *text)
{
    return text[strspn(text, blanks)] == 0;
}

/* Splits a line into label and text at its first tab. */
static bool split(char *line, const char *path, int number, char **text)
{
    char *tab = strchr(line, '\t');
    if (!tab)
        return tensor_fail("data_labelled_read: %s: line %d: found no tab; expected "
                           "LABEL<tab>TEXT",
                           path, number);
    *tab = 0;
    *text = tab + 1;
    if (is_blank(line) || is_blank(*text))
        return tensor_fail("data_labelled_read: %s: line %d: found an empty %s; expected "
                           "LABEL<tab>TEXT",
                           path, number, is_blank(line) ? "label" : "text");
    return true;
}

static bool add(Labelled *l, const char *label, const char *text)
{
    l->labels[l->count] = data_vocab_add(&l->names, label);
    l->texts[l->count] = text;
    return l->labels[l->count++] >= 0;
}

/* Splits every line that is not empty. */
static bool split_all(Labelled *l, const char *path, size_t count)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* the byte order mark some programs begin with */
    char *rest = l->bytes + (strncmp(l->bytes, mark, 3) == 0 ? 3 : 0), *line, *text = NULL;
    size_t length;
    for (int number = 1; (line = file_line(&rest, l->bytes + count, &length)); number++)
        if (!is_blank(line) && (!split(line, path, number, &text) || !add(l, line, text)))
            return false;
    return l->names.count >= 2 ||
           tensor_fail(
               "data_labelled_read: %s: found %d texts, all with the label \"%s\"; expected "
               "at least 2 labels",
               path, l->count, data_vocab_word(&l->names, 0));
}

bool data_labelled_read(const char *path, Labelled *l)
{
    if (!l || !path)
        return null_fail("data_labelled_read", "texts and a path");
    size_t count;
    *l = (Labelled){.bytes = file_text(path, &count, "data_labelled_read")};
    if (!l->bytes)
        return false;
    const size_t lines = (size_t)file_lines(l->bytes, count);
    l->texts = mem_alloc(lines * sizeof *l->texts);
    l->labels = l->texts ? mem_alloc(lines * sizeof *l->labels) : NULL;
    if (l->labels && split_all(l, path, count))
        return true;
    data_labelled_free(l);
    return false;
}

void data_labelled_free(Labelled *l)
{
    if (!l)
        return;
    data_vocab_free(&l->names);
    mem_free(l->labels);
    mem_free(l->texts);
    data_file_free(l->bytes);
    *l = (Labelled){0};
}
