/* mailboxes.c: see mailboxes.h. A message is copied when it is sent, and taken by whoever waits for
 * one from this sender with this number; those of one sender and number arrive in order. */
#include "tests/nn/mailboxes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Message {
    struct Message *next;
    int from, to, number;
    int64_t count;
    real numbers[];
} Message;

/* What a process awaits. */
typedef struct {
    int with;
    real *receive;
    int64_t count;
    bool under_way;
} Awaited;

typedef struct Mailboxes Mailboxes;

enum { NUMBERS = 4096 };

typedef struct {
    Mailboxes *boxes;
    Group group;
    void *context;
    int64_t sent;
    int begun;
    Awaited awaited[NUMBERS];
} Process;

struct Mailboxes {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    Message *first;
    ProcessBody body;
    int fail_after;
    bool broken; /* a process failed: nothing arrives any more */
};

static bool begin(void *context, int number, int with, const real *send, int64_t sent,
                  real *receive, int64_t received)
{
    Process *p = context;
    Mailboxes *boxes = p->boxes;
    const size_t bytes = (size_t)sent * sizeof *send;
    Message *m = malloc(sizeof *m + bytes), **end = &boxes->first;
    const bool fails = p->group.rank == p->group.size - 1 && p->begun == boxes->fail_after;
    pthread_mutex_lock(&boxes->lock);
    boxes->broken |= fails || !m || number < 0 || number >= NUMBERS;
    const bool ok = !boxes->broken;
    if (ok) {
        *m = (Message){.from = p->group.rank, .to = with, .number = number, .count = sent};
        memcpy(m->numbers, send, bytes);
        while (*end)
            end = &(*end)->next;
        *end = m;
        p->awaited[number] = (Awaited){with, receive, received, true};
        p->sent += sent;
        p->begun++;
    } else
        free(m);
    pthread_cond_broadcast(&boxes->arrived);
    pthread_mutex_unlock(&boxes->lock);
    return ok || tensor_fail("mailboxes: a message could not be sent; expected it to be");
}

static Message **find(Mailboxes *boxes, int from, int to, int number)
{
    for (Message **m = &boxes->first; *m; m = &(*m)->next)
        if ((*m)->from == from && (*m)->to == to && (*m)->number == number)
            return m;
    return NULL;
}

static bool ended(void *context, int number, bool wait, bool *has_ended)
{
    Process *p = context;
    Mailboxes *boxes = p->boxes;
    Awaited *a = &p->awaited[number];
    Message **found, *m = NULL;
    pthread_mutex_lock(&boxes->lock);
    while (!(found = find(boxes, a->with, p->group.rank, number)) && wait && !boxes->broken)
        pthread_cond_wait(&boxes->arrived, &boxes->lock);
    if (found) {
        m = *found;
        *found = m->next;
    }
    bool ok = found ? m->count == a->count && a->under_way : !boxes->broken;
    pthread_mutex_unlock(&boxes->lock);
    *has_ended = m != NULL;
    if (m && ok)
        memcpy(a->receive, m->numbers, (size_t)m->count * sizeof *m->numbers);
    a->under_way = a->under_way && !m;
    free(m);
    return ok || tensor_fail("mailboxes: another message than the awaited one, or none; expected "
                             "one of the same length");
}

static void *run_process(void *context)
{
    Process *p = context;
    p->boxes->body(&p->group, p->context);
    return NULL;
}

bool mailboxes_run(int size, ProcessBody body, void *contexts, size_t bytes, int64_t *sent,
                   int fail_after)
{
    Mailboxes boxes = {.lock = PTHREAD_MUTEX_INITIALIZER,
                       .arrived = PTHREAD_COND_INITIALIZER,
                       .body = body,
                       .fail_after = fail_after};
    Process *p = calloc((size_t)size, sizeof *p);
    pthread_t thread[MAILBOX_PROCESSES];
    int started = 0;
    for (int i = 0; p && i < size; i++) {
        p[i].boxes = &boxes;
        p[i].group = (Group){i, size, &p[i], begin, ended, NULL, NULL};
        p[i].context = (char *)contexts + (size_t)i * bytes;
    }
    while (p && started < size && !pthread_create(&thread[started], NULL, run_process, &p[started]))
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; sent && i < started; i++)
        sent[i] = p[i].sent;
    while (boxes.first) {
        Message *m = boxes.first;
        boxes.first = m->next;
        free(m);
    }
    free(p);
    return started == size;
}
