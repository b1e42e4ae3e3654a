/* words.h: captions and questions as ids, in one vocabulary with the codes of pictures.
 *
 *   caption   "large white ring top left and small dark cross bottom right"
 *   question  "shade the ring", "form the grey", "size top left": one attribute of the object that
 *             has a given form, shade or quadrant */
#ifndef CAPTIONS_WORDS_H
#define CAPTIONS_WORDS_H

#include "examples/captions/codebook.h"

/* The vocabulary: levels, patterns, words. */
enum { WORD_PICTURE = CODES, WORD_CAPTION, WORD_ASK, WORD_BLANK, WORD_AND, WORD_THE, WORD_VALUE };
enum { WORD_ATTRIBUTE = WORD_VALUE + SIZES + SHADES + FORMS + ROWS + COLUMNS };
enum { VOCABULARY = WORD_ATTRIBUTE + ATTRIBUTES };
enum { CAPTION_WORDS = 2 * ATTRIBUTES + 1, SEQUENCE = 1 + PICTURE_CODES + 1 + CAPTION_WORDS };
enum { ASKED = 1 + PICTURE_CODES + 4 }; /* picture c_1 .. c_32 ask shade the ring */

const char *word_text(int word);
void scene_caption(const Object object[2], int words[CAPTION_WORDS]);
/* False where the words are no caption. */
bool caption_parse(const int words[CAPTION_WORDS], Object object[2]);

enum { QUADRANT = ATTRIBUTES };
typedef struct {
    Attribute asked;
    int given;  /* FORM, SHADE or QUADRANT */
    int object; /* which of the two        */
} Query;
enum { QUERIES = 11 };
extern const Query query_kinds[QUERIES]; /* all that training asks, without the object */
/* Do both objects have the same given value? */
bool query_fits(const Query *q, const Object *like, const Object *object);
int query_answer(const Query *q, const Scene *s);

/* Fill ids: picture c_1 .. c_32 caption w_1 .. w_11, or caption w_1 .. w_11 picture c_1 .. c_32, or
 * a question. */
void sequence_caption(int ids[SEQUENCE], const int codes[PICTURE_CODES], const Scene *s);
void sequence_drawing(int ids[SEQUENCE], const int codes[PICTURE_CODES], const Scene *s);
void sequence_query(int ids[ASKED], const int codes[PICTURE_CODES], const Scene *s, const Query *q);

#endif
