/* debug5.c: the wrong line of program.c, and a test that shows its symptom. README.md says what is
 * asked. You may add static functions of your own. */
#include "debug5.h"

int wrong_line(void)
{
    /* BEGIN SOLUTION: the number of the line */
    int line = 49;
    return line;
    /* END SOLUTION */
}

int symptom(const Program *program, unsigned seed, char said[SAID])
{
    /* BEGIN SOLUTION: call functions of the program, measure a number that is wrong, say it and
     * decide */
    /* The same point, asked twenty times: a trained model has one answer. */
    Model m;
    double x[2], least = 1, most = 0;
    program->begin(&m, &seed);
    program->draw(x, &seed);
    for (int i = 0; i < 20; i++) {
        double p = program->predict(&m, x, &seed);
        least = fmin(least, p);
        most = fmax(most, p);
    }
    snprintf(said, SAID, "one point has probabilities from %.3f to %.3f", least, most);
    int found = most > least;
    return found;
    /* END SOLUTION */
}
