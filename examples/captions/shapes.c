/* shapes.c: drawn pictures of two shapes, and a recogniser that reads them without any model. See
 * shapes.h. */
#include "examples/captions/shapes.h"

#include <string.h>

#define NOISE 0.02

const int value_count[ATTRIBUTES] = {SIZES, SHADES, FORMS, ROWS, COLUMNS};

enum { RING = 1, TRIANGLE = 2, DARK = 0, WHITE = 3, SIDE_MAX = 7 };
static const int side_of_size[SIZES] = {5, 7};
static const double level_of_shade[SHADES] = {0.3, 0.53, 0.77, 1};

/* Rows of each form; '#' is painted. */
static const char *const drawn[SIZES][FORMS][SIDE_MAX] = {
    {{"#####", "#####", "#####", "#####", "#####"},
     {".###.", "#...#", "#...#", "#...#", ".###."},
     {"..#..", ".###.", ".###.", "#####", "#####"},
     {"..#..", "..#..", "#####", "..#..", "..#.."},
     {"..#..", ".###.", "#####", ".###.", "..#.."},
     {".....", "#####", "#####", "#####", "....."}},
    {{"#######", "#######", "#######", "#######", "#######", "#######", "#######"},
     {"..###..", ".#####.", "##...##", "##...##", "##...##", ".#####.", "..###.."},
     {"...#...", "..###..", "..###..", ".#####.", ".#####.", "#######", "#######"},
     {"..###..", "..###..", "#######", "#######", "#######", "..###..", "..###.."},
     {"...#...", "..###..", ".#####.", "#######", ".#####.", "..###..", "...#..."},
     {".......", ".......", "#######", "#######", "#######", ".......", "......."}},
};

/* ---- scenes ---------------------------------------------------------------------------------- */

bool pair_held_out(int form, int shade)
{
    return (form == TRIANGLE && shade == WHITE) || (form == RING && shade == DARK);
}

bool object_held_out(const Object *object)
{
    return pair_held_out(object->value[FORM], object->value[SHADE]);
}

bool objects_equal(const Object *a, const Object *b)
{
    return memcmp(a->value, b->value, sizeof a->value) == 0;
}

int object_quadrant(const Object *object)
{
    return object->value[ROW] * COLUMNS + object->value[COLUMN];
}

static void object_paint(const Object *object, real pixels[PIXELS])
{
    int side = side_of_size[object->value[SIZE]], border = (QUADRANT_SIDE - side) / 2;
    int top = object->value[ROW] * QUADRANT_SIDE + border + object->dy;
    int left = object->value[COLUMN] * QUADRANT_SIDE + border + object->dx;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            if (drawn[object->value[SIZE]][object->value[FORM]][y][x] == '#')
                pixels[(top + y) * SIDE + left + x] = (real)level_of_shade[object->value[SHADE]];
}

/* Two numbers below n that differ. */
static void draw_two(Rng *rng, int n, int two[2])
{
    two[0] = (int)rng_below(rng, n);
    two[1] = (int)rng_below(rng, n - 1);
    two[1] += two[1] >= two[0];
}

static void draw_objects(Object object[2], Rng *rng)
{
    int form[2], shade[2], quadrant[2];
    draw_two(rng, FORMS, form);
    draw_two(rng, SHADES, shade);
    draw_two(rng, QUADRANTS, quadrant);
    bool swap = quadrant[0] > quadrant[1];
    for (int k = 0; k < 2; k++) {
        int at = quadrant[swap ? 1 - k : k];
        int size = (int)rng_below(rng, SIZES), dx = (int)rng_below(rng, 2);
        object[k] = (Object){.value = {size, shade[k], form[k], at / COLUMNS, at % COLUMNS},
                             .dx = dx,
                             .dy = (int)rng_below(rng, 2)};
    }
}

void scene_draw(Scene *s, Rng *rng, bool held_out)
{
    do
        draw_objects(s->object, rng);
    while (object_held_out(&s->object[0]) + object_held_out(&s->object[1]) != held_out);
    memset(s->pixels, 0, sizeof s->pixels);
    for (int k = 0; k < 2; k++)
        object_paint(&s->object[k], s->pixels);
    for (int i = 0; i < PIXELS; i++)
        s->pixels[i] += (real)(NOISE * rng_normal(rng));
}

/* ---- the recogniser -------------------------------------------------------------------------- */

static double distance_in_quadrant(const real *a, const real *b, int row, int column)
{
    double sum = 0;
    for (int y = row * QUADRANT_SIDE; y < (row + 1) * QUADRANT_SIDE; y++)
        for (int x = column * QUADRANT_SIDE; x < (column + 1) * QUADRANT_SIDE; x++) {
            double off = (double)a[y * SIDE + x] - (double)b[y * SIDE + x];
            sum += off * off;
        }
    return sum;
}

/* The nearest of the 192 drawings, or false: the empty quadrant is nearest, or a pixel is no
 * number. */
static bool recognise_quadrant(const real *pixels, int row, int column, Object *best)
{
    real empty[PIXELS] = {0};
    double least = distance_in_quadrant(pixels, empty, row, column);
    bool found = false;
    for (int i = 0; i < SIZES * SHADES * FORMS * 4; i++) {
        Object object = {.value = {i / 4 % SIZES, i / 4 / SIZES % SHADES, i / 4 / SIZES / SHADES,
                                   row, column},
                         .dx = i % 2,
                         .dy = i / 2 % 2};
        real painted[PIXELS] = {0};
        object_paint(&object, painted);
        double distance = distance_in_quadrant(pixels, painted, row, column);
        if (distance < least) {
            least = distance;
            *best = object;
            found = true;
        }
    }
    return found;
}

/* The recogniser, which knows the drawings and not the model: in each quadrant the nearest of all
 * 192 drawings and of the empty one, by squared distance. Writes the first two objects that it
 * finds and returns how many there are. */
static int scene_recognise(const real pixels[PIXELS], Object found[2])
{
    int count = 0;
    for (int q = 0; q < QUADRANTS; q++) {
        Object object;
        if (recognise_quadrant(pixels, q / COLUMNS, q % COLUMNS, &object) && count++ < 2)
            found[count - 1] = object;
    }
    return count;
}

bool scene_shows(const real pixels[PIXELS], const Object object[2])
{
    Object found[2];
    return scene_recognise(pixels, found) == 2 && objects_equal(&found[0], &object[0]) &&
           objects_equal(&found[1], &object[1]);
}
