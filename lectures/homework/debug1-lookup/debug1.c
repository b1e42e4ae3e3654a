/* debug1.c: the wrong line of program.c, and a test that shows its symptom. README.md says what is
 * asked. You may add static functions of your own. */
#include "debug1.h"

int wrong_line(void)
{
    /* BEGIN SOLUTION: the number of the line */
    int line = 22;
    return line;
    /* END SOLUTION */
}

int symptom(const Program *program, unsigned seed, char said[SAID])
{
    /* BEGIN SOLUTION: call functions of the program, measure a number that is wrong, say it and
     * decide */
    /* The mean of the largest of 8 weights, for keys that have nothing to do with the query. */
    double q[256], k[8 * 256], a[8], mean = 0;
    for (int i = 0; i < 100; i++) {
        for (int c = 0; c < 256; c++)
            q[c] = normal(&seed);
        for (int c = 0; c < 8 * 256; c++)
            k[c] = normal(&seed);
        program->weights(a, q, k, 8, 256);
        double largest = 0;
        for (int j = 0; j < 8; j++)
            largest = a[j] > largest ? a[j] : largest;
        mean += largest / 100;
    }
    snprintf(said, SAID, "the largest of 8 weights is %.2f in the mean, of 256 channels", mean);
    int found = mean > 0.7;
    return found;
    /* END SOLUTION */
}
