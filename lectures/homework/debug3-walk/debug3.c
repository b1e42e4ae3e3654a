/* debug3.c: the wrong line of program.c, and a test that shows its symptom. README.md says what is
 * asked. You may add static functions of your own. */
#include "debug3.h"

int wrong_line(void)
{
    /* BEGIN SOLUTION: the number of the line */
    int line = 60;
    return line;
    /* END SOLUTION */
}

int symptom(const Program *program, unsigned seed, char said[SAID])
{
    /* BEGIN SOLUTION: call functions of the program, measure a number that is wrong, say it and
     * decide */
    /* No step of a walk stays where it is: after training its probability must be small. */
    Model m;
    double p[PLACES], stays = 0;
    program->begin(&m, &seed);
    program->train(&m, 200, &seed);
    for (int v = 0; v < PLACES; v++) {
        program->predict(&m, v, p);
        stays += p[v] / PLACES;
    }
    snprintf(said, SAID, "after 200 steps a walk stays where it is with probability %.3f", stays);
    int found = stays > 0.5;
    return found;
    /* END SOLUTION */
}
