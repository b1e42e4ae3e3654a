/* exchange.h: the sum of an array over the processes of a group (internal, for slices.c). */
#ifndef NN_EXCHANGE_H
#define NN_EXCHANGE_H

#include "nn/slices.h"

/* The sum of an array over the processes of a group. */
typedef struct {
    int number;     /* which exchanges at the same time differ in                     */
    int64_t size;   /* of the array                                                   */
    real *sum;      /* (size): this process's numbers, then the sum                   */
    real *received; /* (size / 2, rounded up)                                         */
    int round;      /* the round that is under way, or the next one; 0 begins         */
    bool under_way;
} Exchange;

/* Goes on as far as the other processes allow or, with `wait`, to the end. False after an error. */
bool exchange_go_on(Exchange *e, const Group *g, bool wait);

#endif
