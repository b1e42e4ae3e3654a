/* exercises.h: the functions of solutions.c. */
#ifndef LECTURES_BACKPROP_EXERCISES_H
#define LECTURES_BACKPROP_EXERCISES_H

#include "lectures/00-backprop/backprop.h"

/* Of each function to be changed a solution, and mistakes that students make. */
typedef void QuotientBack(double a, double b, double g, double *da, double *db);
QuotientBack quotient_back_solved, quotient_back_wrong_sign, quotient_back_wrong_overwrites;
typedef void SharesBack(const double *x, const double *y, const double *g, int n, double *dx);
SharesBack shares_back_solved, shares_back_wrong_no_mean, shares_back_wrong_no_sum;
typedef double Difference(double (*f)(double), double x, double h);
Difference difference_solved, difference_wrong_half_step, difference_wrong_average;

#endif
