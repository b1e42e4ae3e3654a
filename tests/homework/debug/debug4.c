/* debug4.c: a right answer to debug-4, not as the solution; debug.sh adds the line. */
#include "debug4.h"

/* The mean loss of a trained model, against -log p(x), below which it cannot be. */
int symptom(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    double gap = 0;
    program->begin(&m);
    program->train(&m, 200, &seed);
    for (int i = 0; i < 4000; i++) {
        double x = program->draw(&seed), v = m.write * m.write + NOISE * NOISE;
        gap += (program->loss(&m, x, normal(&seed)) - log(2 * acos(-1) * v) / 2 - x * x / (2 * v)) /
               4000;
    }
    snprintf(said, SAID, "the loss is %.3f above -log p(x)", gap);
    return gap < -0.5;
}
