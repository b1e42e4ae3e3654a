/* shapes.h: drawn pictures of two shapes, and a recogniser that reads them without any model. */
#ifndef CAPTIONS_SHAPES_H
#define CAPTIONS_SHAPES_H

#include "gradus.h"

enum { SIDE = 16, PIXELS = SIDE * SIDE, QUADRANT_SIDE = 8, QUADRANTS = 4 };

/* The attributes of a shape, in the order of the caption, and how many values each has. */
typedef enum { SIZE, SHADE, FORM, ROW, COLUMN, ATTRIBUTES } Attribute;
enum { SIZES = 2, SHADES = 4, FORMS = 6, ROWS = 2, COLUMNS = 2, MOST_VALUES = FORMS };
extern const int value_count[ATTRIBUTES];

/* A shape: its values, and its offset in its quadrant, 0 or 1 pixel each way, which no caption
 * names. */
typedef struct {
    int value[ATTRIBUTES];
    int dx, dy;
} Object;

/* Two objects that differ in form, in shade and in quadrant; the first is the earlier in raster
 * order. */
typedef struct {
    Object object[2];
    real pixels[PIXELS]; /* 0 black .. 1 white, with noise */
} Scene;

/* Two pairs of form and shade that training never shows: a white triangle, a dark ring. */
bool pair_held_out(int form, int shade);
bool object_held_out(const Object *object);
int object_quadrant(const Object *object);
/* Are all attributes equal? */
bool objects_equal(const Object *a, const Object *b);

/* Draws a scene without such a pair, or with exactly one. */
void scene_draw(Scene *s, Rng *rng, bool held_out);

/* Does it find these two objects, and no other? */
bool scene_shows(const real pixels[PIXELS], const Object object[2]);

#endif
