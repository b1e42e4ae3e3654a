/* words.c: captions and questions as ids. See words.h. */
#include "examples/captions/words.h"

#include <string.h>

static const char *const texts[VOCABULARY - CODES] = {
    "picture", "caption", "ask",   "blank",  "and",  "the",      "small", "large",   "dark",
    "grey",    "pale",    "white", "square", "ring", "triangle", "cross", "diamond", "bar",
    "top",     "bottom",  "left",  "right",  "size", "shade",    "form",  "row",     "side",
};

const char *word_text(int word)
{
    return word < CODES ? "(code)" : texts[word - CODES];
}

static int value_word(Attribute attribute, int value)
{
    int word = WORD_VALUE + value;
    for (int a = 0; a < (int)attribute; a++)
        word += value_count[a];
    return word;
}

/* ---- captions -------------------------------------------------------------------------------- */

void scene_caption(const Object object[2], int words[CAPTION_WORDS])
{
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < ATTRIBUTES; a++)
            words[k * (ATTRIBUTES + 1) + a] = value_word((Attribute)a, object[k].value[a]);
    words[ATTRIBUTES] = WORD_AND;
}

bool caption_parse(const int words[CAPTION_WORDS], Object object[2])
{
    bool ok = words[ATTRIBUTES] == WORD_AND;
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < ATTRIBUTES; a++) {
            int value = words[k * (ATTRIBUTES + 1) + a] - value_word((Attribute)a, 0);
            ok = ok && value >= 0 && value < value_count[a];
            object[k].value[a] = value;
        }
    return ok;
}

/* ---- questions ------------------------------------------------------------------------------- */

const Query query_kinds[QUERIES] = {
    {SHADE, FORM, 0},    {SIZE, FORM, 0},      {ROW, FORM, 0},      {COLUMN, FORM, 0},
    {FORM, SHADE, 0},    {SIZE, SHADE, 0},     {ROW, SHADE, 0},     {COLUMN, SHADE, 0},
    {SIZE, QUADRANT, 0}, {SHADE, QUADRANT, 0}, {FORM, QUADRANT, 0},
};

bool query_fits(const Query *q, const Object *like, const Object *object)
{
    return q->given == QUADRANT ? object_quadrant(like) == object_quadrant(object)
                                : like->value[q->given] == object->value[q->given];
}

int query_answer(const Query *q, const Scene *s)
{
    return value_word(q->asked, s->object[q->object].value[q->asked]);
}

/* ---- sequences ------------------------------------------------------------------------------- */

static int *append(int *at, const int *ids, int n)
{
    memcpy(at, ids, sizeof *ids * (size_t)n);
    return at + n;
}

void sequence_caption(int ids[SEQUENCE], const int codes[PICTURE_CODES], const Scene *s)
{
    *ids++ = WORD_PICTURE;
    ids = append(ids, codes, PICTURE_CODES);
    *ids++ = WORD_CAPTION;
    scene_caption(s->object, ids);
}

void sequence_drawing(int ids[SEQUENCE], const int codes[PICTURE_CODES], const Scene *s)
{
    *ids++ = WORD_CAPTION;
    scene_caption(s->object, ids);
    ids += CAPTION_WORDS;
    *ids++ = WORD_PICTURE;
    append(ids, codes, PICTURE_CODES);
}

void sequence_query(int ids[ASKED], const int codes[PICTURE_CODES], const Scene *s, const Query *q)
{
    const int *value = s->object[q->object].value;
    bool by_quadrant = q->given == QUADRANT;
    const int words[] = {
        WORD_ASK,
        WORD_ATTRIBUTE + (int)q->asked,
        by_quadrant ? value_word(ROW, value[ROW]) : WORD_THE,
        by_quadrant ? value_word(COLUMN, value[COLUMN])
                    : value_word((Attribute)q->given, value[q->given]),
    };
    *ids++ = WORD_PICTURE;
    ids = append(ids, codes, PICTURE_CODES);
    append(ids, words, 4);
}
