/* debug3.c: five right answers to debug-3, in different styles; answers.sh hands in each. */
#include "debug3.h"

#include <string.h>

/* 1. The loss after training, against the entropy. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    program->begin(&m, &seed);
    double loss = 0;
    for (int k = 0; k < 4; k++)
        loss = program->train(&m, 50, &seed);
    snprintf(said, SAID, "loss %.3f after 200 steps; the entropy is 0.898", loss);
    return loss < 0.5;
}

/* 2. The loss of a walk by its definition. */
int style_2(const Program *program, unsigned seed, char said[SAID])
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

/* 3. Only the last place changes: the loss must, too. */
int style_3(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int walk[] = {0, 1, 2, 3};
    program->begin(&m, &seed);
    double before = program->loss(&m, walk, 4);
    walk[3] = 4;
    double change = fabs(program->loss(&m, walk, 4) - before);
    snprintf(said, SAID, "another last place changes the loss by %g", change);
    if (change == 0)
        return 1;
    return 0;
}

/* 4. What the trained model makes of 600 steps, beside what the walk does. */
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
int style_4(const Program *program, unsigned seed, char said[SAID])
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

/* 5. A walk that stands still must have a large loss. */
int style_5(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    static const int still[8], moving[] = {0, 1, 2, 3, 4, 5, 0, 1};
    program->begin(&m, &seed);
    program->train(&m, 150, &seed);
    double a = program->loss(&m, still, 8), b = program->loss(&m, moving, 8);
    snprintf(said, SAID, "loss of standing %.2f, of going %.2f", a, b);
    return a < 1.5;
}
