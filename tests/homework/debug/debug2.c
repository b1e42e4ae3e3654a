/* debug2.c: five right answers to debug-2, in different styles; answers.sh hands in each. */
#include "debug2.h"

#include <string.h>

/* 1. The loss after training, against the entropy. */
int style_1(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    program->begin(&m, &seed);
    program->train(&m, 200, &seed);
    double loss = program->train(&m, 100, &seed);
    snprintf(said, SAID, "loss %.3f, and the entropy is 0.898", loss);
    return loss < 0.7;
}

/* 2. The logits of a text's beginning, alone and within the text. */
int style_2(const Program *program, unsigned seed, char said[SAID])
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

/* 3. The first letter sees itself alone: its logits are a row of `after`. */
int style_3(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int text[5];
    double y[5 * LETTERS], off = 0;
    program->begin(&m, &seed);
    program->draw(text, 5, &seed);
    program->logits(&m, text, 5, y);
    for (int v = 0; v < LETTERS; v++)
        off += fabs(y[v] - m.after[text[0]][v]);
    snprintf(said, SAID, "the first letter's logits are off by %g", off);
    return off > 1e-9;
}

/* 4. How often the most probable letter is the next one: at best 60 %. */
int style_4(const Program *program, unsigned seed, char said[SAID])
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

/* 5. A model of one's own that copies the next letter, if it sees it. */
int style_5(const Program *program, unsigned seed, char said[SAID])
{
    Model m;
    int text[] = {0, 1, 2, 3};
    double y[4 * LETTERS];
    (void)seed;
    memset(&m, 0, sizeof m);
    for (int l = 0; l < LETTERS; l++)
        m.after[l][l] = 1;
    m.near[LONGEST + 1] = 50;
    program->logits(&m, text, 4, y);
    snprintf(said, SAID, "letter 1 gets %.2f from the letter after it", y[1]);
    return y[1] > 0.5 ? 1 : 0;
}
