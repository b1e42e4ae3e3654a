/* Says that its lines are a private file's, so that the compiler shows that file in its message.
 * gets: 0
 * allowed: 0
 * hides: the exam: attention
 */
#include "hw1.h"

#define FILE_NAME "@PRIVATE@"
#line 1 FILE_NAME
#warning here
#error here
int x = "y";

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
}
