/* source.c: a language of three letters, all of whose probabilities are known. See language.h. */
#include "lectures/06-language/language.h"

double source_step(int before, int next)
{
    if (before == BOS)
        return 1.0 / LETTERS;
    int ahead = (next - before + LETTERS) % LETTERS; /* in the circle a b c */
    return ahead == 1 ? 0.75 : ahead == 2 ? 0.25 : 0;
}

double source_p(const int *x, int n)
{
    double p = 1;
    for (int t = 0; t < n; t++)
        p *= source_step(t ? x[t - 1] : BOS, x[t]);
    return p;
}

void source_sequence(int number, int x[LENGTH])
{
    for (int t = LENGTH - 1; t >= 0; t--) {
        x[t] = number % LETTERS;
        number /= LETTERS;
    }
}

const int *all_sequences(void)
{
    static int x[SEQUENCES * LENGTH];
    for (int i = 0; i < SEQUENCES; i++)
        source_sequence(i, x + i * LENGTH);
    return x;
}

double source_entropy(void)
{
    const int *x = all_sequences();
    double h = 0;
    for (int i = 0; i < SEQUENCES; i++) {
        double p = source_p(x + i * LENGTH, LENGTH);
        h -= p > 0 ? p * log(p) : 0;
    }
    return h;
}

void source_draw(Rng *rng, int x[LENGTH])
{
    for (int t = 0; t < LENGTH; t++) {
        double u = rng_uniform(rng);
        int before = t ? x[t - 1] : BOS;
        for (x[t] = 0; x[t] < LETTERS - 1 && u >= source_step(before, x[t]); x[t]++)
            u -= source_step(before, x[t]);
    }
}

double source_distance(const double *g)
{
    const int *x = all_sequences();
    double sum = 0;
    for (int i = 0; i < SEQUENCES; i++)
        sum += fabs(g[i] - source_p(x + i * LENGTH, LENGTH)) / 2;
    return sum;
}
