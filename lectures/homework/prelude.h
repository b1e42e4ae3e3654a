/* The grader compiles your file twice: values with float, gradients with double. Write real. */
#ifdef GRADUS_F64
typedef double real;
#else
typedef float real;
#endif

#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif
