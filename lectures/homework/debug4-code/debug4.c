/* debug4.c: the wrong line of program.c, and a test that shows its symptom. README.md says what is
 * asked. You may add static functions of your own. */
#include "debug4.h"

int wrong_line(void)
{
    /* BEGIN SOLUTION: the number of the line */
    int line = 35;
    return line;
    /* END SOLUTION */
}

int symptom(const Program *program, unsigned seed, char said[SAID])
{
    /* BEGIN SOLUTION: call functions of the program, measure a number that is wrong, say it and
     * decide */
    /* A decoder that ignores z: then a mean of z that moves away from 0 costs mean^2 / 2. */
    Model m = {0, 0, 0};
    double x = 1 + uniform(&seed), mean = tanh(1) * x;
    double least = program->loss(&m, x, 0);
    m.look = 1;
    double more = program->loss(&m, x, 0) - least;
    snprintf(said, SAID, "a mean of %.2f in place of 0 costs %.3f nats; mean^2 / 2 = %.3f", mean,
             more, mean * mean / 2);
    int found = more < 0;
    return found;
    /* END SOLUTION */
}
