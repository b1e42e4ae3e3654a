/* kernel_sets.h: the names of all kernel sets. */
#ifndef GRADUS_TESTS_KERNEL_SETS_H
#define GRADUS_TESTS_KERNEL_SETS_H

/* The reference first; test_kernel_sets.c compares the library's. */
enum { KERNEL_SETS = 4 };
extern const char *const kernel_sets[KERNEL_SETS];

#endif
