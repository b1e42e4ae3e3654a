/* digits_strokes.h: the strokes of the ten digits in several handwritings. Internal to
 * data/corpora/. */
#ifndef GRADUS_CORPORA_DIGITS_STROKES_H
#define GRADUS_CORPORA_DIGITS_STROKES_H

enum { STROKE_POINTS = 18, VARIANT_STROKES = 2, DIGIT_VARIANTS = 7 };

/* A line through its points, in hundredths of a box, x to the right and y down. It is smooth except
 * for a corner at each point that occurs twice in succession. */
typedef struct {
    int count;
    struct {
        signed char x, y;
    } point[STROKE_POINTS];
} Stroke;

/* One way to write a digit. */
typedef struct {
    int weight; /* its relative frequency among the ways to write the digit; 0: unused */
    int strokes;
    Stroke stroke[VARIANT_STROKES];
} Variant;

extern const Variant digit_variants[10][DIGIT_VARIANTS];

#endif
