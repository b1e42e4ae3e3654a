/* debug5.c: a right answer to debug-5, not as the solution; debug.sh adds the line. */
#include "debug5.h"

/* The deviation of 200 predictions of a trained model. */
int symptom(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    double x[2], sum = 0, square = 0;
    program->begin(&m, &seed);
    program->train(&m, 100, &seed);
    program->draw(x, &seed);
    x[0] = 0.7, x[1] = 0.7;
    for (int i = 0; i < 200; i++) {
        double p = program->predict(&m, x, &seed);
        sum += p / 200;
        square += p * p / 200;
    }
    double deviation = sqrt(fmax(0, square - sum * sum));
    snprintf(said, SAID, "one point: %.3f +- %.5f", sum, deviation);
    return deviation > 1e-5;
}
