/* vocabulary.c: see vocabulary.h. */
#include "examples/common/vocabulary.h"

#include <stdlib.h>
#include <string.h>

char *vocabulary_line(const Vocab *v)
{
    size_t bytes = 1, used = 0;
    for (int i = 0; i < v->count; i++)
        bytes += strlen(v->words[i]) + 1;
    char *line = malloc(bytes);
    if (line)
        *line = 0;
    for (int i = 0; line && i < v->count; i++)
        used += (size_t)sprintf(line + used, "%s%s", i ? "\t" : "", v->words[i]);
    return line;
}

bool vocabulary_from(Vocab *v, const char *line)
{
    char *copy = strdup(line), *word = copy;
    bool ok = copy || tensor_fail("vocabulary: no memory for its words; expected some");
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
