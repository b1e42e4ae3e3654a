/* peak_loop.h: see peak_loop.c, peak_tiles.c. */
#ifndef GRADUS_BENCH_PEAK_LOOP_H
#define GRADUS_BENCH_PEAK_LOOP_H

/* Runs n rounds and returns the number of floating-point operations. */
double fma_loop_base(long n);
double fma_loop_avx2(long n);
double fma_loop_avx512(long n);

/* The sum of n numbers, 64-byte aligned. */
double read_loop_base(const float *x, long n);
double read_loop_avx2(const float *x, long n);
double read_loop_avx512(const float *x, long n);

#endif
