/* chapters.c: all chapters that are there. See chapters.h. */
#include "lectures/runner/chapters.h"

#include <stdlib.h>
#include <string.h>

extern const Chapter chapter_recurrence, chapter_tokens, chapter_position, chapter_attention,
    chapter_block, chapter_language, chapter_vision, chapter_vae;

const Chapter *const chapters[] = {
    &chapter_recurrence, &chapter_tokens, &chapter_position,
    &chapter_attention,  &chapter_block,  &chapter_language,
    &chapter_vision,     &chapter_vae,    NULL,
};

const Chapter *chapter_named(const char *word)
{
    char *end;
    long number = strtol(word, &end, 10);
    bool is_number = *word && !*end;
    for (int i = 0; chapters[i]; i++) {
        const Chapter *c = chapters[i];
        const char *name = strchr(c->folder, '-') + 1;
        if (is_number ? number == c->number
                      : strcmp(word, c->folder) == 0 || strcmp(word, name) == 0)
            return c;
    }
    return NULL;
}
