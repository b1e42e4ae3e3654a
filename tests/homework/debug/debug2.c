/* debug2.c: two right answers to debug-2, in different styles; debug.sh hands in each. */
#include "debug2.h"

/* 1. The logits of a text's beginning, alone and within the text. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model model;
    int x[12];
    double whole[12 * LETTERS], part[12 * LETTERS];
    int wrong = 0;
    program->begin(&model, &seed);
    program->draw(x, 12, &seed);
    program->logits(&model, x, 12, whole);
    for (int n = 1; n < 12; n++) {
        program->logits(&model, x, n, part);
        for (int i = 0; i < n * LETTERS; i++)
            if (fabs(part[i] - whole[i]) > 1e-10)
                wrong++;
    }
    sprintf(said, "%d logits change when letters are appended", wrong);
    return wrong != 0;
}

/* 2. How often the most probable letter is the next one: at best 60 %. */
int style_2(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int right = 0, all = 0;
    program->begin(&m, &seed);
    program->train(&m, 200, &seed);
    for (int k = 0; k < 100; k++) {
        int text[10];
        double y[10 * LETTERS];
        program->draw(text, 10, &seed);
        program->logits(&m, text, 10, y);
        for (int i = 0; i < 9; i++) {
            int best = 0;
            for (int v = 1; v < LETTERS; v++)
                best = y[i * LETTERS + v] > y[i * LETTERS + best] ? v : best;
            right += best == text[i + 1];
            all++;
        }
    }
    snprintf(said, SAID, "%d %% of the letters are predicted; 60 %% can be", 100 * right / all);
    return right > 0.8 * all;
}
