/* digits_strokes.h: how hands write the ten digits, as lines for a pen. Private to data/. */
#ifndef DATA_DIGITS_STROKES_H
#define DATA_DIGITS_STROKES_H

enum { STROKE_POINTS = 18, VARIANT_STROKES = 2, DIGIT_VARIANTS = 7 };

/* A line through its points, in hundredths of a box: x to the right, y down. It is smooth, but for a corner
 * where a point stands twice. */
typedef struct {
    int count;
    struct {
        signed char x, y;
    } point[STROKE_POINTS];
} Stroke;

/* One manner of writing a digit. */
typedef struct {
    int weight; /* how often, beside the digit's others; 0: there is none */
    int strokes;
    Stroke stroke[VARIANT_STROKES];
} Variant;

extern const Variant digit_variants[10][DIGIT_VARIANTS];

#endif
