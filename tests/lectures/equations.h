/* equations.h: computes what a solution of an exam prints. */
#ifndef GRADUS_TESTS_EQUATIONS_H
#define GRADUS_TESTS_EQUATIONS_H

/* Checks the equations between numbers in a text, such as $`(3 + 1)/2 = 2`$; returns how many it
 * has. kind: for messages. */
int check_equations(const char *kind, const char *text);

#endif
