/* losses.c: the losses of the benchmark's models before and after ten steps, from given weights, as
 * ./gradus bench --check prints them, without its timing, which knows Linux alone.
 *
 *     losses NAME...     rows of training, such as train_mlp_2_16_1_B16 */
#include "tests/bench/bench.h"

Settings settings = {.check = true};

/* What train.c calls where it measures, which it does not do here. */
void measure(const char *name, Step step, void *context, Work work)
{
    (void)name, (void)step, (void)context, (void)work;
    abort();
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_training(argv[i]);
}
