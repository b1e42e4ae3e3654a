/* list_samples.c: the samples on which all ops are tried, for golden/make_golden.py.
 *
 * One line a sample, tab-separated: op, index, label, oracle, low, high, ids_below, args, shapes,
 * ids, constant. args are joined by commas, shapes as in op_tests.h; ids and constant are bit masks
 * of operands.
 * Samples that must fail are left out, and keep their index. */
#include "tests/autograd/samples.h"

#include <stdio.h>

static void print_sample(const Op *op, const OpTest *t, int index)
{
    const OpSample *s = &t->samples[index];
    bool given = t->low != 0 || t->high != 0;
    printf("%s\t%d\t%s\t%s\t%.17g\t%.17g\t%d\t", op->name, index, s->label, t->oracle,
           given ? t->low : -2, given ? t->high : 2, t->ids_below);
    for (int i = 0; i < 4; i++)
        printf("%s%.17g", i ? "," : "", s->arg[i]);
    printf("\t%s\t%u\t%u\n", s->shapes, op->ids, t->constant);
}

int main(void)
{
    for (int o = 0; ag_ops[o]; o++) {
        const OpTest *test = op_test_of(ag_ops[o]);
        for (int i = 0; test && test->samples[i].label; i++)
            if (!test->samples[i].fails)
                print_sample(ag_ops[o], test, i);
    }
    return 0;
}
