/* held_out.c: questions about a white triangle or a dark ring, which training never showed (row 51; see queries.h). */
#include "lectures/07-vision/queries.h"

/* "shade the triangle", "form the white", and both asked by quadrant: shares right, of 400 each. */
enum { HELD_OUT_KINDS = 4 };
static const Query held_out_kinds[HELD_OUT_KINDS] = {{SHADE, QUADRANT, 0},
                                                     {FORM, QUADRANT, 0},
                                                     {FORM, SHADE, 0},
                                                     {SHADE, FORM, 0}};

typedef struct {
    double right[HELD_OUT_KINDS];
    double others[HELD_OUT_KINDS]; /* answered with the other object's value */
} HeldOut;

static bool ask_held_out(PictureGpt *m, Damage damage, HeldOut *h)
{
    static Exam e;
    bool ok = true;
    album_draw(&e.album, m, SCENES, true);
    for (int k = 0; ok && k < HELD_OUT_KINDS; k++) {
        for (int i = 0; i < SCENES; i++) {
            e.query[i] = held_out_kinds[k];
            e.query[i].object = object_held_out(&e.album.scene[i].object[1]);
        }
        ok = exam_ask(m, &e, damage);
        h->right[k] = ok ? exam_right(&e) : (double)NAN;
        h->others[k] = 0;
        for (int i = 0; i < SCENES; i++) {
            Query other = e.query[i];
            other.object = 1 - other.object;
            h->others[k] +=
                (double)(e.answer[i] == query_answer(&other, &e.album.scene[i])) / SCENES;
        }
    }
    return ok;
}

static bool held_out_of(Trial *t, Damage damage, HeldOut *h)
{
    static const char *const names[HELD_OUT_KINDS] = {"shade top left", "form top left",
                                                      "form the white", "shade the triangle"};
    PictureGpt m;
    bool ok =
        damage == UNTRAINED ? picture_gpt_untrained(&m, t->seed) : picture_gpt_begin(&m, t->seed);
    ok = ok && ask_held_out(&m, damage, h);
    for (int k = 0; ok && k < HELD_OUT_KINDS; k++)
        explain(t, "\"%s\" and the like: right in %.4f of 400; the other object's in %.4f",
                names[k], h->right[k], h->others[k]);
    picture_gpt_end(&m);
    return ok;
}

static double held_out_answers(Trial *t)
{
    HeldOut h;
    Damage damage = broken(t, "other-picture") ? SWAPPED
                    : broken(t, "untrained")   ? UNTRAINED
                                               : WHOLE;
    double least = 1;
    if (!held_out_of(t, damage, &h))
        return (double)NAN;
    for (int k = 0; k < HELD_OUT_KINDS; k++)
        least = values_least(least, h.right[k]);
    explain(t, "to leave white out of what a triangle may be was right throughout training");
    return least;
}

const Claim claim_answers_held_out = {
    .row = 51,
    .statement = "the answering GPT gives shades and forms that were no answer to these questions "
                 "in training",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "share right of 400 questions of a kind: the least of four kinds",
    AT_LEAST(0.95),
    .why = "0.985 of 8,000 others, with an error of 0.006 for 400: five of them; the prior of "
           "training "
           "gives 0",
    .faults = {{"other-picture", "the questions are asked of other pictures"},
               {"untrained", "the weights it began with"}},
    .measure = held_out_answers,
};

/* ---- figure --------------------------------------------------------------------------------------------------------- */

/* Shares right of the questions in e->query under a damage. */
static double right_under(PictureGpt *m, Exam *e, Damage damage)
{
    return exam_ask(m, e, damage) ? exam_right(e) : (double)NAN;
}

static bool draw_answers(const Sketch *s)
{
    static const char *const names[] = {"its picture", "another one", "best guess", "other black",
                                        "asked black"};
    static const char *const held_out[HELD_OUT_KINDS] = {"form top left", "shade top left",
                                                         "form the white", "shade the ring"};
    static Exam e;
    PictureGpt m;
    HeldOut h = {{0}, {0}};
    double right[5] = {0}, p[LARGEST_COUNT];
    bool ok = picture_gpt_begin(&m, s->seed);
    if (ok) {
        album_draw(&e.album, &m, SCENES, false);
        for (int i = 0; i < SCENES; i++) {
            e.query[i] = query_kinds[i % QUERIES];
            e.query[i].object = i / QUERIES % 2;
            prior_answers(&e.query[i], &e.album.scene[i].object[e.query[i].object], p);
            right[2] += prior_likeliest(p) / SCENES;
        }
        right[0] = right_under(&m, &e, WHOLE);
        right[1] = right_under(&m, &e, SWAPPED);
        right[3] = right_under(&m, &e, HIDE_OTHER);
        right[4] = right_under(&m, &e, HIDE_ASKED);
        ok = ask_held_out(&m, WHOLE, &h);
    }
    const double pairs[HELD_OUT_KINDS] = {h.right[1], h.right[0], h.right[2], h.right[3]};
    const PlotBars bars[] = {{names, right, 5,
                              "share right, by what is seen: pairs that training showed"},
                             {held_out, pairs, HELD_OUT_KINDS,
                              "share right, by the question: pairs it never showed"}};
    ok =
        ok && plot_bars(s->stem, bars, 2, sketch_title(s, "Questions about a picture"), s->formats);
    picture_gpt_end(&m);
    return ok;
}

const Figure figure_picture_answers = {
    .row = 51,
    .name = "picture-answers",
    .what = "questions about pictures: with, without and beside the object that is asked about",
    .draw = draw_answers,
};
