/* library.c: see library.h. */
#include "library.h"

#include <math.h>

int largest(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

bool agrees(const float *x, const float *library, int64_t n, double most)
{
    double far = 0;
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)x[i] - library[i]) <= far)) /* NaN, too */
            far = fabs((double)x[i] - library[i]);
    printf("at most %.1g from what the library computes; expected less than %g\n", far, most);
    return far < most;
}

void print_pictures(const float *x, int n, int side, int down)
{
    for (int i = 0; i < side; i += down) {
        for (int j = 0; j < n * side; j++)
            putchar(" .:+#"[(int)(4.99f * x[(j / side * side + i) * side + j % side])]);
        putchar('\n');
    }
}
