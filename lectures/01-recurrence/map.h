/* map.h: what the files of row 1 share: the data, whose density is known (map_moons.c), and the
 * chain of a scan (map_ssm.c). map_models.c has the models of the data. */
#ifndef LECTURES_RECURRENCE_MAP_H
#define LECTURES_RECURRENCE_MAP_H

#include "lectures/01-recurrence/recurrence.h"

/* Two half circles of radius 1, on which a position from 0 to 2 pi is uniform, and normal noise of
 * this deviation. */
#define MOONS_NOISE 0.15
#define MOONS_PI    3.14159265358979323846
enum { MOONS_TRAIN = 2000, MOONS_TEST = 4000 };

/* log p at (x_1, x_2), by quadrature over the position. */
double moons_log_p(const real *point);

/* The training points of a seed (MOONS_TRAIN, 2), and other ones to test with (MOONS_TEST, 2). */
const real *moons_training(uint64_t seed);
const real *moons_testing(uint64_t seed);

/* The midpoints of square cells: left + (i + 1/2) step, i < across; bottom + (j + 1/2) step, j <
 * up. */
typedef struct {
    double left, bottom, step;
    int across, up;
} Grid;
/* Writes them as (up across, 2), row by row from the bottom. */
void grid_points(const Grid *g, real *points);

/* For integrals over the plane, and for pictures. */
enum { PLANE_POINTS = 240 * 192, VIEW_POINTS = 76 * 56 };
extern const Grid plane, view;

/* The longest chain of ops of the scan of 512 steps. */
double map_scan_chain(Trial *t);

#endif
