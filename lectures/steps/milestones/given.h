/* given.h: what a milestone reads: the weights of an example, its input, and what the library
 * computes for it.
 *
 * The file is text: a name, how many numbers follow, and the numbers, again and again. */
#ifndef MILESTONES_GIVEN_H
#define MILESTONES_GIVEN_H

/* Reads the file that argv[1] names. What is missing in it ends the program. */
void given_open(int argc, char **argv);

/* The numbers of that name, printf-style: "blocks.%d.norm1.weight". */
const float *given(const char *format, ...);
int given_int(const char *name, int i); /* number i of them */

/* Prints number `i` of the texts of that name: given_print("word%d", 3). */
void given_print(const char *format, int i);

/* The index of the largest of n numbers. */
int largest(const float *x, int n);

/* Prints how far x is at most from the library's numbers of that name; true if that is less than
 * `most`. */
int agrees(const float *x, const char *name, double most);

#endif
