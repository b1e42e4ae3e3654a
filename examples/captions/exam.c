/* exam.c: questions about pictures, asked and marked. See exam.h. */
#include "examples/captions/exam.h"

#include <string.h>

/* ---- what the question alone says ------------------------------------------------------------ */

/* p (value_count[asked]): the probability of each answer, given the question; by symmetry 1/2 for
 * size, row and column, and for form and shade a count over all pairs of objects that training
 * shows. */
void prior_answers(const Query *q, const Object *like, double p[MOST_VALUES])
{
    double sum = 0;
    for (int v = 0; v < MOST_VALUES; v++)
        p[v] = v < value_count[q->asked] ? 1.0 / value_count[q->asked] : 0;
    if (q->asked != FORM && q->asked != SHADE)
        return;
    memset(p, 0, MOST_VALUES * sizeof *p);
    for (int f = 0; f < FORMS * FORMS; f++)
        for (int s = 0; s < SHADES * SHADES; s++) {
            const int form[2] = {f / FORMS, f % FORMS}, shade[2] = {s / SHADES, s % SHADES};
            if (form[0] == form[1] || shade[0] == shade[1] || pair_held_out(form[0], shade[0]) ||
                pair_held_out(form[1], shade[1]))
                continue;
            if ((q->given == FORM && form[0] != like->value[FORM]) ||
                (q->given == SHADE && shade[0] != like->value[SHADE]))
                continue;
            p[q->asked == FORM ? form[0] : shade[0]]++;
            sum++;
        }
    for (int v = 0; v < MOST_VALUES; v++)
        p[v] /= sum;
}

/* The probability that the likeliest answer is right, and that one answer drawn from p and another
 * agree. */
double prior_likeliest(const double p[MOST_VALUES])
{
    double most = 0;
    for (int v = 0; v < MOST_VALUES; v++)
        most = p[v] > most ? p[v] : most;
    return most;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void hide(int codes[PICTURE_CODES], int quadrant)
{
    for (int n = 0; n < PATCHES; n++)
        if (patch_quadrant(n) == quadrant) {
            codes[2 * n] = 0;
            codes[2 * n + 1] = LEVELS;
        }
}

/* The codes of another picture, in which the question makes sense, too: one of its objects has the
 * given value. */
static void swap_picture(PictureGpt *m, const Query *q, const Scene *s, int codes[PICTURE_CODES])
{
    Scene other;
    const Object *like = &s->object[q->object];
    do
        scene_draw(&other, &m->rng, false);
    while (!query_fits(q, like, &other.object[0]) && !query_fits(q, like, &other.object[1]));
    codebook_encode(&m->book, other.pixels, codes);
}

const char *const held_out_names[HELD_OUT_KINDS] = {"shade top left", "form top left",
                                                    "form the white", "shade the triangle"};

void exam_draw(PictureGpt *m, Exam *e)
{
    album_draw(&e->album, m, SCENES, false);
    for (int i = 0; i < SCENES; i++) {
        e->query[i] = query_kinds[i % QUERIES];
        e->query[i].object = i / QUERIES % 2;
    }
}

void exam_draw_held_out(PictureGpt *m, Exam *e, int kind)
{
    static const Query kinds[HELD_OUT_KINDS] = {{SHADE, QUADRANT, 0},
                                                {FORM, QUADRANT, 0},
                                                {FORM, SHADE, 0},
                                                {SHADE, FORM, 0}};
    album_draw(&e->album, m, SCENES, true);
    for (int i = 0; i < SCENES; i++) {
        e->query[i] = kinds[kind];
        e->query[i].object = object_held_out(&e->album.scene[i].object[1]);
    }
}

bool exam_ask(PictureGpt *m, Exam *e, Shown shown)
{
    for (int i = 0; i < SCENES; i++) {
        const Scene *s = &e->album.scene[i];
        const Query *q = &e->query[i];
        int codes[PICTURE_CODES];
        memcpy(codes, e->album.codes[i], sizeof codes);
        if (shown == SWAPPED)
            swap_picture(m, q, s, codes);
        if (shown == HIDE_ASKED || shown == HIDE_OTHER)
            hide(codes,
                 object_quadrant(&s->object[shown == HIDE_ASKED ? q->object : 1 - q->object]));
        sequence_query(e->prompt[i], codes, s, q);
    }
    bool ok = picture_gpt_answers(m, e->prompt, SCENES, e->answer);
    for (int i = 0; ok && i < SCENES; i++)
        e->right[i] = e->answer[i] == query_answer(&e->query[i], &e->album.scene[i]);
    return ok;
}

double exam_right(const Exam *e)
{
    int right = 0;
    for (int i = 0; i < SCENES; i++)
        right += e->right[i];
    return (double)right / SCENES;
}

double exam_others(const Exam *e)
{
    int others = 0;
    for (int i = 0; i < SCENES; i++) {
        Query q = e->query[i];
        q.object = 1 - q.object;
        others += e->answer[i] == query_answer(&q, &e->album.scene[i]);
    }
    return (double)others / SCENES;
}
