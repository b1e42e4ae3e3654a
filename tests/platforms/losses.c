/* losses.c: the losses of the benchmark's models before and after ten steps, from given weights, as
 * ./gradus bench --check prints them, without its timing, which knows Linux alone.
 *
 *     losses BEGINNING...     the rows of tests/bench/train.c whose names begin so */
#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Settings settings = {.check = true};

/* What train.c calls where it measures, which it does not do here. */
void measure(const char *name, Step step, void *context, Work work)
{
    (void)name, (void)step, (void)context, (void)work;
    abort();
}

int main(int argc, char **argv)
{
    for (const Row *r = train_rows; r->name; r++)
        for (int i = 1; i < argc; i++)
            if (strncmp(r->name, argv[i], strlen(argv[i])) == 0) {
                r->run(r);
                break;
            }
}
