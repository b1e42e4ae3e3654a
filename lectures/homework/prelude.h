/* What holds in all homeworks, unless a comment says otherwise. Arrays are stored row by row:
 * element (b, i, j) of a (batch, n, m) array x is x[(b * n + i) * m + j]. Sizes are at least 1. A
 * forward function sets every element of its result; a backward function ADDS to the gradients that
 * it is given, because an input that is used twice gets gradient from both uses. A function does
 * not change what is const, and frees what it allocates.
 *
 * The grader compiles your file twice: values with float, gradients with double. Write real. */
#ifdef GRADUS_F64
typedef double real;
#else
typedef float real;
#endif

#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif
