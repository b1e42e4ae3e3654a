/* digits.c: images of digits that look handwritten: strokes, deformed at random and drawn with a
 * round pen.
 *
 *   strokes -> each point displaced at random -> a smooth line -> elastic deformation, shear, rotation, stretch
 *           -> fitted into 20 x 20 -> drawn with a round pen -> centred by its centre of mass in 28 x 28
 *
 * Size and position are those of MNIST (yann.lecun.com/exdb/mnist). Image i is a function of (seed,
 * i) alone. */
#include "data/corpora/corpora.h"
#include "data/corpora/digits_strokes.h"
#include "data/null.h"
#include "tensor/memory.h"

#include <math.h>
#include <string.h>

enum { SIDE = DATA_DIGIT_SIDE, BOX = 20, PER_SPAN = 6, LINE_POINTS = STROKE_POINTS * PER_SPAN };

/* The amounts of randomness: standard deviations, unless the comment says otherwise. */
#define JITTER  0.040 /* of a point, in heights                       */
#define ELASTIC 0.045 /* of the elastic deformation, in heights       */
#define SHEAR   0.22  /* heights to the right for a height            */
#define LEAN    0.12  /* its mean                                     */
#define TURN    0.10  /* radians                                      */
#define STRETCH 0.20  /* of the logarithm of the width                */
#define SOFT    0.50  /* pixels from ink to paper at the pen's edge   */

typedef struct {
    double x, y;
} Point;

/* The path of the pen, with half the pen's width at each point. */
typedef struct {
    int count;
    Point at[LINE_POINTS];
    double pen[LINE_POINTS];
} Line;

typedef struct {
    int lines;
    Line line[VARIANT_STROKES];
} Drawing;

/* ---- from points to lines -------------------------------------------------------------------- */

/* A Catmull-Rom spline: through b and c, with the slopes that a and d give it. 0 <= t < 1. */
static double between(double a, double b, double c, double d, double t)
{
    double slope = (c - a) / 2, next = (d - b) / 2;
    return ((2 * (b - c) + slope + next) * t + 3 * (c - b) - 2 * slope - next) * t * t + slope * t +
           b;
}

static void add(Line *l, Point p)
{
    if (l->count < LINE_POINTS)
        l->at[l->count++] = p;
}

/* A smooth line through p[0 .. n-1]. */
static void add_smooth(Line *l, const Point *p, int n)
{
    for (int i = 0; i + 1 < n; i++) {
        Point a = p[i > 0 ? i - 1 : 0], b = p[i], c = p[i + 1], d = p[i + 2 < n ? i + 2 : n - 1];
        for (int k = 0; k < PER_SPAN; k++) {
            double t = (double)k / PER_SPAN;
            add(l, (Point){between(a.x, b.x, c.x, d.x, t), between(a.y, b.y, c.y, d.y, t)});
        }
    }
    add(l, p[n - 1]);
}

static bool same(const Stroke *s, int i, int j)
{
    return s->point[i].x == s->point[j].x && s->point[i].y == s->point[j].y;
}

/* A stroke with each of its points moved; a corner stays one. */
static void add_stroke(Line *l, const Stroke *s, Rng *rng)
{
    Point p[STROKE_POINTS];
    int begin = 0;
    for (int i = 0; i < s->count; i++) {
        bool corner = i > 0 && same(s, i - 1, i);
        double dx = JITTER * rng_normal(rng), dy = JITTER * rng_normal(rng);
        p[i] = corner ? p[i - 1]
                      : (Point){0.8 * (s->point[i].x / 100.0 - 0.5) + dx,
                                s->point[i].y / 100.0 - 0.5 + dy};
        if (corner) {
            add_smooth(l, p + begin, i - begin);
            begin = i;
        }
    }
    add_smooth(l, p + begin, s->count - begin);
}

static const Variant *choose(int label, Rng *rng)
{
    const Variant *all = digit_variants[label];
    int64_t sum = 0;
    for (int i = 0; i < DIGIT_VARIANTS; i++)
        sum += all[i].weight;
    int64_t at = rng_below(rng, sum);
    while (at >= all->weight)
        at -= all++->weight;
    return all;
}

/* ---- deformation ----------------------------------------------------------------------------- */

/* A field of displacements: three waves, each longer than half a digit. */
enum { WAVES = 3 };
typedef struct {
    double kx[WAVES], ky[WAVES], phase[WAVES], dx[WAVES], dy[WAVES];
} Field;

static void draw_field(Field *f, Rng *rng)
{
    for (int i = 0; i < WAVES; i++) {
        f->kx[i] = 4 * rng_normal(rng);
        f->ky[i] = 4 * rng_normal(rng);
        f->phase[i] = 6.283185307179586 * rng_uniform(rng);
        f->dx[i] = ELASTIC * rng_normal(rng);
        f->dy[i] = ELASTIC * rng_normal(rng);
    }
}

/* The deformation of all points of one digit. */
typedef struct {
    Field field;
    double xx, xy, yx, yy; /* the matrix of shear, rotation and stretch */
} Change;

static void draw_change(Change *c, Rng *rng)
{
    double shear = LEAN + SHEAR * rng_normal(rng), angle = TURN * rng_normal(rng);
    double wide = exp(STRETCH * rng_normal(rng));
    draw_field(&c->field, rng);
    c->xx = cos(angle) * wide;
    c->xy = -cos(angle) * shear - sin(angle);
    c->yx = sin(angle) * wide;
    c->yy = -sin(angle) * shear + cos(angle);
}

static Point changed(const Change *c, Point p)
{
    Point q = p;
    for (int i = 0; i < WAVES; i++) {
        double wave = sin(c->field.kx[i] * p.x + c->field.ky[i] * p.y + c->field.phase[i]);
        q.x += c->field.dx[i] * wave;
        q.y += c->field.dy[i] * wave;
    }
    return (Point){c->xx * q.x + c->xy * q.y, c->yx * q.x + c->yy * q.y};
}

/* Scales the drawing, with the pen's width around it, so that its longer side fills the box. */
static void fit(Drawing *d, double pen)
{
    Point low = {1e9, 1e9}, high = {-1e9, -1e9};
    for (int l = 0; l < d->lines; l++)
        for (int i = 0; i < d->line[l].count; i++) {
            Point p = d->line[l].at[i];
            low = (Point){fmin(low.x, p.x), fmin(low.y, p.y)};
            high = (Point){fmax(high.x, p.x), fmax(high.y, p.y)};
        }
    double scale = (BOX - 2 * pen) / fmax(fmax(high.x - low.x, high.y - low.y), 1e-6);
    for (int l = 0; l < d->lines; l++)
        for (int i = 0; i < d->line[l].count; i++) {
            Point *p = &d->line[l].at[i];
            p->x = SIDE / 2.0 + scale * (p->x - (low.x + high.x) / 2);
            p->y = SIDE / 2.0 + scale * (p->y - (low.y + high.y) / 2);
        }
}

/* Varies the pen's width along the line by a fifth. */
static void press(Line *l, double pen, Rng *rng)
{
    double phase = 6.283185307179586 * rng_uniform(rng), waves = 1 + 2 * rng_uniform(rng);
    for (int i = 0; i < l->count; i++)
        l->pen[i] = pen * (1 + 0.2 * sin(phase + 6.283185307179586 * waves * i / l->count));
}

/* ---- ink ------------------------------------------------------------------------------------- */

/* The distance of p from the line between a and b; *t is where, 0 at a and 1 at b. */
static double distance(Point p, Point a, Point b, double *t)
{
    double x = b.x - a.x, y = b.y - a.y, length = x * x + y * y;
    double along = length > 0 ? ((p.x - a.x) * x + (p.y - a.y) * y) / length : 0;
    *t = fmin(fmax(along, 0), 1);
    return hypot(p.x - a.x - *t * x, p.y - a.y - *t * y);
}

/* A pixel keeps the darkest ink of all lines: crossing lines do not add up. */
static void ink_piece(double ink[SIDE][SIDE], const Line *l, int i)
{
    Point a = l->at[i], b = l->at[i + 1];
    double reach = fmax(l->pen[i], l->pen[i + 1]) + SOFT;
    int left = (int)fmax(fmin(a.x, b.x) - reach, 0), top = (int)fmax(fmin(a.y, b.y) - reach, 0);
    int right = (int)fmin(fmax(a.x, b.x) + reach, SIDE - 1);
    int bottom = (int)fmin(fmax(a.y, b.y) + reach, SIDE - 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            double t, far = distance((Point){x + 0.5, y + 0.5}, a, b, &t);
            double pen = l->pen[i] + t * (l->pen[i + 1] - l->pen[i]);
            double dark = fmin(fmax(0.5 + (pen - far) / (2 * SOFT), 0), 1);
            ink[y][x] = fmax(ink[y][x], dark);
        }
}

/* The distance of the centre of mass from the middle, in whole pixels. */
static void off_centre(double ink[SIDE][SIDE], int *right, int *down)
{
    double mass = 0, x_mass = 0, y_mass = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            mass += ink[y][x];
            x_mass += ink[y][x] * (x + 0.5);
            y_mass += ink[y][x] * (y + 0.5);
        }
    *right = mass > 0 ? (int)lround(x_mass / mass - SIDE / 2.0) : 0;
    *down = mass > 0 ? (int)lround(y_mass / mass - SIDE / 2.0) : 0;
}

static void to_bytes(double ink[SIDE][SIDE], uint8_t *bytes)
{
    int right, down;
    off_centre(ink, &right, &down);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int from_x = x + right, from_y = y + down;
            bool inside = from_x >= 0 && from_x < SIDE && from_y >= 0 && from_y < SIDE;
            bytes[y * SIDE + x] = inside ? (uint8_t)lround(255 * ink[from_y][from_x]) : 0;
        }
}

/* ---- a digit --------------------------------------------------------------------------------- */

static int draw_digit(uint8_t *bytes, uint64_t seed, int64_t index)
{
    Rng rng = {.seed = rng_hash(seed, "data_digits"), .stream = (uint64_t)index};
    double ink[SIDE][SIDE] = {{0}};
    Drawing d = {0};
    Change change;
    int label = (int)rng_below(&rng, 10);
    const Variant *v = choose(label, &rng);
    double pen = fmin(fmax(1.15 * exp(0.28 * rng_normal(&rng)), 0.6), 2.4);
    draw_change(&change, &rng);
    for (; d.lines < v->strokes; d.lines++) {
        Line *l = &d.line[d.lines];
        add_stroke(l, &v->stroke[d.lines], &rng);
        press(l, pen, &rng);
        for (int i = 0; i < l->count; i++)
            l->at[i] = changed(&change, l->at[i]);
    }
    fit(&d, pen);
    for (int l = 0; l < d.lines; l++)
        for (int i = 0; i + 1 < d.line[l].count; i++)
            ink_piece(ink, &d.line[l], i);
    to_bytes(ink, bytes);
    return label;
}

bool data_digits(Images *m, uint64_t seed, int64_t first, int64_t count)
{
    if (!m)
        return null_fail("data_digits", "images");
    *m = (Images){0};
    if (first < 0 || count < 1 || count > DATA_DIGITS_MAX || first > INT64_MAX - count)
        return tensor_fail(
            "data_digits: found first %lld, count %lld; expected 0 or more, and 1 to %d",
            (long long)first, (long long)count, DATA_DIGITS_MAX);
    m->bytes = mem_alloc((size_t)count * SIDE * SIDE);
    m->labels = mem_alloc((size_t)count * sizeof *m->labels);
    if (!m->bytes || !m->labels) {
        data_images_free(m);
        return false;
    }
    m->shape = shape3(count, SIDE, SIDE);
    for (int64_t i = 0; i < count; i++)
        m->labels[i] = draw_digit(m->bytes + i * SIDE * SIDE, seed, first + i);
    return true;
}
