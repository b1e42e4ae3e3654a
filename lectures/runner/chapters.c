/* chapters.c: all chapters that are there. See chapters.h. */
#include "lectures/runner/chapters.h"

#include "lectures/runner/slides.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

extern const Chapter chapter_backprop, chapter_recurrence, chapter_tokens, chapter_position,
    chapter_attention, chapter_block, chapter_language, chapter_vision, chapter_vae;

const Chapter *const chapters[] = {
    &chapter_backprop, &chapter_recurrence, &chapter_tokens, &chapter_position, &chapter_attention,
    &chapter_block,    &chapter_language,   &chapter_vision, &chapter_vae,      NULL,
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

/* ---- in the order of the rows ---------------------------------------------------------------- */

enum { CHAPTERS = sizeof chapters / sizeof *chapters - 1 };

/* Where the chapter stands in the list. */
static int place_of(const Chapter *c)
{
    int i = 0;
    while (chapters[i] != c)
        i++;
    return i;
}

static int row_of(const void *entry)
{
    return *(const int *)entry;
}

/* Pointers to all entries of the tables, sorted by row. An entry has `size` bytes and begins with
 * its row. */
static const void **sorted(const Chapter *c, const void *const *tables, size_t size)
{
    size_t count = 0, placed = 0;
    for (int k = 0; tables[k]; k++)
        for (const char *e = tables[k]; row_of(e); e += size)
            count++;
    const void **list = calloc(count + 1, sizeof *list);
    if (!list)
        options_refuse("no memory for the %zu entries of chapter %d", count, c->number);
    for (int row = c->first_row; row <= c->last_row; row++)
        for (int k = 0; tables[k]; k++)
            for (const char *e = tables[k]; row_of(e); e += size)
                if (row_of(e) == row)
                    list[placed++] = e;
    if (placed < count)
        options_refuse("chapter %d: found %zu claims or figures of rows that it does not have; "
                       "expected rows %d to %d",
                       c->number, count - placed, c->first_row, c->last_row);
    return list;
}

/* Sorted once and kept until the program ends. */
static const void *const *in_rows(const void **kept[CHAPTERS], const Chapter *c,
                                  const void *const *tables, size_t size)
{
    const void ***list = &kept[place_of(c)];
    if (!*list)
        *list = sorted(c, tables, size);
    return *list;
}

const Claim *const *chapter_claims(const Chapter *c)
{
    static const void **kept[CHAPTERS];
    return (const Claim *const *)in_rows(kept, c, (const void *const *)c->claims, sizeof(Claim));
}

const Claim *const *row_claims(int row, int *count)
{
    const Claim *const *list = chapter_claims(chapter_with_row(row));
    while (*list && (*list)->row != row)
        list++;
    for (*count = 0; list[*count] && list[*count]->row == row;)
        ++*count;
    return list;
}

const Claim *const *chapter_exercises(const Chapter *c)
{
    static const void **kept[CHAPTERS];
    return (const Claim *const *)in_rows(kept, c, (const void *const *)c->exercises, sizeof(Claim));
}

const Figure *const *chapter_figures(const Chapter *c)
{
    static const void **kept[CHAPTERS];
    return (const Figure *const *)in_rows(kept, c, (const void *const *)c->figures, sizeof(Figure));
}

const Figure *const *lecture_figures(char letter)
{
    enum { FIGURES = 160 };
    static Figure figures[FIGURES];
    static char names[FIGURES][64];
    static const Figure *list[FIGURES + 1];
    int count = 0;
    for (const Slide *s = slides; s->title; s++)
        for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++) {
            const Figure *const *f = chapter_figures(chapter_with_row(s->rows[i]));
            for (; slide_of_row(letter, s->rows[i]) == s && *f; f++)
                if ((*f)->row == s->rows[i] && count < FIGURES) {
                    snprintf(names[count], sizeof names[0], "%02d-%s", count + 1, (*f)->name);
                    figures[count] = **f;
                    figures[count].name = names[count];
                    list[count] = &figures[count];
                    count++;
                }
        }
    list[count] = NULL;
    return list;
}

const Claim *chapter_asked(const Chapter *c, const Question *q)
{
    const Claim *claim = claim_stating(chapter_claims(c), q->row, q->claim);
    if (!claim)
        options_refuse("row %d: the question \"%s\" is about \"%s\"; expected the beginning of the "
                       "statement of one claim of that row",
                       q->row, q->question, q->claim);
    return claim;
}

const Chapter *chapter_with_row(int row)
{
    for (int i = 0; chapters[i]; i++)
        if (row >= chapters[i]->first_row && row <= chapters[i]->last_row)
            return chapters[i];
    return NULL;
}
