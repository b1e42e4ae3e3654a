/* exam.c: a trained model and new questions for it (row 9). See mixed.h. */
#include "lectures/02-tokens/mixed.h"

#include <string.h>

enum { PICTURES = 400, FIRST_NEW = 1000000 };

void exam_begin(Exam *e, bool typed, uint64_t seed)
{
    const char *file = typed ? LECTURES_FOLDER "/02-tokens/mixed.safetensors"
                             : LECTURES_FOLDER "/02-tokens/mixed-untyped.safetensors";
    *e = (Exam){.params = params_new(seed),
                .tape = tape_new(seed),
                .rng = {.seed = seed, .stream = 910}};
    if (mixed_init(&e->model, e->params, typed) && params_load(file, e->params))
        album_begin(&e->album, seed, FIRST_NEW, PICTURES);
    e->tape->no_grad = true;
}

void exam_end(Exam *e)
{
    album_end(&e->album);
    tape_free(e->tape);
    params_free(e->params);
}

void damage_questions(Questions *q, Damage damage)
{
    if (damage == BLANK_PICTURE)
        memset(q->patches, 0, sizeof q->patches);
    for (int b = 0; damage == NO_WORD && b < BATCH; b++)
        q->ids[b][1] = CLASS;
}
