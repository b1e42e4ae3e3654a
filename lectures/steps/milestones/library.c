/* library.c: see library.h. */
#include "library.h"

#include "examples/common/options.h"

int largest(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

bool agrees(const float *x, Tensor *library, double most)
{
    const Tensor *yours = tape_input(library->tape, x, library->shape);
    const char *difference = tensor_difference(yours, library, 0, most);
    printf("compared with what the library computes, to within %g: %s\n", most,
           difference ? difference : "equal");
    return !difference;
}

void print_pictures(const float *x, int n, int side)
{
    for (int i = 0; i < side; i += 2) {
        for (int j = 0; j < n * side; j++)
            putchar(" .:+#"[(int)(4.99f * x[(j / side * side + i) * side + j % side])]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    example_exit_on_error();
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    bool reached = milestone(p, tape, argc > 1 ? argv[1] : "");
    tape_free(tape);
    params_free(p);
    return !reached;
}
