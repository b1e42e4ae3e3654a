/* mailboxes.c: see mailboxes.h. A process offers its numbers, and copies what the other one offers
 * to it; the exchange is over when both have copied. */
#include "tests/nn/mailboxes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Mailboxes Mailboxes;

typedef struct {
    Mailboxes *boxes;
    Group group;
    void *context;
    int begun;
    const real *numbers; /* its offer ... */
    int64_t count;
    int to; /* ... to this process; NOBODY: there is none, or it was taken */
} Process;
enum { NOBODY = -1 };

struct Mailboxes {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Process *process;
    ProcessBody body;
    int fail_after;
    bool broken; /* a process failed: nothing arrives any more */
};

static bool exchange(void *context, int with, const real *send, int64_t sent, real *receive,
                     int64_t received)
{
    Process *p = context;
    Mailboxes *boxes = p->boxes;
    Process *other = &boxes->process[with];
    pthread_mutex_lock(&boxes->lock);
    boxes->broken |= p->group.rank == p->group.size - 1 && p->begun++ == boxes->fail_after;
    p->numbers = send;
    p->count = sent;
    p->to = with;
    pthread_cond_broadcast(&boxes->changed);
    while (other->to != p->group.rank && !boxes->broken)
        pthread_cond_wait(&boxes->changed, &boxes->lock);
    boxes->broken |= other->count != received;
    if (!boxes->broken)
        memcpy(receive, other->numbers, (size_t)received * sizeof *receive);
    other->to = NOBODY;
    pthread_cond_broadcast(&boxes->changed);
    while (p->to == with && !boxes->broken)
        pthread_cond_wait(&boxes->changed, &boxes->lock);
    const bool ok = !boxes->broken;
    pthread_mutex_unlock(&boxes->lock);
    return ok || tensor_fail("mailboxes: numbers could not be exchanged; expected them to be");
}

static void *run_process(void *context)
{
    Process *p = context;
    p->boxes->body(&p->group, p->context);
    return NULL;
}

bool mailboxes_run(int size, ProcessBody body, void *contexts, size_t bytes, int fail_after)
{
    Mailboxes boxes = {.lock = PTHREAD_MUTEX_INITIALIZER,
                       .changed = PTHREAD_COND_INITIALIZER,
                       .body = body,
                       .fail_after = fail_after};
    Process *p = boxes.process = calloc((size_t)size, sizeof *p);
    pthread_t thread[MAILBOX_PROCESSES];
    int started = 0;
    for (int i = 0; p && i < size; i++) {
        p[i].boxes = &boxes;
        p[i].group = (Group){i, size, &p[i], exchange, NULL, NULL};
        p[i].to = NOBODY;
        p[i].context = (char *)contexts + (size_t)i * bytes;
    }
    while (p && started < size && !pthread_create(&thread[started], NULL, run_process, &p[started]))
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    free(p);
    return started == size;
}
