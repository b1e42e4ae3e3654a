/* vocabulary.c: see vocabulary.h. */
#include "examples/common/vocabulary.h"

#include <stdlib.h>
#include <string.h>

char *vocabulary_line(const Vocab *v)
{
    size_t bytes = 1, used = 0;
    for (int i = 0; i < v->count; i++)
        bytes += strlen(v->words[i]) + 1;
    char *line = example_alloc(bytes);
    if (line)
        *line = 0;
    for (int i = 0; line && i < v->count; i++)
        used += (size_t)sprintf(line + used, "%s%s", i ? "\t" : "", v->words[i]);
    return line;
}

bool vocabulary_from(Vocab *v, const char *line)
{
    char *copy = example_alloc(strlen(line) + 1), *word = copy;
    bool ok = copy != NULL;
    if (ok)
        strcpy(copy, line);
    while (ok && word) {
        char *tab = strchr(word, '\t');
        if (tab)
            *tab = 0;
        ok = data_vocab_add(v, word) >= 0;
        word = tab ? tab + 1 : NULL;
    }
    free(copy);
    return ok;
}
