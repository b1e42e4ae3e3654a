/* debug5.c: five right answers to debug-5, in different styles; answers.sh hands in each. */
#include "debug5.h"

/* 1. The same point twice. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int differ = 0;
    program->begin(&m, &seed);
    for (int i = 0; i < 30; i++) {
        double x[2];
        program->draw(x, &seed);
        differ += program->predict(&m, x, &seed) != program->predict(&m, x, &seed);
    }
    snprintf(said, SAID, "%d of 30 points get two answers", differ);
    return differ > 0;
}

/* 2. The prediction by its definition. */
int style_2(const Program *program, unsigned seed, char said[SAID])
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

/* 3. A prediction needs no random number. */
int style_3(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    double x[2] = {0.3, 0.4};
    program->begin(&m, &seed);
    unsigned noise = 77;
    program->predict(&m, x, &noise);
    snprintf(said, SAID, "the state of the random numbers went from 77 to %u", noise);
    return noise != 77;
}

/* 4. The deviation of 200 predictions of a trained model. */
int style_4(const Program *program, unsigned seed, char said[SAID])
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

/* 5. One unit alone: dropped, it leaves the shift. */
int style_5(const Program *program, unsigned seed, char said[SAID])
{
    Model m = {.shift = -1};
    const double x[2] = {1, 1};
    int dropped = 0;
    m.in[0][0] = 1;
    m.out[0] = 5;
    for (int i = 0; i < 100; i++)
        if (program->predict(&m, x, &seed) < 0.5)
            dropped++;
    snprintf(said, SAID, "%d of 100 times the unit is missing", dropped);
    if (dropped)
        return 1;
    return 0;
}
