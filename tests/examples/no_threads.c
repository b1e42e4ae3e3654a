/* no_threads.c: loaded before a program (LD_PRELOAD), it lets the start of every thread fail, as on
 * a machine whose limit of threads is reached. */
#include <errno.h>
#include <pthread.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *context)
{
    (void)thread, (void)attributes, (void)start, (void)context;
    return EAGAIN;
}
