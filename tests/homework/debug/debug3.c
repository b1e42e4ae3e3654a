/* debug3.c: two right answers to debug-3, in different styles; debug.sh hands in each. */
#include "debug3.h"

#include <string.h>

/* 1. The loss of a walk by its definition. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int walk[20];
    double p[PLACES], mine = 0;
    program->begin(&m, &seed);
    program->draw(walk, 20, &seed);
    for (int i = 1; i < 20; i++) {
        program->predict(&m, walk[i - 1], p);
        mine += -log(p[walk[i]]);
    }
    double off = fabs(mine / 19 - program->loss(&m, walk, 20));
    sprintf(said, "the loss is off by %.4f from equation 2", off);
    return off > 1e-9;
}

/* 2. What the trained model makes of 600 steps, beside what the walk does. */
static int successor(const Program *p, const Model *m, int place)
{
    double share[PLACES];
    int best = 0;
    p->predict(m, place, share);
    for (int v = 0; v < PLACES; v++)
        if (share[v] > share[best])
            best = v;
    return best;
}
int style_2(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int count[PLACES][PLACES], walk[100], wrong = 0;
    memset(count, 0, sizeof count);
    program->begin(&m, &seed);
    program->train(&m, 150, &seed);
    for (int k = 0; k < 6; k++) {
        program->draw(walk, 100, &seed);
        for (int i = 0; i + 1 < 100; i++)
            count[walk[i]][walk[i + 1]]++;
    }
    for (int u = 0; u < PLACES; u++) {
        int most = 0;
        for (int v = 0; v < PLACES; v++)
            most = count[u][v] > count[u][most] ? v : most;
        wrong += successor(program, &m, u) != most;
    }
    snprintf(said, SAID, "after %d of 6 places another one is the most probable", wrong);
    return wrong > 3;
}
