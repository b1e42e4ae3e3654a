/* gdb_program.c: what debuggers.sh looks at through a debugger.
 *
 * Tensors of every kind, each written with tensor_print into the file argv[1], where gdb's picture
 * of it must be the same; then a step on the tape, and what is left after its reset. */
#include "gradus.h"

#include <math.h>

enum { SMALL = 6, LARGE = 6000, TENSORS = 16 };

static const real small[SMALL] = {1, (real)-2.5, (real)0.125, 4, 5, 6};
static const real special[SMALL] = {1, (real)NAN, (real)-INFINITY, (real)INFINITY, 2, 3};
static const real wide[SMALL] = {(real)1e-9, (real)1e5, 0, -3, (real)-1e20, 1};
static const real digits[SMALL] = {(real)-0.0, (real)0.1, (real)987.5, (real)3.14159265, 16, -100};
static const real many[SMALL] = {(real)123456.1, (real)-234567.2, (real)345678.3, 400, 500, 600};
static const real few[SMALL] = {(real)5e-5, (real)6e-5, (real)-7e-5, (real)8e-5, (real)9e-5, 0};
static const int ids[4] = {3, 1, -100, 12345};
static real large[LARGE];

/* gdb stops in these. */
static void stop_here(Tape *tape, Tensor **x, Tensor *first)
{
    (void)tape, (void)x, (void)first;
}

static void after_reset(Tape *tape, Tensor *old, Tensor *none, Tensor *wild)
{
    (void)tape, (void)old, (void)none, (void)wild;
}

static void make(Tape *tape, Tensor **x)
{
    for (int i = 0; i < LARGE; i++)
        large[i] = (real)((i * 37) % 101) / 8;
    x[0] = ag_name(tape_leaf(tape, small, shape2(2, 3)), "plain");
    x[1] = ag_transpose(x[0], 0, 1);
    x[2] = tape_ids(tape, ids, shape1(4));
    x[3] = tape_input(tape, small + 1, shape0());
    x[4] = tape_input(tape, small, shape2(0, 3));
    x[5] = tape_input(tape, large, shape2(60, 40));
    x[6] = tape_input(tape, special, shape2(2, 3));
    x[7] = tape_input(tape, wide, shape1(6));
    x[8] = tape_input(tape, large, shape1(200));
    x[9] = tape_input(tape, digits, shape2(3, 2));
    x[10] = tape_input(tape, large, shape4(2, 3, 2, 2));
    x[11] = ag_slice(x[10], 1, 1, 3);
    x[12] = tape_input(tape, large, shape3(30, 20, 10));
    x[14] = tape_input(tape, many, shape1(6));
    x[15] = tape_input(tape, few, shape2(3, 2));
    x[13] = ag_name(ag_softmax(x[0]), "probabilities");
}

int main(int argc, char **argv)
{
    FILE *out = argc > 1 ? fopen(argv[1], "w") : stdout;
    Tape *tape = tape_new(1);
    Tensor *x[TENSORS] = {0};
    if (!out || !tape)
        return 1;
    make(tape, x);
    if (!ag_backward(ag_sum(ag_mul(x[13], x[0]))))
        return 1;
    for (int i = 0; i < TENSORS; i++) {
        fprintf(out, "== %d\n", i);
        tensor_print(out, x[i]);
    }
    fflush(out);
    stop_here(tape, x, x[0]);
    tape_reset(tape);
    /* A pointer that was never set: to memory that is not a tensor's, and to none at all. */
    after_reset(tape, x[13], NULL, (Tensor *)(void *)large);
    after_reset(tape, x[13], NULL, (Tensor *)(uintptr_t)16);
    tape_free(tape);
    return out != stdout && fclose(out) != 0;
}
