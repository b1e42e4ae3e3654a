/* scenes.h: drawn pictures of two shapes, their captions, questions about them, and one GPT that reads and draws them
 * (row 51).
 *
 *   picture   16 x 16 pixels, 16 patches of 4 x 4; each patch is two codes, a level and a pattern (patch_codes.c)
 *   words     "large bright ring top left and small dark cross bottom right"
 *   X (N, C)  picture c_1 .. c_32 caption w_1 .. w_11      picture to text, decoded greedily
 *             picture c_1 .. c_32 ask shade the ring grey  text and picture to an answer
 *             caption w_1 .. w_11 picture c_1 .. c_32      text to picture, sampled
 *
 * Codes and words are ids of one vocabulary. The model is the GPT of chapter 6 (examples/gpt); nothing in it knows which
 * ids are patches. Z "Vision and language transformers" */
#ifndef LECTURES_SCENES_H
#define LECTURES_SCENES_H

#include "lectures/07-vision/vision.h"

#include "examples/gpt/model.h"

/* ---- pictures: shapes.c ---------------------------------------------------------------------------------------- */

enum { SCENE_SIDE = 16, SCENE_PIXELS = SCENE_SIDE * SCENE_SIDE, QUADRANT_SIDE = 8, QUADRANTS = 4 };

/* The attributes of a shape, in the order of the caption, and how many values each has. */
typedef enum { SIZE, SHADE, FORM, ROW, COLUMN, ATTRIBUTES } Attribute;
enum { SIZES = 2, SHADES = 4, FORMS = 6, ROWS = 2, COLUMNS = 2, LARGEST_COUNT = FORMS };
extern const int value_count[ATTRIBUTES];

/* A shape: its values, and its offset in its quadrant, 0 or 1 pixel each way, which no caption names. */
typedef struct {
    int value[ATTRIBUTES];
    int dx, dy;
} Object;

/* Two objects that differ in form, in shade and in quadrant; the first is the earlier in raster order. */
typedef struct {
    Object object[2];
    real pixels[SCENE_PIXELS]; /* 0 black .. 1 white, with noise */
} Scene;

/* Two pairs of form and shade that training never shows: a white triangle, a dark ring. */
bool pair_held_out(int form, int shade);
bool object_held_out(const Object *object);

/* Draws a scene without such a pair, or with exactly one. */
void scene_draw(Scene *s, Rng *rng, bool held_out);
void object_paint(const Object *object, real *pixels);

/* The recogniser, which knows the drawings and not the model: in each quadrant the nearest of all 192 drawings and of the
 * empty one, by squared distance. Writes the first two objects that it finds and returns how many there are. */
int scene_recognise(const real *pixels, Object found[2]);
int object_quadrant(const Object *object);

/* ---- codes: patch_codes.c -------------------------------------------------------------------------------------------- */

enum { PATCH_SIDE = 4, PATCH_PIXELS = PATCH_SIDE * PATCH_SIDE, GRID = SCENE_SIDE / PATCH_SIDE };
enum { PATCH_COUNT = GRID * GRID, LEVELS = SHADES + 1, PATTERNS = 96, CODES = LEVELS + PATTERNS };
enum { PICTURE_CODES = 2 * PATCH_COUNT };

/* A patch is replaced by the nearest level times the nearest pattern: two ids, level and LEVELS + pattern. */
typedef struct {
    real level[LEVELS];                   /* in ascending order; level 0 is an empty patch */
    real pattern[PATTERNS][PATCH_PIXELS]; /* pattern 0 is black and goes with level 0      */
} Codebook;

int patch_quadrant(int patch);
int codebook_nearest(const Codebook *book, const real *shape); /* the pattern, from 1 */
void scene_cut(const real *pixels, real patches[PATCH_COUNT][PATCH_PIXELS]);
void codebook_encode(const Codebook *book, const real *pixels, int codes[PICTURE_CODES]);
bool codes_in_turn(const int codes[PICTURE_CODES]); /* level, pattern, level, ...: of a picture */
void codebook_decode(const Codebook *book, const int codes[PICTURE_CODES],
                     real *pixels); /* codes in turn */

/* Fits both by k-means to n patches: `rounds` rounds each. error: of each round over patterns, the mean squared distance
 * before it, or NULL. False where memory is out. */
bool codebook_fit(Codebook *book, const real (*patches)[PATCH_PIXELS], int n, Rng *rng, int rounds,
                  double *error);

/* ---- sequences: sequences.c ------------------------------------------------------------------------------------ */

/* The vocabulary: levels, patterns, words. */
enum { WORD_PICTURE = CODES, WORD_CAPTION, WORD_ASK, WORD_BLANK, WORD_AND, WORD_THE, WORD_VALUE };
enum { WORD_ATTRIBUTE = WORD_VALUE + SIZES + SHADES + FORMS + ROWS + COLUMNS };
enum { VOCABULARY = WORD_ATTRIBUTE + ATTRIBUTES };
enum { CAPTION_WORDS = 2 * ATTRIBUTES + 1, SEQUENCE = 1 + PICTURE_CODES + 1 + CAPTION_WORDS };
enum { ASKED = 1 + PICTURE_CODES + 4 }; /* picture c_1 .. c_32 ask shade the ring */

const char *word_text(int word);
int value_word(Attribute attribute, int value);
void scene_caption(const Object object[2], int words[CAPTION_WORDS]);
bool caption_parse(const int words[CAPTION_WORDS], Object object[2]);

/* "ask shade the ring", "ask form the grey", "ask size top left": one attribute of the object that has a given form, shade
 * or quadrant. */
enum { QUADRANT = ATTRIBUTES };
typedef struct {
    Attribute asked;
    int given;  /* FORM, SHADE or QUADRANT  */
    int object; /* which of the two      */
} Query;
enum { QUERIES = 11 };
extern const Query query_kinds[QUERIES];                                   /* without the object */
bool query_fits(const Query *q, const Object *like, const Object *object); /* is the same given? */
int query_answer(const Query *q, const Scene *s);

/* Fill ids with a sequence. */
void sequence_caption(int ids[SEQUENCE], const int codes[PICTURE_CODES], const Scene *s);
void sequence_drawing(int ids[SEQUENCE], const int codes[PICTURE_CODES], const Scene *s);
void sequence_query(int ids[ASKED], const int codes[PICTURE_CODES], const Scene *s, const Query *q);

/* ---- the model: picture_gpt.c ----------------------------------------------------------------------------------------- */

enum { PICTURE_GPT_WIDTH = 32, PICTURE_GPT_HEADS = 4, PICTURE_GPT_LAYERS = 2 };

/* The GPT and its codebook, both trained beforehand (train_scenes.c). */
typedef struct {
    Params *params;
    Gpt gpt;
    Tensor *levels, *patterns; /* the codebook in the file of the weights; no gradient reaches it */
    Codebook book;
    Tape *tape;
    Rng rng;
} PictureGpt;
bool picture_gpt_init(PictureGpt *m, uint64_t seed);
bool picture_gpt_begin(PictureGpt *m, uint64_t seed); /* with the trained weights, for new scenes */
bool picture_gpt_untrained(PictureGpt *m, uint64_t seed); /* the codebook, initial weights */
void picture_gpt_end(PictureGpt *m);

/* n scenes and their codes; at most SCENES. */
enum { SCENES = 400 };
typedef struct {
    int count;
    Scene scene[SCENES];
    int codes[SCENES][PICTURE_CODES];
} Album;
void album_draw(Album *a, PictureGpt *m, int count, bool held_out);

/* What the model writes, all by nn_generate on the same vocabulary. False where the library fails.
 * words: of each picture, decoded greedily. */
bool picture_gpt_captions(PictureGpt *m, const int (*codes)[PICTURE_CODES], int n,
                          int (*words)[CAPTION_WORDS]);
/* answer: the word after each sequence_query, decoded greedily. */
bool picture_gpt_answers(PictureGpt *m, const int (*queries)[ASKED], int n, int *answer);
/* codes: of a picture for each caption: the likeliest, or drawn from the smallest set of codes with probability top_p. */
enum { GREEDY = 0 };
bool picture_gpt_pictures(PictureGpt *m, const int (*words)[CAPTION_WORDS], int n, double top_p,
                          int (*codes)[PICTURE_CODES]); /* top_p GREEDY, or above 0 and at most 1 */

/* Are all attributes equal? */
bool objects_equal(const Object *a, const Object *b);

/* A grey picture as a map: scene_figures.c. */
PlotHeatmap scene_map(Tape *tape, const real *pixels, const char *title);

#endif
