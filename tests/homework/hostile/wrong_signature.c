/* A function of the same name with other arguments.
 * gets: 0
 * allowed: 0
 * says: conflicting types
 */
#include "hw1.h"

void matmul(double *c, int m)
{
    c[0] = m;
}
