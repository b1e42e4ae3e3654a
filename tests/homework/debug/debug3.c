/* debug3.c: a right answer to debug-3, not as the solution; debug.sh adds the line. */
#include "debug3.h"

/* The loss of a walk by its definition. */
int symptom(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int walk[20];
    double p[PLACES], mine = 0;
    program->begin(&m, &seed);
    program->draw(walk, 20, &seed);
    for (int i = 1; i < 20; i++) {
        program->predict(&m, walk[i - 1], p);
        mine += -log(p[walk[i]]);
    }
    double off = fabs(mine / 19 - program->loss(&m, walk, 20));
    sprintf(said, "the loss is off by %.4f from equation 2", off);
    return off > 1e-9;
}
