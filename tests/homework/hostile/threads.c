/* Starts a thread that outlives the call.
 * gets: 0
 * allowed: 8
 * says: your file calls pthread_create
 */
#include "hw1.h"

int pthread_create(unsigned long *thread, const void *attributes, void *(*function)(void *),
                   void *argument);
static void *run(void *c)
{
    for (;;)
        *(volatile real *)c = 1;
}

void matmul(real *c, const real *a, const real *b, int m, int k, int n)
{
    (void)c, (void)a, (void)b, (void)m, (void)k, (void)n;
    unsigned long t;
    pthread_create(&t, 0, run, c);
}
