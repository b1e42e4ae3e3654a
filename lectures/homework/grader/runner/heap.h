/* heap.h: what a submission has taken of memory (heap.c). */
#ifndef GRADER_HEAP_H
#define GRADER_HEAP_H

#include <stddef.h>

void heap_limit(size_t bytes);
void heap_state(int *blocks, long *bytes);

#endif
