/* kit.h: what an instructor needs to give one of the lectures. */
#ifndef LECTURES_KIT_H
#define LECTURES_KIT_H

#include "lectures/steps/steps.h"

enum { KIT_FIGURES = 160, KIT_NAME = 80, KIT_ROWS = 100 };

typedef struct {
    char letter; /* of the lecture */
    const char *title;
    char folder[STEP_PATH]; /* OUT/V          */
    uint64_t seed;
    bool quiet;
    double seconds[KIT_ROWS]; /* of all claims of a row; 0: not run */
    struct {
        const Figure *figure;
        char name[KIT_NAME]; /* "01-map" */
    } figures[KIT_FIGURES];
    int figure_count;
} Kit;

#endif
