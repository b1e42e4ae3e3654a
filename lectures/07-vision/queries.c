/* queries.c: questions asked about a picture, and what can be answered without it (row 51). See queries.h. */
#include "lectures/07-vision/queries.h"

#include <string.h>

/* ---- what the question alone says ---------------------------------------------------------------------------------- */

/* p (value_count[asked]): the probability of each answer, given the question; by symmetry 1/2 for size, row and
 * column, and for form and shade a count over all pairs of objects that training shows. */
void prior_answers(const Query *q, const Object *like, double p[LARGEST_COUNT])
{
    double sum = 0;
    for (int v = 0; v < LARGEST_COUNT; v++)
        p[v] = v < value_count[q->asked] ? 1.0 / value_count[q->asked] : 0;
    if (q->asked != FORM && q->asked != SHADE)
        return;
    memset(p, 0, LARGEST_COUNT * sizeof *p);
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
    for (int v = 0; v < LARGEST_COUNT; v++)
        p[v] /= sum;
}

/* The probability that the likeliest answer is right, and that one answer drawn from p and another agree. */
double prior_likeliest(const double p[LARGEST_COUNT])
{
    double most = 0;
    for (int v = 0; v < LARGEST_COUNT; v++)
        most = p[v] > most ? p[v] : most;
    return most;
}

double prior_agreement(const double p[LARGEST_COUNT])
{
    double sum = 0;
    for (int v = 0; v < LARGEST_COUNT; v++)
        sum += p[v] * p[v];
    return sum;
}

/* ---- asking --------------------------------------------------------------------------------------------------------- */

static void hide(int codes[PICTURE_CODES], int quadrant)
{
    for (int n = 0; n < PATCH_COUNT; n++)
        if (patch_quadrant(n) == quadrant) {
            codes[2 * n] = 0;
            codes[2 * n + 1] = LEVELS;
        }
}

/* The codes of another picture, in which the question makes sense, too: one of its objects has the given value. */
static void swap_picture(PictureGpt *m, const Query *q, const Scene *s, int codes[PICTURE_CODES])
{
    Scene other;
    const Object *like = &s->object[q->object];
    do
        scene_draw(&other, &m->rng, false);
    while (!query_fits(q, like, &other.object[0]) && !query_fits(q, like, &other.object[1]));
    codebook_encode(&m->book, other.pixels, codes);
}

/* Asks the questions in e->query, each about its own picture. */
bool exam_ask(PictureGpt *m, Exam *e, Damage damage)
{
    for (int i = 0; i < SCENES; i++) {
        const Scene *s = &e->album.scene[i];
        const Query *q = &e->query[i];
        int codes[PICTURE_CODES];
        memcpy(codes, e->album.codes[i], sizeof codes);
        if (damage == SWAPPED)
            swap_picture(m, q, s, codes);
        if (damage == HIDE_ASKED || damage == HIDE_OTHER)
            hide(codes,
                 object_quadrant(&s->object[damage == HIDE_ASKED ? q->object : 1 - q->object]));
        Query prompt = *q;
        prompt.object = damage == SAME_QUESTION ? 0 : q->object;
        sequence_query(e->prompt[i], codes, s, &prompt);
    }
    bool ok = picture_gpt_answers(m, (const int(*)[ASKED])e->prompt, SCENES, e->answer);
    for (int i = 0; ok && i < SCENES; i++)
        e->right[i] = e->answer[i] == query_answer(&e->query[i], &e->album.scene[i]);
    return ok;
}

double exam_right(const Exam *e)
{
    double right = 0;
    for (int i = 0; i < SCENES; i++)
        right += (double)e->right[i] / SCENES;
    return right;
}
