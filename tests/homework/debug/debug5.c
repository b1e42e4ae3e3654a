/* debug5.c: two right answers to debug-5, in different styles; debug.sh hands in each. */
#include "debug5.h"

/* 1. The prediction by its definition. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    double off = 0;
    program->begin(&m, &seed);
    for (int i = 0; i < 10; i++) {
        double x[2], y = m.shift;
        program->draw(x, &seed);
        for (int j = 0; j < UNITS; j++)
            y += m.out[j] * tanh(m.in[j][0] * x[0] + m.in[j][1] * x[1] + m.bias[j]);
        off = fmax(off, fabs(program->predict(&m, x, &seed) - 1 / (1 + exp(-y))));
    }
    sprintf(said, "off by %.4f from equation 2 with f = 1", off);
    return off > 1e-9;
}

/* 2. The deviation of 200 predictions of a trained model. */
int style_2(const Program *program, unsigned seed, char said[SAID])
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
